//! Statistics: small pure functions. Input that is empty or not finite gives `None`.

pub mod bca;
pub mod binary;
pub mod design;
mod distribution;
pub mod fit;
pub mod multiplicity;
pub mod paired;
pub mod power;
pub mod resample;

/// The arithmetic mean; `None` of nothing.
pub fn mean(values: &[f64]) -> Option<f64> {
    if values.is_empty() {
        return None;
    }
    finite(values.iter().sum::<f64>() / values.len() as f64)
}

/// The value below which this share (0 to 1) of the values lies, interpolated linearly: type 7 of
/// Hyndman and Fan, "Sample Quantiles in Statistical Packages" (1996).
pub fn quantile(values: &[f64], share: f64) -> Option<f64> {
    if values.iter().any(|value| !value.is_finite()) {
        return None;
    }
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    quantile_of_sorted(&sorted, share)
}

/// The middle value, or the mean of the middle two.
pub fn median(values: &[f64]) -> Option<f64> {
    quantile(values, 0.5)
}

/// The median of the slopes between all pairs of points that differ in x (Sen, "Estimates of the
/// Regression Coefficient Based on Kendall's Tau", 1968). `None` without such a pair.
pub fn theil_sen(points: &[(f64, f64)]) -> Option<f64> {
    let mut slopes = Vec::new();
    for (index, (x, y)) in points.iter().enumerate() {
        for (other_x, other_y) in &points[index + 1..] {
            if x != other_x {
                slopes.push((other_y - y) / (other_x - x));
            }
        }
    }
    median(&slopes)
}

/// As [`quantile`], of values that are finite and in order already.
fn quantile_of_sorted(sorted: &[f64], share: f64) -> Option<f64> {
    if sorted.is_empty() || !(0.0..=1.0).contains(&share) {
        return None;
    }
    let position = share * (sorted.len() - 1) as f64;
    let low = sorted[position.floor() as usize];
    let high = sorted[position.ceil() as usize];
    finite(low + (high - low) * position.fract())
}

/// A part of a whole; `None` of nothing.
pub fn share(part: usize, whole: usize) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PI_DIGITS: [f64; 8] = [3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0];

    fn close(found: Option<f64>, expected: f64) {
        let found = found.expect("a value");
        assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
    }

    #[test]
    fn quantiles_are_those_of_numpy() {
        // numpy.quantile (NumPy 2), default method.
        for (share, expected) in
            [(0.0, 1.0), (0.1, 1.0), (0.25, 1.75), (0.5, 3.5), (0.75, 5.25), (0.9, 6.9), (1.0, 9.0)]
        {
            close(quantile(&PI_DIGITS, share), expected);
        }
    }

    #[test]
    fn the_robust_slope_is_that_of_scipy() {
        // scipy.stats.theilslopes (SciPy 1.17).
        let points =
            [(1.0, 10.0), (2.0, 12.0), (3.0, 11.0), (5.0, 15.0), (8.0, 14.0), (13.0, 21.0)];
        close(theil_sen(&points), 0.818_181_818_181_818);
        // Two points share an x.
        close(theil_sen(&[(1.0, 1.0), (1.0, 5.0), (2.0, 4.0), (3.0, 9.0)]), 3.0);
    }

    #[test]
    fn what_cannot_be_computed_is_nothing() {
        assert_eq!(mean(&[]), None);
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[1.0, f64::NAN]), None);
        assert_eq!(mean(&[f64::MAX, f64::MAX]), None);
        assert_eq!(quantile(&[1.0, 2.0], 1.5), None);
        assert_eq!(quantile(&[1.0, 2.0], f64::NAN), None);
        assert_eq!(theil_sen(&[]), None);
        assert_eq!(theil_sen(&[(1.0, 1.0)]), None);
        assert_eq!(theil_sen(&[(1.0, 1.0), (1.0, 2.0)]), None);
    }
}
