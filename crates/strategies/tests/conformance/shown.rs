//! What a request shows: the marks of opencode's `serialize` and of OpenHands' preview of an event,
//! and what opencode's `completedCompactions` leaves out; headings of Forge's prompts.

use proctor_core::pressure::Occasion::{self, BeforeCall, Overflow};
use proctor_core::strategy::Strategy;
use proctor_core::unit::Tokens;
use proctor_strategies::opencode::Opencode;
use proctor_strategies::openhands::OpenHands;
use proctor_strategies::rebatch::WholeTurns;
use proctor_strategies::{forge, forge_head};

use crate::scene::*;

const QUESTION: &str = "What has been done so far?";

/// Nothing but the summary stays.
fn opencode() -> Opencode {
    Opencode { recent_least: Tokens(0), recent_most: Tokens(0), ..Opencode::default() }
}

#[test]
fn a_mark_stands_behind_what_is_longer_than_the_limit() {
    let opencode = opencode();
    let openhands = OpenHands { keep_first: 0, ..OpenHands::default() };
    let all: [(&dyn Strategy, Occasion, usize, &str); 2] =
        [(&opencode, BeforeCall, 2_000, "x\n[truncated]\n"), (&openhands, Overflow, 500, "x...")];
    for (strategy, occasion, most, mark) in all {
        for length in [most, most + 1] {
            let output = "x".repeat(length);
            let mut scene = Scene::lines(&[
                User("Look."),
                Calls("", &[("c1", "read", "{}")]),
                Output("c1", &output),
                Says("Seen."),
                User("Go on."),
                Says("Done."),
            ]);
            let (plan, script) = (plans(&scene, strategy, occasion), Script::new([says("s")]));
            carry_out(&mut scene, &plan, &script);
            let asked = &prompts(&script)[0];
            assert_eq!(asked.contains(mark), length > most, "{length}");
            assert!(
                !asked.contains("[Assistant]: \n"),
                "a call without words says nothing: {asked}"
            );
        }
    }
}

#[test]
fn a_question_that_a_summary_answered_is_not_shown_again() {
    let mut scene = Scene::lines(&[User("Look."), Says("Seen."), User("Go on."), Says("Done.")]);
    let opencode = opencode();
    let first = plans(&scene, &opencode, BeforeCall);
    carry_out(&mut scene, &first, &Script::new([says("s")]));
    assert!(rows(&scene).iter().any(|row| row.contains(QUESTION)));
    scene.more_lines(&[Says("More."), User("And on."), Says("Done again.")]);
    let script = Script::new([says("t")]);
    let next = plans(&scene, &opencode, BeforeCall);
    carry_out(&mut scene, &next, &script);
    let asked = &prompts(&script)[0];
    assert!(asked.contains("Done again.") && !asked.contains(QUESTION), "{asked}");
}

#[test]
fn a_request_behind_which_nothing_stays_is_sent_again_as_it_is() {
    let mut scene = Scene::lines(&[User("Look."), Says("Seen."), User("Go on.")]);
    let plan = plans(&scene, &opencode(), Overflow);
    carry_out(&mut scene, &plan, &Script::new([says("s")]));
    assert_eq!(rows(&scene).last().map(String::as_str), Some("user g0 2..3: Go on."));
}

#[test]
fn what_was_said_beside_a_call_and_the_goal_are_shown_where_there_are_words() {
    let alone = forge::ToolCall { older_than_turns: 1, ..Default::default() };
    let old = forge_head::ToolCall {
        older_than_messages: 2,
        min_tool_messages: 1,
        ..forge_head::ToolCall::default()
    };
    let all: [(&dyn Strategy, &str); 2] = [(&alone, "What I said: "), (&old, "## User Goal\n")];
    for (strategy, heading) in all {
        for words in ["", "Some words."] {
            let mut scene = Scene::lines(&[
                User(words),
                Calls(words, &[("c1", "read", "{}")]),
                Output("c1", "out"),
                User("Go on."),
                Says("Done."),
            ]);
            let script = Script::new([says("s")]);
            scene.compact(strategy, &script).expect("it is answered");
            assert_eq!(prompts(&script)[0].contains(heading), !words.is_empty(), "{words}");
        }
    }
    assert!(WholeTurns::default().claims_whole_turns());
}
