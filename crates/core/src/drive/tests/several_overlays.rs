//! Several request-scope stages in one pipeline: what is sent is what counts.

use super::*;
use crate::testkit::{fact, needed};
use crate::trace::Found;
use crate::truth::FactKind;

fn sends_instead(view: &View, place: usize, text: &'static str) -> Decision {
    when(place < view.len(), || {
        let pieces = Some(vec![Piece::literal(text)]);
        let edit = Edit {
            entry: view.entries()[place].id,
            pieces,
            args: BTreeMap::new(),
            drops: Vec::new(),
        };
        Plan::mechanical(Layout::Edits { base: Base::View, edits: vec![edit] })
    })
}

fn session_with_a_fact() -> Session {
    let facts = vec![fact(0, FactKind::Value, "u0", 0)];
    let truth = Truth { facts, demands: vec![needed(0, 5)], ..Truth::default() };
    Session::new(scene("uauaua").log, truth, [])
}

const GONE: Propose = |view, _| sends_instead(view, 0, "gone");
const SECOND: Propose = |view, _| sends_instead(view, 2, "another text that is longer");
const FIRST_AGAIN: Propose = |view, _| sends_instead(view, 0, "u0 is told again, at length");

#[test]
fn demands_are_judged_on_what_all_stages_together_send() {
    for (stages, found) in [
        (vec![SECOND], Found::Present(0)),
        (vec![GONE], Found::Absent),
        (vec![GONE, SECOND], Found::Absent),
        (vec![SECOND, GONE], Found::Absent),
        // The later stage's edit of the same entry is what is sent.
        (vec![GONE, FIRST_AGAIN], Found::Present(0)),
        (vec![FIRST_AGAIN, GONE], Found::Absent),
    ] {
        let stages: Vec<Stage> = stages.into_iter().map(request_stage).collect();
        let trace = deployed(&session_with_a_fact(), &pipeline(stages.clone()), &no_luck());
        assert_eq!(trace.demands[0].found, found, "{stages:?}");
    }
}

#[test]
fn an_entry_that_two_stages_rewrite_is_sent_once() {
    let session = session_with_a_fact();
    let sent = |plans: Vec<Propose>| {
        let stages = plans.into_iter().map(request_stage).collect();
        let trace = deployed(&session, &pipeline(stages), &no_luck());
        trace.steps.iter().map(|step| (step.sent, step.prompt)).collect::<Vec<_>>()
    };
    assert_eq!(sent(vec![GONE, FIRST_AGAIN]), sent(vec![FIRST_AGAIN]));
    assert_eq!(sent(vec![FIRST_AGAIN, GONE]), sent(vec![GONE]));
}

/// A stage that first acts later still stands at its own place.
#[test]
fn the_order_of_stages_and_not_of_their_first_edits_decides() {
    let from_the_second_call: Propose = |view, context| match view.len() {
        1 => Decision::decline("not yet"),
        _ => GONE(view, context),
    };
    let stages = [from_the_second_call, FIRST_AGAIN].map(request_stage).to_vec();
    let trace = deployed(&session_with_a_fact(), &pipeline(stages), &no_luck());
    assert_eq!(trace.demands[0].found, Found::Present(0));
}
