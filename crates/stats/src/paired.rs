//! Paired differences, one a session; `None` of none and of what is not finite.

use proctor_core::ident::Seed;
use rand::RngExt;
use serde::Serialize;

/// How a p-value was come by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Every arrangement was counted.
    Exact,
    /// From this many random arrangements, the observed one among them.
    Drawn(u32),
}

/// A two-sided test.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Test {
    /// The sum of the differences.
    pub statistic: f64,
    /// Chance of a statistic at least as far out, were either sign as likely.
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
const DRAWN: u32 = 10_000;

/// The sign-flip test of the mean difference (Fisher, "The Design of Experiments", 1935): exact up
/// to 30 differences other than 0, drawn beyond.
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
pub(super) fn share_at_least(sizes: &[f64], least: f64) -> f64 {
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

/// Mean difference over the standard deviation (Cohen's d_z); `None` where all are equal.
pub fn standardized_mean(differences: &[f64]) -> Option<f64> {
    let deviation = standard_deviation(differences)?;
    super::finite(super::mean(differences)? / deviation)
}

/// The standard deviation of a sample (n − 1). `None` with fewer than two values.
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

fn check(values: &[f64]) -> Option<()> {
    (!values.is_empty() && values.iter().all(|value| value.is_finite())).then_some(())
}
