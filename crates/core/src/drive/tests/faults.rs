//! Summarizers that fail, and pipelines that never stop.

use super::*;
use crate::ident::Seed;
use crate::summarize::fault::{FaultKind, Faulty};

/// Turns a long enough view's order round: always a change, never smaller.
fn churn(view: &View, _: &PlanContext) -> Decision {
    when(view.len() > 1, || only(view.entries().iter().rev()))
}

/// Folds every entry but the last into one: a request at nearly every step.
fn fold_old(view: &View, _: &PlanContext) -> Decision {
    when(view.len() > 1, || {
        let last = view.entries()[view.len() - 1].id;
        let mut requests = requests();
        requests[0].instruction =
            view.entries().iter().map(|entry| Piece::quote(entry.id)).collect();
        let slots = vec![summary(Role::User, Covers::Rest), Slot::Keep(last)];
        Plan::summarizing(Layout::Whole(slots), requests)
    })
}

fn with_memo(session: &Session, pipeline: &Pipeline, ask: &dyn Ask, memo: &Memo) -> Trace {
    with_cell(session, pipeline, WIDE, ask, |cell| drive(Cell { memo, ..cell }))
}

fn under(session: &Session, pipeline: &Pipeline, fault: &str, memo: &Memo) -> Trace {
    let fault = fault.parse().unwrap_or_else(|error| panic!("{error}"));
    let ask = Faulty::new(Box::new(Script::new([says("What was done.")])), fault, Seed(5));
    with_memo(session, pipeline, &ask, memo)
}

fn failed_steps(trace: &Trace) -> BTreeMap<u32, bool> {
    let first = |one: &Compaction| Some((one.step, one.attempts.first()?.fault.is_some()));
    trace.compactions.iter().filter_map(first).collect()
}

#[test]
fn a_pipeline_that_compacts_for_ever_is_stopped() {
    let session = session(&"ua".repeat(12));
    let churning = Stage { repeat: Repeat::UntilStable, ..stage(churn, BEFORE_CALL) };
    let trace = deployed(&session, &pipeline(vec![churning]), &Script::new([]));
    assert_eq!(trace.ended_by, EndedBy::CompactionLimit);
    assert_eq!(trace.ended_by.name(), "compaction-limit");
    assert!(trace.steps.len() < session.steps.len());
    let once = deployed(&session, &pipeline(vec![stage(churn, BEFORE_CALL)]), &Script::new([]));
    assert_eq!(once.ended_by, EndedBy::Completed, "a change at every step is no endless one");
}

#[test]
fn a_fault_strikes_the_same_steps_of_every_strategy() {
    let session = session(&"uat".repeat(40).replace('t', ""));
    let one = pipeline(vec![stage(fold_old, BEFORE_CALL)]);
    // Another strategy before it, which asks nothing, and other texts in its requests.
    let other = pipeline(vec![stage(drop_oldest, BEFORE_CALL), stage(fold_old, BEFORE_CALL)]);
    let memo = Memo::default();
    let ours = failed_steps(&under(&session, &one, "error-0.4", &memo));
    let theirs = failed_steps(&under(&session, &other, "error-0.4", &memo));
    let common: Vec<bool> = ours.keys().filter_map(|step| theirs.get(step)).copied().collect();
    let alike = ours.iter().all(|(step, failed)| theirs.get(step).is_none_or(|it| it == failed));
    assert!(alike && common.len() > 20, "{} steps in common", common.len());
    assert!(common.contains(&true) && common.contains(&false));
}

#[test]
fn what_was_driven_before_changes_nothing() {
    let session = session(&"ua".repeat(30));
    let one = pipeline(vec![stage(fold_old, BEFORE_CALL)]);
    let fresh = under(&session, &one, "empty-0.5", &Memo::default());
    // A memo that another cell of the session, and the sound summarizer, have filled.
    let memo = Memo::default();
    drop(under(&session, &one, "error-every-2", &memo));
    drop(with_memo(&session, &one, &Script::new([says("s")]), &memo));
    let again = under(&session, &one, "empty-0.5", &memo);
    assert_eq!(serde_json::to_string(&fresh).unwrap(), serde_json::to_string(&again).unwrap());
}

#[test]
fn waiting_is_modelled_and_never_slept() {
    let session = session(&"ua".repeat(6));
    let one = pipeline(vec![stage(fold_old, BEFORE_CALL)]);
    let first = |fault: &str| {
        let trace = under(&session, &one, fault, &Memo::default());
        trace.compactions[0].blocking.0
    };
    let sound = first("slow-first-1").checked_sub(FaultKind::Slow.delay().0);
    let sound = sound.expect("the delay is in it");
    assert_eq!(first("truncated").max(sound), sound, "half an answer takes no longer");
    assert_eq!(first("time-out"), FaultKind::TimeOut.delay().0);
    assert_eq!(first("error"), 0);
}
