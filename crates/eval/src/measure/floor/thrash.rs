//! Does the pipeline fire again and again for little? (METRICS 1, `thrash.*`)

use serde::Serialize;

use crate::unit::Tokens;

/// A compaction that frees less than this share hardly paid.
pub const HARDLY_UNDER: f64 = 0.05;

/// One compaction of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Firing {
    /// The step at which the pipeline fired.
    pub step: u32,
    /// Tokens of the view before.
    pub before: Tokens,
    /// Tokens of the view after.
    pub after: Tokens,
    /// Whether the view stayed above the trigger of the stage that fired; `None`
    /// for a stage without one.
    pub above_trigger_after: Option<bool>,
}

impl Firing {
    /// Share of the view that went; negative where it grew, 0 of an empty view.
    pub fn freed_share(&self) -> f64 {
        if self.before == Tokens::ZERO { 0.0 } else { 1.0 - self.after.over(self.before) }
    }
}

/// What the compactions of a run achieved.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Thrash {
    /// Freed share of each compaction, in order.
    pub freed: Vec<f64>,
    /// How many freed under [`HARDLY_UNDER`].
    pub hardly_freed: usize,
    /// First step from which the pipeline fires at every step to the end and stays
    /// above its own trigger after the last firing of each that has one. At least two:
    /// one alone repeats nothing.
    pub stuck_at: Option<u32>,
}

/// Sums up the firings of a run, in order of steps, whose last step this is.
pub fn thrash(firings: &[Firing], last_step: u32) -> Thrash {
    let freed: Vec<f64> = firings.iter().map(Firing::freed_share).collect();
    let hardly_freed = freed.iter().filter(|share| **share < HARDLY_UNDER).count();
    Thrash { freed, hardly_freed, stuck_at: stuck_at(firings, last_step) }
}

/// Walks back from the end as long as each step ended above the trigger.
fn stuck_at(firings: &[Firing], last_step: u32) -> Option<u32> {
    let mut expected = last_step;
    let mut stuck = None;
    for at_step in firings.chunk_by(|one, next| one.step == next.step).rev() {
        let last = at_step.last()?;
        let above = at_step.iter().rev().find_map(|firing| firing.above_trigger_after);
        if last.step != expected || above != Some(true) {
            break;
        }
        stuck = Some(last.step);
        let Some(before) = expected.checked_sub(1) else { break };
        expected = before;
    }
    stuck.filter(|first| *first < last_step)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn firing(step: u32, before: u64, after: u64, above_trigger_after: bool) -> Firing {
        let above_trigger_after = Some(above_trigger_after);
        Firing { step, before: Tokens(before), after: Tokens(after), above_trigger_after }
    }

    #[test]
    fn shares_are_of_the_view_before() {
        let firings = [
            firing(1, 100, 50, false),
            firing(2, 100, 95, false),
            firing(3, 100, 96, false),
            firing(4, 100, 110, false),
            firing(5, 0, 0, false),
        ];
        let thrash = thrash(&firings, 9);
        let rounded: Vec<f64> =
            thrash.freed.iter().map(|share| (share * 1e9).round() / 1e9).collect();
        assert_eq!(rounded, [0.5, 0.05, 0.04, -0.1, 0.0]);
        assert_eq!(thrash.hardly_freed, 3);
    }

    #[test]
    fn stuck_is_firing_at_every_step_to_the_end_without_getting_under_the_trigger() {
        for (name, steps, last_step, expected) in [
            ("never fired", vec![], 9, None),
            ("every step to the end", vec![(7, true), (8, true), (9, true)], 9, Some(7)),
            ("from the very first", vec![(0, true), (1, true)], 1, Some(0)),
            ("recovered at the end", vec![(7, true), (8, true), (9, false)], 9, None),
            ("stopped before the end", vec![(7, true), (8, true)], 9, None),
            ("a gap", vec![(5, true), (6, true), (8, true), (9, true)], 9, Some(8)),
            (
                "under the trigger between",
                vec![(6, true), (7, false), (8, true), (9, true)],
                9,
                Some(8),
            ),
            ("the last step alone", vec![(9, true)], 9, None),
            ("the second stage got under", vec![(8, true), (9, true), (9, false)], 9, None),
            ("the second stage did not", vec![(8, false), (8, true), (9, true)], 9, Some(8)),
        ] {
            let firings: Vec<Firing> =
                steps.into_iter().map(|(step, above)| firing(step, 100, 99, above)).collect();
            assert_eq!(thrash(&firings, last_step).stuck_at, expected, "{name}");
        }
    }
}
