//! What is said in prose, found by cue words and position. The rarest words of a sentence with a
//! cue are the needles of its fact. The cues are the extractor's own; no summarizer shares them.

mod cue;

use self::cue::folded;
use super::Draft;
use super::data::PROSE;
use crate::log::turn::opens_turn;
use crate::prelude::*;

const MOST_SENTENCES: usize = 40;
/// Sentences of a message that may turn the work round without further words.
const OPENING: usize = 2;
const NEEDLES: usize = 3;
/// A single needle must be this rare, in messages that hold it.
const RARE: usize = 4;
/// Where the rarest word is in more messages, no words tell the sentence from others.
const COMMON: usize = 12;

struct Stated {
    kind: FactKind,
    text: String,
    words: BTreeSet<String>,
    by: MsgId,
}

pub(super) fn drafts(log: &Log) -> Vec<(Draft, MsgId)> {
    let mut stated: Vec<Stated> = Vec::new();
    let mut answered = false;
    for (place, message) in log.messages.iter().enumerate() {
        if let Some(text) = super::typed(message) {
            of_person(&text, message.id, answered, &mut stated);
        } else if message.role == Role::Assistant {
            answered = true;
            of_agent(message, is_last_word(log, place), &mut stated);
        }
    }
    let words: BTreeSet<&String> = stated.iter().flat_map(|stated| &stated.words).collect();
    let words: Vec<String> = words.into_iter().cloned().collect();
    let frequency = frequency(log, &words);
    stated.into_iter().filter_map(|stated| draft(stated, &words, &frequency)).collect()
}

fn of_person(text: &str, by: MsgId, answered: bool, stated: &mut Vec<Stated>) {
    let own = PROSE.quoted.replace_all(text, "\n");
    for (place, sentence) in sentences(&own).take(MOST_SENTENCES).enumerate() {
        let opens = answered && place < OPENING;
        let says = |part: &str| Some((part.to_owned(), cue::of_person(part, opens)?));
        let mut said: Vec<(String, (FactKind, usize))> = parts(sentence).filter_map(says).collect();
        // One rule is best told by the whole sentence, with its reason.
        if said.len() < 2 {
            said = says(sentence).into_iter().collect();
        }
        stated.extend(said.into_iter().map(|(text, (kind, cue))| {
            let words = telling_words(&text, cue);
            Stated { kind, text, words, by }
        }));
    }
}

fn of_agent(message: &Message, last: bool, stated: &mut Vec<Stated>) {
    let own = PROSE.quoted.replace_all(&message.content, "\n");
    for sentence in sentences(&own).take(MOST_SENTENCES) {
        if let Some((kind, cue)) = cue::of_agent(sentence, last) {
            let words = telling_words(sentence, cue);
            stated.push(Stated { kind, text: sentence.to_owned(), words, by: message.id });
        }
    }
}

/// Whether a person speaks next, or nobody does.
fn is_last_word(log: &Log, place: usize) -> bool {
    log.messages[place].calls.is_empty() && log.messages.get(place + 1).is_none_or(opens_turn)
}

fn draft(stated: Stated, words: &[String], frequency: &[usize]) -> Option<(Draft, MsgId)> {
    let Stated { kind, text: statement, words: own, by } = stated;
    let of = |word: &String| words.binary_search(word).map_or(usize::MAX, |at| frequency[at]);
    let mut telling: Vec<String> = own.into_iter().collect();
    telling.sort_by_key(|word| (of(word), std::cmp::Reverse(word.len()), word.clone()));
    let rarest = of(telling.first()?);
    if rarest > COMMON || (telling.len() < 2 && rarest > RARE) {
        return None;
    }
    telling.truncate(NEEDLES);
    let polarity = if kind.has_polarity() { sense(kind, &statement) } else { Vec::new() };
    let needles = telling.into_iter().map(Needle::Prose).collect();
    let polarity = polarity.into_iter().map(Needle::Prose).collect();
    let draft = Draft { polarity, ..Draft::new(kind, statement, needles) };
    Some((draft, by))
}

/// Words of which a text must hold one to keep the sense of the sentence.
fn sense(kind: FactKind, sentence: &str) -> Vec<String> {
    let (text, words) = (folded(sentence), &PROSE.words);
    let requires = || words.requires.iter().any(|word| place_of(&text, word).is_some());
    match kind {
        FactKind::DeadEnd => words.given_up.clone(),
        _ if cue::forbids(sentence) => words.forbids.clone(),
        _ if requires() => words.requires.clone(),
        _ => [words.all_of_it.as_slice(), &words.forbids].concat(),
    }
}

/// Parts of a sentence that may each say a thing of their own.
fn parts(sentence: &str) -> impl Iterator<Item = &str> {
    sentence
        .split("; ")
        .flat_map(|part| part.split(": "))
        .flat_map(|part| part.split(", and "))
        .flat_map(|part| part.split(" - "))
}

fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.lines()
        .flat_map(|line| line.split_inclusive(". ").flat_map(|part| part.split_inclusive("! ")))
        .flat_map(|part| part.split_inclusive("? "))
        .map(|sentence| {
            let marks = |c: char| c.is_whitespace() || c == '-' || c == '*';
            sentence.trim_start_matches(marks).trim_end()
        })
        .filter(|sentence| !sentence.is_empty())
}

/// Where the phrase stands in the folded text, on word boundaries.
fn place_of(text: &str, phrase: &str) -> Option<usize> {
    let word = |c: char| c.is_alphanumeric() || c == '_' || c == '\'';
    text.match_indices(phrase).map(|(place, _)| place).find(|&place| {
        !text[..place].ends_with(word) && !text[place + phrase.len()..].starts_with(word)
    })
}

/// Words that carry the subject, folded: of the clause behind the cue, where they are enough; else
/// of the whole clause, and then of more and more of the sentence.
fn telling_words(sentence: &str, cue: usize) -> BTreeSet<String> {
    let text = folded(sentence);
    let cue = cue.min(text.len());
    let begin = text[..cue].rfind(CLAUSE_ENDS).map_or(0, |place| place + 1);
    let end = text[cue..].find(CLAUSE_ENDS).map_or(text.len(), |place| cue + place);
    let widening = [&text[cue..end], &text[begin..end], &text[begin..], &text[..]];
    let words = widening.iter().map(|part| telling_of(part, sentence));
    words.reduce(|enough, more| if enough.len() >= 2 { enough } else { more }).unwrap_or_default()
}

const CLAUSE_ENDS: [char; 4] = [',', ';', ':', '('];

fn telling_of(part: &str, sentence: &str) -> BTreeSet<String> {
    part.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '\''))
        .filter(|word| word.chars().all(|c| c.is_alphanumeric() || c == '_'))
        .filter(|word| word.len() >= 4 || is_acronym(word, sentence))
        .filter(|word| !PROSE.words.empty.contains(*word))
        .map(str::to_owned)
        .collect()
}

fn is_acronym(word: &str, sentence: &str) -> bool {
    word.len() == 3 && place_of(sentence, &word.to_uppercase()).is_some()
}

fn frequency(log: &Log, words: &[String]) -> Vec<usize> {
    let facts: Vec<Fact> = words
        .iter()
        .enumerate()
        .map(|(index, word)| {
            let needles = vec![Needle::Prose(word.clone())];
            Fact::new(FactId(index as u32), FactKind::Pending, "", needles)
        })
        .collect();
    let mentions = super::Mentions::of(log, &facts);
    facts.iter().map(|fact| mentions.of_fact(fact.id).len()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_subject_of_a_rule_stands_behind_its_cue() {
        let sentence = "hmmm, given the slope, its better not to keep any MUD in the pump room";
        let (_, cue) = cue::of_person(sentence, false).expect("a rule");
        let words: Vec<String> = telling_words(sentence, cue).into_iter().collect();
        assert_eq!(words, ["mud", "pump", "room"]);
    }

    #[test]
    fn sentences_end_at_stops_and_lines_and_not_inside_names() {
        let text = "- use pump.rs here. Never the other!\n\n  then stop";
        let found: Vec<&str> = sentences(text).collect();
        assert_eq!(found, ["use pump.rs here.", "Never the other!", "then stop"]);
    }
}
