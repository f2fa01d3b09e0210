//! LangChain's ContextEditingMiddleware with ClearToolUsesEdit: old tool results are cleared in a
//! copy of each request, the history stays as it is. (Its SummarizationMiddleware is held to numbers
//! of the original in `crates/strategies/src/langchain/cases.toml`.)

use proctor_core::answer::Answers;
use proctor_core::apply::apply;
use proctor_core::overlay::Overlay;
use proctor_core::plan::{Base, Decision, Layout, Plan};
use proctor_core::pressure::Occasion::BeforeCall;
use proctor_core::strategy::Strategy;
use proctor_core::unit::Tokens;
use proctor_strategies::langchain::ClearToolUses;

use crate::scene::*;

fn clear(keep: usize) -> ClearToolUses {
    ClearToolUses { keep, ..ClearToolUses::default() }
}

fn plan(scene: &Scene, clear: &ClearToolUses) -> Plan {
    plans(scene, clear, BeforeCall)
}

/// Above the trigger, as its window is a token.
fn scene() -> Scene {
    let mut scene = Scene::lines(&[
        User("Go."),
        Calls("", &[("c1", "read", "{\"a\":1}"), ("c2", "memory", "{\"b\":2}")]),
        Output("c1", "first output, of many more words than a placeholder has"),
        Output("c2", "second output"),
        Calls("", &[("c3", "read", "{\"c\":3}")]),
        Output("c3", "third output"),
        Calls("", &[("c4", "read", "{\"d\":4}")]),
        Output("c4", "fourth output"),
    ]);
    scene.budget.window = Tokens(1);
    scene
}

fn results(shown: &[String]) -> Vec<bool> {
    let tools = shown.iter().filter(|row| row.starts_with("tool"));
    tools.map(|row| row.ends_with("[cleared]")).collect()
}

#[test]
fn all_but_the_newest_results_are_cleared_in_the_request_alone() {
    let scene = scene();
    let before = rows(&scene);
    let (overlay, shown) = sent(&scene, &plan(&scene, &clear(3)), &Overlay::default());
    assert_eq!(shown[2], "tool ~g0 2..3 (c1): [cleared]");
    assert_eq!(results(&shown), [true, false, false, false]);
    assert_eq!(shown[1], before[1], "arguments stay by default");
    assert_eq!(rows(&scene), before, "the history is untouched");
    assert!(overlay.tokens(&scene.view) < scene.view.tokens());
}

#[test]
fn every_knob_does_what_the_source_does() {
    let scene = scene();
    // The first result frees 12 tokens and the second one, by langchain 1.5.2.
    let excluding = ClearToolUses { exclude_tools: vec!["memory".to_owned()], ..clear(1) };
    for (clear, expected) in [
        (clear(0), [true; 4]),
        (excluding, [true, false, true, false]),
        (ClearToolUses { clear_at_least: 12, ..clear(0) }, [true, false, false, false]),
        (ClearToolUses { clear_at_least: 13, ..clear(0) }, [true, true, false, false]),
    ] {
        let (_, shown) = sent(&scene, &plan(&scene, &clear), &Overlay::default());
        assert_eq!(results(&shown), expected);
    }
    let may_not = Decision::decline("no result may be cleared");
    assert_eq!(decides(&scene, &clear(9), BeforeCall), may_not);
}

#[test]
fn it_acts_above_its_trigger() {
    let mut scene = scene();
    // `count_tokens_approximately` of langchain-core 1.8.3 says 135 of these messages.
    for (window, acts) in [(270, false), (269, true)] {
        scene.budget.window = Tokens(window);
        let decided = decides(&scene, &clear(0), BeforeCall);
        assert_eq!(matches!(decided, Decision::Plan(_)), acts, "{window}");
    }
}

#[test]
fn a_result_stays_whose_call_the_nearest_answer_before_it_did_not_make() {
    let mut scene = Scene::lines(&[
        User("Go."),
        Calls("", &[("c1", "read", "{}"), ("c2", "read", "[1]")]),
        Output("c2", "of a call whose arguments are no table"),
        Says("Waiting."),
        Output("c1", "a late output"),
        Output("c9", "an output of no call"),
        Calls("", &[("c3", "read", "{}")]),
        Output("c3", "third output"),
    ]);
    scene.budget.window = Tokens(1);
    let (_, shown) = sent(&scene, &plan(&scene, &clear(0)), &Overlay::default());
    assert_eq!(results(&shown), [false, false, false, true]);
}

#[test]
fn arguments_of_one_message_are_cleared_one_by_one() {
    let scene = scene();
    let clear = ClearToolUses { clear_tool_inputs: true, ..clear(2) };
    let (_, shown) = sent(&scene, &plan(&scene, &clear), &Overlay::default());
    assert_eq!(shown[1], "assistant ~g0 1..2:  [c1 {}] [c2 {}]");
    assert_eq!(shown[4], "assistant g0 4..5:  [c3 {\"c\":3}]");
}

#[test]
fn what_cleared_arguments_free_counts() {
    let mut scene = Scene::lines(&[
        User("Go."),
        Calls(
            "Now",
            &[
                ("c1", "read", "{\"path\":\"src/a filex\"}"),
                ("c2", "memory", "{\"key\":\"a key\"}"),
            ],
        ),
        Output("c1", "first output, of many more words than a placeholder has"),
        Output("c2", "second output"),
        Calls("", &[("c3", "read", "{\"c\":3}")]),
        Output("c3", "third output"),
        Says("Read."),
    ]);
    scene.budget.window = Tokens(1);
    // The first result and its arguments free 17 tokens, the second ones 5, by langchain 1.5.2.
    for (clear_at_least, expected) in [
        (17, [true, false, false]),
        (18, [true, true, false]),
        (22, [true, true, false]),
        (23, [true, true, true]),
    ] {
        let clear = ClearToolUses { clear_tool_inputs: true, clear_at_least, ..clear(0) };
        let (_, shown) = sent(&scene, &plan(&scene, &clear), &Overlay::default());
        assert_eq!(results(&shown), expected, "{clear_at_least}");
    }
    let (_, shown) = sent(&scene, &plan(&scene, &clear(2)), &Overlay::default());
    assert_eq!(results(&shown), [true, false, false]);
    assert!(!clear(2).asks());
}

#[test]
fn edits_on_the_view_forget_and_edits_on_what_was_sent_accumulate() {
    let scene = scene();
    let (last, _) = sent(&scene, &plan(&scene, &clear(0)), &Overlay::default());
    let mut one = plan(&scene, &clear(3));
    assert_eq!(results(&sent(&scene, &one, &last).1), [true, false, false, false]);
    if let Layout::Edits { base, .. } = &mut one.layout {
        *base = Base::LastSent;
    }
    assert_eq!(results(&sent(&scene, &one, &last).1), [true; 4]);
}

#[test]
fn such_edits_are_no_plan_for_the_history() {
    let scene = scene();
    let plan = plan(&scene, &clear(3));
    let past = scene.log.past(scene.log.messages.len());
    let tried =
        apply(&scene.view, &plan.layout, &Answers::new(), past, &scene.tally, false, scene.unread);
    assert!(tried.is_err_and(|error| error.to_string().contains("request scope")));
}
