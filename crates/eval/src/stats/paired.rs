//! Tests and effect sizes of paired differences, one difference a session.
//!
//! Everything refuses (`None`) what is empty or not finite.

use rand::RngExt;
use serde::Serialize;

use super::distribution::normal_cdf;
use super::ranks::{midranks, tie_sizes};
use crate::ident::Seed;

/// How a p-value was come by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Every arrangement was counted.
    Exact,
    /// From this many random arrangements, the observed one among them.
    Drawn(u32),
    /// From a normal approximation.
    Approximate,
}

/// A two-sided test.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Test {
    /// What was tested: the sum of the differences, or of the ranks of those above 0.
    pub statistic: f64,
    /// Chance of a statistic at least as far out, were differences as likely to have
    /// the other sign.
    pub p: f64,
    /// How p was come by.
    pub method: Method,
}

/// Sessions by the sign of their difference.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Signs {
    /// Above 0.
    pub above: usize,
    /// Exactly 0.
    pub equal: usize,
    /// Below 0.
    pub below: usize,
}

/// Counts signs.
pub fn signs(differences: &[f64]) -> Option<Signs> {
    check(differences)?;
    let count = |is: fn(&f64) -> bool| differences.iter().filter(|value| is(value)).count();
    Some(Signs {
        above: count(|value| *value > 0.0),
        equal: count(|value| *value == 0.0),
        below: count(|value| *value < 0.0),
    })
}

/// Up to here all 2ⁿ signs are counted: sums of both halves sorted, then matched.
const MOST_EXACT: usize = 30;
/// Random arrangements beyond that.
const DRAWN: u32 = 10_000;

/// The sign-flip test of the mean difference (Fisher, "The Design of Experiments",
/// 1935): exact up to 30 differences other than 0, drawn beyond. It assumes that
/// differences are symmetric about 0 where nothing differs, not that they are normal.
pub fn sign_flip(differences: &[f64], seed: Seed) -> Option<Test> {
    check(differences)?;
    let sizes: Vec<f64> =
        differences.iter().map(|value| value.abs()).filter(|size| *size > 0.0).collect();
    let statistic: f64 = differences.iter().sum();
    // Sums that are equal on paper differ in their last digits.
    let least = statistic.abs() - 1e-12 * sizes.iter().sum::<f64>();
    if sizes.len() <= MOST_EXACT {
        let p = if least <= 0.0 { 1.0 } else { 2.0 * share_at_least(&sizes, least) };
        return Some(Test { statistic, p: p.min(1.0), method: Method::Exact });
    }
    let mut rng = seed.rng();
    let reached = (1..DRAWN).filter(|_| {
        let sum: f64 =
            sizes.iter().map(|size| if rng.random::<bool>() { *size } else { -size }).sum();
        sum.abs() >= least
    });
    let p = (1 + reached.count()) as f64 / f64::from(DRAWN);
    Some(Test { statistic, p, method: Method::Drawn(DRAWN) })
}

/// Share of all signs of these sizes whose sum is at least this.
fn share_at_least(sizes: &[f64], least: f64) -> f64 {
    let (one, other) = sizes.split_at(sizes.len() / 2);
    let (one, mut other) = (signed_sums(one), signed_sums(other));
    other.sort_by(f64::total_cmp);
    let reached: usize = one
        .iter()
        .map(|sum| other.len() - other.partition_point(|beside| sum + beside < least))
        .sum();
    reached as f64 / (one.len() * other.len()) as f64
}

fn signed_sums(sizes: &[f64]) -> Vec<f64> {
    sizes.iter().fold(vec![0.0], |sums, size| {
        sums.iter().flat_map(|sum| [sum + size, sum - size]).collect()
    })
}

/// Up to here the distribution of the ranks' sum is counted out, ties or not; sums of
/// 2ⁿ arrangements are whole numbers that a float holds.
const MOST_COUNTED: usize = 50;

/// The signed-rank test (Wilcoxon, "Individual Comparisons by Ranking Methods", 1945)
/// without the differences that are 0; the statistic is the sum of the ranks above 0.
/// Exact up to 50, ties among them; beyond, normal with the correction for ties.
pub fn signed_rank(differences: &[f64]) -> Option<Test> {
    check(differences)?;
    let (above, ranks) = signed_ranks(differences)?;
    let count = ranks.len() as f64;
    if ranks.len() <= MOST_COUNTED {
        let p = counted(&ranks, above);
        return Some(Test { statistic: above, p, method: Method::Exact });
    }
    let ties: f64 = tie_sizes(&ranks).iter().map(|size| size.powi(3) - size).sum();
    let variance = count * (count + 1.0) * (2.0 * count + 1.0) / 24.0 - ties / 48.0;
    let z = (above - count * (count + 1.0) / 4.0) / variance.sqrt();
    let p = 2.0 * normal_cdf(-z.abs());
    Some(Test { statistic: above, p, method: Method::Approximate })
}

/// The sum of ranks above 0 and all ranks.
fn signed_ranks(differences: &[f64]) -> Option<(f64, Vec<f64>)> {
    let kept: Vec<f64> = differences.iter().copied().filter(|value| *value != 0.0).collect();
    let sizes: Vec<f64> = kept.iter().map(|value| value.abs()).collect();
    let ranks = midranks(&sizes)?;
    let above = ranks.iter().zip(&kept).filter(|(_, value)| **value > 0.0);
    Some((above.map(|(rank, _)| rank).sum(), ranks))
}

/// Two-sided p from the distribution of the sum of ranks over all signs. Ranks are
/// doubled, so that those of ties are whole.
fn counted(ranks: &[f64], above: f64) -> f64 {
    let doubled: Vec<usize> = ranks.iter().map(|rank| (2.0 * rank).round() as usize).collect();
    let total: usize = doubled.iter().sum();
    let mut ways = vec![0.0; total + 1];
    ways[0] = 1.0;
    for rank in doubled {
        for sum in (rank..=total).rev() {
            ways[sum] += ways[sum - rank];
        }
    }
    let at = ((2.0 * above).round() as usize).min(total);
    let all = f64::powi(2.0, ranks.len() as i32);
    let up_to: f64 = ways[..=at].iter().sum();
    let from: f64 = ways[at..].iter().sum();
    (2.0 * up_to.min(from) / all).min(1.0)
}

/// Matched-pairs rank-biserial correlation: the ranks above 0 less those below, over
/// all, from −1 to 1 (Kerby, "The Simple Difference Formula", 2014); 0 where every
/// difference is 0.
pub fn rank_biserial(differences: &[f64]) -> Option<f64> {
    check(differences)?;
    let (above, ranks) = signed_ranks(differences)?;
    let total: f64 = ranks.iter().sum();
    Some(if total > 0.0 { 2.0 * above / total - 1.0 } else { 0.0 })
}

/// Mean difference over the standard deviation of differences (Cohen's d_z). `None`
/// also where all are equal.
pub fn standardized_mean(differences: &[f64]) -> Option<f64> {
    let deviation = standard_deviation(differences)?;
    super::finite(super::mean(differences)? / deviation)
}

/// The standard deviation of a sample, n − 1 in the denominator. `None` with fewer
/// than two values or with one that is not finite.
pub fn standard_deviation(values: &[f64]) -> Option<f64> {
    check(values)?;
    if values.len() < 2 {
        return None;
    }
    if values.iter().all(|value| *value == values[0]) {
        return Some(0.0);
    }
    let mean = super::mean(values)?;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    super::finite((squares / (values.len() - 1) as f64).sqrt())
}

/// Chance that a value of the first exceeds one of the second, less the chance of the
/// reverse (Cliff, "Dominance Statistics", 1993): from −1 to 1, pairing unused.
pub fn cliffs_delta(ours: &[f64], theirs: &[f64]) -> Option<f64> {
    check(ours)?;
    check(theirs)?;
    let sum: f64 = ours
        .iter()
        .flat_map(|one| theirs.iter().map(move |other| (one > other, one < other)))
        .map(|(more, less)| f64::from(i8::from(more) - i8::from(less)))
        .sum();
    Some(sum / (ours.len() * theirs.len()) as f64)
}

fn check(values: &[f64]) -> Option<()> {
    (!values.is_empty() && values.iter().all(|value| value.is_finite())).then_some(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_empty_or_not_finite_is_refused() {
        for values in [&[][..], &[f64::NAN], &[1.0, f64::INFINITY]] {
            assert_eq!(signs(values), None);
            assert_eq!(sign_flip(values, Seed(1)), None);
            assert_eq!(signed_rank(values), None);
            assert_eq!(rank_biserial(values), None);
            assert_eq!(standardized_mean(values), None);
            assert_eq!(cliffs_delta(values, &[1.0]), None);
            assert_eq!(cliffs_delta(&[1.0], values), None);
        }
    }

    #[test]
    fn differences_that_are_all_nothing_show_nothing() {
        let none = [0.0; 6];
        assert_eq!(sign_flip(&none, Seed(1)).expect("a test").p, 1.0);
        assert_eq!(signed_rank(&none).expect("a test").p, 1.0);
        assert_eq!(rank_biserial(&none), Some(0.0));
        assert_eq!(standardized_mean(&none), None);
    }

    #[test]
    fn one_difference_cannot_convince() {
        assert_eq!(sign_flip(&[5.0], Seed(1)).expect("a test").p, 1.0);
        assert_eq!(signed_rank(&[5.0]).expect("a test").p, 1.0);
    }

    #[test]
    fn drawn_signs_come_near_counted_ones() {
        let values: Vec<f64> = (0..40).map(|x| f64::from(x % 7) - 2.2).collect();
        let drawn = sign_flip(&values, Seed(1)).expect("a test");
        assert_eq!(drawn.method, Method::Drawn(10_000));
        let sizes: Vec<f64> = values.iter().map(|value| value.abs()).collect();
        let exact = 2.0 * share_at_least(&sizes, drawn.statistic.abs() - 1e-9);
        assert!((drawn.p - exact).abs() < 0.01, "{} is not near {exact}", drawn.p);
    }

    proptest! {
        #[test]
        fn turning_the_sign_turns_effects_and_keeps_p(
            values in proptest::collection::vec(-50..50i32, 1..14),
        ) {
            let values: Vec<f64> = values.into_iter().map(f64::from).collect();
            let negated: Vec<f64> = values.iter().map(|value| -value).collect();
            let p = |values: &[f64]| {
                (sign_flip(values, Seed(1)).unwrap().p, signed_rank(values).unwrap().p)
            };
            let ((one, first), (other, second)) = (p(&values), p(&negated));
            prop_assert!((one - other).abs() < 1e-12 && (first - second).abs() < 1e-12);
            let effects = (rank_biserial(&values).unwrap(), rank_biserial(&negated).unwrap());
            prop_assert!((effects.0 + effects.1).abs() < 1e-12);
            prop_assert!((0.0..=1.0).contains(&one) && (0.0..=1.0).contains(&first));
        }
    }
}
