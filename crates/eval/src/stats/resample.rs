//! Intervals by resampling whole sessions: what lies inside one is correlated.

use rand::RngExt;
use serde::Serialize;

use super::{mean, quantile_of_sorted};
use crate::ident::Seed;

/// How an interval is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Resampling {
    /// Of this purpose alone: derive one for every figure.
    pub seed: Seed,
    /// Number of resamples.
    pub resamples: u32,
    /// Share of the resamples inside the interval, between 0 and 1.
    pub level: f64,
}

impl Resampling {
    /// 2,000 resamples at 95 %.
    pub fn standard(seed: Seed) -> Resampling {
        Resampling { seed, resamples: 2_000, level: 0.95 }
    }

    /// The finite values of the resamples; `None` where fewer than half have one.
    pub(super) fn values(self, mut resample: impl FnMut() -> Option<f64>) -> Option<Vec<f64>> {
        let Resampling { resamples, level, .. } = self;
        let values = (0..resamples).filter_map(|_| resample());
        let values: Vec<f64> = values.filter(|value| value.is_finite()).collect();
        let enough = resamples > 0 && values.len() * 2 >= resamples as usize;
        (enough && level > 0.0 && level < 1.0).then_some(values)
    }
}

/// Where a figure lies, with the confidence that the [`Resampling`] asks for.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

impl Interval {
    /// Whether all of it lies above the value.
    pub fn is_above(self, value: f64) -> bool {
        self.low > value
    }

    /// Whether all of it lies below the value.
    pub fn is_below(self, value: f64) -> bool {
        self.high < value
    }
}

/// A mean, or a mean difference between partners.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Difference {
    /// The mean, of ours − theirs where there are partners.
    pub mean: f64,
    /// Over the pairs; `None` with fewer than two.
    pub interval: Option<Interval>,
    /// Number of sessions or pairs.
    pub pairs: usize,
}

/// Percentile interval of a statistic over `count` units, given the indices drawn (Efron and
/// Tibshirani, "An Introduction to the Bootstrap", 1993, chapter 13). `None` with fewer than two.
pub fn bootstrap(
    count: usize,
    resampling: Resampling,
    mut statistic: impl FnMut(&[usize]) -> Option<f64>,
) -> Option<Interval> {
    if count < 2 {
        return None;
    }
    let (mut rng, mut drawn) = (resampling.seed.rng(), vec![0; count]);
    let mut values = resampling.values(|| {
        drawn.fill_with(|| rng.random_range(0..count));
        statistic(&drawn)
    })?;
    values.sort_by(f64::total_cmp);
    let outside = (1.0 - resampling.level) / 2.0;
    Some(Interval {
        low: quantile_of_sorted(&values, outside)?,
        high: quantile_of_sorted(&values, 1.0 - outside)?,
    })
}

/// Percentile interval of the mean of one figure per session.
pub fn bootstrap_mean(values: &[f64], resampling: Resampling) -> Option<Interval> {
    if values.iter().any(|value| !value.is_finite()) {
        return None;
    }
    let count = values.len() as f64;
    bootstrap(values.len(), resampling, |drawn| {
        Some(drawn.iter().map(|&index| values[index]).sum::<f64>() / count)
    })
}

/// Mean and interval of one figure per session; `None` without any.
pub fn mean_of(values: &[f64], resampling: Resampling) -> Option<Difference> {
    let interval = bootstrap_mean(values, resampling);
    Some(Difference { mean: mean(values)?, interval, pairs: values.len() })
}

/// Mean and interval of ours − theirs over pairs of the same session; `None` without pairs.
pub fn paired_difference(pairs: &[(f64, f64)], resampling: Resampling) -> Option<Difference> {
    let differences: Vec<f64> = pairs.iter().map(|(ours, theirs)| ours - theirs).collect();
    mean_of(&differences, resampling)
}

/// Mean and interval over clusters of values: every cluster counts once, and whole clusters are
/// drawn (Davison and Hinkley, "Bootstrap Methods and their Application", 1997, 3.8). `None` where
/// no cluster holds a value.
pub fn clustered(clusters: &[Vec<f64>], resampling: Resampling) -> Option<Difference> {
    let means: Vec<f64> = clusters.iter().filter_map(|cluster| mean(cluster)).collect();
    mean_of(&means, resampling)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clusters_count_once_whatever_their_size() {
        let clusters = vec![vec![1.0, 1.0, 1.0, 1.0], vec![3.0], vec![]];
        // Means 1 and 3: a resample of two has mean 1, 2, 2 or 3.
        let found = clustered(&clusters, Resampling::standard(Seed(1))).expect("clusters");
        let interval = found.interval.expect("a spread");
        assert_eq!((found.mean, found.pairs), (2.0, 2));
        assert_eq!((interval.low, interval.high), (1.0, 3.0));
        assert_eq!(clustered(&[vec![]], Resampling::standard(Seed(1))), None);
    }

    #[test]
    fn many_resamples_come_near_the_full_enumeration() {
        // All 5^5 resamples with itertools.product, numpy.quantile of their means.
        let values = [1.0, 2.0, 4.0, 8.0, 16.0];
        for (level, low, high) in [(0.95, 2.0, 11.4), (0.90, 2.44, 10.4)] {
            let resampling = Resampling { seed: Seed(1), resamples: 40_000, level };
            let interval = bootstrap_mean(&values, resampling).expect("a spread");
            let room = (interval.low - low).abs().max((interval.high - high).abs());
            assert!(room <= 0.2, "{interval:?} is not near {low} to {high}");
        }
    }

    #[test]
    fn what_has_no_spread_has_no_interval() {
        for (values, resamples, level) in [
            (&[][..], 100, 0.95),
            (&[3.0], 100, 0.95),
            (&[3.0, f64::NAN], 100, 0.95),
            (&[3.0, 4.0], 0, 0.95),
            (&[3.0, 4.0], 100, 1.0),
        ] {
            let resampling = Resampling { seed: Seed(1), resamples, level };
            assert_eq!(bootstrap_mean(values, resampling), None, "{values:?}");
        }
        assert_eq!(paired_difference(&[], Resampling::standard(Seed(1))), None);
        let one = paired_difference(&[(3.0, 1.0)], Resampling::standard(Seed(1)));
        assert_eq!(one, Some(Difference { mean: 2.0, interval: None, pairs: 1 }));
    }

    #[test]
    fn a_statistic_that_mostly_fails_has_no_interval() {
        let over = |least: usize| {
            bootstrap(2, Resampling::standard(Seed(1)), |drawn| {
                (drawn.iter().sum::<usize>() >= least).then_some(1.0)
            })
        };
        assert_eq!(over(1), Some(Interval { low: 1.0, high: 1.0 }));
        assert_eq!(over(2), None);
    }
}
