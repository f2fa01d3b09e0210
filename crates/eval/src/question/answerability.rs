//! Which questions are fair: answerable by whoever has read the whole log, by one answer alone.
//! That is read from log and truth, never from what a strategy did.

use rustc_hash::FxHashSet;

use crate::drive::Session;
use crate::ident::{FactId, MsgId};
use crate::log::Message;
use crate::question::wording::cue;
use crate::truth::needle::fold;
use crate::truth::{Fact, Needle};

const AROUND: usize = 300;
/// Share of a description's words that must stand there.
const TIED: f64 = 0.5;
const EMPTY: [&str; 24] = [
    "the", "and", "for", "now", "has", "have", "are", "was", "with", "from", "into", "that",
    "this", "its", "new", "run", "uses", "use", "done", "still", "does", "near", "around", "after",
];

pub(super) fn telling(text: &str) -> Vec<String> {
    let folded = fold(text);
    let words = folded.split(|letter: char| !letter.is_alphanumeric());
    let mut words: Vec<String> =
        words.filter(|word| word.len() > 2 && !EMPTY.contains(word)).map(str::to_owned).collect();
    words.sort();
    words.dedup();
    words
}

/// A description as compared with others: without articles and punctuation.
pub(super) fn gist(cue: &str) -> String {
    let folded = fold(cue);
    let words = folded.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    let kept = words.filter(|word| !word.is_empty() && !["a", "an", "the"].contains(word));
    kept.collect::<Vec<&str>>().join(" ")
}

pub(super) struct Descriptions {
    gists: Vec<Option<String>>,
}

impl Descriptions {
    pub(super) fn of(session: &Session) -> Descriptions {
        let facts = session.book.truth.facts.iter();
        Descriptions { gists: facts.map(|fact| cue(fact).map(|(_, cue)| gist(&cue))).collect() }
    }

    /// Whether the description of a fact fits no other that holds at the step (by index).
    pub(super) fn is_sole(&self, session: &Session, fact: FactId, step: usize) -> bool {
        let Some(Some(own)) = self.gists.get(fact.index()) else { return false };
        let same = self.gists.iter().zip(0..).filter(|(gist, _)| gist.as_ref() == Some(own));
        same.filter(|(_, other)| holds(session, FactId(*other), step)).all(|(_, id)| id == fact.0)
    }

    /// Whether a description, of something never stated, fits nothing that was.
    pub(super) fn is_foreign(&self, session: &Session, decoy: &Fact) -> bool {
        let own = cue(decoy).map(|(_, cue)| gist(&cue));
        let fits = own.is_some() && self.gists.contains(&own);
        let occurs = |needle: &Needle| {
            let own = fold(needle.text());
            session.log.messages.iter().any(|message| fold(&message.content).contains(&own))
        };
        !fits && !decoy.needles.iter().all(occurs)
    }
}

/// Whether some message before the step's answer ties the description to the thing.
pub(super) fn is_tied(session: &Session, fact: &Fact, before: MsgId) -> bool {
    let Some((asked, own)) = cue(fact) else { return false };
    let words = telling(&own);
    let Some(last) = asked.last() else { return false };
    let mentions = fact.mentions.iter().filter(|message| **message < before);
    let mut messages = mentions.filter_map(|id| session.log.message(*id));
    !words.is_empty() && messages.any(|message| ties(message, last, &words))
}

fn ties(message: &Message, needle: &Needle, words: &[String]) -> bool {
    let mut text = message.content.to_string();
    for call in &message.calls {
        text.push('\n');
        text.push_str(&call.args);
    }
    let (text, needle) = (fold(&text), fold(needle.text()));
    text.match_indices(&needle).any(|(place, _)| {
        let mut start = place.saturating_sub(AROUND);
        while !text.is_char_boundary(start) {
            start -= 1;
        }
        let mut end = (place + needle.len() + AROUND).min(text.len());
        while !text.is_char_boundary(end) {
            end += 1;
        }
        let near: FxHashSet<&str> =
            text[start..end].split(|letter: char| !letter.is_alphanumeric()).collect();
        let found = words.iter().filter(|word| near.contains(word.as_str())).count();
        found as f64 >= TIED * words.len() as f64
    })
}

/// Whether what is asked about a choice would be barred by some rule all the same.
pub(super) fn is_free(session: &Session, fact: &Fact) -> bool {
    let ruled = session.book.truth.facts.iter().filter(|other| other.kind.has_polarity());
    let mut barred = ruled.flat_map(|other| &other.needles);
    fact.needles.first().is_some_and(|own| !barred.any(|needle| needle.text() == own.text()))
}

pub(super) fn holds(session: &Session, fact: FactId, step: usize) -> bool {
    session.book.is_born(fact, step + 1) && !session.book.is_superseded(fact, step + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_are_compared_without_articles_and_punctuation() {
        for (one, other, same) in [
            ("Done: the pump now has a ____.", "Done: the pump now has ____", true),
            ("Still to do: enable ____.", "still  to do, enable ____!", true),
            ("The gate of the pump is in ____.", "The gate of the barn is in ____.", false),
        ] {
            assert_eq!(gist(one) == gist(other), same, "{one}");
        }
    }

    #[test]
    fn telling_words_are_those_that_could_tell_a_thing() {
        assert_eq!(
            telling("For the fleet_backoff of the pump, `pump.max` is ____."),
            ["backoff", "fleet", "max", "pump"]
        );
        assert!(telling("____ is in it.").is_empty());
    }
}
