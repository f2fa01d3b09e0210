//! One figure of two sides, session by session, and what a verdict on the difference rests on.

use crate::measure::table::Direction;
use crate::prelude::*;
use crate::stats::bca::bca_mean;
use crate::stats::binary::{mcnemar, paired_shares};
use crate::stats::design::Design;
use crate::stats::mean;
use crate::stats::paired::{Method, sign_flip, standard_deviation};
use crate::stats::power::detectable_difference;
use crate::stats::resample::{Interval, Resampling};

/// Fewer sessions than this decide nothing.
pub const LEAST_SESSIONS: usize = 8;

pub(super) const LEVEL: f64 = 0.05;

pub(crate) const RESAMPLES: u32 = 5_000;

/// How sessions of these scenarios are drawn: within scenarios where each has at least eight, else
/// from one pool. By simulation (the bench `coverage`) strata of two cover 71 % and strata of five
/// 88 %, where one pool covers 91 and 93 %.
fn design(scenarios: &[&str]) -> Option<Design> {
    let sessions = |name: &&str| scenarios.iter().filter(|other| *other == name).count();
    match scenarios.iter().all(|name| sessions(name) >= LEAST_SESSIONS) {
        true => Design::stratified(scenarios),
        false => Design::simple(scenarios.len()),
    }
}

/// Sessions with the figure on both sides, in the order of scenario and seed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Paired<'a> {
    scenarios: Vec<&'a str>,
    pub(crate) baseline: Vec<f64>,
    pub(crate) candidate: Vec<f64>,
    /// Candidate less baseline.
    pub(crate) differences: Vec<f64>,
    /// Cells whose partner lacks the figure.
    pub(crate) unpaired: usize,
}

/// A session, and the figure of a cell of it on both sides.
pub(crate) type Pair<'a> = ((&'a str, u64), (Option<f64>, Option<f64>));

impl<'a> Paired<'a> {
    /// The cells of both sides by session; several of one are its replicates, and averaged.
    pub(crate) fn of(pairs: impl IntoIterator<Item = Pair<'a>>) -> Paired<'a> {
        let (mut paired, mut places) = (Paired::default(), BTreeMap::new());
        for (session, values) in pairs {
            match values {
                (Some(one), Some(two)) => {
                    places.entry(session).or_insert_with(Vec::new).push((one, two));
                }
                (None, None) => {}
                _ => paired.unpaired += 1,
            }
        }
        for ((scenario, _), replicates) in places {
            let count = replicates.len() as f64;
            let one = replicates.iter().map(|pair| pair.0).sum::<f64>() / count;
            let two = replicates.iter().map(|pair| pair.1).sum::<f64>() / count;
            paired.scenarios.push(scenario);
            paired.baseline.push(one);
            paired.candidate.push(two);
            paired.differences.push(two - one);
        }
        paired
    }

    /// Wins of either side, where every figure is 0 or 1.
    fn all_or_nothing(&self) -> Option<(u64, u64)> {
        let mut values = self.baseline.iter().chain(&self.candidate);
        if self.differences.is_empty() || !values.all(|value| *value == 0.0 || *value == 1.0) {
            return None;
        }
        let count = |is: fn(&f64) -> bool| self.differences.iter().filter(|x| is(x)).count() as u64;
        Some((count(|value| *value > 0.0), count(|value| *value < 0.0)))
    }

    /// The interval of the mean difference, and its method: `bca`, or `adjusted-wald` of 0 and 1.
    pub(crate) fn interval(&self, resampling: Resampling) -> (Option<Interval>, &'static str) {
        if let Some((more, less)) = self.all_or_nothing() {
            let count = self.differences.len() as u64;
            return (paired_shares(more, less, count, resampling.level), "adjusted-wald");
        }
        let design = design(&self.scenarios);
        (design.and_then(|design| bca_mean(&self.differences, &design, resampling)), "bca")
    }

    /// The test by name, with its two-sided p: `mcnemar` of 0 and 1, else `sign-flip`.
    pub(crate) fn test(&self, seed: Seed) -> (&'static str, Option<f64>) {
        if let Some((more, less)) = self.all_or_nothing() {
            return ("mcnemar", Some(mcnemar(more, less)));
        }
        match sign_flip(&self.differences, seed) {
            Some(test) if test.method == Method::Exact => ("sign-flip", Some(test.p)),
            Some(test) => ("sign-flip, drawn", Some(test.p)),
            None => ("", None),
        }
    }
}

/// What a verdict rests on, turned so that above 0 is better.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Evidence {
    pub(crate) sessions: usize,
    /// Every difference is exactly 0.
    pub(crate) identical: bool,
    pub(crate) gain: f64,
    pub(crate) interval: Option<Interval>,
    pub(crate) deviation: f64,
    /// Difference that does not matter, above 0.
    pub(crate) margin: f64,
    /// Chance of a false finding in the family.
    pub(crate) level: f64,
    pub(crate) tests: usize,
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
        let turned = |one: Interval| Interval { low: -one.high, high: -one.low };
        let (gain, interval) = match better {
            Direction::Higher | Direction::Neither => (gain, interval),
            Direction::Lower => (-gain, interval.map(turned)),
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

    pub(crate) fn is_shown(&self) -> bool {
        self.p_holm.is_some_and(|p| p <= self.level)
    }

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

    /// The fewest sessions that could decide: of n that all agree p is 2^(1 − n).
    pub(crate) fn least(&self) -> u64 {
        let resolution = 1.0 + (1.0 / self.strictest()).log2();
        LEAST_SESSIONS.max(self.sessions + 1).max(resolution.ceil() as usize) as u64
    }

    #[cfg(test)]
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_scenarios_with_enough_sessions_are_strata() {
        let of =
            |each| ["a", "b"].into_iter().flat_map(|name| vec![name; each]).collect::<Vec<_>>();
        let strata = |each| design(&of(each)).map(|design| design.strata());
        assert_eq!((strata(2), strata(7), strata(8)), (Some(1), Some(1), Some(2)));
    }
}
