//! What a failing summarizer does to each pipeline.

use std::collections::BTreeSet;

use proctor::apply::Rule;
use proctor::drive::Mode;
use proctor::pipeline::Pipeline;
use proctor::summarize::FailureClass;
use proctor::trace::{Compaction, CompactionOutcome, EndedBy, Trace};
use proctor::unit::Tokens;
use rayon::prelude::*;

use crate::properties::asked::Failing;
use crate::properties::driven::{Driven, Snapshot, driven, limits};
use crate::properties::invariants::{self, Case};
use crate::properties::table::behaviours;
use crate::properties::witnesses::sessions;

/// What becomes of a plan whose summary fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fate {
    /// The view stays as it was and the call is made.
    Untouched,
    /// The view stays as it was and the session ends.
    Raises,
    /// The view is changed and the session ends.
    ChangedAndRaises,
    /// What was to be summarized is gone, and no word of a summarizer stands for it.
    HistoryLost,
    /// A summary without a word stands for what was summarized.
    EmptySummary,
}

/// The classes of the table, in the order of its columns.
pub const CLASSES: [FailureClass; 4] =
    [FailureClass::Error, FailureClass::TimeOut, FailureClass::Overflow, FailureClass::Empty];

/// What became of one plan all of whose answers failed.
fn fate(trace: &Trace, compaction: &Compaction, snapshot: &Snapshot) -> Fate {
    let last = trace.compactions.last().is_some_and(|last| last.number == compaction.number);
    let raised = last && matches!(trace.ended_by, EndedBy::Raised(_));
    let empty = compaction.violations.iter().any(|one| one.rule == Rule::EmptySummary);
    match compaction.outcome {
        CompactionOutcome::Failed(_) | CompactionOutcome::Rejected if raised => Fate::Raises,
        CompactionOutcome::Failed(_)
        | CompactionOutcome::Rejected
        | CompactionOutcome::Unchanged => {
            assert_eq!(snapshot.before.tokens(), snapshot.after.tokens());
            Fate::Untouched
        }
        CompactionOutcome::Fallback(_) if raised => Fate::ChangedAndRaises,
        CompactionOutcome::Accepted if empty => Fate::EmptySummary,
        CompactionOutcome::Fallback(_) | CompactionOutcome::Accepted => {
            let shown = compaction.added.iter().any(|added| !added.shown.is_empty());
            assert!(!shown && compaction.removed > 0, "{compaction:?}");
            Fate::HistoryLost
        }
    }
}

/// The fates of all plans that asked, over all shapes and modes.
fn fates(pipeline: &Pipeline, class: FailureClass) -> BTreeSet<Fate> {
    let modes = [Mode::Deployed, Mode::Forced];
    let mut fates = BTreeSet::new();
    for ((shape, session), mode) in sessions().flat_map(|one| modes.map(|mode| (one, mode))) {
        let ask = Failing::always(class);
        let driven = driven(session, pipeline, limits(shape.window, 0), mode, &ask);
        let Driven { trace, snapshots } = &driven;
        let plans = trace.compactions.iter().zip(snapshots);
        let asked = plans.filter(|(compaction, _)| !compaction.attempts.is_empty());
        fates.extend(asked.map(|(compaction, snapshot)| fate(trace, compaction, snapshot)));
        let case = Case { session, pipeline, driven: &driven, prompts: None };
        invariants::hold(&case).unwrap_or_else(|error| {
            panic!("{} {} {}: {error}", pipeline.name, mode.name(), class.name())
        });
    }
    fates
}

#[test]
fn a_failed_summary_ends_as_the_table_says() {
    let wrong: Vec<String> = behaviours()
        .par_iter()
        .filter_map(|behaviour| {
            let pipeline = proctor::strategy::pipeline(behaviour.pipeline).expect("it ships");
            let found: [Vec<Fate>; 4] =
                CLASSES.map(|class| fates(&pipeline, class).into_iter().collect());
            let untouched = behaviour.or_untouched.then_some(Fate::Untouched);
            let said: [Vec<Fate>; 4] = behaviour.on_failure.map(|fate| {
                let untouched = untouched.filter(|_| fate != Some(Fate::EmptySummary));
                untouched.into_iter().chain(fate).collect()
            });
            (found != said).then(|| format!("{}: {found:?}", behaviour.pipeline))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The summarizers above fail as they say.
#[test]
fn a_failing_summarizer_bills_nothing() {
    let pipeline = proctor::strategy::pipeline("codex").expect("it ships");
    let (shape, session) = sessions().next().expect("there are shapes");
    let ask = Failing::always(FailureClass::Error);
    let driven = driven(session, &pipeline, limits(shape.window, 0), Mode::Deployed, &ask);
    let attempts: Vec<_> = driven.trace.compactions.iter().flat_map(|one| &one.attempts).collect();
    assert!(!attempts.is_empty());
    assert!(attempts.iter().all(|one| !one.billed && one.completion == Tokens::ZERO));
}
