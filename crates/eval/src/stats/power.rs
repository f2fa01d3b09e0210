//! What a number of sessions can show, by the paired t test.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use super::distribution::{noncentral_t_cdf, t_quantile, where_it_reaches};

/// Power that the sessions needed are told for.
pub const POWER: f64 = 0.8;

/// Beyond this many sessions the answer is that no suite will do.
const MOST: u64 = 1_000_000;

/// Chance that a two-sided paired t test of `sessions` at this level finds a true mean difference
/// of `effect` standard deviations. `None` where these make no sense.
pub fn power(sessions: u64, effect: f64, level: f64) -> Option<f64> {
    if sessions < 2 || !effect.is_finite() || !(level > 0.0 && level < 1.0) {
        return None;
    }
    let freedom = (sessions - 1) as f64;
    let critical = t_quantile(1.0 - level / 2.0, freedom);
    let shift = effect * (sessions as f64).sqrt();
    let below = noncentral_t_cdf(-critical, freedom, shift);
    super::finite(1.0 - noncentral_t_cdf(critical, freedom, shift) + below)
}

/// The least number of sessions that find a true mean difference of this size with [`POWER`].
/// `None` where a million would not, and where these make no sense.
pub fn sessions_needed(deviation: f64, difference: f64, level: f64) -> Option<u64> {
    let difference = difference.abs();
    if !(deviation >= 0.0 && difference > 0.0 && level > 0.0 && level < 1.0) {
        return None;
    }
    let enough = |sessions: u64| {
        deviation == 0.0
            || power(sessions, difference / deviation, level).is_some_and(|p| p >= POWER)
    };
    let mut high = 2;
    while !enough(high) {
        high *= 2;
        if high > MOST {
            return None;
        }
    }
    let mut low = if high == 2 { return Some(2) } else { high / 2 };
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if enough(middle) { high = middle } else { low = middle }
    }
    Some(high)
}

/// The least true mean difference that these sessions find with [`POWER`]; `None` as [`power`].
pub fn detectable_difference(sessions: u64, deviation: f64, level: f64) -> Option<f64> {
    power(sessions, 0.0, level)?;
    if !(deviation >= 0.0 && deviation.is_finite()) {
        return None;
    }
    Some(deviation * detectable_effect(sessions, level))
}

/// The same in standard deviations, sought once for each number of sessions and level.
fn detectable_effect(sessions: u64, level: f64) -> f64 {
    static KNOWN: Mutex<BTreeMap<(u64, u64), f64>> = Mutex::new(BTreeMap::new());
    let key = (sessions, level.to_bits());
    let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(effect) = known().get(&key) {
        return *effect;
    }
    let reach = |effect: f64| power(sessions, effect, level).unwrap_or(1.0);
    // With two sessions an effect of 20 deviations is found.
    let effect = where_it_reaches(POWER, 0.0, 50.0, reach);
    known().insert(key, effect);
    effect
}
