//! Drift: a level, or the noise about it, that moves a little every night, by the trend test of
//! Mann ("Nonparametric Tests Against Trend", 1945) and Kendall and the slope of Theil and Sen.
//! Nights are taken as independent: noise that goes on into the next looks like drift.

use statrs::function::erf::erfc;

use crate::stats::{median, theil_sen};

pub(super) const FEWEST: usize = 10;
pub(super) const LAST: usize = 90;

/// A trend and how sure it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trend {
    /// Change a night.
    pub slope: f64,
    /// Chance of as clear an order among nights without one.
    pub p: f64,
}

/// The trend of the values; `None` of fewer than `FEWEST`, and where all are the same.
pub fn trend(values: &[f64]) -> Option<Trend> {
    if values.len() < FEWEST || values.iter().any(|value| !value.is_finite()) {
        return None;
    }
    let p = mann_kendall(values)?;
    Some(Trend { slope: theil_sen(&points(values))?, p })
}

/// The trend of the distances from the values' own line: noise that grows or shrinks.
pub fn spread(values: &[f64]) -> Option<Trend> {
    let points = points(values);
    let slope = theil_sen(&points).filter(|_| values.len() >= FEWEST)?;
    let level: Vec<f64> = points.iter().map(|(at, value)| value - slope * at).collect();
    let middle = median(&level)?;
    let distances: Vec<f64> = level.iter().map(|value| (value - middle).abs()).collect();
    trend(&distances)
}

fn points(values: &[f64]) -> Vec<(f64, f64)> {
    values.iter().enumerate().map(|(at, value)| (at as f64, *value)).collect()
}

/// Two-sided p by the normal approximation with its correction for ties and continuity.
fn mann_kendall(values: &[f64]) -> Option<f64> {
    let n = values.len() as f64;
    let mut score = 0.0;
    for (at, one) in values.iter().enumerate() {
        for other in &values[at + 1..] {
            score += f64::from(u8::from(other > one)) - f64::from(u8::from(other < one));
        }
    }
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let ties: f64 = sorted
        .chunk_by(|one, other| one == other)
        .map(|tied| tied.len() as f64)
        .map(|size| size * (size - 1.0) * (2.0 * size + 5.0))
        .sum();
    let variance = (n * (n - 1.0) * (2.0 * n + 5.0) - ties) / 18.0;
    let distance = (f64::abs(score) - 1.0).max(0.0);
    (variance > 0.0).then(|| erfc(distance / (2.0 * variance).sqrt()).clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_test_is_that_of_an_independent_implementation() {
        for line in include_str!("kendall.txt").lines().filter(|line| !line.starts_with('#')) {
            let numbers = line.split(' ').map(str::parse::<f64>).collect::<Result<Vec<f64>, _>>();
            let numbers = numbers.expect("numbers");
            let [p, slope, values @ ..] = numbers.as_slice() else { panic!("{line}") };
            let found = trend(values).expect("enough values");
            assert!((found.p - p).abs() < 1e-12, "{values:?}: {} is not {p}", found.p);
            assert!((found.slope - slope).abs() < 1e-12, "{values:?}: {}", found.slope);
        }
    }

    #[test]
    fn a_constant_and_few_nights_have_no_trend_and_noise_that_grows_has_its_own() {
        assert_eq!(trend(&[1.0; 20]), None);
        assert_eq!(trend(&[1.0, 2.0, 3.0, 4.0, 5.0]), None);
        let growing: Vec<f64> =
            (0..40).map(|at| f64::from(at) * [0.1, -0.1][at as usize % 2]).collect();
        assert!(spread(&growing).is_some_and(|found| found.slope > 0.0 && found.p < 1e-4));
        assert!(trend(&growing).is_some_and(|found| found.p > 0.2));
    }
}
