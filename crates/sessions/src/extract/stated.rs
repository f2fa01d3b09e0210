//! What is said in prose, found by cue words and position. The rarest words of a sentence with a
//! cue are the needles of its fact. The cues are the extractor's own; no summarizer shares them.

mod cue;

use self::cue::folded;
use super::Draft;
use super::data::PROSE;
use crate::log::turn::opens_turn;
use crate::prelude::*;

const MOST_SENTENCES: usize = 80;
/// Most facts of these kinds in one message of the agent: a report tells one thing in many lines.
const ROOM: [(FactKind, usize); 3] =
    [(FactKind::Outcome, 2), (FactKind::Decision, 4), (FactKind::Pending, 6)];
/// A message of more sentences was not typed in a breath: what it only tells may be a paste.
const BRIEF: usize = 6;
/// Sentences of a message that may turn the work round without further words.
const OPENING: usize = 2;
const NEEDLES: usize = 3;
/// Where so many words met before the sentence was said, more are taken.
const MORE_NEEDLES: usize = 6;
/// A single needle must be this rare, in messages that hold it.
const RARE: usize = 4;

struct Stated {
    kind: FactKind,
    text: String,
    words: BTreeSet<Needle>,
    by: MsgId,
}

/// What a model marked.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Mark {
    /// Number of the message.
    pub message: u32,
    /// A kind of what is said.
    pub kind: FactKind,
    /// Words of the message.
    pub text: String,
}

pub(super) fn drafts(log: &Log) -> Vec<(Draft, MsgId)> {
    let mut stated: Vec<Stated> = Vec::new();
    let (mut answered, mut worked) = (false, false);
    for (place, message) in log.messages.iter().enumerate() {
        if let Some(text) = super::typed(message) {
            of_person(&text, message.id, answered, &mut stated);
            worked = false;
        } else if message.role == Role::Assistant {
            answered = true;
            worked = worked || !message.calls.is_empty();
            of_agent(message, is_last_word(log, place), worked, &mut stated);
        }
    }
    as_drafts(log, stated)
}

/// What a model marked, as drafts.
pub(super) fn of_marks(log: &Log, marks: &[Mark]) -> Vec<(Draft, MsgId)> {
    let of = |mark: &Mark| Stated {
        kind: mark.kind,
        text: mark.text.clone(),
        words: telling_words(&mark.text, 0),
        by: MsgId(mark.message),
    };
    as_drafts(log, marks.iter().map(of).collect())
}

fn as_drafts(log: &Log, stated: Vec<Stated>) -> Vec<(Draft, MsgId)> {
    let words: BTreeSet<&Needle> = stated.iter().flat_map(|stated| &stated.words).collect();
    let words: Vec<Needle> = words.into_iter().cloned().collect();
    let frequency = frequency(log, &words);
    let told: Vec<(Draft, MsgId)> =
        stated.into_iter().filter_map(|stated| draft(stated, &words, &frequency)).collect();
    told_apart(log, told)
}

fn of_person(text: &str, by: MsgId, answered: bool, stated: &mut Vec<Stated>) {
    let own = PROSE.quoted.replace_all(text, "\n");
    let typed = own.lines().filter(|line| !cue::is_pasted(line)).flat_map(sentences);
    let typed: Vec<&str> = typed.take(MOST_SENTENCES).collect();
    let brief = typed.len() <= BRIEF;
    for (place, sentence) in typed.into_iter().enumerate() {
        let opens = answered && place < OPENING;
        let says = |part: &str| Some((part.to_owned(), cue::of_person(part, opens, brief)?));
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

/// `worked` where it called a tool since the person spoke.
fn of_agent(message: &Message, last: bool, worked: bool, stated: &mut Vec<Stated>) {
    let own = PROSE.quoted.replace_all(&message.content, "\n");
    let brief = own.lines().flat_map(sentences).take(BRIEF).count() < BRIEF;
    let (mut below, mut first) = (false, worked || brief);
    let mut found: Vec<(cue::Told, Stated)> = Vec::new();
    for line in own.lines() {
        if cue::is_heading(line) {
            below = cue::is_of_what_is_left(line);
        }
        for sentence in sentences(line) {
            let place = cue::Place { last, first, item: is_item(line), below };
            first = first && cue::is_chat(sentence);
            let Some(told) = cue::of_agent(sentence, place) else { continue };
            let words = telling_words(sentence, told.cue);
            let (kind, text, by) = (told.kind, sentence.to_owned(), message.id);
            found.push((told, Stated { kind, text, words, by }));
        }
    }
    found.sort_by_key(|(told, _)| std::cmp::Reverse(told.weight));
    let mut room = BTreeMap::from(ROOM);
    let plainest = found.iter().map(|(told, _)| told.weight).max().unwrap_or_default();
    for (told, one) in found {
        if told.weight == cue::LISTED && plainest > cue::LISTED {
            continue;
        }
        let left = room.entry(told.kind).or_insert(MOST_SENTENCES);
        if *left > 0 {
            *left -= 1;
            stated.push(one);
        }
    }
}

/// Whether a line is an item of a list.
fn is_item(line: &str) -> bool {
    let line = line.trim_start();
    let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let bullet = ["- ", "* ", "• "].iter().any(|mark| line.starts_with(mark));
    bullet || (number.len() < line.len() && number.starts_with([')', '.']))
}

/// Whether a person speaks next, or nobody does.
fn is_last_word(log: &Log, place: usize) -> bool {
    log.messages[place].calls.is_empty() && log.messages.get(place + 1).is_none_or(opens_turn)
}

fn draft(stated: Stated, words: &[Needle], frequency: &[usize]) -> Option<(Draft, MsgId)> {
    let Stated { kind, text: statement, words: own, by } = stated;
    let of = |word: &Needle| words.binary_search(word).map_or(usize::MAX, |at| frequency[at]);
    let mut telling: Vec<Needle> = own.into_iter().collect();
    telling.sort_by_key(|word| (of(word), std::cmp::Reverse(word.text().len()), word.clone()));
    if telling.len() < 2 && of(telling.first()?) > RARE {
        return None;
    }
    telling.truncate(MORE_NEEDLES);
    let polarity = if kind.has_polarity() { sense(kind, &statement) } else { Vec::new() };
    let polarity = polarity.into_iter().map(Needle::Prose).collect();
    let draft = Draft { polarity, ..Draft::new(kind, statement, telling) };
    Some((draft, by))
}

/// The drafts with as many of their words as tell them from what was said before, the fewest first.
fn told_apart(log: &Log, told: Vec<(Draft, MsgId)>) -> Vec<(Draft, MsgId)> {
    let first = |(draft, _): &(Draft, MsgId)| {
        let few = draft.needles.iter().take(NEEDLES).cloned().collect();
        Fact::new(FactId(0), draft.kind, "", few)
    };
    let few: Vec<Fact> =
        told.iter().map(first).zip(0..).map(|(fact, id)| Fact { id: FactId(id), ..fact }).collect();
    let mentions = super::Mentions::of(log, &few);
    let told = told.into_iter().zip(few).map(|((mut draft, by), few)| {
        if mentions.of_fact(few.id).first().is_none_or(|first| *first >= by) {
            draft.needles.truncate(NEEDLES);
        }
        (draft, by)
    });
    told.collect()
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

/// Words that carry the subject, folded, and names as they stand: of the clause behind the cue,
/// where they are enough; else of the whole clause, and then of more and more of the sentence.
fn telling_words(sentence: &str, cue: usize) -> BTreeSet<Needle> {
    let text = folded(sentence);
    let cue = cue.min(text.len());
    let begin = text[..cue].rfind(CLAUSE_ENDS).map_or(0, |place| place + 1);
    let end = text[cue..].find(CLAUSE_ENDS).map_or(text.len(), |place| cue + place);
    let widening = [&text[cue..end], &text[begin..end], &text[begin..], &text[..]];
    let names = names(sentence);
    let words = widening.iter().map(|part| telling_of(part, sentence, &names));
    words.reduce(|enough, more| if enough.len() >= 2 { enough } else { more }).unwrap_or_default()
}

const CLAUSE_ENDS: [char; 4] = [',', ';', ':', '('];

/// What stands for itself: paths, addresses, names with marks inside.
fn names(sentence: &str) -> Vec<&str> {
    let bare = |word: &'_ str| -> bool {
        let marks = word.chars().filter(|c| "/._-:@#".contains(*c)).count();
        word.len() >= 4 && marks > 0 && marks * 2 < word.len()
    };
    let outer = |c: char| !(c.is_alphanumeric() || c == '_' || c == '/');
    let words = sentence.split(|c: char| c.is_whitespace() || "`*\"'()[]<>,".contains(c));
    words.map(|word| word.trim_matches(outer)).filter(|word| bare(word)).collect()
}

fn telling_of(part: &str, sentence: &str, names: &[&str]) -> BTreeSet<Needle> {
    let of_names = names.iter().filter(|name| part.contains(&*folded(name)));
    let in_name = |word: &str| names.iter().any(|name| folded(name).contains(word));
    part.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '\''))
        .filter(|word| word.chars().all(|c| c.is_alphanumeric() || c == '_'))
        .filter(|word| word.len() >= 4 || is_acronym(word, sentence))
        .filter(|word| !PROSE.words.empty.contains(*word) && !in_name(word))
        .map(|word| Needle::Prose(word.to_owned()))
        .chain(of_names.map(|name| Needle::Code((*name).to_owned())))
        .collect()
}

fn is_acronym(word: &str, sentence: &str) -> bool {
    word.len() == 3 && place_of(sentence, &word.to_uppercase()).is_some()
}

fn frequency(log: &Log, words: &[Needle]) -> Vec<usize> {
    let facts: Vec<Fact> = words
        .iter()
        .enumerate()
        .map(|(index, word)| {
            Fact::new(FactId(index as u32), FactKind::Pending, "", vec![word.clone()])
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
        let (_, cue) = cue::of_person(sentence, false, true).expect("a rule");
        let words = telling_words(sentence, cue);
        let words: Vec<&str> = words.iter().map(Needle::text).collect();
        assert_eq!(words, ["mud", "pump", "room"]);
    }

    #[test]
    fn sentences_end_at_stops_and_lines_and_not_inside_names() {
        let text = "- use pump.rs here. Never the other!\n\n  then stop";
        let found: Vec<&str> = sentences(text).collect();
        assert_eq!(found, ["use pump.rs here.", "Never the other!", "then stop"]);
    }
}
