//! Correlation of ranks.

use super::distribution::t_cdf;

/// A correlation of ranks with its chance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rank {
    /// From −1 to 1.
    pub correlation: f64,
    /// Chance of one at least as far out where there is none, two-sided.
    pub p: f64,
}

/// Spearman's ("The Proof and Measurement of Association between Two Things", 1904), equal values
/// sharing their mean rank, its chance by Student's t with n − 2 degrees of freedom. `None` of fewer
/// than three pairs, of what is not finite, and where one side is all the same.
pub fn spearman(pairs: &[(f64, f64)]) -> Option<Rank> {
    let is_finite = |(one, other): &(f64, f64)| one.is_finite() && other.is_finite();
    if pairs.len() < 3 || !pairs.iter().all(is_finite) {
        return None;
    }
    let (one, other): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
    let (one, other) = (ranked(&one), ranked(&other));
    let mean = (pairs.len() as f64 + 1.0) / 2.0;
    let sum = |of: &dyn Fn(f64, f64) -> f64| {
        one.iter().zip(&other).map(|(a, b)| of(a - mean, b - mean)).sum::<f64>()
    };
    let spread = (sum(&|a, _| a * a) * sum(&|_, b| b * b)).sqrt();
    if spread == 0.0 {
        return None;
    }
    let correlation = (sum(&|a, b| a * b) / spread).clamp(-1.0, 1.0);
    let freedom = pairs.len() as f64 - 2.0;
    let rest = 1.0 - correlation * correlation;
    let p = match rest > 0.0 {
        true => 2.0 * t_cdf(-(correlation.abs() * (freedom / rest).sqrt()), freedom),
        false => 0.0,
    };
    Some(Rank { correlation, p })
}

/// The rank of each value from 1, equal ones sharing the mean.
fn ranked(values: &[f64]) -> Vec<f64> {
    let rank = |value: &f64| {
        let below = values.iter().filter(|other| *other < value).count();
        let equal = values.iter().filter(|other| *other == value).count();
        below as f64 + (equal as f64 + 1.0) / 2.0
    };
    values.iter().map(rank).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn correlations_and_their_chances_are_those_worked_out_by_hand() {
        for (pairs, correlation, p) in [
            (vec![(1.0, 2.0), (2.0, 1.0), (3.0, 4.0), (4.0, 3.0), (5.0, 5.0)], 0.8, 0.104_088_04),
            (vec![(1.0, 1.0), (2.0, 1.0), (2.0, 3.0), (4.0, 2.0)], 0.5, 0.5),
            (vec![(1.0, 9.0), (2.0, 8.0), (3.0, 1.0)], -1.0, 0.0),
        ] {
            let found = spearman(&pairs).expect("it is defined");
            assert!((found.correlation - correlation).abs() < 1e-8, "{found:?}");
            assert!((found.p - p).abs() < 1e-7, "{found:?}");
        }
        assert_eq!(spearman(&[(1.0, 1.0), (2.0, 1.0), (3.0, 1.0)]), None);
        assert_eq!(spearman(&[(1.0, 1.0), (2.0, f64::NAN), (3.0, 1.0)]), None);
    }
}
