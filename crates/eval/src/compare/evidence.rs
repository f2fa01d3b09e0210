//! What a verdict on a difference rests on.

use super::paired::Paired;
use crate::measure::table::Direction;
use crate::stats::mean;
use crate::stats::paired::standard_deviation;
use crate::stats::power::detectable_difference;
use crate::stats::resample::Interval;

/// Fewer sessions than this decide nothing (METRICS 5).
pub const LEAST_SESSIONS: usize = 8;

/// Chance of a false finding in the whole family of a comparison.
pub(super) const LEVEL: f64 = 0.05;

/// What a verdict rests on, turned so that above 0 is better.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Evidence {
    /// Sessions with the figure on both sides.
    pub(crate) sessions: usize,
    /// Every difference is exactly 0.
    pub(crate) identical: bool,
    pub(crate) gain: f64,
    pub(crate) interval: Option<Interval>,
    /// Standard deviation of the differences.
    pub(crate) deviation: f64,
    /// Difference that does not matter, above 0.
    pub(crate) margin: f64,
    /// Chance of a false finding in the family.
    pub(crate) level: f64,
    pub(crate) tests: usize,
    /// p after Holm's procedure.
    pub(crate) p_holm: Option<f64>,
}

impl Evidence {
    /// Of one figure, before its family is known.
    pub(crate) fn of(
        paired: &Paired,
        better: Direction,
        interval: Option<Interval>,
        (margin, level): (f64, f64),
    ) -> Evidence {
        let differences = &paired.differences;
        let gain = mean(differences).unwrap_or(0.0);
        let (gain, interval) = match better {
            Direction::Higher | Direction::Neither => (gain, interval),
            Direction::Lower => {
                (-gain, interval.map(|one| Interval { low: -one.high, high: -one.low }))
            }
        };
        Evidence {
            sessions: differences.len(),
            identical: differences.iter().all(|difference| *difference == 0.0),
            gain,
            interval,
            deviation: standard_deviation(differences).unwrap_or(f64::NAN),
            margin,
            level,
            tests: 1,
            p_holm: None,
        }
    }

    /// Holm's strictest step: what every test of the family passes if need be.
    pub(crate) fn strictest(&self) -> f64 {
        self.level / self.tests.max(1) as f64
    }

    /// Whether a difference is shown, by Holm's procedure.
    pub(crate) fn is_shown(&self) -> bool {
        self.p_holm.is_some_and(|p| p <= self.level)
    }

    /// Whether the interval lies on one side of 0.
    pub(crate) fn is_apart(&self) -> bool {
        self.interval.is_some_and(|one| one.is_above(0.0) || one.is_below(0.0))
    }

    /// Least difference that these sessions would find at Holm's strictest step.
    pub(crate) fn detectable(&self) -> Option<f64> {
        if self.sessions >= 2 && self.deviation == 0.0 {
            return Some(0.0);
        }
        detectable_difference(self.sessions as u64, self.deviation, self.strictest())
    }

    /// The fewest sessions that could decide where these do not: of n sessions that all
    /// agree p is 2^(1 − n), which must reach Holm's strictest step.
    pub(crate) fn least(&self) -> u64 {
        let resolution = 1.0 + (1.0 / self.strictest()).log2();
        LEAST_SESSIONS.max(self.sessions + 1).max(resolution.ceil() as usize) as u64
    }
}

#[cfg(test)]
impl Evidence {
    /// Twelve sessions of little noise without a gain, and a gain with its p.
    pub(crate) fn seen(gain: f64, p: f64) -> Evidence {
        Evidence {
            sessions: 12,
            identical: false,
            gain,
            interval: Some(Interval { low: gain - 0.02, high: gain + 0.02 }),
            deviation: 0.01,
            margin: 0.05,
            level: 0.05,
            tests: 4,
            p_holm: Some(p),
        }
    }
}
