//! `run --partition K/N`: a slice of the matrix that is the same wherever it is driven. Parts are
//! balanced by what their sessions are estimated to cost: whole sessions where there are enough of
//! them, and else the cells of a session in turn. A session without a cell goes to part 1.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs;

use crate::matrix::CellSpec;
use crate::prelude::*;
use crate::run::Plan;
use crate::run_dir::partition::{ManifestPart, Partition, Whole, WholeSession};
use crate::scenario::{Scenario, SessionSource};

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

/// What a session costs to make ready, in cells of it: its messages are written, counted and
/// searched once.
const MAKING: u64 = 3;

/// The sessions of a part, in the order of the run; all of them where there are no parts.
pub fn slices(plan: &Plan, partition: Option<Partition>) -> Vec<Slice<'_>> {
    let sessions = plan.sessions();
    let whole = |(scenario, seed)| Slice { scenario, seed, every: 1, place: 0 };
    let Some(partition) = partition else { return sessions.into_iter().map(whole).collect() };
    let work: Vec<Work> =
        sessions.iter().map(|(scenario, seed)| work(plan, scenario, *seed)).collect();
    let dealt = deal(&work, partition.of);
    let own = sessions.into_iter().zip(dealt);
    own.flat_map(|(session, parts)| {
        let every = parts.len();
        let own = move |(_, part): &(usize, u32)| *part == partition.part;
        let places = parts.into_iter().enumerate().filter(own);
        places.map(move |(place, _)| Slice { every, place, ..whole(session) })
    })
    .collect()
}

/// Tokens that all cells of a plan drive, by estimate.
pub fn estimate(plan: &Plan) -> u64 {
    let sessions = plan.sessions().into_iter();
    sessions.map(|(scenario, seed)| work(plan, scenario, seed).cost()).sum()
}

/// How many cells they come to.
pub(super) fn cells_of(plan: &Plan, slices: &[Slice]) -> usize {
    let cells = |slice: &Slice| slice.of(plan.cells(slice.scenario, 0, slice.seed)).len();
    slices.iter().map(cells).sum()
}

/// What a session has to be done.
#[derive(Clone, Copy, Debug)]
struct Work {
    cells: usize,
    /// Tokens, as its file plans them or by its size.
    tokens: u64,
}

impl Work {
    fn cost(self) -> u64 {
        self.cost_of_one(1)
    }

    /// Of one of so many slices.
    fn cost_of_one(self, slices: usize) -> u64 {
        self.tokens * (self.cells.div_ceil(slices) as u64 + MAKING)
    }
}

fn work(plan: &Plan, scenario: &Scenario, seed: u64) -> Work {
    let tokens = match &scenario.source {
        SessionSource::Synth(_) => scenario.planned(Seed(seed)).map_or(0, |(_, tokens)| tokens.0),
        // Four bytes of a file are a token, roughly; where it is packed, the others are too.
        SessionSource::Transcript(path) => fs::metadata(path).map_or(0, |file| file.len() / 4),
    };
    Work { cells: plan.cells(scenario, 0, seed).len(), tokens: tokens.max(1) }
}

/// By session: the parts that its slices go to. The dearest session is cut until there are as many
/// slices as parts; then the dearest slice goes to the part that has least, and never two of a
/// session to one part.
fn deal(work: &[Work], of: u32) -> Vec<Vec<u32>> {
    let mut slices: Vec<usize> = work.iter().map(|one| usize::from(one.cells > 0)).collect();
    let total: u64 = work.iter().filter(|one| one.cells > 0).map(|one| one.cost()).sum();
    let fair = total / u64::from(of);
    loop {
        let can = |place: &usize| {
            let (one, slices) = (work[*place], slices[*place]);
            slices > 0 && slices < one.cells.min(of as usize)
        };
        let one = |place: usize| work[place].cost_of_one(slices[place]);
        let dearest = (0..work.len()).filter(can).max_by_key(|place| one(*place));
        let Some(dearest) = dearest else { break };
        if slices.iter().sum::<usize>() >= of as usize && one(dearest) <= fair {
            break;
        }
        slices[dearest] += 1;
    }
    let counts = slices.iter().enumerate();
    let mut all: Vec<usize> =
        counts.flat_map(|(session, count)| std::iter::repeat_n(session, *count)).collect();
    let cost = |session: usize| work[session].cost_of_one(slices[session]);
    all.sort_by_key(|session| (Reverse(cost(*session)), *session));
    let mut loads: BinaryHeap<Reverse<(u64, u32)>> =
        (1..=of).map(|part| Reverse((0, part))).collect();
    let mut parts: Vec<Vec<u32>> =
        work.iter().map(|one| if one.cells == 0 { vec![1] } else { Vec::new() }).collect();
    for session in all {
        let mut passed = Vec::new();
        while let Some(Reverse((load, part))) = loads.pop() {
            if parts[session].contains(&part) {
                passed.push(Reverse((load, part)));
                continue;
            }
            parts[session].push(part);
            loads.push(Reverse((load + cost(session), part)));
            break;
        }
        loads.extend(passed);
    }
    parts
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

    fn works(all: &[(usize, u64)]) -> Vec<Work> {
        all.iter().map(|(cells, tokens)| Work { cells: *cells, tokens: *tokens }).collect()
    }

    /// By part: what it has to do.
    fn loads(work: &[Work], of: u32) -> Vec<u64> {
        let dealt = deal(work, of);
        let of_part = |part: u32| {
            let own =
                |(one, parts): (&Work, &Vec<u32>)| match parts.contains(&part) && one.cells > 0 {
                    true => one.cost_of_one(parts.len()),
                    false => 0,
                };
            work.iter().zip(&dealt).map(own).sum()
        };
        (1..=of).map(of_part).collect()
    }

    proptest::proptest! {
        /// Every cell is in exactly one part, and no part is missing that a cell could be in.
        #[test]
        fn every_cell_is_driven_by_exactly_one_part(
            sessions in proptest::collection::vec((0_usize..9, 1_u64..100), 1..7),
            of in 1_u32..40,
        ) {
            let work = works(&sessions);
            let cells: usize = work.iter().map(|one| one.cells).sum();
            let dealt = deal(&work, of);
            let mut used: BTreeSet<u32> = BTreeSet::new();
            for (one, parts) in work.iter().zip(&dealt) {
                let distinct: BTreeSet<&u32> = parts.iter().collect();
                proptest::prop_assert_eq!(distinct.len(), parts.len());
                proptest::prop_assert!(parts.iter().all(|part| (1..=of).contains(part)));
                proptest::prop_assert!(!parts.is_empty() && parts.len() <= one.cells.max(1));
                if one.cells > 0 {
                    used.extend(parts);
                }
            }
            proptest::prop_assert_eq!(used.len(), cells.min(of as usize));
        }
    }

    #[test]
    fn parts_are_alike_in_cost_and_not_in_number() {
        // One session is as dear as all others together.
        let work = works(&[(40, 900), (40, 100), (40, 200), (40, 300), (40, 300), (0, 5)]);
        for of in [1, 2, 3, 4, 7, 40] {
            let loads = loads(&work, of);
            let (most, all) = (loads.iter().max().copied().unwrap_or(0), loads.iter().sum::<u64>());
            assert!(2 * most * u64::from(of) <= 3 * all, "{of}: {loads:?}");
        }
        assert_eq!(deal(&work, 3)[5], [1], "what has no cell is listed by the first part");
        assert_eq!(deal(&works(&[(4, 1)]), 9), [vec![1, 2, 3, 4]]);
    }
}
