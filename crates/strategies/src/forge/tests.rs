use super::*;
use crate::pressure::Reading;
use crate::strategy::Strategy;
use crate::testkit::{Script, note, rules, says, scene};
use crate::unit::Tokens;

fn reading(used: u64, target: u64) -> Option<Reading> {
    Some(Reading { used: Tokens(used), limit: Tokens(target), target: Tokens(target), met: true })
}

/// Contents after the plan, answers being `s`, or nothing where it declines.
fn after(strategy: &dyn Strategy, shape: &str, reading: Option<Reading>) -> Option<String> {
    let mut scene = scene(shape);
    let applied = scene.act(strategy, reading)?;
    assert!(!rules(&applied).contains(&crate::apply::Rule::TurnSplit), "{shape}");
    Some(scene.contents().join(" ").replace("[SUMMARIZED]", "S:").replace("[GOAL BATCH]\n", "G:"))
}

const BATCH: Batching = Batching {
    older_than_messages: 0,
    min_turns: 1,
    max_turns: 6,
    max_tokens: Tokens(500),
    model: None,
};

/// The number of turns in the batch.
fn batched(batch: &Batching, shape: &str) -> usize {
    let note = scene(shape).plan(&GoalBatch(batch.clone()), None).and_then(|plan| note(&plan));
    note.and_then(|note| note.strip_prefix("turn_count=")?.parse().ok()).unwrap_or(0)
}

/// The vectors of Forge's own tests, each with a live turn behind it.
#[test]
fn closed_turns_are_a_user_message_and_the_summaries_right_behind_it() {
    for (shape, expected) in [
        ("uSuS u", 2),
        ("GuS u", 1),
        ("uSSuS u", 2),
        ("uaS u", 0),
        ("uGS u", 0),
        ("SuS u", 1),
        ("uuS u", 1),
        ("hSuS u", 2),
        ("", 0),
    ] {
        assert_eq!(batched(&BATCH, shape), expected, "{shape}");
    }
}

#[test]
fn a_batch_keeps_to_its_bounds() {
    for (batch, shape, expected) in [
        (Batching { older_than_messages: 3, ..BATCH }, "uSuSu", 1),
        (Batching { older_than_messages: 4, ..BATCH }, "uSuSu", 0),
        (Batching { min_turns: 3, ..BATCH }, "uSuSu", 0),
        (Batching { min_turns: 2, ..BATCH }, "uSuSu", 2),
        (Batching { max_turns: 2, ..BATCH }, "uSuSuSuSu", 2),
        (BATCH, "uSuS", 1),
        (Batching::default(), "uSuSuSu", 0),
    ] {
        assert_eq!(batched(&batch, shape), expected, "{shape} {batch:?}");
    }
}

#[test]
fn a_batch_stands_where_its_first_turn_stood() {
    for (shape, expected) in [("uSSuSu", "G:s u5"), ("GuSu", "G0 G:s u3"), ("uSauSu", "G:s a2 u5")]
    {
        // Messages and summaries are numbered apart: only the letters count here.
        let letters = |text: String| text.replace(|c: char| c.is_ascii_digit(), "");
        let found = after(&GoalBatch(BATCH), shape, None).map(letters);
        assert_eq!(found, Some(letters(expected.to_owned())), "{shape}");
    }
}

#[test]
fn calls_are_folded_by_the_age_of_their_turn() {
    let tool_call = |older_than_turns| ToolCall { older_than_turns, ..ToolCall::default() };
    for (age, shape, expected) in [
        (1, "uctuctu", Some("u0 S: s u3 S: s u6")),
        (2, "uctuctu", Some("u0 S: s u3 c4 t5 u6")),
        (3, "uctuctu", None),
        (0, "uctuct", Some("u0 S: s u3 c4 t5")),
        (1, "uctcu", Some("u0 S: s S: s u4")),
        (1, "uaaau", None),
        (1, "uctahu", Some("u0 S: s a3 h4 u5")),
        // A rejection notice of the harness counts as a turn, as in the records.
        (2, "ucthhu", Some("u0 S: s h3 h4 u5")),
    ] {
        assert_eq!(after(&tool_call(age), shape, None).as_deref(), expected, "{age} {shape}");
    }
}

#[test]
fn parallel_calls_become_one_summary_each() {
    let scene = scene("u2ttu");
    let strategy = ToolCall { older_than_turns: 1, ..ToolCall::default() };
    let plan = scene.plan(&strategy, None).expect("it acts");
    assert_eq!(plan.requests.len(), 2);
    let outcome = scene.answer(&plan.requests, &Script::new([says("s")]));
    let Layout::Whole(slots) = plan.layout else { panic!("history scope") };
    let applied = scene.apply(slots, &outcome.answers);
    let covers: Vec<_> = applied
        .change
        .added
        .iter()
        .map(|fold| fold.covered.iter().map(|id| id.0).collect::<Vec<_>>())
        .collect();
    assert_eq!(covers, [vec![1, 2], vec![1, 3]], "each the message and its own result");
    assert_eq!(rules(&applied).len(), usize::from(applied.counted > scene.view.counted()));
    let bodies: Vec<String> = outcome
        .answers
        .values()
        .map(|answered| answered.spans().ranges().iter().map(|r| format!("{r:?}")).collect())
        .collect();
    assert_eq!(bodies, ["(1, 3)", "(1, 2)(3, 4)"]);
}

#[test]
fn the_threshold_folds_the_oldest_block_and_leaves_the_live_turn() {
    let threshold = Threshold::default();
    for (shape, reading, expected) in [
        ("uctauctu", reading(100, 50), Some("u0 S: s u4 c5 t6 u7")),
        ("uSuctu", reading(100, 50), Some("u0 S1 u1 S: s u4")),
        ("uctGacu", reading(100, 50), Some("u0 S: s G3 a3 c4 u5")),
        ("uctauctu", reading(50, 50), None),
        ("uctauctu", None, Some("u0 S: s u4 c5 t6 u7")),
        ("uctact", reading(100, 50), None),
        ("uSuG", reading(100, 50), None),
    ] {
        assert_eq!(after(&threshold, shape, reading).as_deref(), expected, "{shape}");
    }
}

#[test]
fn every_call_and_result_of_a_block_is_shown() {
    let mut scene = scene("uct2ttu");
    let strategy = Threshold::default();
    let script = Script::new([says("s")]);
    scene.compact(&strategy, &script).expect("answered");
    let text = script.prompts()[0].messages[0].text();
    for shown in ["[assistant]: c1", "[call run]: {\"n\":1}", "[tool]: t2", "[call run]: {\"n\":3}"]
    {
        assert!(text.contains(shown), "{shown} is not in {text}");
    }
    assert_eq!(text.matches("[call run]").count(), 3);
}
