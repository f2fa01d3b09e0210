//! Distribution functions: those of `statrs`, and those that it has not.

use std::f64::consts::SQRT_2;

use statrs::function::{beta, erf};

/// P(Z ≤ z) of the standard normal distribution.
pub(super) fn normal_cdf(z: f64) -> f64 {
    0.5 * erf::erfc(-z / SQRT_2)
}

/// P(T ≤ t) of Student's distribution.
pub(super) fn t_cdf(t: f64, freedom: f64) -> f64 {
    if freedom.is_infinite() {
        return normal_cdf(t);
    }
    let square = t * t;
    if square < freedom {
        // The tail's argument would round to 1 where t is small.
        let middle = 0.5 * beta_cdf(square / (freedom + square), 0.5, freedom / 2.0);
        return if t > 0.0 { 0.5 + middle } else { 0.5 - middle };
    }
    let tail = 0.5 * beta_cdf(freedom / (freedom + square), freedom / 2.0, 0.5);
    if t > 0.0 { 1.0 - tail } else { tail }
}

/// The t that Student's distribution stays below with this probability.
pub(super) fn t_quantile(probability: f64, freedom: f64) -> f64 {
    let mut reach = 10.0;
    while t_cdf(-reach, freedom) > probability.min(1.0 - probability) && reach < 1e12 {
        reach *= 10.0;
    }
    where_it_reaches(probability, -reach, reach, |t| t_cdf(t, freedom))
}

/// P(B ≤ x) of the beta distribution; 0 and 1 outside its support.
pub(super) fn beta_cdf(x: f64, first: f64, second: f64) -> f64 {
    beta::checked_beta_reg(first, second, x.clamp(0.0, 1.0)).unwrap_or(f64::NAN)
}

/// Where a function that grows reaches a value, between two ends.
pub(super) fn where_it_reaches(
    value: f64,
    mut low: f64,
    mut high: f64,
    grows: impl Fn(f64) -> f64,
) -> f64 {
    for _ in 0..200 {
        let middle = low + (high - low) / 2.0;
        if middle <= low || middle >= high {
            break;
        }
        if grows(middle) < value {
            low = middle;
        } else {
            high = middle;
        }
    }
    low + (high - low) / 2.0
}
