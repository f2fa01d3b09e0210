//! Sessions written message by message, for cases that a draw would hit by chance.
//!
//! They hold no truth: nothing is planted, so retention cannot be read from them. Their
//! words are filler; only roles, lengths and order mean something.

use std::collections::VecDeque;

use proctor_core::drive::{Limits, Session};
use proctor_core::log::{Log, Text};
use proctor_core::testkit::{self, Line};
use proctor_core::token::Tokenizer;
use proctor_core::truth::Truth;
use proctor_core::unit::Tokens;
use proctor_eval::scenario::{Admits, Wire};

/// A log in the making, with a short system prompt and one tool.
#[derive(Clone, Debug)]
pub struct Construction {
    log: Log,
    /// The calls that have no result yet.
    open: VecDeque<String>,
}

impl Construction {
    pub fn new() -> Construction {
        Construction { log: testkit::log(Vec::new()), open: VecDeque::new() }
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
        self.push(Line::User(text))
    }

    /// A message that the harness puts into the user's role: a rejected approval, a stop.
    pub fn notice(&mut self, text: &str) -> &mut Construction {
        self.push(Line::Injected(text))
    }

    /// One assistant message with so many calls, without their results.
    pub fn calls(&mut self, calls: usize) -> &mut Construction {
        let index = self.log.messages.len();
        let made = |number: usize| {
            let args = format!("{{\"command\":\"make target-{index}-{number}\"}}");
            (format!("call-{index}-{number}"), args)
        };
        let made: Vec<(String, String)> = (0..calls).map(made).collect();
        let calls: Vec<(&str, &str, &str)> =
            made.iter().map(|(id, args)| (id.as_str(), "run", args.as_str())).collect();
        self.open.extend(made.iter().map(|(id, _)| id.clone()));
        self.push(Line::Calls("", &calls))
    }

    /// The result of the oldest call that has none, of about this many tokens. Nothing
    /// where every call has its result.
    pub fn result(&mut self, tokens: u32) -> &mut Construction {
        let Some(call) = self.open.pop_front() else { return self };
        let text = self.numbered("output", tokens);
        self.push(Line::Output(&call, &text))
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
        self.push(Line::Says(&text))
    }

    /// The log so far.
    #[cfg(test)]
    pub fn log(&self) -> &Log {
        &self.log
    }

    /// The session without truth, counted for every tokenizer.
    pub fn session(&self) -> Session {
        Session::new(self.log.clone(), Truth::default(), Tokenizer::ALL)
    }

    fn numbered(&self, what: &str, tokens: u32) -> String {
        filler(&format!("{what} {}", self.log.messages.len()), tokens)
    }

    fn push(&mut self, line: Line) -> &mut Construction {
        self.log.messages.push(testkit::message(self.log.messages.len(), line));
        self
    }
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
        let mut made = Construction::new();
        made.user(50).calls(2).result(20).result(20).pairs(1, 20).closing().user(10).answer(5);
        let log = made.log();
        let answered: Vec<_> =
            log.messages.iter().filter_map(|message| message.answers.as_ref()).collect();
        let called: Vec<_> =
            log.messages.iter().flat_map(|m| &m.calls).map(|call| &call.id).collect();
        assert_eq!(answered[..], called[..3], "the closing call has no result");
        assert_eq!(log.turns().len(), 2);
        assert!(made.clone().result(5).log().messages.len() == log.messages.len());
    }

    #[test]
    fn messages_have_about_the_length_that_was_asked_for() {
        let mut made = Construction::new();
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
