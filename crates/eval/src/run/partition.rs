//! `run --partition K/N`: a slice of the matrix that is the same wherever it is driven. Part K
//! takes the sessions K, K + N, ... of those that have cells; where there are more parts than
//! sessions, the parts of a session take its cells in turn. A session without a cell goes to part
//! 1.

use crate::matrix::CellSpec;
use crate::prelude::*;
use crate::run::Plan;
use crate::run_dir::partition::{ManifestPart, Partition, Whole, WholeSession};
use crate::scenario::Scenario;

/// A session of a part, and which of its cells are the part's.
#[derive(Clone, Copy, Debug)]
pub struct Slice<'a> {
    /// The scenario.
    pub scenario: &'a Scenario,
    /// The seed; 0 for transcripts.
    pub seed: u64,
    /// Of every so many cells, the one at this place.
    every: usize,
    place: usize,
}

impl Slice<'_> {
    /// The part's cells among those of the session.
    pub fn of<T>(&self, cells: Vec<T>) -> Vec<T> {
        let numbered = cells.into_iter().enumerate();
        let own = numbered.filter(|(number, _)| number % self.every == self.place);
        own.map(|(_, cell)| cell).collect()
    }
}

/// The sessions of a part, in the order of the run; all of them where there are no parts.
pub fn slices(plan: &Plan, partition: Option<Partition>) -> Vec<Slice<'_>> {
    let sessions = plan.sessions();
    let whole = |(scenario, seed)| Slice { scenario, seed, every: 1, place: 0 };
    let Some(partition) = partition else { return sessions.into_iter().map(whole).collect() };
    let cells: Vec<usize> =
        sessions.iter().map(|(scenario, seed)| plan.cells(scenario, 0, *seed).len()).collect();
    let dealt = deal(&cells, partition);
    let own = sessions.into_iter().zip(dealt);
    own.filter_map(|(session, dealt)| {
        let (every, place) = dealt?;
        Some(Slice { every, place, ..whole(session) })
    })
    .collect()
}

/// How many cells they come to.
pub(super) fn cells_of(plan: &Plan, slices: &[Slice]) -> usize {
    let cells = |slice: &Slice| slice.of(plan.cells(slice.scenario, 0, slice.seed)).len();
    slices.iter().map(cells).sum()
}

/// By session, given how many cells each has: of every so many cells which is the part's.
fn deal(cells: &[usize], partition: Partition) -> Vec<Option<(usize, usize)>> {
    let (part, of) = (partition.part as usize - 1, partition.of as usize);
    let busy = cells.iter().filter(|count| **count > 0).count();
    let mut number = 0;
    let one = |count: &usize| {
        if *count == 0 {
            return (part == 0).then_some((1, 0));
        }
        let session = number;
        number += 1;
        if of <= busy {
            return (session % of == part).then_some((1, 0));
        }
        // As many parts as leave the same remainder by the number of sessions.
        let every = (of - session).div_ceil(busy);
        (part % busy == session).then_some((every, part / busy))
    };
    cells.iter().map(one).collect()
}

pub(super) fn whole(plan: &Plan) -> Whole {
    let session = |(scenario, seed): (&Scenario, u64)| WholeSession {
        scenario: scenario.name.clone(),
        seed,
        cells: plan
            .cells(scenario, 0, seed)
            .into_iter()
            .map(|CellSpec { key, .. }| key.cell)
            .collect(),
    };
    Whole { sessions: plan.sessions().into_iter().map(session).collect() }
}

pub(super) fn described(plan: &Plan, partition: Option<Partition>) -> Result<Option<ManifestPart>> {
    let Some(partition) = partition else { return Ok(None) };
    Ok(Some(ManifestPart { partition, matrix: Digest::of(&whole(plan).bytes()?) }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By cell of each session: the parts that drive it.
    fn drivers(cells: &[usize], of: u32) -> Vec<Vec<Vec<u32>>> {
        let mut drivers: Vec<Vec<Vec<u32>>> =
            cells.iter().map(|count| vec![Vec::new(); *count]).collect();
        for part in 1..=of {
            for (session, dealt) in deal(cells, Partition { part, of }).into_iter().enumerate() {
                let Some((every, place)) = dealt else { continue };
                for cell in (place..cells[session]).step_by(every) {
                    drivers[session][cell].push(part);
                }
            }
        }
        drivers
    }

    proptest::proptest! {
        /// Every cell is in exactly one part, and every session where there are no more parts.
        #[test]
        fn every_cell_is_driven_by_exactly_one_part(
            cells in proptest::collection::vec(0_usize..9, 1..7),
            of in 1_u32..40,
        ) {
            let busy = cells.iter().filter(|count| **count > 0).count();
            for session in drivers(&cells, of) {
                proptest::prop_assert!(session.iter().all(|parts| parts.len() == 1));
                let mut parts: Vec<u32> = session.into_iter().flatten().collect();
                parts.dedup();
                proptest::prop_assert!(of as usize > busy || parts.len() <= 1);
            }
            let listed = |session: usize| {
                let has = |part: &u32| deal(&cells, Partition { part: *part, of })[session].is_some();
                (1..=of).filter(has).count()
            };
            for session in 0..cells.len() {
                proptest::prop_assert!(listed(session) >= 1);
            }
        }
    }

    #[test]
    fn sessions_are_dealt_out_in_turn_and_shared_where_there_are_too_few() {
        let dealt = |part, of| deal(&[4, 0, 4, 4], Partition { part, of });
        assert_eq!(dealt(1, 2), [Some((1, 0)), Some((1, 0)), None, Some((1, 0))]);
        assert_eq!(dealt(2, 2), [None, None, Some((1, 0)), None]);
        // Five parts, three sessions: the first two sessions have two parts each.
        assert_eq!(dealt(4, 5), [Some((2, 1)), None, None, None]);
        assert_eq!(dealt(3, 5), [None, None, None, Some((1, 0))]);
    }
}
