//! That a difference is small, shown rather than assumed.

use super::distribution::t_cdf;
use super::paired::standard_deviation;
use super::{finite, mean};

/// p of two one-sided paired t tests (Schuirmann, "A Comparison of the Two One-Sided
/// Tests Procedure and the Power Approach", 1987): a small p says that the mean
/// difference lies within ± the margin. `None` with fewer than two differences, with
/// one that is not finite, where all are equal, and with a margin that is not above 0.
pub fn equivalent(differences: &[f64], margin: f64) -> Option<f64> {
    let (above, below) =
        (not_below(differences, margin)?, not_below(&negated(differences), margin)?);
    Some(above.max(below))
}

/// p of a one-sided paired t test that the mean difference lies above − margin:
/// non-inferiority where more is better. `None` as [`equivalent`].
pub fn not_below(differences: &[f64], margin: f64) -> Option<f64> {
    if margin.is_nan() || margin <= 0.0 {
        return None;
    }
    let deviation = standard_deviation(differences)?;
    let count = differences.len() as f64;
    let t = finite((mean(differences)? + margin) / (deviation / count.sqrt()))?;
    Some(t_cdf(-t, count - 1.0))
}

fn negated(differences: &[f64]) -> Vec<f64> {
    differences.iter().map(|difference| -difference).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wider_margin_is_easier() {
        let differences = [0.1, -0.2, 0.05, 0.0, -0.1, 0.15, -0.05, 0.1];
        let p = [0.05, 0.1, 0.3].map(|margin| equivalent(&differences, margin).expect("a p"));
        assert!(p[0] > p[1] && p[1] > p[2], "{p:?}");
    }

    #[test]
    fn what_cannot_be_tested_is_nothing() {
        for differences in [&[][..], &[1.0], &[1.0, 1.0], &[1.0, f64::NAN]] {
            assert_eq!(equivalent(differences, 0.5), None);
        }
        for margin in [0.0, -1.0, f64::NAN] {
            assert_eq!(equivalent(&[1.0, 2.0], margin), None);
        }
    }
}
