//! Bias-corrected and accelerated bootstrap intervals.

use super::design::{Design, weighted_mean};
use super::distribution::{normal_cdf, normal_quantile};
use super::resample::{Interval, Resampling};
use super::{finite, quantile_of_sorted};

/// The BCa interval of a statistic from its resampled values and from its values without each unit
/// in turn, by stratum (Efron, "Better Bootstrap Confidence Intervals", 1987). `None` with a level
/// outside 0 to 1, without finite values, and where the estimate lies outside all that was
/// resampled.
pub fn bca(
    resampled: &[f64],
    estimate: f64,
    without_each: &[Vec<f64>],
    level: f64,
) -> Option<Interval> {
    let all = resampled.iter().chain(without_each.iter().flatten()).chain([&estimate]);
    if resampled.is_empty()
        || !(level > 0.0 && level < 1.0)
        || all.into_iter().any(|x| !x.is_finite())
    {
        return None;
    }
    let mut sorted = resampled.to_vec();
    sorted.sort_by(f64::total_cmp);
    // What equals the estimate on paper may differ from it in the last digit.
    let room = 1e-13 * sorted.iter().fold(0.0, |most: f64, value| most.max(value.abs()));
    let under = sorted.partition_point(|value| *value < estimate - room);
    let up_to = sorted.partition_point(|value| *value <= estimate + room);
    let bias = normal_quantile((under + up_to) as f64 / (2 * sorted.len()) as f64);
    let acceleration = acceleration(without_each);
    let end = |share: f64| {
        let shifted = bias + normal_quantile(share);
        let share = finite(normal_cdf(bias + shifted / (1.0 - acceleration * shifted)))?;
        quantile_of_sorted(&sorted, share)
    };
    let outside = (1.0 - level) / 2.0;
    let (low, high) = (end(outside)?, end(1.0 - outside)?);
    (finite(bias).is_some() && low <= high).then_some(Interval { low, high })
}

/// How fast the standard error changes with the value, from the jackknife.
fn acceleration(without_each: &[Vec<f64>]) -> f64 {
    let (mut cubes, mut squares) = (0.0, 0.0);
    for values in without_each.iter().filter(|values| !values.is_empty()) {
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        for value in values {
            let influence = (count - 1.0) * (mean - value) / count;
            cubes += influence.powi(3);
            squares += influence.powi(2);
        }
    }
    let spread = f64::powf(squares, 1.5);
    if spread > 0.0 { cubes / (6.0 * spread) } else { 0.0 }
}

/// The BCa interval of the mean of one figure per session; as [`bca`].
pub fn bca_mean(values: &[f64], design: &Design, resampling: Resampling) -> Option<Interval> {
    if design.count() != values.len() || values.iter().any(|value| !value.is_finite()) {
        return None;
    }
    if values.iter().all(|value| *value == values[0]) {
        // Weighted sums of equal values differ in their last digit, which is no spread.
        return Some(Interval { low: values[0], high: values[0] });
    }
    let statistic = |weights: &[f64]| weighted_mean(values, weights);
    let estimate = statistic(&vec![1.0; design.count()])?;
    let without_each = design.without_each(statistic)?;
    let (mut rng, mut weights) = (resampling.seed.rng(), Vec::new());
    let resampled = resampling.values(|| {
        design.draw(&mut rng, &mut weights);
        statistic(&weights)
    })?;
    bca(&resampled, estimate, &without_each, resampling.level)
}
