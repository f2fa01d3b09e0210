//! What of the tiers no scene shows: the requests.

use super::*;
use crate::strategy::Strategy;
use crate::testkit::{Script, says, scene};

#[test]
fn parallel_calls_become_one_summary_each() {
    let mut scene = scene("u2ttu");
    let script = Script::new([says("s")]);
    let tier = ToolCall { older_than_turns: 1, ..ToolCall::default() };
    let applied = scene.compact(&tier, &script).expect("answered");
    let covered = |number: usize| -> Vec<u32> {
        applied.change.added[number].covered.iter().map(|id| id.0).collect()
    };
    assert_eq!([covered(0), covered(1)], [[1, 2], [1, 3]], "each the message and its own result");
    assert_eq!(script.shown(0), ["21{\"n\":1}t2"]);
    assert_eq!(script.shown(1), ["21{\"n\":1}t3"]);
}

#[test]
fn every_call_and_result_of_a_block_is_shown() {
    let mut scene = scene("uct2ttu");
    let script = Script::new([says("s")]);
    scene.compact(&Threshold::default(), &script).expect("answered");
    let text = script.prompts()[0].messages[0].text();
    for shown in ["[assistant]: c1", "[call run]: {\"n\":1}", "[tool]: t2", "[call run]: {\"n\":3}"]
    {
        assert!(text.contains(shown), "{shown} is not in {text}");
    }
    assert_eq!(text.matches("[call run]").count(), 3);
}

#[test]
fn a_batch_that_could_never_be_made_is_refused() {
    let sound = Batching::default();
    for (min_turns, max_turns) in [(0, 6), (3, 0), (3, 2)] {
        let wrong = GoalBatch(Batching { min_turns, max_turns, ..sound.clone() });
        assert!(wrong.check().is_err(), "{min_turns} {max_turns}");
    }
}
