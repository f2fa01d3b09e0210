//! The verdict on a pipeline's floor.

use serde::{Deserialize, Serialize};

use super::{Growth, LinearGrowth};
use crate::stats::resample::Difference;
use crate::words;

words! {
    /// What became of the floor.
    pub enum Verdict {
        /// Constant or logarithmic growth, linear growth excluded.
        Eliminated = "eliminated",
        /// The same, but forcing it costs more than half of what was known.
        EliminatedByForgetting = "eliminated by forgetting",
        /// It grows more slowly than the reference's.
        Lowered = "lowered",
        /// It cannot be told from the reference's.
        Unchanged = "unchanged",
        /// It grows faster than the reference's or, without one, in proportion to the turns.
        Grown = "grown",
        /// Some session ended before its last checkpoint.
        NotReached = "not reached",
        /// The points allow no claim: too few sessions, too much noise, or no reference.
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
/// established. Else `inconclusive`.
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
        return if grown { Verdict::Grown } else { Verdict::Inconclusive };
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::fit::{Fit, Model};
    use crate::stats::resample::Interval;
    use LinearGrowth::{Established, Excluded, Open};

    fn trend(linear: LinearGrowth, interval: Option<(f64, f64)>) -> Trend {
        let model = Model::Constant;
        let fit = Fit { model, level: 1.0, rate: 0.0, residual_sum: 0.0, aicc: None };
        let growth = Growth {
            model,
            fit,
            rise: 0.0,
            lead: 0.0,
            interval: None,
            line_rise_at_most: 0.0,
            linear,
            sessions: 9,
        };
        let against_reference = interval.map(|(low, high)| Difference {
            mean: (low + high) / 2.0,
            interval: Some(Interval { low, high }),
            pairs: 9,
        });
        Trend { growth, against_reference }
    }

    fn judge(one_pass: Trend, low_water: Option<Trend>) -> Verdict {
        let evidence = Evidence {
            reached: true,
            one_pass: Some(one_pass),
            low_water,
            recall_before: Some(0.8),
            forced_recall: Some(0.5),
        };
        verdict(&evidence).verdict
    }

    #[test]
    fn without_a_reference_only_the_law_of_growth_counts() {
        for (one_pass, low_water, expected) in [
            (Excluded, Some(Excluded), Verdict::Eliminated),
            (Excluded, None, Verdict::Eliminated),
            (Excluded, Some(Open), Verdict::Inconclusive),
            (Open, Some(Excluded), Verdict::Inconclusive),
            (Open, None, Verdict::Inconclusive),
            (Excluded, Some(Established), Verdict::Grown),
            (Established, None, Verdict::Grown),
        ] {
            let found = judge(trend(one_pass, None), low_water.map(|linear| trend(linear, None)));
            assert_eq!(found, expected, "{one_pass:?} and {low_water:?}");
        }
    }

    #[test]
    fn with_a_reference_the_slopes_are_compared() {
        let (below, across, above) = ((-9.0, -1.0), (-1.0, 1.0), (1.0, 9.0));
        for (one_pass, low_water, expected) in [
            (below, None, Verdict::Lowered),
            (across, None, Verdict::Unchanged),
            ((0.0, 0.0), None, Verdict::Unchanged),
            (above, None, Verdict::Grown),
            (below, Some(across), Verdict::Lowered),
            (across, Some(below), Verdict::Lowered),
            (below, Some(above), Verdict::Grown),
        ] {
            let low_water = low_water.map(|interval| trend(Established, Some(interval)));
            let found = judge(trend(Established, Some(one_pass)), low_water);
            assert_eq!(found, expected, "{one_pass:?} and {low_water:?}");
        }
        assert_eq!(judge(trend(Excluded, Some(above)), None), Verdict::Eliminated);
    }

    #[test]
    fn a_single_pair_proves_nothing() {
        let mut one_pass = trend(Established, None);
        one_pass.against_reference = Some(Difference { mean: -5.0, interval: None, pairs: 1 });
        assert_eq!(judge(one_pass, None), Verdict::Inconclusive);
    }

    #[test]
    fn shrinking_by_forgetting_is_named_so() {
        for (before, forced, expected) in [
            (Some(0.8), Some(0.39), Verdict::EliminatedByForgetting),
            (Some(0.8), Some(0.4), Verdict::Eliminated),
            (Some(0.0), Some(0.0), Verdict::Eliminated),
            (None, None, Verdict::Eliminated),
        ] {
            let evidence = Evidence {
                reached: true,
                one_pass: Some(trend(Excluded, None)),
                recall_before: before,
                forced_recall: forced,
                ..Evidence::default()
            };
            assert_eq!(verdict(&evidence).verdict, expected, "{before:?} to {forced:?}");
        }
    }

    #[test]
    fn a_verdict_says_what_it_rests_on_and_claims_nothing_of_what_is_missing() {
        let one_pass = Some(trend(Excluded, None));
        let mut rare = trend(Excluded, None);
        rare.growth.sessions = 1;
        for (reached, one_pass, low_water, expected) in [
            (true, one_pass, None, (Verdict::Eliminated, Support::OnePassAlone, 9)),
            (true, one_pass, Some(rare), (Verdict::Eliminated, Support::OnePassAndLowWater, 1)),
            (true, None, Some(rare), (Verdict::Inconclusive, Support::OnePassAndLowWater, 1)),
            (false, one_pass, None, (Verdict::NotReached, Support::OnePassAlone, 9)),
        ] {
            let found = verdict(&Evidence { reached, one_pass, low_water, ..Evidence::default() });
            assert_eq!((found.verdict, found.support, found.sessions), expected);
        }
    }
}
