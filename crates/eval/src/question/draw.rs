//! Which questions are asked of a session: drawn once, the same for every cell of it, of those that
//! are fair: answerable by whoever has read the whole log, by one answer alone.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use crate::drive::Session;
use crate::ident::{Digest, FactId, MsgId, Seed};
use crate::log::Message;
use crate::question::wording::{self, Question, cue};
use crate::question::{Kind, QUESTIONS_VERSION};
use crate::truth::fold::fold;
use crate::truth::{Fact, FactKind, Needle};

/// How questions are drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Draw {
    /// Most questions of a session; a third as many are asked about what never was.
    pub per_cell: usize,
    /// Source of the lots.
    pub seed: u64,
    /// Least distance of the last mention, in windows; 0 for all needs.
    pub windows: f64,
}

impl Default for Draw {
    fn default() -> Draw {
        Draw { per_cell: 12, seed: 1, windows: 1.0 }
    }
}

/// A need of a fact, as the run recorded it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Need {
    /// Index in `Truth::demands`.
    pub demand: u32,
    /// The fact.
    pub fact: FactId,
    /// The step, from 1.
    pub step: u32,
    /// Distance of its last mention in windows.
    pub windows: f64,
    /// Whether the recorded session was compacted between the two.
    pub compacted: bool,
}

/// A question of a session.
#[derive(Clone, Debug)]
pub struct Item {
    /// Digest of version, session, fact, step and wording.
    pub id: String,
    /// The fact, or the decoy, as files name it.
    pub(super) fact: String,
    pub(super) fact_kind: FactKind,
    pub(super) step: u32,
    pub(super) question: Question,
    pub(super) statement: String,
    /// `None` for decoys.
    pub(super) need: Option<Need>,
}

/// All questions of a session, in order.
#[derive(Clone, Debug, Default)]
pub struct Sheet {
    /// About facts, and about decoys behind them.
    pub items: Vec<Item>,
    /// How many needs there were, and what was left of them.
    pub counts: SheetCounts,
}

/// How many needs there were and why some are not asked about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct SheetCounts {
    /// Needs far enough.
    pub needs: usize,
    /// Of these, with a question whose answer stands for no other.
    pub sole: usize,
    /// Of these, whose description the log ties to the fact.
    pub fair: usize,
    /// Questions drawn about facts.
    pub drawn: usize,
    /// Questions about what was never stated.
    pub decoys: usize,
}

/// Draws the questions of a session; `spare` are decoys for sessions without any of their own.
pub fn draw(
    session: &Session,
    name: (&str, u64),
    needs: &[Need],
    spare: &[Fact],
    how: Draw,
) -> Sheet {
    let lots = Seed(how.seed).derive(&["questions", name.0, &name.1.to_string()]);
    let facts = session.book.truth.facts.iter();
    let gists = facts.map(|fact| cue(fact).map(|(_, cue)| gist(&cue))).collect();
    let drawing = Drawing { session, name, lots, gists };
    let mut counts = SheetCounts::default();
    let mut strata = Strata::new();
    for need in needs.iter().filter(|need| need.compacted || need.windows >= how.windows) {
        counts.needs += 1;
        let Some(fact) = session.book.truth.facts.get(need.fact.index()) else { continue };
        let (is_sole, questions) = drawing.candidates(fact, *need);
        counts.sole += usize::from(is_sole);
        counts.fair += usize::from(!questions.is_empty());
        for (contrast, question) in questions {
            let stratum = (question.kind, contrast);
            let lot = format!("{}/{contrast}", question.kind.name());
            let lot = drawing.lot("need", *need, &[&lot]);
            let item = drawing.item(need.fact.0.to_string(), fact, need.step, question);
            strata.entry(stratum).or_default().push((lot, Item { need: Some(*need), ..item }));
        }
    }
    let mut items = taken(strata, how.per_cell);
    counts.drawn = items.len();
    let decoys = drawing.decoys(&items, spare);
    counts.decoys = decoys.len();
    items.extend(decoys);
    Sheet { items, counts }
}

type Strata = BTreeMap<(Kind, bool), Vec<(u64, Item)>>;

struct Drawing<'a> {
    session: &'a Session,
    name: (&'a str, u64),
    lots: Seed,
    gists: Vec<Option<String>>,
}

impl Drawing<'_> {
    fn lot(&self, purpose: &str, need: Need, more: &[&str]) -> u64 {
        let (fact, step) = (need.fact.0.to_string(), need.step.to_string());
        self.lots.derive(&[&[purpose, &fact, &step], more].concat()).0
    }

    fn item(&self, name: String, fact: &Fact, step: u32, question: Question) -> Item {
        let (scenario, seed) = self.name;
        let text =
            format!("{QUESTIONS_VERSION}\n{scenario}\n{seed}\n{name}\n{step}\n{}", question.text);
        Item {
            id: format!("q-{}", &Digest::of(text.as_bytes()).0[..10]),
            fact: name,
            fact_kind: fact.kind,
            step,
            question,
            statement: fact.statement.clone(),
            need: None,
        }
    }

    /// Whether its answer stands for no other, and the questions that are fair, each with whether
    /// it is about a free choice.
    fn candidates(&self, fact: &Fact, need: Need) -> (bool, Vec<(bool, Question)>) {
        let (session, index) = (self.session, need.step.saturating_sub(1) as usize);
        let step = session.steps.get(index);
        let Some(step) = step.filter(|_| holds(session, fact.id, index)) else {
            return (false, Vec::new());
        };
        let before = MsgId(step.appended.start as u32);
        let thing = wording::thing(fact).filter(|_| self.is_sole(fact.id, index));
        let barred = fact.kind.has_polarity();
        let against = self.lot("sense", need, &[]) & 1 == 0;
        let is_ruled = barred || is_free(session, fact);
        let ruling = is_ruled.then(|| wording::ruling(fact, against, barred)).flatten();
        let is_sole = thing.is_some() || ruling.is_some();
        let thing = thing.filter(|_| is_tied(session, fact, before));
        let ruling = ruling.map(|question| (!barred, question));
        (is_sole, thing.map(|question| (false, question)).into_iter().chain(ruling).collect())
    }

    /// Whether the description of a fact fits no other that holds at the step (by index).
    fn is_sole(&self, fact: FactId, step: usize) -> bool {
        let Some(Some(own)) = self.gists.get(fact.index()) else { return false };
        let same = self.gists.iter().zip(0..).filter(|(gist, _)| gist.as_ref() == Some(own));
        let mut held = same.filter(|(_, other)| holds(self.session, FactId(*other), step));
        held.all(|(_, id)| id == fact.0)
    }

    /// Whether a description, of something never stated, fits nothing that was.
    fn is_foreign(&self, decoy: &Fact) -> bool {
        let own = cue(decoy).map(|(_, cue)| gist(&cue));
        let fits = own.is_some() && self.gists.contains(&own);
        let occurs = |needle: &Needle| {
            let own = fold(needle.text());
            let mut messages = self.session.log.messages.iter();
            messages.any(|message| fold(&message.content).contains(&own))
        };
        !fits && !decoy.needles.iter().all(occurs)
    }

    /// Questions about what was never stated, at steps at which others are asked.
    fn decoys(&self, items: &[Item], spare: &[Fact]) -> Vec<Item> {
        if items.is_empty() {
            return Vec::new();
        }
        let asked = |decoys: &[Fact]| {
            let mut strata = Strata::new();
            for decoy in decoys.iter().filter(|one| self.is_foreign(one)) {
                let number = decoy.id.0.to_string();
                let lot = self.lots.derive(&["decoy", &number]).0;
                let question = match decoy.kind.has_polarity() {
                    true => wording::ruling(decoy, lot & 1 == 0, true),
                    false => wording::thing(decoy),
                };
                let Some(question) = question else { continue };
                let step = items[(lot >> 1) as usize % items.len()].step;
                let stratum = (question.kind, false);
                let item = self.item(format!("decoy-{number}"), decoy, step, question);
                strata.entry(stratum).or_default().push((lot, item));
            }
            strata
        };
        let own = asked(&self.session.book.truth.decoys);
        let strata = if own.is_empty() { asked(spare) } else { own };
        taken(strata, items.len().div_ceil(3))
    }
}

/// From each stratum in turn, in the order of the lots, each need once, until there are enough.
fn taken(mut strata: Strata, most: usize) -> Vec<Item> {
    for items in strata.values_mut() {
        items.sort_by_key(|(lot, item)| Reverse((*lot, item.id.clone())));
    }
    let mut items: Vec<Item> = Vec::new();
    while items.len() < most && strata.values().any(|left| !left.is_empty()) {
        for left in strata.values_mut() {
            let known = |item: &Item| {
                items.iter().any(|one| (&one.fact, one.step) == (&item.fact, item.step))
            };
            let next = loop {
                match left.pop() {
                    Some((_, item)) if known(&item) => {}
                    next => break next,
                }
            };
            items.extend(next.map(|(_, item)| item).filter(|_| items.len() < most));
        }
    }
    items.sort_by(|a, b| (a.step, &a.id).cmp(&(b.step, &b.id)));
    items
}

const AROUND: usize = 300;
/// Share of a description's words that must stand there.
const TIED: f64 = 0.5;
const EMPTY: [&str; 24] = [
    "the", "and", "for", "now", "has", "have", "are", "was", "with", "from", "into", "that",
    "this", "its", "new", "run", "uses", "use", "done", "still", "does", "near", "around", "after",
];

fn telling(text: &str) -> Vec<String> {
    let folded = fold(text);
    let words = folded.split(|letter: char| !letter.is_alphanumeric());
    let mut words: Vec<String> =
        words.filter(|word| word.len() > 2 && !EMPTY.contains(word)).map(str::to_owned).collect();
    words.sort();
    words.dedup();
    words
}

/// A description as compared with others: without articles and punctuation.
fn gist(cue: &str) -> String {
    let folded = fold(cue);
    let words = folded.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    let kept = words.filter(|word| !word.is_empty() && !["a", "an", "the"].contains(word));
    kept.collect::<Vec<&str>>().join(" ")
}

/// Whether some message before the step's answer ties the description to the thing.
fn is_tied(session: &Session, fact: &Fact, before: MsgId) -> bool {
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
        let start = text.floor_char_boundary(place.saturating_sub(AROUND));
        let end = text.ceil_char_boundary(place + needle.len() + AROUND);
        let near: FxHashSet<&str> =
            text[start..end].split(|letter: char| !letter.is_alphanumeric()).collect();
        let found = words.iter().filter(|word| near.contains(word.as_str())).count();
        found as f64 >= TIED * words.len() as f64
    })
}

/// Whether what is asked about a choice would be barred by some rule all the same.
fn is_free(session: &Session, fact: &Fact) -> bool {
    let ruled = session.book.truth.facts.iter().filter(|other| other.kind.has_polarity());
    let mut barred = ruled.flat_map(|other| &other.needles);
    fact.needles.first().is_some_and(|own| !barred.any(|needle| needle.text() == own.text()))
}

fn holds(session: &Session, fact: FactId, step: usize) -> bool {
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
