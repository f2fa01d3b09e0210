//! Distribution functions: those of `statrs`, and those that it has not.

use std::f64::consts::SQRT_2;

use statrs::function::{beta, erf, gamma};

/// P(Z ≤ z) of the standard normal distribution.
pub(super) fn normal_cdf(z: f64) -> f64 {
    0.5 * erf::erfc(-z / SQRT_2)
}

/// The z that a standard normal value stays below with this probability.
pub(super) fn normal_quantile(probability: f64) -> f64 {
    if !(probability > 0.0 && probability < 1.0) {
        return if probability <= 0.0 { f64::NEG_INFINITY } else { f64::INFINITY };
    }
    let near = -SQRT_2 * erf::erfc_inv(2.0 * probability);
    // Near the middle that is right to seven digits only; a step of Newton's does the rest.
    let density = (-near * near / 2.0).exp() / std::f64::consts::TAU.sqrt();
    let better = near - (normal_cdf(near) - probability) / density;
    if better.is_finite() { better } else { near }
}

/// P(T ≤ t) of Student's distribution.
pub(super) fn t_cdf(t: f64, freedom: f64) -> f64 {
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

/// Beyond this a noncentral value is above any critical value that occurs.
const FAR: f64 = 100.0;

/// P(T ≤ t) of the noncentral t distribution (Lenth, "Algorithm AS 243", 1989, on logarithms).
pub(super) fn noncentral_t_cdf(t: f64, freedom: f64, shift: f64) -> f64 {
    if t < 0.0 {
        return 1.0 - noncentral_t_cdf(-t, freedom, -shift);
    }
    if shift.abs() > FAR {
        return if shift > 0.0 { 0.0 } else { 1.0 };
    }
    let x = t * t / (t * t + freedom);
    let half_square = shift * shift / 2.0;
    let below = normal_cdf(-shift);
    if x <= 0.0 || half_square == 0.0 {
        return if half_square == 0.0 { t_cdf(t, freedom) } else { below };
    }
    let most = (half_square + 20.0 * half_square.sqrt() + 60.0) as u32;
    let sum: f64 = (0..=most)
        .map(|index| {
            let index = f64::from(index);
            let power = -half_square + index * half_square.ln();
            let even = (power - gamma::ln_gamma(index + 1.0)).exp();
            let odd = (power - gamma::ln_gamma(index + 1.5)).exp() * shift / SQRT_2;
            even * beta_cdf(x, index + 0.5, freedom / 2.0)
                + odd * beta_cdf(x, index + 1.0, freedom / 2.0)
        })
        .sum();
    (below + sum / 2.0).clamp(0.0, 1.0)
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
