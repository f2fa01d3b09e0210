//! Token counting: exact byte-pair counts and the heuristics that real strategies use instead.
//! Every message is counted once per session and counter, shared by all cells ([`TokenTable`]).

mod bpe;

use std::sync::LazyLock;

use crate::log::{Call, Log, Message};
use crate::memo::{Memo, key_of};
use crate::parallel::each;
use crate::prelude::*;
use crate::words;

/// Texts from this length on, in bytes, are counted once in a process.
const LARGE: usize = 1 << 16;

static LARGE_TEXTS: LazyLock<Memo<(u128, Tokenizer), Tokens>> = LazyLock::new(Memo::default);

words! {
    /// How text is turned into a number of tokens.
    #[derive(Default)]
    pub enum Tokenizer {
        /// OpenAI's `o200k_base` vocabulary: the reference.
        #[default]
        O200k = "o200k",
        /// OpenAI's `cl100k_base` vocabulary (Forge).
        Cl100k = "cl100k",
        /// Characters by four, rounded down (ADR-0014's Prune, Goat, Codex); off by -42 % to +28 %.
        Chars4 = "chars4",
    }
}

impl Tokenizer {
    /// Tokens of a text. Special-token look-alikes are ordinary text. Never panics.
    pub fn count(self, text: &str) -> Tokens {
        if text.is_empty() {
            return Tokens::ZERO;
        }
        if text.len() < LARGE {
            return self.counted(text);
        }
        // Loading, describing and driving a session each count it.
        LARGE_TEXTS.of((key_of([text]), self), || self.counted(text))
    }

    fn counted(self, text: &str) -> Tokens {
        match self {
            Tokenizer::O200k => bpe::o200k(text),
            Tokenizer::Cl100k => bpe::cl100k(text),
            Tokenizer::Chars4 => Tokens(text.chars().count() as u64 / 4),
        }
    }

    fn count_call(self, call: &Call) -> Tokens {
        self.count(&call.name) + self.count(&call.args)
    }
}

/// What a strategy counts with: a tokenizer and its per-message arithmetic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Counter {
    /// Turns text into tokens.
    pub tokenizer: Tokenizer,
    /// Added per message.
    pub per_message: u64,
    /// Whether the role's name is counted (one token in every vocabulary).
    pub role: bool,
    /// Added once per list of messages.
    pub per_list: u64,
}

impl Counter {
    /// Reference tokens: `o200k_base`, text only.
    pub const REFERENCE: Counter =
        Counter { tokenizer: Tokenizer::O200k, per_message: 0, role: false, per_list: 0 };

    /// What each message costs beyond its text.
    pub fn overhead(&self) -> Tokens {
        Tokens(self.per_message + u64::from(self.role))
    }
}

/// Token counts of one message, calls apart, so that an edit recounts only what it changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MessageTokens {
    /// The content.
    pub content: Tokens,
    /// Name and arguments of each call.
    pub calls: Vec<Tokens>,
}

impl MessageTokens {
    /// Of a message's text, with this tokenizer.
    pub fn of(message: &Message, tokenizer: Tokenizer) -> MessageTokens {
        MessageTokens {
            content: tokenizer.count(&message.content),
            calls: message.calls.iter().map(|call| tokenizer.count_call(call)).collect(),
        }
    }

    /// In a session's own unit.
    fn times(self, ratio: Option<f64>) -> MessageTokens {
        let calls = self.calls.into_iter().map(|call| in_unit(call, ratio)).collect();
        MessageTokens { content: in_unit(self.content, ratio), calls }
    }

    /// Content and calls.
    pub fn total(&self) -> Tokens {
        self.content + self.calls.iter().copied().sum()
    }
}

/// Reference tokens in a session's own unit: what its recorded usage shows a token of `o200k_base` to
/// be ([`Log::ratio`]).
fn in_unit(tokens: Tokens, ratio: Option<f64>) -> Tokens {
    ratio.map_or(tokens, |ratio| Tokens((tokens.as_f64() * ratio).round() as u64))
}

impl Log {
    /// Reference tokens of a text, in the session's unit.
    pub fn tokens_of(&self, text: &str) -> Tokens {
        in_unit(Counter::REFERENCE.tokenizer.count(text), self.ratio)
    }
}

/// The counts of a whole log with one tokenizer; those of the reference in the session's unit.
#[derive(Clone, Debug)]
pub struct TokenTable {
    /// What counted.
    pub tokenizer: Tokenizer,
    /// By message id.
    pub messages: Vec<MessageTokens>,
    /// Of the system prompt.
    pub system: Tokens,
    /// Of the tool schemas.
    pub tools: Tokens,
}

impl TokenTable {
    /// Counts every message of the log once, in parallel.
    pub fn new(log: &Log, tokenizer: Tokenizer) -> TokenTable {
        let ratio = log.ratio.filter(|_| tokenizer == Counter::REFERENCE.tokenizer);
        let of = |message: &Message| {
            let counted = MessageTokens::of(message, tokenizer).times(ratio);
            MessageTokens { content: counted.content + message.images, ..counted }
        };
        TokenTable {
            tokenizer,
            messages: each(&log.messages, of),
            system: in_unit(tokenizer.count(&log.system), ratio),
            tools: in_unit(tokenizer.count(&log.tools), ratio),
        }
    }

    /// All messages together.
    pub fn total(&self) -> Tokens {
        self.messages.iter().map(MessageTokens::total).sum()
    }
}

/// Counts of a session's texts, shared by its cells: the same notices and summaries come again.
#[derive(Debug, Default)]
pub struct Counted(Memo<(u128, Tokenizer), Tokens>);

impl Counted {
    fn count(&self, text: &str, tokenizer: Tokenizer) -> Tokens {
        self.0.of((key_of([text]), tokenizer), || tokenizer.counted(text))
    }
}

/// Counts text in reference tokens and by the pipeline's own counter.
#[derive(Clone, Debug)]
pub struct Tally {
    counter: Counter,
    counted: Arc<Counted>,
    ratio: Option<f64>,
}

impl Tally {
    /// For a pipeline's counter.
    pub fn new(counter: Counter) -> Tally {
        Tally::sharing(counter, Arc::default(), None)
    }

    /// For a pipeline's counter, with what other cells of the session have counted; reference
    /// tokens in the session's unit ([`Log::ratio`]).
    pub fn sharing(counter: Counter, counted: Arc<Counted>, ratio: Option<f64>) -> Tally {
        Tally { counter, counted, ratio }
    }

    /// Reference tokens of a text.
    pub fn reference(&self, text: &str) -> Tokens {
        in_unit(self.counted.count(text, Counter::REFERENCE.tokenizer), self.ratio)
    }

    /// A whole message: reference counts, and the counter's total with its per-message overhead.
    pub fn message(&self, content: &str, calls: &[Call]) -> (MessageTokens, Tokens) {
        let counts = |tokenizer: Tokenizer| MessageTokens {
            content: self.counted.count(content, tokenizer),
            calls: calls.iter().map(|call| tokenizer.count_call(call)).collect(),
        };
        let reference = counts(Counter::REFERENCE.tokenizer).times(self.ratio);
        let own = if self.counter.tokenizer == Counter::REFERENCE.tokenizer {
            reference.total()
        } else {
            counts(self.counter.tokenizer).total()
        };
        (reference, own + self.counter.overhead())
    }
}
