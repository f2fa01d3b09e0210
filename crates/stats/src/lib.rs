//! Statistics: small pure functions. Input that is empty or not finite gives `None`.

pub mod binary;
pub mod chances;
mod distribution;
pub mod estimate;
pub mod fit;
pub mod line;
pub mod multiplicity;
pub mod paired;
pub mod rank;
pub mod resample;
pub mod turning;

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
mod tests;
