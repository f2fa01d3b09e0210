//! When a finding was made: a step in noise takes nights of its new level to be told from
//! chance, a drift more, so that the night of a change is not the night of its news.

use super::drift;
use super::finding::{Kind, NEAR};
use super::step::{self, Step};

/// The place of the value with which a step of a noisy series was first found, and where
/// it was placed then. What is found at a level today is searched for at that level.
pub(super) fn of_step(values: &[f64], step: &Step, level: f64) -> (usize, usize) {
    let first = (step.at + 1..values.len()).find_map(|end| {
        let before = step::noisy(&values[..end], level);
        let same = before.iter().filter(|other| {
            other.at.abs_diff(step.at) <= NEAR && (other.to > other.from) == (step.to > step.from)
        });
        let nearest = same.min_by_key(|other| other.at.abs_diff(step.at))?;
        Some((end - 1, nearest.at))
    });
    first.unwrap_or((values.len().saturating_sub(1), step.at))
}

/// The place of the first of those last values that all show the trend with at most this
/// raw p.
pub(super) fn of_trend(values: &[f64], kind: Kind, bar: f64) -> usize {
    let shows = |end: &usize| {
        let seen = step::smoothed(&values[end.saturating_sub(drift::LAST)..*end]);
        let trend = match kind {
            Kind::Spread => drift::spread(&seen),
            Kind::Step | Kind::Drift => drift::trend(&seen),
        };
        trend.is_some_and(|trend| trend.p <= bar)
    };
    let all = values.len();
    let first = (drift::FEWEST..=all).rev().take_while(shows).last();
    first.unwrap_or(all).saturating_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wobble(at: usize) -> f64 {
        [0.3, -0.2, 0.1, -0.4, 0.25, -0.05][at * 5 % 6]
    }

    #[test]
    fn a_clear_step_is_known_by_the_third_night_and_a_later_night_changes_neither() {
        let values: Vec<f64> =
            (0..40).map(|at| wobble(at) + if at < 20 { 0.0 } else { 5.0 }).collect();
        for end in 23..=40 {
            let steps = step::noisy(&values[..end], 0.05);
            assert_eq!(steps.len(), 1, "{end}: {steps:?}");
            assert_eq!(of_step(&values[..end], &steps[0], 0.05), (22, 20), "{end}");
        }
    }

    #[test]
    fn a_drift_is_known_before_the_last_night_and_from_then_on() {
        let values: Vec<f64> = (0..40).map(|at| wobble(at) + 0.05 * at as f64).collect();
        let bar = 0.001;
        let made = of_trend(&values, Kind::Drift, bar);
        assert!((drift::FEWEST..39).contains(&made), "{made}");
        assert!(drift::trend(&step::smoothed(&values[..made])).is_none_or(|one| one.p > bar));
        for end in made + 1..=40 {
            assert_eq!(of_trend(&values[..end], Kind::Drift, bar), made, "{end}");
        }
    }
}
