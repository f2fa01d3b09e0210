//! Firings: what the agent waits for. All rounds of one stage on one occasion.

use std::collections::BTreeMap;

use crate::measure::floor::thrash;
use crate::trace::{Compaction, CompactionOutcome, Trace};
use crate::unit::{Millis, Tokens};

/// All rounds of one stage on one occasion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Firing {
    /// Step before or after whose call it ran.
    pub step: u32,
    /// The view before its first round.
    pub before: Tokens,
    /// The view after its last.
    pub after: Tokens,
    /// Whether any round changed the view.
    pub changed: bool,
    /// Whether the view stayed at or above the trigger of the stage.
    pub above_trigger_after: Option<bool>,
    /// Prompt over usable window when it began.
    pub utilization: f64,
    /// Modelled time that the agent waited.
    pub blocking: Millis,
    /// Tokens that were generated one after the other: over batches, the longest
    /// answer of each.
    pub generated: Tokens,
    /// Whether any request of it was billed, or waited for in vain.
    pub billed: bool,
}

impl From<&Firing> for thrash::Firing {
    fn from(firing: &Firing) -> thrash::Firing {
        thrash::Firing {
            step: firing.step,
            before: firing.before,
            after: firing.after,
            above_trigger_after: firing.above_trigger_after,
        }
    }
}

/// Whether a plan changed the view.
pub(super) fn changed(compaction: &Compaction) -> bool {
    let applied =
        matches!(compaction.outcome, CompactionOutcome::Accepted | CompactionOutcome::Fallback(_));
    applied && (compaction.removed > 0 || !compaction.added.is_empty())
}

/// The firings of a run, in order.
pub(super) fn firings(trace: &Trace) -> Vec<Firing> {
    let same = |one: &Compaction, next: &Compaction| {
        next.round > one.round
            && (one.step, one.stage, one.occasion) == (next.step, next.stage, next.occasion)
    };
    trace.compactions.chunk_by(same).filter_map(firing).collect()
}

fn firing(rounds: &[Compaction]) -> Option<Firing> {
    let (first, last) = (rounds.first()?, rounds.last()?);
    Some(Firing {
        step: first.step,
        before: first.before,
        after: last.after,
        changed: rounds.iter().any(changed),
        above_trigger_after: is_above_trigger(last),
        utilization: first.utilization,
        blocking: Millis(rounds.iter().map(|round| round.blocking.0).sum()),
        generated: rounds.iter().map(generated).sum(),
        billed: rounds.iter().any(was_waited_for),
    })
}

/// The reading is by the pipeline's own counter and from before the change: it is
/// scaled as the view shrank.
fn is_above_trigger(last: &Compaction) -> Option<bool> {
    last.reading.map(|reading| {
        let left = if last.before == Tokens::ZERO { 1.0 } else { last.after.over(last.before) };
        reading.used.as_f64() * left >= reading.limit.as_f64()
    })
}

fn was_waited_for(round: &Compaction) -> bool {
    round.blocking > Millis(0) || round.attempts.iter().any(|attempt| attempt.billed)
}

fn generated(round: &Compaction) -> Tokens {
    let mut longest: BTreeMap<u32, Tokens> = BTreeMap::new();
    for attempt in round.attempts.iter().filter(|attempt| attempt.billed) {
        let most = longest.entry(attempt.batch).or_default();
        *most = (*most).max(attempt.completion);
    }
    longest.into_values().sum()
}
