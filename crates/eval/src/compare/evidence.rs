//! One figure of two sides, session by session, and what a verdict on the difference rests on.

use crate::measure::table::Direction;
use crate::prelude::*;
use crate::stats::estimate::{Estimate, Unit};
use crate::stats::mean;
use crate::stats::multiplicity::holm;
use crate::stats::resample::Interval;

/// Fewer sessions than this decide nothing.
pub const LEAST_SESSIONS: usize = 8;

/// Chance of a false finding of `compare`, in one direction.
pub const LEVEL: f64 = 0.025;

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

    /// The mean difference over a unit; of 0 and 1 by session, as shares.
    fn estimate(&self, unit: Unit) -> Option<Estimate> {
        match self.all_or_nothing().filter(|_| unit != Unit::Scenarios) {
            Some((more, less)) => Estimate::of_shares(more, less, self.differences.len() as u64),
            None => Estimate::of(&self.differences, &self.scenarios, unit),
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
    pub(crate) estimate: Option<Estimate>,
    /// Difference that does not matter, above 0.
    pub(crate) margin: f64,
    /// Chance of a false finding in the family, in one direction.
    pub(crate) level: f64,
    pub(crate) tests: usize,
    /// Of this figure alone; none where there is nothing to test.
    pub(crate) alone: Option<Chances>,
    /// After Holm's procedure over the family.
    pub(crate) adjusted: Option<Chances>,
}

/// Chances of what was seen, each under the hypothesis that it speaks against.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Chances {
    /// Two-sided: there is no difference.
    pub(crate) equal: f64,
    /// The loss is within the margin: a low chance shows one beyond.
    pub(crate) within: f64,
    /// The loss is beyond the margin: a low chance shows that it is not.
    pub(crate) beyond: f64,
}

/// What is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shown {
    Identical,
    /// There are too few sessions to ask.
    TooFew,
    /// Worse, by more than the margin.
    WorseBeyond,
    /// Worse; whether by more than the margin is open.
    Worse,
    /// Worse, by less than the margin.
    WorseWithin,
    /// Not worse by more than the margin.
    NotWorse,
    Better,
    /// A loss beyond the margin is neither shown nor excluded.
    Nothing,
}

impl Shown {
    pub(crate) fn is_loss(self) -> bool {
        matches!(self, Shown::WorseBeyond | Shown::Worse | Shown::WorseWithin)
    }
}

impl Evidence {
    /// Of one figure, before its family is known.
    pub(crate) fn of(
        paired: &Paired,
        better: Direction,
        unit: Unit,
        (margin, level): (f64, f64),
    ) -> Evidence {
        let differences = &paired.differences;
        let gain = mean(differences).unwrap_or(0.0);
        let estimate = paired.estimate(unit);
        let (gain, estimate) = match better {
            Direction::Higher | Direction::Neither => (gain, estimate),
            Direction::Lower => (-gain, estimate.map(Estimate::turned)),
        };
        let identical = differences.iter().all(|difference| *difference == 0.0);
        let enough = |one: &Estimate| !identical && one.units >= LEAST_SESSIONS;
        let alone = estimate.filter(enough).map(|one| Chances {
            equal: f64::min(2.0 * one.above(0.0).min(one.turned().above(0.0)), 1.0),
            within: one.turned().above(margin),
            beyond: one.above(-margin),
        });
        Evidence {
            sessions: differences.len(),
            identical,
            gain,
            estimate,
            margin,
            level,
            tests: 1,
            alone,
            adjusted: None,
        }
    }

    /// Holm's strictest step: what every test of the family passes if need be.
    fn strictest(&self) -> f64 {
        self.level / self.tests.max(1) as f64
    }

    /// The interval of the gain; each end is a one-sided test at the level.
    pub(crate) fn interval(&self) -> Option<Interval> {
        self.estimate?.interval(1.0 - 2.0 * self.level)
    }

    /// The same of candidate less baseline; none where nothing differs.
    pub(crate) fn difference(&self, better: Direction) -> Option<Interval> {
        let Interval { low, high } = self.interval().filter(|_| !self.identical)?;
        Some(match better {
            Direction::Lower => Interval { low: -high, high: -low },
            Direction::Higher | Direction::Neither => Interval { low, high },
        })
    }

    /// What is shown. `over_all` asks for the exclusion of a loss by Holm's procedure, too: where
    /// each figure is a claim of its own, not all together one.
    pub(crate) fn shown(&self, over_all: bool) -> Shown {
        if self.identical && self.sessions > 0 {
            return Shown::Identical;
        }
        let Some((alone, adjusted)) = self.alone.zip(self.adjusted) else { return Shown::TooFew };
        let beyond = if over_all { adjusted.beyond } else { alone.beyond };
        let differs = adjusted.equal <= 2.0 * self.level;
        match beyond <= self.level {
            _ if adjusted.within <= self.level => Shown::WorseBeyond,
            _ if differs && self.gain > 0.0 => Shown::Better,
            true if differs => Shown::WorseWithin,
            true => Shown::NotWorse,
            false if differs => Shown::Worse,
            false => Shown::Nothing,
        }
    }

    /// The least loss that these sessions would show beyond the margin.
    pub(crate) fn detectable(&self) -> Option<f64> {
        let one = self.estimate.filter(|one| one.units > 1)?;
        Some(self.margin + one.detectable(self.strictest(), one.units))
    }

    /// Units that would decide between a loss beyond the margin and none, if the mean stays as it is.
    pub(crate) fn needed(&self) -> Option<usize> {
        let Some(one) = self.estimate.filter(|one| one.units > 1) else {
            return Some(LEAST_SESSIONS);
        };
        let distance = (self.gain + self.margin).abs();
        let level = if self.gain < -self.margin { self.strictest() } else { self.level };
        // As many tosses of a coin that agree.
        let tosses = (1.0 / level).log2().ceil() as usize;
        Some(one.needed(distance, level)?.max(one.units + 1).max(tosses).max(LEAST_SESSIONS))
    }
}

/// Holm's procedure over the figures of a family that can be tested, each hypothesis apart.
pub(crate) fn adjust(family: &mut [&mut Evidence]) {
    let tests: Vec<Chances> = family.iter().filter_map(|one| one.alone).collect();
    let of = |one: fn(&Chances) -> f64| {
        holm(&tests.iter().map(one).collect::<Vec<f64>>()).unwrap_or_default()
    };
    let (equal, within) = (of(|one| one.equal), of(|one| one.within));
    let beyond = of(|one| one.beyond);
    let tested = family.iter_mut().filter(|one| one.alone.is_some());
    for (place, one) in tested.enumerate() {
        let [equal, within, beyond] = [equal[place], within[place], beyond[place]];
        one.adjusted = Some(Chances { equal, within, beyond });
    }
    family.iter_mut().for_each(|one| one.tests = tests.len());
}

#[cfg(test)]
impl Evidence {
    /// Twelve sessions of a noise that a loss of the margin stands out from.
    pub(crate) fn seen(gain: f64, noise: f64) -> Evidence {
        let differences: Vec<f64> =
            (0..12).map(|index| gain + noise * (f64::from(index % 4) - 1.5)).collect();
        Evidence::differing(&differences)
    }

    /// Sessions of one scenario with these differences, a margin and a level of 0.05.
    fn differing(differences: &[f64]) -> Evidence {
        let pair = |(seed, by): (u64, &f64)| (("a", seed), (Some(0.3), Some(0.3 + by)));
        let paired = Paired::of((0..).zip(differences).map(pair));
        let terms = (0.05, 0.05);
        let mut evidence = Evidence::of(&paired, Direction::Higher, Unit::Sessions, terms);
        adjust(&mut [&mut evidence]);
        evidence
    }
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;

    #[test]
    fn what_is_shown_of_a_margin_is_one_of_three_and_a_gain_is_said() {
        for (gain, noise, shown) in [
            (0.0, 0.0, Shown::Identical),
            (0.0, 0.01, Shown::NotWorse),
            (0.2, 0.01, Shown::Better),
            (0.2, 1.0, Shown::Nothing),
            (-0.2, 0.01, Shown::WorseBeyond),
            (-0.02, 0.01, Shown::WorseWithin),
            (-0.05, 0.01, Shown::Worse),
            (-0.02, 0.2, Shown::Nothing),
        ] {
            assert_eq!(Evidence::seen(gain, noise).shown(false), shown, "{gain} {noise}");
        }
    }

    /// Shares of simulated suites that pass, and that show a loss beyond the margin of 0.05.
    fn shares(loss: f64, deviation: f64, skewed: bool) -> (f64, f64) {
        const SUITES: u64 = 2_000;
        let mut counts = (0_u32, 0_u32);
        for suite in 0..SUITES {
            let mut rng = Seed(suite).derive(&["margin", &loss.to_string()]).rng();
            let mut noise = || {
                let sum: f64 = (0..12).map(|_| rng.random::<f64>() - 0.5).sum();
                if skewed { (sum * 0.75).exp() - 1.325 } else { sum }
            };
            let differences: Vec<f64> = (0..64).map(|_| deviation * noise() - loss).collect();
            match Evidence::differing(&differences).shown(false) {
                Shown::WorseBeyond => counts.1 += 1,
                Shown::Worse | Shown::Nothing => {}
                _ => counts.0 += 1,
            }
        }
        let share = |count: u32| f64::from(count) / SUITES as f64;
        (share(counts.0), share(counts.1))
    }

    #[test]
    fn a_loss_of_the_margin_seldom_passes_none_hardly_fails_and_twice_the_margin_is_found() {
        for skewed in [false, true] {
            // Student's t errs on one side where differences are skewed.
            let (room, found) = if skewed { (0.13, 0.8) } else { (0.07, 0.9) };
            let (passes, fails) = shares(0.05, 0.12, skewed);
            assert!(passes <= room && fails <= room, "{skewed}: {passes}, {fails}");
            // Nothing is worse: false alarms are rare, and most suites say so.
            let (passes, fails) = shares(0.0, 0.12, skewed);
            assert!(passes >= 0.9 && fails <= 0.01, "{skewed}: {passes}, {fails}");
            // Twice the margin is found.
            let (passes, fails) = shares(0.10, 0.12, skewed);
            assert!(passes <= 0.01 && fails >= found, "{skewed}: {passes}, {fails}");
        }
    }

    #[test]
    fn a_family_makes_each_claim_harder() {
        let mut family = vec![Evidence::seen(-0.08, 0.03); 40];
        assert_eq!(family[0].shown(false), Shown::WorseBeyond);
        adjust(&mut family.iter_mut().collect::<Vec<_>>());
        assert_eq!((family[0].shown(false), family[0].tests), (Shown::Worse, 40));
    }
}
