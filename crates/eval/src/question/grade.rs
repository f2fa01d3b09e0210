//! Grading: strict, lenient, and what kind of mistake it was.

use crate::ident::FactId;
use crate::question::wording::{Expected, cue};
use crate::truth::fold::fold;
use crate::truth::{Fact, Holding, Needle, NeedleIndex};

/// What an answer that declines begins with, or says in its first sentence.
const DECLINED: &str = include_str!("../../data/declined.txt");

/// What decides answers of one session.
#[derive(Debug)]
pub struct Key {
    /// By fact: whether what is asked of it stands in an answer.
    asked: NeedleIndex,
    /// The facts, each with nothing but the needles that are asked for.
    facts: Vec<Fact>,
}

/// What an answer is worth: to the letter and nothing else of its kind, or to a reader who forgives
/// spelling, and what kind of mistake it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Grade {
    pub(super) strict: bool,
    pub(super) lenient: bool,
    pub(super) failure: &'static str,
}

impl Grade {
    const RIGHT: Grade = Grade { strict: true, lenient: true, failure: "" };

    pub(super) fn wrong(failure: &'static str) -> Grade {
        Grade { strict: false, lenient: false, failure }
    }
}

impl Key {
    /// Of the facts of a session.
    pub fn new(facts: &[Fact]) -> Key {
        let bare = |fact: &Fact| {
            let needles = cue(fact).map_or_else(|| fact.needles.clone(), |(asked, _)| asked);
            Fact { needles, topic: Vec::new(), polarity: Vec::new(), ..fact.clone() }
        };
        let facts: Vec<Fact> = facts.iter().map(bare).collect();
        Key { asked: NeedleIndex::new(&facts), facts }
    }

    fn held(&self, answer: &str) -> Vec<usize> {
        let found = self.asked.search(answer);
        found.into_iter().filter(|held: &Holding| held.subject()).map(|h| h.fact.index()).collect()
    }
}

/// Grades an answer about a fact; `replaced` are the facts that it replaced.
pub(super) fn grade(
    key: &Key,
    fact: &Fact,
    expected: &Expected,
    replaced: &[FactId],
    answer: &str,
) -> Grade {
    match expected {
        Expected::Verdict(right) => ruling(fact, *right, answer),
        Expected::Thing(asked) => thing(key, fact, asked, replaced, answer),
    }
}

fn thing(key: &Key, fact: &Fact, asked: &[Needle], replaced: &[FactId], answer: &str) -> Grade {
    if is_declined(answer) {
        return Grade::wrong("declined");
    }
    let held = key.held(answer);
    let others = held.iter().filter_map(|id| key.facts.get(*id));
    let others = others.filter(|one| one.kind == fact.kind && one.id != fact.id);
    let differs = |one: &&Fact| !one.needles.iter().all(|needle| asked.contains(needle));
    let others = others.filter(differs).count();
    let whole = held.contains(&fact.id.index());
    let old = || replaced.iter().any(|old| held.contains(&old.index()));
    let found = asked.iter().filter(|needle| is_found(needle, answer)).count();
    let lenient = whole || 2 * found >= asked.len().max(1);
    match (whole, others) {
        (true, 0) => Grade::RIGHT,
        (true, _) => Grade { lenient, ..Grade::wrong("several") },
        (false, _) if old() => Grade { lenient, ..Grade::wrong("stale") },
        (false, _) if lenient => Grade { lenient, ..Grade::wrong("inexact") },
        (false, _) => Grade::wrong("wrong"),
    }
}

/// Whether a needle stands in the answer as a forgiving reader has it: any case, spacing and
/// punctuation, digits in any grouping, the tail of a path, the words of prose in any order.
fn is_found(needle: &Needle, answer: &str) -> bool {
    let said = format!(" {} ", plain(answer));
    let holds = |text: &str| {
        let text = plain(text);
        !text.is_empty() && said.contains(&format!(" {text} "))
    };
    match needle {
        Needle::Code(code) => {
            let spaced = code.contains(char::is_whitespace);
            let tail = code.rsplit('/').next().filter(|tail| !spaced && *tail != code);
            holds(code) || tail.is_some_and(holds)
        }
        Needle::Prose(words) => {
            let words = plain(words);
            !words.is_empty() && words.split(' ').all(|word| said.contains(&format!(" {word} ")))
        }
    }
}

fn plain(text: &str) -> String {
    let letters: Vec<char> = fold(text).chars().collect();
    let digit = |place: Option<usize>| {
        place.and_then(|place| letters.get(place)).is_some_and(char::is_ascii_digit)
    };
    let mut out = String::with_capacity(text.len());
    for (place, letter) in letters.iter().enumerate() {
        let groups = matches!(letter, ',' | '_' | '\'')
            && digit(place.checked_sub(1))
            && (1..=3).all(|ahead| digit(Some(place + ahead)))
            && !digit(Some(place + 4));
        if letter.is_alphanumeric() {
            out.push(*letter);
        } else if !groups && !out.ends_with(' ') {
            out.push(' ');
        }
    }
    out.trim().to_owned()
}

fn ruling(fact: &Fact, right: bool, answer: &str) -> Grade {
    match verdict(answer) {
        Some(said) if said == right => Grade::RIGHT,
        Some(_) => Grade::wrong("reversed"),
        None if is_declined(answer) => Grade::wrong("declined"),
        // No verdict, but the rule with its sense: a forgiving reader takes it.
        None => {
            let said = fold(answer);
            let sense = |needle: &Needle| said.contains(&fold(needle.text()));
            let restated = fact.polarity.iter().any(sense);
            Grade { lenient: restated, ..Grade::wrong("no-verdict") }
        }
    }
}

/// Grades an answer about what was never stated: right to decline, and to deny that it was said.
pub(super) fn grade_decoy(expected: &Expected, answer: &str) -> Grade {
    let accepted = match (expected, verdict(answer)) {
        (Expected::Verdict(claim), Some(said)) => said == *claim,
        _ => !is_declined(answer),
    };
    if accepted { Grade::wrong("accepted") } else { Grade::RIGHT }
}

fn verdict(answer: &str) -> Option<bool> {
    let folded = fold(answer);
    let mut words = folded.split(|letter: char| !letter.is_alphanumeric());
    let said = match words.find(|word| !word.is_empty())? {
        "yes" => true,
        "no" => false,
        _ => return None,
    };
    let first = first_sentence(&folded);
    (!first.contains("not stated") && !first.contains("no information")).then_some(said)
}

pub(super) fn is_declined(answer: &str) -> bool {
    let folded = fold(answer);
    let first = first_sentence(&folded);
    first.starts_with("unknown") || DECLINED.lines().any(|words| first.contains(words))
}

fn first_sentence(folded: &str) -> &str {
    let end = folded.find(". ").unwrap_or(folded.len());
    &folded[..end]
}

#[cfg(test)]
mod tests;
