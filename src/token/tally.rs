//! Counting text that is made during a run: summaries, prompts, rewrites.

use std::cell::RefCell;

use rustc_hash::FxHashMap;

use crate::log::{Call, Text};
use crate::token::{Counter, MessageTokens, Tokenizer};
use crate::unit::Tokens;

/// Contents up to this length are remembered: notices, placeholders and tags come
/// again and again, longer texts are mostly summaries, each of its own.
const SHORT: usize = 64;
/// Most texts that are remembered, by tokenizer.
const CAPACITY: usize = 256;

/// Counts of texts that were counted before.
type Known = RefCell<FxHashMap<Text, Tokens>>;

/// Counts text in reference tokens and by the pipeline's own counter.
#[derive(Clone, Debug)]
pub struct Tally {
    counter: Counter,
    known: Known,
    known_own: Known,
}

impl Tally {
    /// For a pipeline's counter.
    pub fn new(counter: Counter) -> Tally {
        Tally { counter, known: Known::default(), known_own: Known::default() }
    }

    /// The pipeline's counter.
    pub fn counter(&self) -> Counter {
        self.counter
    }

    /// Reference tokens of a text.
    pub fn reference(&self, text: &str) -> Tokens {
        Counter::REFERENCE.tokenizer.count(text)
    }

    /// Reference tokens of a text that is likely to be counted again: a strategy's
    /// own words, in every prompt the same.
    pub fn recurring(&self, text: &Text) -> Tokens {
        remembered(&self.known, text, || text.clone(), Counter::REFERENCE.tokenizer)
    }

    /// A whole message: reference counts, and the counter's total with its
    /// per-message overhead.
    pub fn message(&self, content: &str, calls: &[Call]) -> (MessageTokens, Tokens) {
        let counts = |tokenizer: Tokenizer, known: &Known| MessageTokens {
            content: if content.len() > SHORT {
                tokenizer.count(content)
            } else {
                remembered(known, content, || Text::from(content), tokenizer)
            },
            calls: calls
                .iter()
                .map(|call| tokenizer.count(&call.name) + tokenizer.count(&call.args))
                .collect(),
        };
        let reference = counts(Counter::REFERENCE.tokenizer, &self.known);
        let own = if self.counter.tokenizer == Counter::REFERENCE.tokenizer {
            reference.total()
        } else {
            counts(self.counter.tokenizer, &self.known_own).total()
        };
        (reference, own + self.counter.overhead())
    }
}

/// The count of a text, known or now known.
fn remembered(
    known: &Known,
    text: &str,
    owned: impl FnOnce() -> Text,
    tokenizer: Tokenizer,
) -> Tokens {
    if let Some(known) = known.borrow().get(text) {
        return *known;
    }
    let counted = tokenizer.count(text);
    let mut known = known.borrow_mut();
    if known.len() < CAPACITY {
        known.insert(owned(), counted);
    }
    counted
}
