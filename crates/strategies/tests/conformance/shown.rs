//! What a request shows: the marks of opencode's `serialize` and of OpenHands' preview of an event,
//! and what opencode's `completedCompactions` leaves out.

use proctor_core::pressure::Occasion::{self, BeforeCall, Overflow};
use proctor_core::strategy::Strategy;
use proctor_core::unit::Tokens;
use proctor_strategies::opencode::Opencode;
use proctor_strategies::openhands::OpenHands;

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
            assert_eq!(prompts(&script)[0].contains(mark), length > most, "{length}");
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
