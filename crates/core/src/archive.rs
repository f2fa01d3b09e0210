//! A searchable archive of what has left a view, word for word: Okapi BM25 over passages. Written
//! here because `bm25` 2.3 ranks equal scores by random hash order. Here terms are added up in
//! their own order, and of equal scores the newer passage comes first.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use crate::ident::MsgId;
use crate::log::{Message, Past, Text};
use crate::view::View;

/// Most bytes of a passage; a single line may be longer.
const PASSAGE: usize = 1_200;
/// How fast more of the same term stops counting (BM25's k1).
const SATURATION: f64 = 1.2;
/// How much a long passage is held against it (BM25's b).
const LENGTH: f64 = 0.75;

/// A stretch of an archived message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passage {
    pub message: MsgId,
    pub text: Text,
    terms: u32,
}

/// Passages with their index.
#[derive(Clone, Debug, Default)]
pub struct Archive {
    passages: Vec<Passage>,
    /// By term: the passages that hold it and how often, ascending.
    postings: FxHashMap<Box<str>, Vec<(u32, u32)>>,
    terms: u64,
    taken: Vec<bool>,
}

impl Archive {
    /// Takes in every message that has happened and that the view no longer holds as it was.
    pub fn follow(&mut self, view: &View, past: Past) {
        let mut held = vec![false; past.messages.len()];
        for entry in view.entries().iter().filter(|entry| !entry.rewritten && !entry.again) {
            if let Some(held) = entry.origin.and_then(|message| held.get_mut(message.index())) {
                *held = true;
            }
        }
        self.taken.resize(past.messages.len().max(self.taken.len()), false);
        for message in past.messages {
            let place = message.id.index();
            if !held[place] && !std::mem::replace(&mut self.taken[place], true) {
                self.take(message);
            }
        }
    }

    /// The best passages for a query, best first, at most so many.
    pub fn search(&self, query: &str, most: usize) -> Vec<&Passage> {
        let wanted: BTreeSet<String> = terms(query).collect();
        let mut scores = vec![0.0_f64; self.passages.len()];
        let mean = self.terms as f64 / (self.passages.len().max(1)) as f64;
        for postings in wanted.iter().filter_map(|term| self.postings.get(term.as_str())) {
            let rarity = self.rarity(postings.len());
            for (place, count) in postings {
                let passage = &self.passages[*place as usize];
                let count = f64::from(*count);
                let length = 1.0 - LENGTH + LENGTH * f64::from(passage.terms) / mean;
                scores[*place as usize] +=
                    rarity * count * (SATURATION + 1.0) / (count + SATURATION * length);
            }
        }
        let mut found: Vec<usize> =
            (0..scores.len()).filter(|place| scores[*place] > 0.0).collect();
        found.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]).then(b.cmp(a)));
        found.into_iter().take(most).map(|place| &self.passages[place]).collect()
    }

    /// Inverse document frequency, never negative.
    fn rarity(&self, holding: usize) -> f64 {
        let (all, holding) = (self.passages.len() as f64, holding as f64);
        (1.0 + (all - holding + 0.5) / (holding + 0.5)).ln()
    }

    fn take(&mut self, message: &Message) {
        for text in passages(&words(message)) {
            let place = self.passages.len() as u32;
            let mut counts: FxHashMap<String, u32> = FxHashMap::default();
            let mut all = 0;
            for term in terms(text) {
                *counts.entry(term).or_default() += 1;
                all += 1;
            }
            // Every term has a list of its own: the order of the map does not show.
            for (term, count) in counts {
                self.postings.entry(term.into_boxed_str()).or_default().push((place, count));
            }
            self.terms += u64::from(all);
            self.passages.push(Passage { message: message.id, text: text.into(), terms: all });
        }
    }
}

fn words(message: &Message) -> String {
    let calls = message.calls.iter().map(|call| format!("\n[{}] {}", call.name, call.args));
    [message.content.to_string()].into_iter().chain(calls).collect()
}

/// A text in stretches of whole lines.
fn passages(text: &str) -> Vec<&str> {
    let (mut found, mut start, mut end) = (Vec::new(), 0, 0);
    for line in text.split_inclusive('\n') {
        if end > start && end + line.len() - start > PASSAGE {
            found.push(text[start..end].trim());
            start = end;
        }
        end += line.len();
    }
    found.push(text[start..].trim());
    found.retain(|passage| !passage.is_empty());
    found
}

/// Letters, digits and underscores that stand together, in lower case.
fn terms(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|term| !term.is_empty())
        .map(str::to_lowercase)
}

#[cfg(test)]
mod tests;
