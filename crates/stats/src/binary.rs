//! Outcomes that are all or nothing: a session completed or it did not.

use super::resample::Interval;

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
