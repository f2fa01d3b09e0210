//! gemini-cli's chat compression, by chatCompressionService.ts and its tests
//! (google-gemini/gemini-cli, packages/core/src/context at 5411f11; `truncateHistoryToBudget` and
//! what the summarizer reads at 1bbee03): a snapshot and a verification that may better it; rejected
//! when empty or larger; truncation of old outputs alone after a failure.

use proctor_core::apply::Rule;
use proctor_core::log::Role;
use proctor_core::plan::{Decision, Layout, Plan};
use proctor_core::pressure::Occasion::BeforeCall;
use proctor_core::strategy::{Strategy, Taken};
use proctor_core::summarize::FailureClass;
use proctor_core::unit::Tokens;
use proctor_strategies::gemini_cli::GeminiCli;

use crate::scene::*;

fn plan(scene: &Scene) -> Plan {
    plans(scene, &GeminiCli::default(), BeforeCall)
}

const LONG: &str = "The loader opens the file, reads the header, checks the version and \
                    then hands every record to the parser, which keeps going after an error.";

fn scene() -> Scene {
    Scene::lines(&[
        User("Explain the loader."),
        Calls("", &[("c1", "read", "{}")]),
        Output("c1", LONG),
        Says(LONG),
        User("Thanks. Rename it."),
        Says("Renamed."),
    ])
}

const CUT: &str = "\n[... the middle of this output was cut ...]\n";
const ACK: &str = "assistant notice g0 : Got it. Thanks for the additional context!";

#[test]
fn the_verified_snapshot_replaces_the_head() {
    let mut scene = scene();
    let plan = plan(&scene);
    let script = Script::new([
        says("thinking <state_snapshot>draft</state_snapshot>"),
        says("<state_snapshot>better</state_snapshot> bye"),
    ]);
    let outcome = scene.answer(&plan.requests, &Script::new([says("a"), says("b")]));
    assert_eq!(outcome.attempts.iter().map(|a| a.batch).collect::<Vec<_>>(), [0, 1]);
    let Fate::Accepted(applied) = carry_out(&mut scene, &plan, &script) else { panic!("accepted") };
    assert_eq!(
        rows(&scene),
        [
            // The verification read the draft: one summarizer more.
            "user summary g2 0..4: <state_snapshot>better</state_snapshot>",
            ACK,
            "user g0 4..5: Thanks. Rename it.",
            "assistant g0 5..6: Renamed.",
        ]
    );
    assert_eq!(rules(&applied), []);
    assert!(prompts(&script)[1].contains("assistant: thinking <state_snapshot>draft"));
}

#[test]
fn an_empty_or_failed_verification_falls_back_to_the_snapshot() {
    for reply in [says(""), fails(FailureClass::Error)] {
        let mut scene = scene();
        let plan = plan(&scene);
        let draft = says("<state_snapshot>draft</state_snapshot>");
        let Fate::Accepted(applied) = carry_out(&mut scene, &plan, &Script::new([draft, reply]))
        else {
            panic!("accepted")
        };
        assert_eq!(rows(&scene)[0], "user summary g1 0..4: <state_snapshot>draft</state_snapshot>");
        assert_eq!(rules(&applied), []);
    }
}

#[test]
fn an_empty_snapshot_is_no_compression() {
    let mut scene = scene();
    let (plan, before) = (plan(&scene), rows(&scene));
    assert!(matches!(carry_out(&mut scene, &plan, &Script::new([says(" ")])), Fate::Failed(_)));
    assert_eq!(rows(&scene), before);
}

#[test]
fn a_larger_result_is_rejected() {
    let mut scene = scene();
    let (plan, before) = (plan(&scene), rows(&scene));
    let script = Script::new([says(&LONG.repeat(3)), says(&LONG.repeat(3))]);
    assert!(matches!(carry_out(&mut scene, &plan, &script), Fate::Failed(_)));
    assert_eq!(rows(&scene), before);
}

#[test]
fn an_earlier_snapshot_is_integrated() {
    let mut scene = scene();
    let first = says("<state_snapshot>first</state_snapshot>");
    let next = plan(&scene);
    carry_out(&mut scene, &next, &Script::new([first.clone(), first]));
    scene.more_lines(&[Says(LONG), User("And test it."), Says("Tested.")]);
    let script = Script::new([says("<state_snapshot>second</state_snapshot>")]);
    let next = plan(&scene);
    carry_out(&mut scene, &next, &script);
    assert!(prompts(&script)[0].contains("earlier <state_snapshot>"));
    assert!(rows(&scene)[0].ends_with("<state_snapshot>second</state_snapshot>"));
}

#[test]
fn after_a_failure_only_old_outputs_are_cut() {
    let mut scene = Scene::lines(&[
        User("Look."),
        Calls("", &[("c1", "read", "{}")]),
        Output("c1", &format!("abcde {LONG} 56789")),
        Calls("", &[("c2", "read", "{}")]),
        Output("c2", "0123456789"),
        Says("Seen."),
        User("Go on."),
    ]);
    let small = GeminiCli { result_tokens: 4, cut_to: 10, ..GeminiCli::default() };
    let plan = plans(&scene, &small, BeforeCall);
    let failing = Script::new([fails(FailureClass::Error)]);
    let Fate::Fallback(applied) = carry_out(&mut scene, &plan, &failing) else {
        panic!("fallback")
    };
    assert_eq!(rows(&scene)[2], format!("tool ~g0 2..3 (c1): abcde{CUT}56789"));
    assert_eq!(rows(&scene)[4], "tool g0 4..5 (c2): 0123456789");
    assert_eq!(rules(&applied), [] as [Rule; 0]);
}

#[test]
fn outputs_are_cut_beyond_the_budget_where_that_makes_them_shorter() {
    let left = 10 + CUT.len();
    for (lengths, result_tokens, expected) in [
        ([0, left], 0, [false, false]),
        ([0, left + 1], 0, [false, true]),
        ([0, 100], 25, [false, false]),
        ([0, 100], 24, [false, true]),
        // What is left of the newer one counts, 13 tokens, and the older one has 15.
        ([60, 1_000], 28, [false, true]),
        ([60, 1_000], 27, [true, true]),
    ] {
        let outputs = lengths.map(|length| "x".repeat(length));
        let mut scene = Scene::lines(&[
            User(LONG),
            Calls("", &[("c1", "read", "{}"), ("c2", "read", "{}")]),
            Output("c1", &outputs[0]),
            Output("c2", &outputs[1]),
            Says("Seen."),
        ]);
        let small = GeminiCli { result_tokens, cut_to: 10, ..GeminiCli::default() };
        let plan = plans(&scene, &small, BeforeCall);
        carry_out(&mut scene, &plan, &Script::new([fails(FailureClass::Error)]));
        let are_cut = [2, 3].map(|place| rows(&scene)[place].contains(CUT));
        assert_eq!(are_cut, expected, "{lengths:?} {result_tokens}");
    }
}

#[test]
fn what_the_user_says_is_told_from_a_snapshot_by_its_element() {
    let taken = |role, content| GeminiCli::default().takes_for(role, content, true);
    assert_eq!(taken(Role::User, "Go on."), Some(Taken::Human));
    assert_eq!(taken(Role::User, "<state_snapshot>first</state_snapshot>"), Some(Taken::Summary));
    assert_eq!(taken(Role::Tool, "<state_snapshot>"), Some(Taken::Other));
}

#[test]
fn the_split_falls_on_user_messages_only_or_behind_all_that_was_answered() {
    for (lines, stay) in [
        (vec![User("a"), Says("b"), User("c"), Says("d")], 0),
        (vec![User("aaaaaaaa"), Says("b"), User("c"), Says("d")], 2),
        (vec![User("a"), Says("b"), User("c"), Calls("dddd", &[("c1", "x", "{}")])], 2),
        // What is about to be sent is no part of the history.
        (vec![User("a"), Says("b"), User("c")], 1),
        (vec![User("a"), Calls("b", &[("c1", "x", "{}")]), Output("c1", "d")], 3),
    ] {
        let scene = Scene::lines(&lines);
        match decides(&scene, &GeminiCli::default(), BeforeCall) {
            Decision::Plan(plan) => {
                let Layout::Whole(slots) = plan.layout else { panic!("a history plan") };
                assert_eq!(slots.len(), 2 + stay);
            }
            other => assert_eq!(stay, lines.len(), "{other:?}"),
        }
    }
}

#[test]
fn the_share_that_goes_is_from_0_to_1() {
    for (compress_share, sound) in [(-0.1, false), (0.0, true), (1.0, true), (1.1, false)] {
        let checked = GeminiCli { compress_share, ..GeminiCli::default() }.check();
        assert_eq!(checked.is_ok(), sound, "{checked:?}");
    }
}

#[test]
fn outputs_are_shown_whole_where_the_model_takes_all_of_them() {
    let output = "word ".repeat(200);
    for (more, whole) in [(1, true), (0, false)] {
        let mut scene = Scene::lines(&[
            User(LONG),
            Calls("", &[("c1", "read", "{}")]),
            Output("c1", &output),
            Says("Seen."),
            User("Go on."),
            Says("Done."),
        ]);
        let head: Tokens = scene.view.entries()[..4].iter().map(|entry| entry.counted).sum();
        scene.budget.window = head + Tokens(more);
        let small = GeminiCli { result_tokens: 0, cut_to: 10, ..GeminiCli::default() };
        let script = Script::new([says("<state_snapshot>s</state_snapshot>")]);
        let plan = plans(&scene, &small, BeforeCall);
        carry_out(&mut scene, &plan, &script);
        assert_eq!(prompts(&script)[0].contains(&output), whole, "{more}");
    }
}
