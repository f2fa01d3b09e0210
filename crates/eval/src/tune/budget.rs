//! How many points a number of cells is good for.

/// The rungs of a search: how many sessions each adds for a point that comes so far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rungs(Vec<usize>);

/// Least points that are worth a search.
const LEAST_POINTS: usize = 4;
/// Points that are driven over the held-back part: room for the picks of three fronts and for the
/// defaults at least.
const HELD: (usize, usize) = (10, 24);
/// The part of all cells that the held-back part may take where it can.
const HELD_PART: usize = 4;

/// The sizes of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Size {
    /// Its rungs.
    pub rungs: Rungs,
    /// Points of the first rung, the defaults among them.
    pub points: usize,
    /// Most points that are driven over the held-back part, the defaults among them.
    pub most_held: usize,
    /// Most cells that all of it takes.
    pub cells: usize,
}

/// How many of a rung's points survive it.
pub(super) fn halved(points: usize) -> usize {
    points.div_ceil(2)
}

/// How many points are drawn near the survivors: half of the places of those that were dropped.
pub(super) fn refilled(points: usize) -> usize {
    (points - halved(points)) / 2
}

impl Rungs {
    /// The seeds of each rung: half of them first, then a quarter more each time.
    pub fn seeds(seeds: &[u64]) -> Vec<Vec<u64>> {
        let all = seeds.len();
        let mut ends = vec![all.div_ceil(2), (3 * all).div_ceil(4), all];
        ends.dedup();
        let starts = [0].into_iter().chain(ends.clone());
        starts.zip(&ends).map(|(from, to)| seeds[from..*to].to_vec()).collect()
    }

    /// With so many sessions each; a rung without any is none.
    pub fn new(sessions: impl IntoIterator<Item = usize>) -> Rungs {
        Rungs(sessions.into_iter().filter(|sessions| *sessions > 0).collect())
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Cells that so many points take at most, from the first rung to the last.
    fn cells(&self, points: usize) -> usize {
        let (mut size, mut all, mut behind) = (points, 0, 0);
        for (rung, sessions) in self.0.iter().enumerate() {
            behind += sessions;
            if rung == 0 {
                all += size * sessions;
                continue;
            }
            // The defaults stay even where they would be dropped.
            let (kept, new) = (halved(size) + 1, refilled(size));
            all += kept * sessions + new * behind;
            size = kept + new;
        }
        all
    }
}

impl Size {
    /// The least search over the first rung alone, to see how long it takes.
    pub fn first(rungs: &Rungs) -> Size {
        let rungs = Rungs(rungs.0.iter().copied().take(1).collect());
        let cells = rungs.cells(LEAST_POINTS);
        Size { rungs, points: LEAST_POINTS, most_held: 0, cells }
    }

    /// The most that a budget is good for; else the least number of cells that is enough.
    pub fn within(budget: usize, rungs: Rungs, held_sessions: usize) -> Result<Size, usize> {
        let least = rungs.cells(LEAST_POINTS) + HELD.0 * held_sessions;
        if budget < least {
            return Err(least);
        }
        // The held-back part takes no more than the least search leaves of the budget.
        let held_sessions = held_sessions.max(1);
        let left = (budget - rungs.cells(LEAST_POINTS)) / held_sessions;
        let wanted = (budget / HELD_PART / held_sessions).min(left);
        let most_held = wanted.clamp(HELD.0, HELD.1);
        let held = most_held * held_sessions;
        let fits = |points: &usize| rungs.cells(*points) + held <= budget;
        let points = (LEAST_POINTS..).take_while(fits).last().unwrap_or(LEAST_POINTS);
        let cells = rungs.cells(points) + held;
        Ok(Size { rungs, points, most_held, cells })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn seeds_grow_from_half_to_all() {
        for (count, expected) in
            [(1, vec![1]), (2, vec![1, 1]), (3, vec![2, 1]), (4, vec![2, 1, 1]), (8, vec![4, 2, 2])]
        {
            let seeds: Vec<u64> = (1..=count).collect();
            let rungs = Rungs::seeds(&seeds);
            assert_eq!(rungs.concat(), seeds);
            assert_eq!(rungs.iter().map(Vec::len).collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn half_survive_and_half_of_the_dropped_places_are_filled() {
        for (points, survive, new) in [(1, 1, 0), (2, 1, 0), (4, 2, 1), (9, 5, 2), (40, 20, 10)] {
            assert_eq!((halved(points), refilled(points)), (survive, new), "{points}");
        }
    }

    #[test]
    fn the_least_budget_that_is_named_is_enough() {
        for (sessions, held) in [([7, 4, 3], 1), ([1, 1, 0], 1), ([32, 16, 16], 64)] {
            let rungs = Rungs::new(sessions);
            let least = Size::within(1, rungs.clone(), held).expect_err("it is too little");
            let size = Size::within(least, rungs.clone(), held).expect("it is enough");
            assert_eq!((size.points, size.cells), (LEAST_POINTS, least), "{sessions:?} {held}");
            assert_eq!(Size::within(least - 1, rungs, held), Err(least), "{sessions:?} {held}");
        }
    }

    proptest! {
        #[test]
        fn a_budget_is_used_and_never_exceeded(
            budget in 1_usize..5_000, sessions in 1_usize..12, held in 1_usize..20,
        ) {
            let rungs = Rungs::new([sessions, sessions.div_ceil(2), sessions / 2]);
            match Size::within(budget, rungs.clone(), held) {
                Ok(size) => {
                    prop_assert!(size.cells <= budget);
                    let more = rungs.cells(size.points + 1) + size.most_held * held;
                    prop_assert!(more > budget);
                }
                Err(least) => {
                    prop_assert!(least > budget);
                    prop_assert!(Size::within(least, rungs, held).is_ok());
                }
            }
        }
    }
}
