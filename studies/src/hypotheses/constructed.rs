//! Sessions written message by message, for cases that a draw would hit by chance.
//!
//! They hold no truth: nothing is planted, so retention cannot be read from them. Their
//! words are filler; only roles, lengths and order mean something.

use std::collections::VecDeque;
use std::sync::Arc;

use proctor_core::drive::{Limits, Session};
use proctor_core::ident::MsgId;
use proctor_core::log::{Author, Call, CallId, Log, Message, Role, Text};
use proctor_core::token::{Counter, TokenTable, Tokenizer};
use proctor_core::truth::Truth;
use proctor_core::unit::{Millis, Tokens};
use proctor_core::watch::FactBook;
use proctor_eval::scenario::{Admits, Wire};

/// Time between two messages of a constructed session.
const BEAT: Millis = Millis(1_000);

/// A log in the making.
#[derive(Clone, Debug)]
pub struct Construction {
    log: Log,
    open: VecDeque<CallId>,
}

impl Construction {
    /// An empty session with a short system prompt and one tool.
    pub fn new(name: &str) -> Construction {
        let log = Log {
            id: name.to_owned(),
            source: "constructed".to_owned(),
            system: Text::from("You are an agent."),
            tools: Text::from("run"),
            overhead: Tokens::ZERO,
            messages: Vec::new(),
            boundaries: Vec::new(),
            usage: Vec::new(),
        };
        Construction { log, open: VecDeque::new() }
    }

    /// With a system prompt of about this many tokens.
    pub fn system(&mut self, tokens: u32) -> &mut Construction {
        self.log.system = Text::from(filler("system", tokens));
        self
    }

    /// A person's message of about this many tokens: opens a turn.
    pub fn user(&mut self, tokens: u32) -> &mut Construction {
        let text = self.numbered("request", tokens);
        self.user_says(&text)
    }

    /// A person's message in these words.
    pub fn user_says(&mut self, text: &str) -> &mut Construction {
        self.push(Role::User, Author::Human, text, Vec::new(), None)
    }

    /// A message that the harness puts into the user's role: a rejected approval, a stop.
    pub fn notice(&mut self, text: &str) -> &mut Construction {
        self.push(Role::User, Author::Harness, text, Vec::new(), None)
    }

    /// One assistant message with so many calls, without their results.
    pub fn calls(&mut self, calls: usize) -> &mut Construction {
        let index = self.log.messages.len();
        let calls: Vec<Call> = (0..calls)
            .map(|number| Call {
                id: CallId::new(&format!("call-{index}-{number}")),
                name: Text::from("run"),
                args: Text::from(format!("{{\"command\":\"make target-{index}-{number}\"}}")),
            })
            .collect();
        self.open.extend(calls.iter().map(|call| call.id.clone()));
        self.push(Role::Assistant, Author::Agent, "", calls, None)
    }

    /// The result of the oldest call that has none, of about this many tokens. Nothing
    /// where every call has its result.
    pub fn result(&mut self, tokens: u32) -> &mut Construction {
        let Some(call) = self.open.pop_front() else {
            return self;
        };
        let text = self.numbered("output", tokens);
        self.push(Role::Tool, Author::Harness, &text, Vec::new(), Some(call))
    }

    /// One assistant message with so many calls, and their results of about this many
    /// tokens each.
    pub fn round(&mut self, calls: usize, tokens: u32) -> &mut Construction {
        self.calls(calls);
        for _ in 0..calls {
            self.result(tokens);
        }
        self
    }

    /// So many rounds of one call each.
    pub fn pairs(&mut self, pairs: usize, tokens: u32) -> &mut Construction {
        for _ in 0..pairs {
            self.round(1, tokens);
        }
        self
    }

    /// A call whose result never comes: the agent ends its turn by it.
    pub fn closing(&mut self) -> &mut Construction {
        self.calls(1);
        self.open.pop_back();
        self
    }

    /// An assistant message without calls, of about this many tokens.
    pub fn answer(&mut self, tokens: u32) -> &mut Construction {
        let text = self.numbered("answer", tokens);
        self.answer_says(&text)
    }

    /// An assistant message without calls, in these words.
    pub fn answer_says(&mut self, text: &str) -> &mut Construction {
        self.push(Role::Assistant, Author::Agent, text, Vec::new(), None)
    }

    /// The log so far.
    #[cfg(test)]
    pub fn log(&self) -> &Log {
        &self.log
    }

    /// The session, counted for every tokenizer.
    pub fn session(&self) -> Session {
        session_of(self.log.clone())
    }

    fn numbered(&self, what: &str, tokens: u32) -> String {
        filler(&format!("{what} {}", self.log.messages.len()), tokens)
    }

    fn push(
        &mut self,
        role: Role,
        author: Author,
        text: &str,
        calls: Vec<Call>,
        answers: Option<CallId>,
    ) -> &mut Construction {
        let index = self.log.messages.len();
        self.log.messages.push(Message {
            id: MsgId(index as u32),
            role,
            author,
            at: Millis(BEAT.0 * index as u64),
            content: Text::from(text),
            calls,
            answers,
            failed: false,
        });
        self
    }
}

/// A log made ready to be driven, without truth.
pub fn session_of(log: Log) -> Session {
    let steps = log.steps();
    let reference = TokenTable::new(&log, Counter::REFERENCE.tokenizer);
    let book = Arc::new(FactBook::new(&log, &steps, Truth::default(), &reference));
    let others = Tokenizer::ALL.into_iter().filter(|t| *t != Counter::REFERENCE.tokenizer);
    let tables = others.map(|tokenizer| TokenTable::new(&log, tokenizer)).collect();
    Session { turns: log.turns().len() as u32, log, steps, reference, tables, book }
}

/// A provider of text alone with this window and this longest answer.
pub fn provider(window: u64, max_output: u64) -> Limits {
    Limits {
        window: Tokens(window),
        max_output: Tokens(max_output),
        admits: Admits::Prompt,
        wire: Wire::Text,
        cut_off_every: 0,
    }
}

/// The same with room for answers of 8,192 tokens.
pub fn window(tokens: u64) -> Limits {
    provider(tokens, 8_192)
}

/// A provider that refuses nothing.
pub fn windowless() -> Limits {
    window(Tokens::UNBOUNDED.0)
}

/// Words of one token each, in sentences, after a beginning of their own.
fn filler(beginning: &str, tokens: u32) -> String {
    const WORDS: [&str; 12] = [
        "the", "build", "reads", "every", "file", "in", "order", "and", "writes", "one", "line",
        "there",
    ];
    let mut text = beginning.to_owned();
    for (place, word) in WORDS.iter().cycle().take(tokens.saturating_sub(3) as usize).enumerate() {
        text.push(' ');
        text.push_str(word);
        if place % WORDS.len() == WORDS.len() - 1 {
            text.push('.');
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_and_results_pair_in_order() {
        let mut made = Construction::new("pairs");
        made.user(50).calls(2).result(20).result(20).pairs(1, 20).closing().user(10).answer(5);
        let log = made.log();
        let answered: Vec<&CallId> =
            log.messages.iter().filter_map(|message| message.answers.as_ref()).collect();
        let called: Vec<&CallId> =
            log.messages.iter().flat_map(|m| &m.calls).map(|call| &call.id).collect();
        assert_eq!(answered[..], called[..3], "the closing call has no result");
        assert_eq!(log.turns().len(), 2);
        assert!(made.clone().result(5).log().messages.len() == log.messages.len());
    }

    #[test]
    fn messages_have_about_the_length_that_was_asked_for() {
        let mut made = Construction::new("lengths");
        for tokens in [50, 500, 5_000] {
            made.user(tokens).answer(1);
        }
        let session = made.session();
        for (message, wanted) in [(0_usize, 50.0), (2, 500.0), (4, 5_000.0)] {
            let counts = session.reference.messages[message].total().as_f64();
            assert!((counts / wanted - 1.0).abs() < 0.15, "{counts} for {wanted}");
        }
    }
}
