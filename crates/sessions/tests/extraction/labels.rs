//! Facts against what readers marked.

use proctor_core::ident::FactId;
use proctor_core::truth::{Fact, FactKind, Needle, NeedleIndex};

use super::score::{Score, without_polarity};

/// A fact that a reader marked.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Label {
    pub kind: FactKind,
    pub text: String,
    /// Whether a user said it.
    pub by_user: bool,
}

/// Judges facts by what a person marked: a fact is right where all its needles lie
/// in one label of its kind, and the label is found. For commands and errors it is
/// enough that the fact's statement holds the whole label: where such a text ends
/// is a matter of taste.
pub fn against_labels(
    facts: &[Fact],
    labels: &[Label],
    by_user: impl Fn(&Fact) -> bool,
) -> (Score, Vec<String>) {
    let index = NeedleIndex::new(&without_polarity(facts));
    let mut score = Score::default();
    let (mut right, mut said) = (vec![false; facts.len()], vec![false; facts.len()]);
    let mut remarks = Vec::new();
    for label in labels {
        let holdings = index.search(&label.text).into_iter().filter(|holding| holding.present());
        let mut held: Vec<&Fact> = holdings.map(|holding| &facts[holding.fact.index()]).collect();
        if matches!(label.kind, FactKind::Command | FactKind::Error) {
            held.extend(facts.iter().filter(|fact| fact.statement.contains(&label.text)));
        }
        let of_kind: Vec<&Fact> =
            held.iter().copied().filter(|fact| fact.kind == label.kind).collect();
        of_kind.iter().for_each(|fact| right[fact.id.index()] = true);
        let count = score.count(label.kind);
        count.labels += 1;
        count.found += usize::from(!of_kind.is_empty());
        if label.kind.is_said() {
            let any: Vec<&Fact> = held.into_iter().filter(|fact| fact.kind.is_said()).collect();
            any.iter().for_each(|fact| said[fact.id.index()] = true);
            let count = &mut score.said[usize::from(label.by_user)];
            count.labels += 1;
            count.found += usize::from(!any.is_empty());
        }
        if of_kind.is_empty() {
            remarks.push(format!("missed {}: {}", label.kind.name(), label.text));
        }
    }
    for (fact, (right, said)) in facts.iter().zip(right.into_iter().zip(said)) {
        let count = score.count(fact.kind);
        count.given += 1;
        count.right += usize::from(right);
        if fact.kind.is_said() {
            let count = &mut score.said[usize::from(by_user(fact))];
            count.given += 1;
            count.right += usize::from(said);
        }
        if !right {
            let wrong = if said { "of another kind" } else { "wrong" };
            remarks.push(format!("{wrong} {}: {}", fact.kind.name(), fact.statement));
        }
    }
    remarks.sort();
    (score, remarks)
}

/// A fact for tests of the judgement itself.
pub fn fact(id: u32, kind: FactKind, needles: &[&str]) -> Fact {
    let found = needles.iter().map(|text| Needle::Code((*text).to_owned())).collect();
    Fact::new(FactId(id), kind, needles.join(" "), found)
}
