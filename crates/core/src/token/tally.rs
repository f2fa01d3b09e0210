//! Counting text that is made during a run: summaries, prompts, rewrites.

use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;

use crate::ident::key_of;
use crate::log::Call;
use crate::token::{Counter, MessageTokens, Tokenizer};
use crate::unit::Tokens;

/// Counts of a session's texts, shared by its cells: the same notices and summaries come again.
#[derive(Debug, Default)]
pub struct Counted(Mutex<FxHashMap<(u128, Tokenizer), Tokens>>);

impl Counted {
    fn count(&self, text: &str, tokenizer: Tokenizer) -> Tokens {
        let key = (key_of([text]), tokenizer);
        // A poisoned lock only means that another cell panicked; the map is whole.
        let known = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
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
    counted: Arc<Counted>,
}

impl Tally {
    /// For a pipeline's counter.
    pub fn new(counter: Counter) -> Tally {
        Tally::sharing(counter, Arc::default())
    }

    /// For a pipeline's counter, with what other cells of the session have counted.
    pub fn sharing(counter: Counter, counted: Arc<Counted>) -> Tally {
        Tally { counter, counted }
    }

    /// Reference tokens of a text.
    pub fn reference(&self, text: &str) -> Tokens {
        self.counted.count(text, Counter::REFERENCE.tokenizer)
    }

    /// A whole message: reference counts, and the counter's total with its per-message overhead.
    pub fn message(&self, content: &str, calls: &[Call]) -> (MessageTokens, Tokens) {
        let counts = |tokenizer: Tokenizer| MessageTokens {
            content: self.counted.count(content, tokenizer),
            calls: calls.iter().map(|call| tokenizer.count_call(call)).collect(),
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
