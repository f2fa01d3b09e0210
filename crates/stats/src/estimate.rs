//! The mean of paired differences and how far off it may be: one design gives the interval, the
//! tests against any bound, and the power.

use super::distribution::{t_cdf, t_quantile};
use super::resample::Interval;
use std::collections::BTreeMap;

proctor_core::words! {
    /// What a mean is taken to be a sample of.
    pub enum Unit {
        /// Sessions, all from one pool.
        Sessions = "sessions",
        /// Sessions within their scenarios, of these scenarios: what scenarios differ in is no noise.
        WithinScenarios = "within-scenarios",
        /// Scenarios like these: what they differ in is noise.
        Scenarios = "scenarios",
    }
}

/// Power that the numbers of sessions are told for.
pub const POWER: f64 = 0.9;

/// Beyond this many sessions the answer is that no suite will do.
const MOST: f64 = 1e6;

/// A mean with its standard error, on Student's distribution ("The Probable Error of a Mean", 1908).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The mean.
    pub mean: f64,
    /// Its standard error.
    pub error: f64,
    /// Degrees of freedom; without end where the error comes from a share.
    pub freedom: f64,
    /// What was drawn.
    pub unit: Unit,
    /// How many were drawn.
    pub units: usize,
    /// How many of them differ from 0.
    pub differing: usize,
}

impl Estimate {
    /// Of the mean over a unit; labels are the scenarios. Scenarios with one session are one stratum,
    /// and a single one joins the smallest other (collapsed strata: Cochran, "Sampling Techniques",
    /// 1977, 5A.12). Where scenarios are the unit, the error is that of clusters of unequal size
    /// (the same, 11.7). `None` with fewer than two units and without finite values.
    pub fn of<Label: Ord>(values: &[f64], labels: &[Label], mut unit: Unit) -> Option<Estimate> {
        let mean = super::mean(values)?;
        let mut scenarios: BTreeMap<&Label, Vec<f64>> = BTreeMap::new();
        for (value, label) in values.iter().zip(labels) {
            scenarios.entry(label).or_default().push(*value);
        }
        let parts: Vec<Part> = match unit {
            Unit::Sessions => vec![Part::of(values)?],
            Unit::WithinScenarios => {
                let strata = strata(scenarios.into_values());
                if strata.len() == 1 {
                    unit = Unit::Sessions;
                }
                strata.iter().map(|stratum| Part::of(stratum)).collect::<Option<_>>()?
            }
            Unit::Scenarios => {
                // What each adds to the sum beyond its share of the mean.
                let off = |of: Vec<f64>| of.iter().map(|value| value - mean).sum::<f64>();
                let totals: Vec<f64> = scenarios.into_values().map(off).collect();
                let scale = totals.len() as f64 / values.len() as f64;
                let totals: Vec<f64> = totals.iter().map(|total| mean + total * scale).collect();
                vec![Part::of(&totals)?]
            }
        };
        let units: usize = parts.iter().map(|part| part.units).sum();
        let shares = parts.iter().map(|part| {
            let share = part.units as f64 / units as f64;
            (share * share * part.variance / part.units as f64, part.units as f64 - 1.0)
        });
        let square: f64 = shares.clone().map(|(part, _)| part).sum();
        // Satterthwaite, "An Approximate Distribution of Estimates of Variance Components" (1946).
        let below: f64 = shares.map(|(part, freedom)| part * part / freedom).sum();
        let freedom = if below > 0.0 { square * square / below } else { units as f64 - 1.0 };
        let differing = parts.iter().map(|part| part.differing).sum();
        super::finite(square)?;
        Some(Estimate { mean, error: square.sqrt(), freedom, unit, units, differing })
    }

    /// Of a difference of paired shares, ours − theirs (Bonett and Price, "Adjusted Wald Confidence
    /// Interval for a Difference of Binomial Proportions Based on Paired Data", 2012). `None` of
    /// none and of fewer than differ.
    pub fn of_shares(only_ours: u64, only_theirs: u64, count: u64) -> Option<Estimate> {
        let differ = only_ours.checked_add(only_theirs)?;
        if count == 0 || differ > count {
            return None;
        }
        let all = count as f64 + 2.0;
        let (ours, theirs) = ((only_ours + 1) as f64 / all, (only_theirs + 1) as f64 / all);
        let mean = ours - theirs;
        let error = ((ours + theirs - mean * mean) / all).sqrt();
        let (units, differing) = (count as usize, differ as usize);
        let freedom = f64::INFINITY;
        Some(Estimate { mean, error, freedom, unit: Unit::Sessions, units, differing })
    }

    /// The same with its sign turned.
    #[must_use]
    pub fn turned(self) -> Estimate {
        Estimate { mean: -self.mean, ..self }
    }

    /// The interval that covers the true mean with this probability. Each of its ends is a one-sided
    /// test at half of what is left.
    pub fn interval(&self, level: f64) -> Option<Interval> {
        if !(level > 0.0 && level < 1.0) {
            return None;
        }
        let reach = t_quantile(0.5 + level / 2.0, self.freedom) * self.error;
        Some(Interval { low: self.mean - reach, high: self.mean + reach })
    }

    /// Chance of a mean at least so high, were the true one at this bound. It is never below that of
    /// as many tosses of a coin that agree: few sessions prove little however alike they are.
    pub fn above(&self, bound: f64) -> f64 {
        self.tail(bound).max(self.tosses(bound))
    }

    /// The same by Student's distribution alone; by tosses where all units are the same.
    pub fn tail(&self, bound: f64) -> f64 {
        let off = self.mean - bound;
        match (self.error > 0.0, off > 0.0) {
            (true, _) => t_cdf(-off / self.error, self.freedom),
            (false, true) => self.tosses(bound),
            (false, false) => 1.0,
        }
    }

    fn tosses(&self, bound: f64) -> f64 {
        let tosses = if bound == 0.0 { self.differing } else { self.units };
        f64::powi(0.5, i32::try_from(tosses).unwrap_or(i32::MAX))
    }

    /// The distance of the true mean from a bound that so many units find with [`POWER`] at this
    /// one-sided level, by quantiles of Student's distribution (3 % off at eight units, less beyond).
    pub fn detectable(&self, level: f64, units: usize) -> f64 {
        let times = units as f64 / self.units as f64;
        let freedom = ((self.freedom + 1.0) * times - 1.0).max(1.0);
        let shift = t_quantile(1.0 - level, freedom) + t_quantile(POWER, freedom);
        shift * self.error / times.sqrt()
    }

    /// Units that find a true mean so far from a bound, about; `None` where a million would not.
    pub fn needed(&self, distance: f64, level: f64) -> Option<usize> {
        if distance.is_nan() || distance <= 0.0 {
            return None;
        }
        let mut units = self.units;
        // Each step corrects the degrees of freedom of the one before.
        for _ in 0..8 {
            let of_one = self.detectable(level, units) * (units as f64).sqrt();
            let wanted = (of_one / distance).powi(2).ceil().max(2.0);
            if wanted > MOST {
                return None;
            }
            units = wanted as usize;
        }
        Some(units)
    }
}

/// Values that are drawn among themselves.
struct Part {
    units: usize,
    differing: usize,
    variance: f64,
}

impl Part {
    fn of(values: &[f64]) -> Option<Part> {
        let variance = super::paired::standard_deviation(values)?.powi(2);
        let differing = values.iter().filter(|value| **value != 0.0).count();
        Some(Part { units: values.len(), differing, variance })
    }
}

fn strata(scenarios: impl Iterator<Item = Vec<f64>>) -> Vec<Vec<f64>> {
    let (single, mut strata): (Vec<Vec<f64>>, Vec<Vec<f64>>) =
        scenarios.partition(|group| group.len() == 1);
    let mut single: Vec<f64> = single.into_iter().flatten().collect();
    if single.len() == 1
        && let Some(smallest) = strata.iter_mut().min_by_key(|stratum| stratum.len())
    {
        smallest.append(&mut single);
    }
    if !single.is_empty() {
        strata.push(single);
    }
    strata
}
