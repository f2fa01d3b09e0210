use super::*;
use crate::apply::Rule;
use crate::summarize::{Answer, Finish};
use crate::testkit::{PRESSED, Scene, Script, fails, rules, says};

const AGENTS: &str = "# AGENTS.md instructions for /repo\n\nrun the tests";
const ENVIRONMENT: &str = "<ENVIRONMENT_CONTEXT>cwd=/tmp</ENVIRONMENT_CONTEXT>";

fn codex(user_tokens: u64) -> Codex {
    Codex { user_tokens: Tokens(user_tokens), ..Codex::default() }
}

fn summary(text: &str) -> String {
    format!("user*: {SUMMARY_PREFIX}\n{text}")
}

fn session() -> Scene {
    Scene::texts(&[
        ('h', AGENTS),
        ('h', ENVIRONMENT),
        ('u', "Add a retry."),
        ('c', "I read it."),
        ('t', "fn load()"),
        ('u', "At most 3 times."),
        ('2', ""),
        ('t', "ok"),
        ('t', "2 passed"),
    ])
}

#[test]
fn only_initial_context_user_words_and_one_summary_stay() {
    let mut scene = session();
    let script = Script::new([says("Retry added.")]);
    let applied = scene.compact(&Codex::default(), &script).expect("accepted");
    let (agents, environment) = (format!("user: {AGENTS}"), format!("user: {ENVIRONMENT}"));
    let expected = [
        &*agents,
        &environment,
        "user: Add a retry.",
        "user: At most 3 times.",
        &summary("Retry added."),
    ];
    assert_eq!(scene.rows(), expected);
    // The prefix is longer than this small session.
    assert_eq!(rules(&applied), [Rule::Grew]);
    assert!(applied.change.dropped.is_empty());
    assert_eq!(script.shown(0).len(), 9, "everything is shown");
}

#[test]
fn a_repeated_compaction_reads_the_summary_keeps_the_users_and_leaves_one_summary() {
    let mut scene = session();
    let script = Script::new(["one", "two", "three"].map(says));
    for (round, words) in ["more", "and more", "still more"].iter().enumerate() {
        scene.compact(&Codex::default(), &script).expect("accepted");
        let rows = scene.rows();
        assert_eq!(rows.len(), 5 + round);
        assert_eq!(rows.iter().filter(|row| row.starts_with("user*")).count(), 1);
        scene.more_texts(&[('u', words), ('a', "done")]);
    }
    assert!(script.shown(1).contains(&format!("{SUMMARY_PREFIX}\none")));
    assert!(script.shown(2).contains(&format!("{SUMMARY_PREFIX}\ntwo")));
    let last = scene.view.entries().iter().find(|entry| entry.kind == Kind::Summary);
    assert_eq!(last.map(|entry| entry.generation()), Some(3), "a summary of summaries");
}

#[test]
fn the_first_user_message_that_does_not_fit_is_cut_and_ends_the_selection() {
    let lines = [
        ('u', "The very first request."),
        ('u', "0123456789abcdefghijklmnopqrstuvwxyz"),
        ('a', "I did."),
        ('u', "Twelve bytes"),
    ];
    for (budget, expected) in [
        (0, vec![]),
        (2, vec!["user~: Twel…1 tokens truncated…ytes"]),
        (3, vec!["user: Twelve bytes"]),
        (6, vec!["user~: 012345…6 tokens truncated…uvwxyz", "user: Twelve bytes"]),
        (12, vec!["user: 0123456789abcdefghijklmnopqrstuvwxyz", "user: Twelve bytes"]),
    ] {
        let mut scene = Scene::texts(&lines);
        scene.compact(&codex(budget), &Script::new([says("S")])).expect("accepted");
        let mut rows = scene.rows();
        assert_eq!(rows.pop(), Some(summary("S")), "{budget}");
        assert_eq!(rows, expected, "{budget}");
    }
}

#[test]
fn the_standard_budget_is_twenty_thousand_tokens_at_four_bytes() {
    let (fits, spills) = ("x".repeat(80_000), "x".repeat(80_001));
    for (text, expected) in [(&fits, fits.len()), (&spills, 80_000 + "…1 tokens truncated…".len())]
    {
        let mut scene = Scene::texts(&[('u', "before"), ('u', text), ('a', "ok")]);
        scene.compact(&Codex::default(), &Script::new([says("S")])).expect("accepted");
        assert_eq!(scene.rows().len(), 2, "the older message is gone");
        assert_eq!(scene.view.entries()[0].content_len(), expected);
    }
}

#[test]
fn a_cut_never_splits_a_character() {
    for length in 5..40 {
        let text = "é日🦀".repeat(length);
        let mut scene = Scene::texts(&[('u', &text), ('a', "ok")]);
        scene.compact(&codex(4), &Script::new([says("S")])).expect("accepted");
        let cut = scene.view.entries()[0].content();
        assert!(cut.starts_with('é') && cut.contains("tokens truncated"), "{cut}");
        assert!(cut.len() <= 16 + "…000 tokens truncated…".len(), "{cut}");
    }
}

#[test]
fn a_user_who_quotes_the_prefix_is_taken_for_a_summary() {
    let quoted = format!("{SUMMARY_PREFIX}\nwhat is this?");
    let unlike = format!("{SUMMARY_PREFIX} on the same line");
    let mut scene = Scene::texts(&[('u', &quoted), ('u', &unlike), ('a', "A summary.")]);
    let script = Script::new([says("S")]);
    scene.compact(&Codex::default(), &script).expect("accepted");
    assert_eq!(scene.rows(), [format!("user: {unlike}"), summary("S")]);
    assert_eq!(script.shown(0)[0], quoted, "lost from the view, not from the summarizer");
}

#[test]
fn an_answer_that_imitates_the_prefix_changes_nothing() {
    let mut scene = session();
    let script = Script::new([says(&format!("{SUMMARY_PREFIX}\nnested")), says("flat")]);
    scene.compact(&Codex::default(), &script).expect("accepted");
    scene.compact(&Codex::default(), &script).expect("accepted");
    assert_eq!(scene.rows().last(), Some(&summary("flat")));
    assert_eq!(scene.rows().len(), 5);
}

#[test]
fn an_empty_answer_leaves_the_prefix_alone() {
    for reply in [says(""), Ok(Answer { text: String::new(), finish: Finish::ToolCall })] {
        let mut scene = session();
        let applied = scene.compact(&Codex::default(), &Script::new([reply])).expect("accepted");
        assert_eq!(scene.rows().last(), Some(&summary("")));
        assert_eq!(rules(&applied), [Rule::Grew, Rule::EmptySummary]);
    }
}

#[test]
fn a_refused_prompt_loses_its_oldest_items_in_pairs_down_to_the_question_alone() {
    let script = Script::new([fails(FailureClass::Overflow)]);
    let scene = session();
    let outcome =
        scene.answer(&scene.plan(&Codex::default(), PRESSED).expect("it acts").requests, &script);
    assert_eq!(outcome.failure.map(|failure| failure.class), Some(FailureClass::Overflow));
    let lengths: Vec<usize> =
        (0..script.prompts().len()).map(|number| script.shown(number).len()).collect();
    // Two rules, the request, call and result, the request, a call with its two results.
    assert_eq!(lengths, [9, 8, 7, 6, 4, 3, 0]);
}

#[test]
fn other_failures_are_tried_again_five_times_and_leave_the_history_alone() {
    for class in [FailureClass::Error, FailureClass::TimeOut, FailureClass::Refusal] {
        let mut scene = session();
        let before = scene.rows();
        let script = Script::new([fails(class)]);
        assert_eq!(scene.compact(&Codex::default(), &script).expect_err("it fails"), class);
        assert_eq!((script.prompts().len(), scene.rows()), (6, before));
    }
}

#[test]
fn what_it_takes_for_what_goes_by_role_and_prefix() {
    let quoted = format!("{SUMMARY_PREFIX}\nwhat is this?");
    for (role, text, expected) in [
        (Role::User, "Add a flag.", Taken::Human),
        // A notice of the harness in the user's role is taken for the user's words.
        (Role::User, "Operation stopped by user.", Taken::Human),
        (Role::User, AGENTS, Taken::Other),
        (Role::User, ENVIRONMENT, Taken::Other),
        (Role::User, &quoted, Taken::Summary),
        // The prefix without its line is no summary.
        (Role::User, SUMMARY_PREFIX, Taken::Human),
        (Role::Assistant, &quoted, Taken::Other),
        (Role::Tool, "Add a flag.", Taken::Other),
        (Role::System, "Add a flag.", Taken::Other),
    ] {
        assert_eq!(codex(1).takes_for(role, text, false), Some(expected), "{role:?} {text}");
    }
}
