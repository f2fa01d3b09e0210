//! Outcomes that are all or nothing: a session completed or it did not.

use super::distribution::{beta_cdf, normal_quantile};
use super::resample::Interval;

/// McNemar's exact test, two-sided, binomial form ("Note on the Sampling Error of the Difference
/// Between Correlated Proportions", 1947). 1 where no session differs.
pub fn mcnemar(only_ours: u64, only_theirs: u64) -> f64 {
    let (fewer, both) = (only_ours.min(only_theirs), only_ours.saturating_add(only_theirs));
    if both == 0 {
        return 1.0;
    }
    // P(X ≤ k) of a fair binomial is a regularized incomplete beta function.
    let up_to = beta_cdf(0.5, (both - fewer) as f64, (fewer + 1) as f64);
    (2.0 * up_to).min(1.0)
}

/// Wilson's 95 % interval of a share of sessions ("Probable inference, the law of succession, and
/// statistical inference", 1927); `None` without one.
pub fn wilson(successes: usize, count: usize) -> Option<Interval> {
    const Z: f64 = 1.959_963_985;
    if count == 0 {
        return None;
    }
    let (n, share) = (count as f64, successes as f64 / count as f64);
    let middle = share + Z * Z / (2.0 * n);
    let half = Z * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
    let scale = 1.0 + Z * Z / n;
    let (low, high) = ((middle - half) / scale, (middle + half) / scale);
    Some(Interval { low: low.max(0.0), high: high.min(1.0) })
}

/// The interval of a difference of paired shares, ours − theirs (Bonett and Price, "Adjusted Wald
/// Confidence Interval for a Difference of Binomial Proportions Based on Paired Data", 2012).
/// `None` of none, of fewer than differ, and with a level outside 0 to 1.
pub fn paired_shares(only_ours: u64, only_theirs: u64, count: u64, level: f64) -> Option<Interval> {
    let differ = only_ours.checked_add(only_theirs)?;
    if count == 0 || differ > count || !(level > 0.0 && level < 1.0) {
        return None;
    }
    let all = count as f64 + 2.0;
    let (ours, theirs) = ((only_ours + 1) as f64 / all, (only_theirs + 1) as f64 / all);
    let difference = ours - theirs;
    let error = ((ours + theirs - difference * difference) / all).sqrt();
    let reach = normal_quantile(0.5 + level / 2.0) * error;
    Some(Interval { low: (difference - reach).max(-1.0), high: (difference + reach).min(1.0) })
}
