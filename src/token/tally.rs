//! Counting text that is made during a run: summaries, prompts, rewrites.

use std::cell::RefCell;

use rustc_hash::FxHashMap;

use crate::log::{Call, Text};
use crate::token::{Counter, MessageTokens, Tokenizer};
use crate::unit::Tokens;

/// Texts from this length on are remembered: prompts repeat their long
/// instructions at every compaction, and counting those would cost more than all
/// the rest of a step.
const WORTH_KNOWING: usize = 200;
/// Most texts that are remembered.
const CAPACITY: usize = 256;

/// Counts text in reference tokens and by the pipeline's own counter.
#[derive(Clone, Debug)]
pub struct Tally {
    counter: Counter,
    known: RefCell<FxHashMap<Text, Tokens>>,
}

impl Tally {
    /// For a pipeline's counter.
    pub fn new(counter: Counter) -> Tally {
        Tally { counter, known: RefCell::default() }
    }

    /// The pipeline's counter.
    pub fn counter(&self) -> Counter {
        self.counter
    }

    /// Reference tokens of a text.
    pub fn reference(&self, text: &str) -> Tokens {
        Counter::REFERENCE.tokenizer.count(text)
    }

    /// Reference tokens of a text that is likely to be counted again.
    pub fn recurring(&self, text: &Text) -> Tokens {
        if text.len() < WORTH_KNOWING {
            return self.reference(text);
        }
        if let Some(known) = self.known.borrow().get(text) {
            return *known;
        }
        let counted = self.reference(text);
        let mut known = self.known.borrow_mut();
        if known.len() < CAPACITY {
            known.insert(text.clone(), counted);
        }
        counted
    }

    /// A whole message: reference counts, and the counter's total with its
    /// per-message overhead.
    pub fn message(&self, content: &str, calls: &[Call]) -> (MessageTokens, Tokens) {
        let counts = |tokenizer: Tokenizer| MessageTokens {
            content: tokenizer.count(content),
            calls: calls
                .iter()
                .map(|call| tokenizer.count(&call.name) + tokenizer.count(&call.args))
                .collect(),
        };
        let reference = counts(Counter::REFERENCE.tokenizer);
        let own = if self.counter.tokenizer == Counter::REFERENCE.tokenizer {
            reference.total()
        } else {
            counts(self.counter.tokenizer).total()
        };
        (reference, own + self.counter.overhead())
    }
}
