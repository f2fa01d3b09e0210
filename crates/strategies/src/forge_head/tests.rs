//! What no scene shows of Forge's code, the newer and the older: counts, notes and requests.

use super::*;
use crate::forge_g2;
use crate::pressure::Reading;
use crate::strategy::Strategy;
use crate::testkit::{self, Scene, Script, note, says};

fn scene(shape: &str) -> Scene {
    let mut scene = testkit::scene(shape);
    scene.budget.system = Tokens(30);
    scene.budget.schemas = Tokens(20);
    scene
}

/// Applies the plan, and says what was asked.
fn act(strategy: &dyn Strategy, scene: &mut Scene) -> Option<String> {
    let script = Script::new([says("s")]);
    scene.attempt(strategy, None, &script)?.expect("answered");
    assert_eq!(script.prompts().len(), 1, "one request");
    Some(script.prompts()[0].messages[0].text())
}

/// Everything but the last `keep` is old and due.
fn old_calls(keep: usize) -> ToolCall {
    ToolCall { older_than_messages: keep, min_tool_messages: 1, ..ToolCall::default() }
}

/// The wiring of `cmd/forge/main.go` is what holds where a file says nothing.
#[test]
fn the_parameters_are_those_of_the_wiring() {
    let (calls, batch) = (ToolCall::default(), forge::GoalBatch::default());
    let numbers = (calls.older_than_messages, calls.min_tool_messages, calls.max_distance);
    assert_eq!(numbers, (20, 10, 40));
    assert_eq!((batch.older_than_messages, batch.min_turns, batch.max_turns), (20, 3, 6));
}

#[test]
fn tool_messages_are_grouped_as_forge_groups_them() {
    let everything = ToolCall { max_distance: 99, ..old_calls(0) };
    for (shape, expected) in crate::cases::<(String, Vec<Vec<usize>>)>("groups") {
        let found = everything.due(&scene(&shape).view).map(|due| due.groups).unwrap_or_default();
        assert_eq!(found, expected, "{shape}");
    }
}

#[test]
fn requests_show_the_last_old_user_message_as_the_goal_then_operations_or_turns() {
    for (keep, shape, begins) in [
        (1, "uctuu", "## User Goal\nu3\n"),
        (1, "ucthu", "## User Goal\nh3\n"),
        (2, "uctua", "## User Goal\nu0\n"),
        (0, "ct", "Below are tool calls"),
    ] {
        let prompt = act(&old_calls(keep), &mut scene(shape)).expect("it acts");
        assert!(prompt.starts_with(begins), "{shape}: {prompt}");
    }
    let prompt = act(&old_calls(1), &mut scene("uctctu")).expect("it acts");
    for shown in ["--- Operation 2 ---", "[assistant]: c1", "[call run]: {\"n\":1}", "[tool]: t4"] {
        assert!(prompt.contains(shown), "{shown} is not in {prompt}");
    }
    let sizes = forge::GoalBatch { older_than_messages: 2, min_turns: 2, ..Default::default() };
    let batch = GoalBatch(sizes);
    let prompt = act(&batch, &mut scene("uSuSct")).expect("it acts");
    assert!(prompt.contains("--- Turn 2 ---\n[user]: u1\n\n[summary 1]: S"), "{prompt}");
}

/// With the tokens in the newer half it fires before every call until three messages are
/// left.
#[test]
fn it_fires_so_many_times_in_a_row() {
    for (messages, expected) in [(4, 1), (5, 2), (6, 2), (10, 3), (20, 5), (60, 6), (200, 8)] {
        let mut scene = scene(&"u".repeat(messages));
        let fired = std::iter::from_fn(|| act(&Threshold::default(), &mut scene)).count();
        assert_eq!(fired, expected, "{messages}");
        assert!(scene.view.len() <= 3);
    }
}

#[test]
fn the_recount_of_a_pass_leaves_the_system_prompt_out() {
    let reading = |used: u64| {
        Some(Reading { used: Tokens(used), limit: Tokens(800), target: Tokens(800), met: true })
    };
    let threshold = Threshold::default();
    let fires = |scene: &Scene, used| scene.plan(&threshold, reading(used)).is_some();
    let overstated = |scene: &Scene| note(&scene.plan(&threshold, None).expect("it acts"));
    let mut scene = scene("uctuauau");
    assert!(fires(&scene, 800), "the first count holds the system prompt");
    assert_eq!(overstated(&scene).as_deref(), Some("summary_count=4 overstated_by=50"));
    act(&old_calls(1), &mut scene).expect("it acts");
    assert!(!fires(&scene, 849), "799 by the recount");
    assert!(fires(&scene, 850));
    assert_eq!(overstated(&scene).as_deref(), Some("summary_count=3 overstated_by=0"));
}

/// In the older code its own blocks are no such act: its loop goes on.
#[test]
fn the_older_loop_goes_on_whatever_has_been_freed() {
    let reading =
        Some(Reading { used: Tokens(1), limit: Tokens(800), target: Tokens(800), met: false });
    let threshold = forge_g2::Threshold::default();
    let acts: [(&dyn Strategy, &str, bool); 2] =
        [(&threshold, "uaua", true), (&forge_g2::ToolCall(old_calls(1)), "uctuaua", false)];
    for (before, shape, goes_on) in acts {
        let mut scene = scene(shape);
        act(before, &mut scene).expect("it acts");
        assert_eq!(scene.plan(&threshold, reading).is_some(), goes_on, "{shape}");
    }
}

#[test]
fn the_older_code_drops_plain_messages_and_no_answer_makes_a_block_another_kind() {
    let mut scene = scene("uacatau");
    let script = Script::new([says("[GOAL BATCH]\nu: S")]);
    let applied = scene.compact(&forge_g2::ToolCall(old_calls(1)), &script).expect("answered");
    assert_eq!(applied.change.dropped.iter().map(|id| id.0).collect::<Vec<_>>(), [1, 3, 5]);
    let block = &scene.view.entries()[1];
    assert_eq!(block.content().as_ref(), "[SUMMARIZED] [GOAL BATCH]\nu: S");
    assert_eq!(block.kind, Kind::Summarized);
}
