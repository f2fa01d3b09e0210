//! Precision and recall by kind.

use std::collections::BTreeMap;
use std::fmt::Write;

use proctor_core::truth::{Fact, FactKind};

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
pub struct Score {
    kinds: BTreeMap<FactKind, Count>,
    /// What is said, whatever its kind is held to be: by the agent, and by the user.
    pub said: [Count; 2],
}

impl Score {
    pub fn of(&self, kind: FactKind) -> Count {
        self.kinds.get(&kind).copied().unwrap_or_default()
    }

    pub fn count(&mut self, kind: FactKind) -> &mut Count {
        self.kinds.entry(kind).or_default()
    }

    pub fn add(&mut self, other: &Score) {
        for (kind, count) in &other.kinds {
            self.kinds.entry(*kind).or_default().add(*count);
        }
        (0..2).for_each(|by| self.said[by].add(other.said[by]));
    }

    /// What is said, whatever its kind is held to be.
    pub fn of_any_kind(&self) -> Count {
        let mut sum = self.said[0];
        sum.add(self.said[1]);
        sum
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
        line(&mut table, "said", self.sum(&SAID), true);
        for (name, count) in ["by agents", "by users"].into_iter().zip(self.said) {
            line(&mut table, name, count, true);
        }
        line(&mut table, "of any kind", self.of_any_kind(), true);
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
pub const SAID: [FactKind; 8] = [
    FactKind::Decision,
    FactKind::Constraint,
    FactKind::Preference,
    FactKind::SafetyRule,
    FactKind::DeadEnd,
    FactKind::Direction,
    FactKind::Outcome,
    FactKind::Pending,
];

/// Where a fact lies is judged by its needles: the words of its sense are many,
/// and a label need not hold one of them.
pub fn without_polarity(facts: &[Fact]) -> Vec<Fact> {
    let mut facts = facts.to_vec();
    facts.iter_mut().for_each(|fact| fact.polarity.clear());
    facts
}
