//! What the user asked to hold, found by cue words and position.
//!
//! A sentence with a cue becomes a fact: its rarest words are the needles, the
//! sentence itself the statement. Questions are no rules, and neither is "I don't
//! know". The cues are the extractor's own; no summarizer shares them.

use std::collections::BTreeSet;

use super::{Draft, source};
use crate::ident::{FactId, MsgId};
use crate::log::Log;
use crate::truth::needle::fold;
use crate::truth::{Fact, FactKind, Needle};

/// Sentences outside these lengths, in words, say too little or are a paste.
const WORDS: std::ops::RangeInclusive<usize> = 3..=50;
/// Longest sentence, in bytes: all needles must lie within reach of one another.
const LONGEST: usize = 320;
/// Sentences looked at per message: what follows is a pasted text.
const MOST_SENTENCES: usize = 40;
/// Needles of one sentence.
const NEEDLES: usize = 3;
/// A single needle must be this rare, in messages that hold it.
const RARE: usize = 4;
/// Where even the rarest word is in more messages than this, no choice of words
/// tells the sentence from others.
const COMMON: usize = 12;

const FORBIDS: [&str; 11] = [
    "never",
    "do not",
    "don't",
    "dont",
    "must not",
    "mustn't",
    "should not",
    "shouldn't",
    "avoid",
    "not allowed",
    "better not",
];
/// Before "do not": a report of what is, not a rule of what ought to be.
const REPORTS: [&str; 8] = ["i", "you", "we", "they", "it", "still", "just", "that"];
const REQUIRES: [&str; 11] = [
    "always",
    "must",
    "only use",
    "make sure",
    "has to",
    "have to",
    "needs to",
    "keep in mind",
    "ensure",
    "required",
    "at all times",
];
const NOT_REQUIRING: [&str; 2] = ["must be", "must have"];
const DANGERS: [&str; 16] = [
    "delete",
    "remove",
    "push",
    "force",
    "commit",
    "publish",
    "deploy",
    "drop",
    "production",
    "secret",
    "secrets",
    "credentials",
    "password",
    "pii",
    "overwrite",
    "touch",
];
const PREFERS: [&str; 14] = [
    "i prefer",
    "i'd prefer",
    "i would prefer",
    "prefer",
    "i'd rather",
    "i'd like",
    "i like",
    "better to",
    "its better",
    "it's better",
    "i think we should",
    "we should",
    "would be nice",
    "i want",
];
/// At the beginning of a message these turn the work around.
const TURNS_BEFORE: [&str; 13] = [
    "no",
    "nope",
    "actually",
    "instead",
    "wait",
    "stop",
    "revert",
    "undo",
    "ok, do nothing",
    "let's try something else",
    "scratch that",
    "never mind",
    "not quite",
];
/// Anywhere in a sentence these do.
const TURNS: [&str; 8] = [
    "instead of",
    "rather than",
    "not what i",
    "thats not",
    "that's not",
    "let's not",
    "something else",
    "again, the",
];
const LATER: [&str; 9] = [
    "todo",
    "in future",
    "in the future",
    "follow up",
    "follow-up",
    "for now",
    "afterwards",
    "at some point",
    "later on",
];

/// Any of these beside the words of a rule keeps its sense.
const NEGATIVE_SENSE: [&str; 13] = [
    "never",
    "not",
    "don't",
    "don\u{2019}t",
    "dont",
    "mustn't",
    "shouldn't",
    "avoid",
    "no",
    "without",
    "forbidden",
    "prohibited",
    "refrain",
];
const POSITIVE_SENSE: [&str; 13] = [
    "always",
    "must",
    "only",
    "make sure",
    "ensure",
    "required",
    "requires",
    "has to",
    "have to",
    "needs to",
    "should",
    "keep in mind",
    "at all times",
];

const EMPTY_WORDS: [&str; 80] = [
    "about", "after", "again", "also", "always", "another", "because", "been", "before", "being",
    "better", "between", "both", "cannot", "could", "does", "doing", "done", "dont", "each",
    "else", "even", "ever", "every", "from", "given", "have", "here", "hmmm", "into", "just",
    "keep", "know", "like", "look", "make", "maybe", "might", "mine", "more", "most", "must",
    "need", "needs", "never", "okay", "only", "other", "over", "please", "prefer", "really",
    "same", "should", "some", "still", "such", "sure", "than", "that", "thats", "them", "then",
    "there", "these", "they", "thing", "think", "this", "want", "were", "what", "when", "where",
    "which", "while", "will", "with", "would", "your",
];

/// A sentence with a cue.
struct Stated {
    kind: FactKind,
    text: String,
    /// Words that carry its subject.
    words: BTreeSet<String>,
}

/// Facts that the user stated.
pub(super) fn drafts(log: &Log) -> Vec<Draft> {
    let mut stated: Vec<Stated> = Vec::new();
    for message in &log.messages {
        let Some(text) = source::typed(message) else { continue };
        for (place, sentence) in sentences(&text).take(MOST_SENTENCES).enumerate() {
            if let Some((kind, cue)) = kind_of(sentence, place == 0) {
                let words = telling_words(sentence, cue);
                stated.push(Stated { kind, text: sentence.to_owned(), words });
            }
        }
    }
    let words: BTreeSet<&String> = stated.iter().flat_map(|stated| &stated.words).collect();
    let words: Vec<String> = words.into_iter().cloned().collect();
    let frequency = frequency(log, &words);
    stated.into_iter().filter_map(|stated| draft(stated, &words, &frequency)).collect()
}

fn draft(stated: Stated, words: &[String], frequency: &[usize]) -> Option<Draft> {
    let Stated { kind, text: statement, words: own } = stated;
    let of = |word: &String| words.binary_search(word).map_or(usize::MAX, |at| frequency[at]);
    let mut telling: Vec<String> = own.into_iter().collect();
    telling.sort_by_key(|word| (of(word), std::cmp::Reverse(word.len()), word.clone()));
    let rarest = of(telling.first()?);
    if rarest > COMMON || (telling.len() < 2 && rarest > RARE) {
        return None;
    }
    telling.truncate(NEEDLES);
    let polarity = if kind.has_polarity() { sense(&statement) } else { &[] };
    let prose = |word: &str| Needle::Prose(word.to_owned());
    Some(Draft {
        kind,
        needles: telling.iter().map(|word| prose(word)).collect(),
        polarity: polarity.iter().map(|word| prose(word)).collect(),
        statement,
        key: None,
    })
}

fn sense(sentence: &str) -> &'static [&'static str] {
    let text = folded(sentence);
    if forbidden(&text).is_some() { &NEGATIVE_SENSE } else { &POSITIVE_SENSE }
}

/// Folded, with a typewriter's apostrophes.
fn folded(sentence: &str) -> String {
    fold(sentence).replace('\u{2019}', "'")
}

/// Sentences, each on one line, without list marks.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.lines()
        .flat_map(|line| line.split_inclusive(". ").flat_map(|part| part.split_inclusive("! ")))
        .flat_map(|part| part.split_inclusive("? "))
        .map(|sentence| {
            let marks = |c: char| c.is_whitespace() || c == '-' || c == '*' || c == '>';
            sentence.trim_start_matches(marks).trim_end()
        })
        .filter(|sentence| !sentence.is_empty())
}

/// What the sentence is, and where in its folded text the cue stands.
fn kind_of(sentence: &str, opens_message: bool) -> Option<(FactKind, usize)> {
    let words = sentence.split_whitespace().count();
    if !WORDS.contains(&words) || sentence.len() > LONGEST {
        return None;
    }
    let text = folded(sentence);
    let any = |cues: &[&str]| cues.iter().filter_map(|cue| place_of(&text, cue)).min();
    if opens_message && any(&TURNS_BEFORE) == Some(0) {
        return Some((FactKind::Direction, 0));
    }
    if sentence.ends_with('?') {
        return None;
    }
    if let Some(cue) = forbidden(&text) {
        let danger = any(&DANGERS).is_some();
        return Some((if danger { FactKind::SafetyRule } else { FactKind::Constraint }, cue));
    }
    if any(&NOT_REQUIRING).is_none()
        && let Some(cue) = any(&REQUIRES)
    {
        return Some((FactKind::Constraint, cue));
    }
    // A turn, a wish and a delay are about the whole sentence.
    for (kind, cues) in [
        (FactKind::Direction, &TURNS[..]),
        (FactKind::Preference, &PREFERS),
        (FactKind::Pending, &LATER),
    ] {
        if any(cues).is_some() {
            return Some((kind, 0));
        }
    }
    None
}

/// Where the folded sentence forbids something, rather than reports that
/// something is not so.
fn forbidden(text: &str) -> Option<usize> {
    let places = FORBIDS.iter().filter_map(|cue| place_of(text, cue));
    let rules = places.filter(|place| {
        let before = text[..*place].split_whitespace().next_back().unwrap_or_default();
        !REPORTS.contains(&before)
    });
    rules.min()
}

/// Where the phrase stands in the folded text, on word boundaries.
fn place_of(text: &str, phrase: &str) -> Option<usize> {
    let word = |c: char| c.is_alphanumeric() || c == '_' || c == '\'';
    text.match_indices(phrase).map(|(place, _)| place).find(|&place| {
        !text[..place].ends_with(word) && !text[place + phrase.len()..].starts_with(word)
    })
}

/// Words that carry the subject, folded: those behind the cue, where they are
/// enough, because a rule is about what follows it.
fn telling_words(sentence: &str, cue: usize) -> BTreeSet<String> {
    let text = folded(sentence);
    let within = |part: &str| -> BTreeSet<String> {
        part.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '\''))
            .filter(|word| word.chars().all(|c| c.is_alphanumeric() || c == '_'))
            .filter(|word| word.len() >= 4 || is_acronym(word, sentence))
            .filter(|word| EMPTY_WORDS.binary_search(word).is_err() && !is_cue(word))
            .map(str::to_owned)
            .collect()
    };
    let behind = within(&text[cue..]);
    if behind.len() >= 2 { behind } else { within(&text) }
}

fn is_acronym(word: &str, sentence: &str) -> bool {
    word.len() == 3 && place_of(sentence, &word.to_uppercase()).is_some()
}

fn is_cue(word: &str) -> bool {
    [&FORBIDS[..], &REQUIRES, &TURNS_BEFORE, &TURNS, &NEGATIVE_SENSE, &POSITIVE_SENSE]
        .into_iter()
        .flatten()
        .any(|cue| cue.split(|c: char| !c.is_alphanumeric()).any(|part| part == word))
}

/// How many messages hold each word.
fn frequency(log: &Log, words: &[String]) -> Vec<usize> {
    let facts: Vec<Fact> = words
        .iter()
        .enumerate()
        .map(|(index, word)| Fact {
            id: FactId(index as u32),
            kind: FactKind::Pending,
            goal: None,
            statement: String::new(),
            needles: vec![Needle::Prose(word.clone())],
            polarity: Vec::new(),
            born: MsgId(0),
            mentions: Vec::new(),
            superseded_by: None,
        })
        .collect();
    let mentions = super::Mentions::of(log, &facts);
    facts.iter().map(|fact| mentions.of_fact(fact.id).len()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cue_makes_a_sentence_a_fact_of_its_kind() {
        use FactKind::{Constraint, Direction, Pending, Preference, SafetyRule};
        for (sentence, opens, kind) in [
            ("never push to the orchard branch", false, Some(SafetyRule)),
            ("please don\u{2019}t use global valves", false, Some(Constraint)),
            ("all pumps must stop first", false, Some(Constraint)),
            ("make sure the gate is closed", false, Some(Constraint)),
            ("it's better to water at night", false, Some(Preference)),
            ("no remove this again, the pump leaks", true, Some(Direction)),
            ("there are no pumps", false, None),
            ("use the small pump instead of the big one", false, Some(Direction)),
            ("we can fix the fence in future", false, Some(Pending)),
            // Reports and questions are no rules.
            ("I don't know which pump leaks", false, None),
            ("don't we need the pump here?", false, None),
            ("it must be the old valve", false, None),
            ("open the valve and water the trees", true, None),
            ("yes", true, None),
        ] {
            let found = kind_of(sentence, opens).map(|(kind, _)| kind);
            assert_eq!(found, kind, "{sentence}");
        }
    }

    #[test]
    fn the_subject_of_a_rule_stands_behind_its_cue() {
        let sentence = "hmmm, given the slope, its better not to keep any MUD in the pump room";
        let (_, cue) = kind_of(sentence, false).expect("a rule");
        let words: Vec<String> = telling_words(sentence, cue).into_iter().collect();
        assert_eq!(words, ["mud", "pump", "room"]);
    }

    #[test]
    fn sentences_end_at_stops_and_lines_and_not_inside_names() {
        let text = "- use pump.rs here. Never the other!\n\n  then stop";
        let found: Vec<&str> = sentences(text).collect();
        assert_eq!(found, ["use pump.rs here.", "Never the other!", "then stop"]);
    }

    #[test]
    fn the_word_lists_are_sorted_for_search() {
        assert!(EMPTY_WORDS.is_sorted());
    }
}
