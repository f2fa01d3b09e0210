//! Intervals by resampling whole sessions: what lies inside one is correlated.

use proctor_core::ident::Seed;
use rand::RngExt;
use serde::Serialize;

use super::{mean, quantile_of_sorted};

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
