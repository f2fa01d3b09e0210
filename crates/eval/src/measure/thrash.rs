//! Does the pipeline fire again and again for little? (`thrash.*`)

use crate::measure::{Firing, Measurement, MetricId};
use crate::stats;
use crate::trace::{Compaction, EndedBy, Trace};
use crate::unit::Tokens;

/// A firing that frees less than this share hardly paid.
const HARDLY_UNDER: f64 = 0.05;

pub(super) fn measure(trace: &Trace, firings: &[Firing<Compaction>], into: &mut Measurement) {
    let freed: Vec<f64> = firings.iter().map(freed_share).collect();
    let hardly_freed = freed.iter().filter(|share| **share < HARDLY_UNDER).count();
    // The step that ended the session fired too, but was not recorded as sent.
    let ended_early = trace.ended_by != EndedBy::Completed;
    let last_step = trace.steps.len() as u32 + u32::from(ended_early);
    into.put(MetricId::ThrashFreedMedian, stats::median(&freed));
    into.count(MetricId::ThrashHardlyFreed, hardly_freed);
    into.put(MetricId::ThrashStuckAt, stuck_at(firings, last_step).map(f64::from));
}

/// Share of the view that went; negative where it grew, 0 of an empty view.
fn freed_share(firing: &Firing<Compaction>) -> f64 {
    let (before, after) = (firing.first.before, firing.last.after);
    if before == Tokens::ZERO { 0.0 } else { 1.0 - after.over(before) }
}

/// First step from which the pipeline fires at every step to the end (at least two) and stays above
/// its own trigger after the last firing of each.
pub(super) fn stuck_at(firings: &[Firing<Compaction>], last_step: u32) -> Option<u32> {
    let mut expected = last_step;
    let mut stuck = None;
    for at_step in firings.chunk_by(|one, next| one.first.step == next.first.step).rev() {
        let step = at_step.first()?.first.step;
        let above = at_step.iter().rev().find_map(|firing| is_above_trigger(firing.last));
        if step != expected || above != Some(true) {
            break;
        }
        stuck = Some(step);
        let Some(before) = expected.checked_sub(1) else { break };
        expected = before;
    }
    stuck.filter(|first| *first < last_step)
}

/// Whether the view stayed at or above the trigger of the stage, its reading scaled as the view
/// shrank; `None` without a reading.
fn is_above_trigger(last: &Compaction) -> Option<bool> {
    last.reading.map(|reading| {
        let left = if last.before == Tokens::ZERO { 1.0 } else { last.after.over(last.before) };
        reading.used.as_f64() * left >= reading.limit.as_f64()
    })
}
