//! Counting text that is made during a run: summaries, prompts, rewrites.

use std::cell::RefCell;
use std::sync::{Arc, Mutex};

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

/// Counts of the longer texts of a session, shared by its cells: configurations with a
/// tier in common, and the floor probe, make the same summaries again.
#[derive(Debug, Default)]
pub struct Counted(Mutex<FxHashMap<([u8; 16], Tokenizer), Tokens>>);

impl Counted {
    fn count(&self, text: &str, tokenizer: Tokenizer) -> Tokens {
        let mut digest = [0; 16];
        digest.copy_from_slice(&blake3::hash(text.as_bytes()).as_bytes()[..16]);
        let key = (digest, tokenizer);
        // A poisoned lock only means that another cell panicked; the map is whole.
        let known = || self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(known) = known().get(&key) {
            return *known;
        }
        let counted = tokenizer.count(text);
        known().insert(key, counted);
        counted
    }
}

/// Counts text in reference tokens and by the pipeline's own counter.
#[derive(Clone, Debug)]
pub struct Tally {
    counter: Counter,
    known: Known,
    known_own: Known,
    counted: Arc<Counted>,
}

impl Tally {
    /// For a pipeline's counter.
    pub fn new(counter: Counter) -> Tally {
        Tally::sharing(counter, Arc::default())
    }

    /// For a pipeline's counter, with what other cells of the session have counted.
    pub fn sharing(counter: Counter, counted: Arc<Counted>) -> Tally {
        Tally { counter, known: Known::default(), known_own: Known::default(), counted }
    }

    /// The pipeline's counter.
    pub fn counter(&self) -> Counter {
        self.counter
    }

    /// Reference tokens of a text.
    pub fn reference(&self, text: &str) -> Tokens {
        self.counted.count(text, Counter::REFERENCE.tokenizer)
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
                self.counted.count(content, tokenizer)
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
