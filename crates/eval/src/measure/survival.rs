//! How long facts are known: by age, by summarizers gone through, over the session.

use crate::drive::probe::{CHECKPOINTS, Planned, checkpoints};
use crate::ident::FactId;
use crate::measure::{Measurement, MetricId, Subject};
use crate::row::{Kinds, SurvivalAxis, SurvivalRow};
use crate::trace::{EndedBy, Found};
use crate::truth::{Fact, FactKind};
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

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Count {
    pub(super) present: u32,
    pub(super) all: u32,
}

/// Counts of each kind and, last, of all kinds.
type Counts = [Count; FactKind::ALL.len() + 1];

fn count(kinds: &mut Counts, kind: FactKind, present: u32, all: u32) {
    for place in [kind as usize, FactKind::ALL.len()] {
        kinds[place].present += present;
        kinds[place].all += all;
    }
}

pub(super) fn measure(subject: &Subject, into: &mut Measurement) {
    let generations = by_generation(subject);
    let of = |place: usize| cliff(generations.iter().map(|kinds| kinds[place])).map(f64::from);
    into.put(MetricId::CliffAll, of(FactKind::ALL.len()));
    for (place, kind) in FactKind::ALL.into_iter().enumerate() {
        into.put(MetricId::cliff(kind), of(place));
    }
}

/// The first generation at which under half survive from the first on (Kaplan and Meier 1958);
/// `None` where one with too few facts comes before.
fn cliff(generations: impl Iterator<Item = Count>) -> Option<u32> {
    let mut surviving = 1.0;
    for (generation, Count { present, all }) in (1..).zip(generations) {
        if all < ENOUGH {
            return None;
        }
        surviving *= f64::from(present) / f64::from(all);
        if surviving < 0.5 {
            return Some(generation);
        }
    }
    None
}

/// Every bucket of every axis that holds a fact.
pub fn rows(cell: &str, subject: &Subject) -> Vec<SurvivalRow> {
    let ages = AGES.iter().zip(by_age(subject));
    let ages = ages.map(|((name, _), counts)| (SurvivalAxis::Age, (*name).to_owned(), counts));
    let generations = (1_u32..).zip(by_generation(subject));
    let generations =
        generations.map(|(number, counts)| (SurvivalAxis::Generation, number.to_string(), counts));
    let shares = over_steps(subject).into_iter();
    let shares = shares.map(|(name, counts)| (SurvivalAxis::StepShare, name, counts));
    let kinds = FactKind::ALL.map(Kinds::One).into_iter().chain([Kinds::All]);
    let mut rows = Vec::new();
    for (axis, bucket, counts) in ages.chain(generations).chain(shares) {
        for (kind, count) in kinds.clone().zip(counts).filter(|(_, count)| count.all > 0) {
            rows.push(SurvivalRow {
                cell: cell.to_owned(),
                kind,
                axis,
                bucket: bucket.clone(),
                present: count.present,
                all: count.all,
            });
        }
    }
    rows
}

/// Checkpoints of the session, with what the view held there; nothing where it did not come.
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
fn by_age(subject: &Subject) -> [Counts; AGES.len()] {
    let session = subject.session;
    let mut until = vec![Tokens::ZERO];
    for message in &session.reference.messages {
        until.push(until[until.len() - 1] + message.total());
    }
    let mut ages = [Counts::default(); AGES.len()];
    for (planned, present) in samples(subject) {
        let now = until[session.steps[planned.step].appended.end];
        let facts = session.book.truth.facts.iter();
        for fact in facts.filter(|fact| session.book.is_live(fact.id, planned.step)) {
            let born = until.get(fact.born.index() + 1).copied().unwrap_or(now);
            let age = (now - born).over(subject.base_window);
            let bucket = AGES.iter().position(|(_, end)| age < *end).unwrap_or(AGES.len() - 1);
            let known = u32::from(present.binary_search(&fact.id).is_ok());
            count(&mut ages[bucket], fact.kind, known, 1);
        }
    }
    ages
}

fn by_generation(subject: &Subject) -> Vec<Counts> {
    let folded = &subject.trace.folded;
    let last = folded.iter().map(|folded| folded.generation).max().unwrap_or(0);
    let mut generations = vec![Counts::default(); last as usize];
    for folded in folded.iter().filter(|folded| folded.generation > 0) {
        let kinds = &mut generations[folded.generation as usize - 1];
        count(kinds, folded.kind, folded.present, folded.all);
    }
    generations
}

/// Facts told and not replaced by then, at each checkpoint and at the end.
fn over_steps(subject: &Subject) -> Vec<(String, Counts)> {
    let checkpoint = |(planned, present): (Planned, &[FactId])| {
        let known = |fact: FactId| present.binary_search(&fact).is_ok();
        let facts = current(subject, planned.step + 1);
        let name = format!("{}/{}", planned.number, CHECKPOINTS + 1);
        (name, counted(facts.map(|fact| (fact.kind, known(fact.id)))))
    };
    let checkpoints = samples(subject).into_iter().map(checkpoint);
    checkpoints.chain([("end".to_owned(), at_the_end(subject))]).collect()
}

/// Facts of the last view, of all that nothing replaces. A session that ended early never came to
/// the end, so nothing is known there: else it would know what later compactions lose.
pub(super) fn at_the_end(subject: &Subject) -> Counts {
    let completed = subject.trace.ended_by == EndedBy::Completed;
    let found = |fact: &Fact| subject.trace.facts.get(fact.id.index()).map(|record| record.found);
    let facts = current(subject, subject.trace.steps_total as usize);
    let told = facts.filter_map(|fact| Some((fact.kind, found(fact)?)));
    counted(told.map(|(kind, found)| (kind, completed && matches!(found, Found::Present(_)))))
}

/// The facts that are told and not replaced after so many steps.
fn current<'a>(subject: &'a Subject, steps: usize) -> impl Iterator<Item = &'a Fact> {
    let book = &subject.session.book;
    let facts = book.truth.facts.iter();
    facts.filter(move |fact| book.is_born(fact.id, steps) && !book.is_superseded(fact.id, steps))
}

fn counted(facts: impl Iterator<Item = (FactKind, bool)>) -> Counts {
    let mut kinds = Counts::default();
    facts.for_each(|(kind, known)| count(&mut kinds, kind, u32::from(known), 1));
    kinds
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cliff_is_where_the_product_falls_below_half() {
        for (generations, expected) in [
            (&[][..], None),
            (&[(8, 10), (6, 10)], Some(2)),
            (&[(5, 10), (5, 5)], None),
            (&[(4, 10)], Some(1)),
            // Too few to say, and so is all that comes after.
            (&[(0, 4), (0, 10)], None),
            (&[(9, 10), (0, 0), (0, 10)], None),
        ] {
            let counts = generations.iter().map(|&(present, all)| Count { present, all });
            assert_eq!(cliff(counts), expected, "{generations:?}");
        }
    }
}
