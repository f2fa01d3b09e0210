//! The verdict on a pipeline's floor.

use serde::{Deserialize, Serialize};

use super::{Growth, LinearGrowth};
use crate::stats::resample::Difference;
use crate::words;

words! {
    /// What became of the floor.
    pub enum Verdict {
        /// Linear growth is excluded.
        Eliminated = "eliminated",
        /// The same, but forcing it costs more than half of what was known.
        EliminatedByForgetting = "eliminated by forgetting",
        /// It grows more slowly than the reference's.
        Lowered = "lowered",
        /// It cannot be told from the reference's.
        Unchanged = "unchanged",
        /// It grows faster than the reference's or, without one, in proportion to the turns.
        Grown = "grown",
        /// No rise is seen, but a line is not excluded.
        NotShown = "not shown to grow",
        /// Some session ended before its last checkpoint.
        NotReached = "not reached",
        /// The points allow no claim: it rises by no settled law, or has no fit.
        Inconclusive = "inconclusive",
    }
}

/// What the verdict rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Support {
    /// The forced floor and the minima of the run as deployed.
    OnePassAndLowWater,
    /// The forced floor alone: nothing fired, or too rarely for a fit.
    OnePassAlone,
}

/// A verdict with what it rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Judgement {
    pub verdict: Verdict,
    pub support: Support,
    /// The fewest sessions behind one of the series; 1 is shown as `n = 1`.
    pub sessions: usize,
}

/// One floor figure over sessions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Trend {
    pub growth: Growth,
    /// Its slope less the reference's; `None` without a pair.
    pub against_reference: Option<Difference>,
}

/// All that a verdict depends on.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Evidence {
    /// Whether every session reached its last checkpoint.
    pub reached: bool,
    /// Of the floor after one forced round; `None` where its points have no fit.
    pub one_pass: Option<Trend>,
    /// Of the minima after deployed compactions; `None` without a fit.
    pub low_water: Option<Trend>,
    /// Share of live facts present before the probe, mean over checkpoints; `None` without truth.
    pub recall_before: Option<f64>,
    /// The same at the least tokens that forcing reached.
    pub forced_recall: Option<f64>,
}

/// Judges a floor: `not reached` where a session ended before its last checkpoint; `inconclusive`
/// where one_pass has no fit; `eliminated` (or `by forgetting`, where forced recall is under half
/// of the recall before) where linear growth is excluded for every series. With a reference, by the
/// slopes: `grown`, `lowered` or `unchanged`; without one, `grown` where linear growth is
/// established and `not shown to grow` where no series rises. Else `inconclusive`.
pub(crate) fn verdict(evidence: &Evidence) -> Judgement {
    let trends: Vec<&Trend> = evidence.one_pass.iter().chain(&evidence.low_water).collect();
    let support = match evidence.low_water {
        Some(_) => Support::OnePassAndLowWater,
        None => Support::OnePassAlone,
    };
    let sessions = trends.iter().map(|trend| trend.growth.sessions).min().unwrap_or(0);
    let verdict = if !evidence.reached {
        Verdict::NotReached
    } else if evidence.one_pass.is_none() {
        Verdict::Inconclusive
    } else if trends.iter().all(|trend| trend.growth.linear == LinearGrowth::Excluded) {
        if forgot(evidence) { Verdict::EliminatedByForgetting } else { Verdict::Eliminated }
    } else {
        compared(&trends)
    };
    Judgement { verdict, support, sessions }
}

fn forgot(evidence: &Evidence) -> bool {
    match (evidence.recall_before, evidence.forced_recall) {
        (Some(before), Some(forced)) => forced < before / 2.0,
        _ => false,
    }
}

/// A floor that is not eliminated and grew in one figure has grown, whatever the other does.
fn compared(trends: &[&Trend]) -> Verdict {
    let differences: Vec<Difference> =
        trends.iter().filter_map(|trend| trend.against_reference).collect();
    if differences.is_empty() {
        let grown = trends.iter().any(|trend| trend.growth.linear == LinearGrowth::Established);
        let stay = trends.iter().all(|trend| trend.growth.stays());
        return match (grown, stay) {
            (true, _) => Verdict::Grown,
            (false, true) => Verdict::NotShown,
            (false, false) => Verdict::Inconclusive,
        };
    }
    let intervals = || differences.iter().filter_map(|difference| difference.interval);
    if intervals().any(|interval| interval.is_above(0.0)) {
        Verdict::Grown
    } else if intervals().any(|interval| interval.is_below(0.0)) {
        Verdict::Lowered
    } else if differences.iter().all(|difference| difference.interval.is_some()) {
        Verdict::Unchanged
    } else {
        Verdict::Inconclusive
    }
}
