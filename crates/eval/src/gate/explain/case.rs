//! One lost fact, told: its cell is driven again.

use super::super::detail::{LostFact, LostIn};
use super::Need;
use crate::ident::FactId;
use crate::prelude::*;
use crate::run::rerun::Recorded;
use crate::run::story::{CellStory, Length};
use crate::sanitize;
use crate::strategy::Registry;
use crate::trace::LossClass;
use crate::truth::{Fact, NeedleIndex};

/// Most characters of a text that is quoted.
const MOST: usize = 220;
/// Most sentences in which a fact is looked for together.
const MOST_SENTENCES: usize = 4;

/// Tells a need that the candidate missed; drives its cell again.
pub(super) fn told(registry: &Registry, candidate: &Path, need: &Need) -> Result<LostFact> {
    let recorded = Recorded::open(registry, candidate, &[])?;
    let again = recorded.again(&need.key, Length::Whole)?;
    let facts = &again.prepared.session.book.truth.facts;
    let fact = facts.get(need.after.fact.index()).ok_or_else(|| {
        Error::invalid(&*need.key.cell, "its session does not have the fact that was needed")
    })?;
    let number = need.after.lost_by.filter(|_| again.same);
    Ok(LostFact {
        cell: need.key.cell.clone(),
        scenario: need.key.scenario.clone(),
        seed: need.key.seed,
        kind: need.kind().to_owned(),
        statement: cut(&fact.statement),
        step: need.after.step,
        baseline_generation: need.generation_before(),
        found: need.after.found.name().to_owned(),
        lost_in: number.and_then(|number| lost_in(&again.told, number, fact, need.after.loss)),
    })
}

fn lost_in(told: &CellStory, number: u32, fact: &Fact, class: Option<LossClass>) -> Option<LostIn> {
    let compaction = told.story.compactions.iter().find(|one| one.number == number)?;
    let requests = told.details.get(&number).map_or(&[][..], |detail| &detail.requests);
    let material = requests.iter().flat_map(|request| &request.messages);
    let material = material.flat_map(|message| &message.segments).filter(|one| one.material);
    let sought = Sought::new(fact);
    let mut lines = material.flat_map(|one| one.text.lines());
    let shown = lines.find_map(|line| statement_in(line, &sought));
    let holders = compaction.covers.iter().filter(|one| sought.is_in(&one.text));
    let left = holders.map(|one| format!("{} ({})", one.what, one.role)).collect();
    let asked = !compaction.answers.is_empty();
    Some(LostIn {
        compaction: number,
        step: compaction.step,
        stage: compaction.stage.clone(),
        class: class.map_or("", LossClass::name).to_owned(),
        how: class.map_or("", LossClass::told).to_owned(),
        left,
        shown,
        answered: asked.then(|| nearest(&compaction.answers, &fact.statement)),
    })
}

/// A fact that is looked for in texts, in the sense that is measured.
struct Sought {
    index: NeedleIndex,
    fact: Fact,
}

impl Sought {
    fn new(fact: &Fact) -> Sought {
        let fact = Fact { id: FactId(0), superseded_by: None, ..fact.clone() };
        Sought { index: NeedleIndex::new(std::slice::from_ref(&fact)), fact }
    }

    fn is_in(&self, text: &str) -> bool {
        self.index.search(text).iter().any(|holding| holding.subject())
    }
}

/// The shortest stretch of sentences of a line that holds the fact; `None` where it does not.
fn statement_in(line: &str, sought: &Sought) -> Option<String> {
    if !sought.is_in(line) {
        return None;
    }
    let sentences: Vec<&str> = line.split_inclusive(". ").collect();
    let spans = (1..=MOST_SENTENCES).flat_map(|size| sentences.windows(size));
    let shortest = spans.map(<[&str]>::concat).find(|text| sought.is_in(text));
    Some(around(shortest.as_deref().unwrap_or(line), &sought.fact))
}

/// A text cut to what can be quoted, with the first of the fact's needles in it.
fn around(text: &str, fact: &Fact) -> String {
    let text = text.trim();
    let places = fact.needles.iter().filter_map(|needle| text.find(needle.text()));
    let at = places.min().unwrap_or(0);
    let before = text[..at].chars().count();
    match before + MOST / 3 > MOST {
        true => {
            let skipped = before - MOST / 3;
            cut(&format!("…{}", text.chars().skip(skipped).collect::<String>()))
        }
        false => cut(text),
    }
}

/// The line of the answers that has most words in common with a statement; else the first.
fn nearest(answers: &[String], statement: &str) -> String {
    let words = |text: &str| -> BTreeSet<String> {
        let words = text.split(|letter: char| !letter.is_alphanumeric());
        words.filter(|word| word.len() > 3).map(str::to_lowercase).collect()
    };
    let wanted = words(statement);
    let lines = answers.iter().flat_map(|answer| answer.lines());
    let lines = lines.filter(|line| !line.trim().is_empty());
    let common = |line: &&str| words(line).intersection(&wanted).count();
    // Of several that are as near the first.
    let best = lines.rev().max_by_key(common);
    best.map(|line| cut(line.trim())).unwrap_or_default()
}

fn cut(text: &str) -> String {
    sanitize::beginning(text, MOST)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::truth::{FactKind, Needle};

    fn fact() -> Fact {
        let needles = vec![Needle::Code("vendor/".to_owned()), Needle::Prose("never".to_owned())];
        let statement = "Never edit vendor/ by hand.";
        Fact::new(FactId(0), FactKind::SafetyRule, statement, needles)
    }

    #[test]
    fn what_is_quoted_is_the_sentence_that_holds_the_fact() {
        for (line, expected) in [
            ("Never touch vendor/.", Some("Never touch vendor/.")),
            ("Hello there. Never touch vendor/. Thanks.", Some("Never touch vendor/.")),
            ("Never. We build vendor/ first.", Some("Never. We build vendor/ first.")),
            ("We build vendor/ first.", None),
            ("Never mind.", None),
        ] {
            assert_eq!(statement_in(line, &Sought::new(&fact())).as_deref(), expected, "{line}");
        }
        let long = format!("{} never touch vendor/ {}", "x ".repeat(400), "y ".repeat(400));
        let quoted = statement_in(&long, &Sought::new(&fact())).expect("it holds the fact");
        assert!(quoted.contains("vendor/") && quoted.chars().count() <= MOST + 2, "{quoted}");
    }

    #[test]
    fn of_an_answer_the_line_nearest_to_the_fact_is_quoted() {
        let answers =
            ["- Goal: tests\n\n- Do not edit lib/ by hand".to_owned(), "- vendor".to_owned()];
        for (statement, expected) in [
            ("Never edit vendor/ by hand.", "- Do not edit lib/ by hand"),
            ("The port is 8080.", "- Goal: tests"),
        ] {
            assert_eq!(nearest(&answers, statement), expected);
        }
        assert_eq!(nearest(&[" \n".to_owned()], "anything"), "");
    }
}
