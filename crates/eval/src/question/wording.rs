//! Wordings: fixed templates by kind of fact, filled from the truth. A question about a thing shows
//! the statement with the thing taken out; one about a rule asks in one of two senses.

use std::sync::LazyLock;

use crate::prelude::*;
use crate::question::Kind;
use crate::truth::fold::fold;
use crate::truth::{Fact, FactKind, Needle};

const BLANK: &str = "____";
/// Longest statement that is shown, in characters.
const LONGEST: usize = 400;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Words {
    asks: String,
    against: Option<String>,
    free: Option<String>,
}

static WORDS: LazyLock<BTreeMap<FactKind, Words>> = LazyLock::new(|| {
    toml::from_str(include_str!("../../data/wordings.toml")).expect("a test reads the wordings")
});

/// What is asked, without instruction or context, and what is right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    pub(super) kind: Kind,
    pub(super) text: String,
    pub(super) expected: Expected,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Expected {
    Thing(Vec<Needle>),
    /// Yes (true) or no.
    Verdict(bool),
}

/// Asks for what completes the fact's statement; `None` where it does not hold it.
pub(super) fn thing(fact: &Fact) -> Option<Question> {
    let kind = match fact.kind {
        FactKind::Path | FactKind::Symbol | FactKind::Test => Kind::Artifact,
        FactKind::Direction | FactKind::Pending => Kind::Continuation,
        FactKind::Decision => Kind::Decision,
        FactKind::Error
        | FactKind::Command
        | FactKind::Value
        | FactKind::Preference
        | FactKind::Outcome => Kind::Recall,
        // Of a rule that names two things the second completes the first.
        FactKind::Constraint if fact.needles.len() > 1 => Kind::Recall,
        FactKind::Constraint | FactKind::SafetyRule | FactKind::DeadEnd => return None,
    };
    let (asked, cue) = cue(fact)?;
    let text = format!("{} What belongs at the blank?\n“{cue}”", WORDS.get(&fact.kind)?.asks);
    Some(Question { kind, text, expected: Expected::Thing(asked) })
}

/// The needles that are asked for (of several all but the first), and the statement without them.
pub(super) fn cue(fact: &Fact) -> Option<(Vec<Needle>, String)> {
    let subject = usize::from(fact.needles.len() > 1);
    let asked = fact.needles.get(subject..).filter(|asked| !asked.is_empty())?.to_vec();
    let mut cue = fact.statement.clone();
    for needle in &asked {
        cue = without(&cue, needle)?;
    }
    let cue = cue.replace(&format!("`{BLANK}`"), BLANK);
    let told = cue.replace(BLANK, "");
    let says_something = told.chars().filter(|letter| letter.is_alphabetic()).count() > 2;
    (says_something && cue.chars().count() <= LONGEST).then_some((asked, cue))
}

/// The text with every occurrence of the needle blanked; `None` where it has none.
fn without(text: &str, needle: &Needle) -> Option<String> {
    let (found, is_left) = match needle {
        Needle::Code(code) => {
            let found = text.replace(code.as_str(), BLANK);
            (found.clone(), found.contains(code.as_str()))
        }
        Needle::Prose(words) => {
            // Folding changes lengths, so prose is looked for word by word.
            let (words, mut rest, mut found) = (fold(words), text, String::new());
            while let Some((start, end)) = find_folded(rest, &words) {
                found.push_str(&rest[..start]);
                found.push_str(BLANK);
                rest = &rest[end..];
            }
            found.push_str(rest);
            (found.clone(), fold(&found).contains(&words))
        }
    };
    (found != text && !is_left).then_some(found)
}

/// The first and shortest stretch of a text, which is not folded, that is these folded words.
fn find_folded(text: &str, words: &str) -> Option<(usize, usize)> {
    let places: Vec<usize> =
        text.char_indices().map(|(place, _)| place).chain([text.len()]).collect();
    places.iter().enumerate().find_map(|(number, &start)| {
        let first = text[start..].chars().next()?;
        if !first.to_lowercase().eq(words.chars().next()?.to_lowercase()) {
            return None;
        }
        let ends = places[number + 1..].iter().take(2 * words.len() + 8);
        ends.copied().find(|&end| fold(&text[start..end]) == words).map(|end| (start, end))
    })
}

/// Asks whether something was said `against` what the fact is about, or else whether one is free to
/// go on with it; `barred` knows.
pub(super) fn ruling(fact: &Fact, against: bool, barred: bool) -> Option<Question> {
    let subject = fact.needles.first()?.text();
    let words = WORDS.get(&fact.kind)?;
    let (start, asks) = match against {
        true => ("", &words.against),
        false => ("As far as this conversation goes, ", &words.free),
    };
    let asks = asks.as_ref()?.replace("{subject}", subject);
    let text = format!("{start}{asks} Begin with yes or no.");
    let expected = Expected::Verdict(against == barred);
    Some(Question { kind: Kind::Compliance, text, expected })
}
