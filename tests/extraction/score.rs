//! Precision and recall by kind.

use std::collections::BTreeMap;
use std::fmt::Write;

use proctor::ident::FactId;
use proctor::truth::{Fact, FactKind, Needle, NeedleIndex};

use super::excerpt::Label;

/// What was to be found, found, given and right, of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Facts that are there.
    pub labels: usize,
    /// Of these: some given fact of the kind lies in it.
    pub found: usize,
    /// Facts that the extractor gives.
    pub given: usize,
    /// Of these: it lies in some fact of the kind that is there.
    pub right: usize,
}

impl Count {
    pub fn recall(self) -> Option<f64> {
        (self.labels > 0).then(|| self.found as f64 / self.labels as f64)
    }

    pub fn precision(self) -> Option<f64> {
        (self.given > 0).then(|| self.right as f64 / self.given as f64)
    }

    fn add(&mut self, other: Count) {
        self.labels += other.labels;
        self.found += other.found;
        self.given += other.given;
        self.right += other.right;
    }
}

/// The counts of all kinds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Score(BTreeMap<FactKind, Count>);

impl Score {
    pub fn of(&self, kind: FactKind) -> Count {
        self.0.get(&kind).copied().unwrap_or_default()
    }

    pub fn add(&mut self, other: &Score) {
        for (kind, count) in &other.0 {
            self.0.entry(*kind).or_default().add(*count);
        }
    }

    /// The sum over these kinds.
    pub fn sum(&self, kinds: &[FactKind]) -> Count {
        let mut sum = Count::default();
        kinds.iter().for_each(|kind| sum.add(self.of(*kind)));
        sum
    }

    /// One line a kind; `unjudged` kinds show no precision.
    pub fn table(&self, unjudged: &[FactKind]) -> String {
        let mut table =
            "kind          labels  found  recall   given  right  precision\n".to_owned();
        for kind in FactKind::ALL {
            line(&mut table, kind.name(), self.of(kind), !unjudged.contains(&kind));
        }
        line(&mut table, "artifacts", self.sum(&ARTIFACTS), unjudged.is_empty());
        line(&mut table, "stated", self.sum(&STATED), true);
        line(&mut table, "all", self.sum(&FactKind::ALL), unjudged.is_empty());
        table
    }
}

fn line(table: &mut String, name: &str, count: Count, judged: bool) {
    let share = |share: Option<f64>| share.map_or("-".to_owned(), |share| format!("{share:.2}"));
    let Count { labels, found, given, right } = count;
    let (recall, precision) = (share(count.recall()), share(count.precision()));
    let (right, precision) =
        if judged { (right.to_string(), precision) } else { ("-".to_owned(), "-".to_owned()) };
    writeln!(
        table,
        "{name:<12} {labels:>7} {found:>6} {recall:>7} {given:>7} {right:>6} {precision:>10}"
    )
    .expect("a string can be written to");
}

/// Kinds that have a shape of their own.
pub const ARTIFACTS: [FactKind; 6] = [
    FactKind::Path,
    FactKind::Symbol,
    FactKind::Error,
    FactKind::Test,
    FactKind::Command,
    FactKind::Value,
];
/// Kinds that are said in prose.
pub const STATED: [FactKind; 8] = [
    FactKind::Decision,
    FactKind::Constraint,
    FactKind::Preference,
    FactKind::SafetyRule,
    FactKind::DeadEnd,
    FactKind::Direction,
    FactKind::Outcome,
    FactKind::Pending,
];

/// Judges facts by what a person marked: a fact is right where all its needles lie
/// in one label of its kind, and the label is found. For commands and errors it is
/// enough that the fact's statement holds the whole label: where such a text ends
/// is a matter of taste.
pub fn against_labels(facts: &[Fact], labels: &[Label]) -> (Score, Vec<String>) {
    let index = NeedleIndex::new(&without_polarity(facts));
    let mut score = Score::default();
    let mut right = vec![false; facts.len()];
    let mut remarks = Vec::new();
    for label in labels {
        let count = score.0.entry(label.kind).or_default();
        count.labels += 1;
        let mut found = false;
        for holding in index.search(&label.text) {
            let fact = &facts[holding.fact.index()];
            if holding.present() && fact.kind == label.kind {
                found = true;
                right[fact.id.index()] = true;
            }
        }
        if matches!(label.kind, FactKind::Command | FactKind::Error) {
            let of_kind = facts.iter().filter(|fact| fact.kind == label.kind);
            for fact in of_kind.filter(|fact| fact.statement.contains(&label.text)) {
                found = true;
                right[fact.id.index()] = true;
            }
        }
        count.found += usize::from(found);
        if !found {
            remarks.push(format!("missed {}: {}", label.kind.name(), label.text));
        }
    }
    for (fact, right) in facts.iter().zip(right) {
        let count = score.0.entry(fact.kind).or_default();
        count.given += 1;
        count.right += usize::from(right);
        if !right {
            remarks.push(format!("wrong {}: {}", fact.kind.name(), fact.statement));
        }
    }
    remarks.sort();
    (score, remarks)
}

/// Judges facts by planted ones: two match where they are of one kind and the
/// statement of either holds all needles of the other.
pub fn against_planted(facts: &[Fact], planted: &[Fact]) -> Score {
    let (facts, planted) = (without_polarity(facts), without_polarity(planted));
    let (in_facts, in_planted) = (NeedleIndex::new(&facts), NeedleIndex::new(&planted));
    let mut score = Score::default();
    let (mut right, mut found) = (vec![false; facts.len()], vec![false; planted.len()]);
    let mut meet = |fact: FactId, plant: FactId| {
        if facts[fact.index()].kind == planted[plant.index()].kind {
            right[fact.index()] = true;
            found[plant.index()] = true;
        }
    };
    for plant in &planted {
        let held = in_facts.search(&plant.statement).into_iter().filter(|held| held.present());
        held.for_each(|held| meet(held.fact, plant.id));
    }
    for fact in &facts {
        let held = in_planted.search(&fact.statement).into_iter().filter(|held| held.present());
        held.for_each(|held| meet(fact.id, held.fact));
    }
    for (plant, found) in planted.iter().zip(found) {
        let count = score.0.entry(plant.kind).or_default();
        count.labels += 1;
        count.found += usize::from(found);
    }
    for (fact, right) in facts.iter().zip(right) {
        let count = score.0.entry(fact.kind).or_default();
        count.given += 1;
        count.right += usize::from(right);
    }
    score
}

/// Where a fact lies is judged by its needles: the words of its sense are many,
/// and a label need not hold one of them.
fn without_polarity(facts: &[Fact]) -> Vec<Fact> {
    let mut facts = facts.to_vec();
    facts.iter_mut().for_each(|fact| fact.polarity.clear());
    facts
}

/// A fact for tests of the judgement itself.
pub fn fact(id: u32, kind: FactKind, needles: &[&str]) -> Fact {
    let found = needles.iter().map(|text| Needle::Code((*text).to_owned())).collect();
    Fact::new(FactId(id), kind, needles.join(" "), found)
}
