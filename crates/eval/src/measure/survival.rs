//! How long facts are known: by age, by summarizers gone through, over the session
//! (METRICS 3).

use crate::drive::probe::{CHECKPOINTS, Planned, checkpoints};
use crate::ident::FactId;
use crate::measure::MetricId;
use crate::measure::retention::windows;
use crate::measure::{Measurement, Subject};
use crate::row::SurvivalRow;
use crate::trace::Found;
use crate::truth::FactKind;
use crate::unit::Tokens;

/// Ages in base windows: the name of a bucket, and the age from which the next begins.
pub const AGES: [(&str, f64); 6] = [
    ("0-0.25", 0.25),
    ("0.25-0.5", 0.5),
    ("0.5-1", 1.0),
    ("1-2", 2.0),
    ("2-4", 4.0),
    ("4+", f64::INFINITY),
];
/// Fewer facts than this say nothing of a generation.
pub const ENOUGH: u32 = 5;
/// The kind of rows over all kinds.
pub const ALL: &str = "all";

/// Facts present, of all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Count {
    present: u32,
    all: u32,
}

/// Counts by bucket, over all kinds (last) and each.
type Kinds = [Count; FactKind::ALL.len() + 1];

fn count(kinds: &mut Kinds, kind: FactKind, present: u32, all: u32) {
    for place in [kind as usize, FactKind::ALL.len()] {
        kinds[place].present += present;
        kinds[place].all += all;
    }
}

pub(super) fn measure(subject: &Subject, into: &mut Measurement) {
    let generations = by_generation(subject);
    let of = |place: usize| {
        let counts = generations
            .iter()
            .map(|(generation, kinds)| (*generation, kinds[place].present, kinds[place].all));
        cliff(&counts.collect::<Vec<_>>()).map(f64::from)
    };
    into.put(MetricId::CliffAll, of(FactKind::ALL.len()));
    for (place, kind) in FactKind::ALL.into_iter().enumerate() {
        into.put(MetricId::cliff(kind), of(place));
    }
}

/// The first generation at which under half survive from the first on: the product of
/// the shares of each generation (Kaplan and Meier 1958), as what is not folded again
/// is no longer observed. `None` where that does not happen before a generation with
/// too few facts. Takes (generation, present, all) with generations ascending.
pub fn cliff(generations: &[(u32, u32, u32)]) -> Option<u32> {
    let mut surviving = 1.0;
    for (expected, (generation, present, all)) in (1..).zip(generations) {
        if *generation != expected || *all < ENOUGH {
            return None;
        }
        surviving *= f64::from(*present) / f64::from(*all);
        if surviving < 0.5 {
            return Some(*generation);
        }
    }
    None
}

/// Every bucket of every axis that holds a fact (`survival.csv`).
pub fn rows(cell: &str, subject: &Subject) -> Vec<SurvivalRow> {
    let mut buckets: Vec<(&str, String, Kinds)> = Vec::new();
    let ages = AGES.iter().zip(by_age(subject));
    buckets.extend(ages.map(|((name, _), kinds)| ("age", (*name).to_owned(), kinds)));
    let generations = by_generation(subject).into_iter();
    buckets.extend(generations.map(|(one, kinds)| ("generation", one.to_string(), kinds)));
    buckets
        .extend(over_steps(subject).into_iter().map(|(name, kinds)| ("step-share", name, kinds)));
    let kinds = FactKind::ALL.map(FactKind::name).into_iter().chain([ALL]).collect::<Vec<_>>();
    let mut rows = Vec::new();
    for (axis, bucket, counts) in buckets {
        for (kind, count) in kinds.iter().zip(counts).filter(|(_, count)| count.all > 0) {
            rows.push(SurvivalRow {
                cell: cell.to_owned(),
                kind: (*kind).to_owned(),
                axis: axis.to_owned(),
                bucket: bucket.clone(),
                present: count.present,
                all: count.all,
            });
        }
    }
    rows
}

/// Checkpoints of the session, with what the view held there; nothing where the cell
/// did not come so far.
fn samples<'a>(subject: &'a Subject) -> Vec<(Planned, &'a [FactId])> {
    let planned = checkpoints(subject.session).into_iter();
    planned
        .map(|planned| {
            let own = subject.trace.samples.iter().find(|one| one.number == planned.number);
            (planned, own.map_or(&[][..], |sample| sample.present.as_slice()))
        })
        .collect()
}

/// Live facts at all checkpoints by their age.
fn by_age(subject: &Subject) -> [Kinds; AGES.len()] {
    let session = subject.session;
    let mut until = vec![Tokens::ZERO];
    for message in &session.reference.messages {
        until.push(until[until.len() - 1] + message.total());
    }
    let mut ages = [Kinds::default(); AGES.len()];
    for (planned, present) in samples(subject) {
        let now = until[session.steps[planned.step].appended.end];
        let facts = session.book.truth.facts.iter();
        for fact in facts.filter(|fact| session.book.is_live(fact.id, planned.step)) {
            let born = until.get(fact.born.index() + 1).copied().unwrap_or(now);
            let age = windows(now - born, subject.base_window);
            let bucket = AGES.iter().position(|(_, end)| age < *end).unwrap_or(AGES.len() - 1);
            let known = u32::from(present.binary_search(&fact.id).is_ok());
            count(&mut ages[bucket], fact.kind, known, 1);
        }
    }
    ages
}

fn by_generation(subject: &Subject) -> Vec<(u32, Kinds)> {
    let last = subject.trace.folded.iter().map(|folded| folded.generation).max().unwrap_or(0);
    let mut generations: Vec<(u32, Kinds)> =
        (1..=last).map(|generation| (generation, Kinds::default())).collect();
    for folded in &subject.trace.folded {
        let place = (folded.generation as usize).saturating_sub(1);
        if let Some((_, kinds)) = generations.get_mut(place) {
            count(kinds, folded.kind, folded.present, folded.all);
        }
    }
    generations
}

/// Facts told and not replaced by then, at each checkpoint and at the end.
fn over_steps(subject: &Subject) -> Vec<(String, Kinds)> {
    let book = &subject.session.book;
    let current =
        |fact: FactId, steps: usize| book.is_born(fact, steps) && !book.is_superseded(fact, steps);
    let mut all: Vec<(String, Kinds)> = Vec::new();
    for (planned, present) in samples(subject) {
        let mut kinds = Kinds::default();
        let facts = book.truth.facts.iter();
        for fact in facts.filter(|fact| current(fact.id, planned.step + 1)) {
            let known = u32::from(present.binary_search(&fact.id).is_ok());
            count(&mut kinds, fact.kind, known, 1);
        }
        all.push((format!("{}/{}", planned.number, CHECKPOINTS + 1), kinds));
    }
    let mut kinds = Kinds::default();
    for record in &subject.trace.facts {
        let Some(fact) = book.truth.facts.get(record.fact.index()) else { continue };
        if current(fact.id, subject.trace.steps_total as usize) {
            let known = u32::from(matches!(record.found, Found::Present(_)));
            count(&mut kinds, fact.kind, known, 1);
        }
    }
    all.push(("end".to_owned(), kinds));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cliff_is_where_the_product_falls_below_half() {
        for (generations, expected) in [
            (&[][..], None),
            (&[(1, 8, 10), (2, 6, 10)], Some(2)),
            (&[(1, 5, 10), (2, 5, 5)], None),
            (&[(1, 4, 10)], Some(1)),
            // Too few to say, and so is all that comes after.
            (&[(1, 0, 4), (2, 0, 10)], None),
            (&[(1, 9, 10), (3, 0, 10)], None),
        ] {
            assert_eq!(cliff(generations), expected, "{generations:?}");
        }
    }
}
