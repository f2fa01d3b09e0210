//! Sessions written message by message, for cases that a draw would hit by chance. They hold no
//! truth, so retention cannot be read from them; only roles, lengths and order mean something.

use proctor_core::drive::{Limits, Session};
use proctor_core::log::{Log, Text};
use proctor_core::testkit::{self, Line};
use proctor_core::token::Tokenizer;
use proctor_core::truth::Truth;
use proctor_core::unit::Tokens;

/// A log in the making, with a short system prompt and one tool. Sizes are tokens, roughly.
#[derive(Clone, Debug)]
pub struct Construction(pub Log);

impl Construction {
    pub fn new() -> Construction {
        Construction(testkit::log(Vec::new()))
    }

    pub fn system(&mut self, tokens: u32) -> &mut Construction {
        self.0.system = Text::from(filler("system", tokens));
        self
    }

    /// A person's message: opens a turn.
    pub fn user(&mut self, tokens: u32) -> &mut Construction {
        let text = self.numbered("request", tokens);
        self.push(Line::User(&text))
    }

    pub fn user_says(&mut self, text: &str) -> &mut Construction {
        self.push(Line::User(text))
    }

    /// A message that the harness puts into the user's role: a rejected approval, a stop.
    pub fn notice(&mut self, text: &str) -> &mut Construction {
        self.push(Line::Injected(text))
    }

    fn calls(&mut self, calls: usize) -> Vec<String> {
        let index = self.0.messages.len();
        let ids: Vec<String> = (0..calls).map(|number| format!("call-{index}-{number}")).collect();
        let args = |number| format!("{{\"command\":\"make target-{index}-{number}\"}}");
        let args: Vec<String> = (0..calls).map(args).collect();
        let calls: Vec<(&str, &str, &str)> =
            ids.iter().zip(&args).map(|(id, args)| (&**id, "run", &**args)).collect();
        self.push(Line::Calls("", &calls));
        ids
    }

    /// One assistant message with so many calls, and their results of this size each.
    pub fn round(&mut self, calls: usize, tokens: u32) -> &mut Construction {
        for call in self.calls(calls) {
            let text = self.numbered("output", tokens);
            self.push(Line::Output(&call, &text));
        }
        self
    }

    pub fn pairs(&mut self, pairs: usize, tokens: u32) -> &mut Construction {
        for _ in 0..pairs {
            self.round(1, tokens);
        }
        self
    }

    /// A call whose result never comes: the agent ends its turn by it.
    pub fn closing(&mut self) -> &mut Construction {
        self.calls(1);
        self
    }

    pub fn answer(&mut self, tokens: u32) -> &mut Construction {
        let text = self.numbered("answer", tokens);
        self.push(Line::Says(&text))
    }

    /// The session without truth, counted for every tokenizer.
    pub fn session(&self) -> Session {
        Session::new(self.0.clone(), Truth::default(), Tokenizer::ALL)
    }

    fn numbered(&self, what: &str, tokens: u32) -> String {
        filler(&format!("{what} {}", self.0.messages.len()), tokens)
    }

    fn push(&mut self, line: Line) -> &mut Construction {
        self.0.messages.push(testkit::message(self.0.messages.len(), line));
        self
    }
}

/// A provider of text alone with this window and this longest answer.
pub fn provider(window: u64, max_output: u64) -> Limits {
    Limits::new(Tokens(window), Tokens(max_output))
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
    const WORDS: &str = "the build reads every file in order and writes one line there.";
    let words = WORDS.split(' ').cycle().take(tokens.saturating_sub(3) as usize);
    [beginning].into_iter().chain(words).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_and_results_pair_in_order() {
        let mut made = Construction::new();
        made.user(50).round(2, 20).pairs(1, 20).closing().user(10).answer(5);
        let messages = &made.0.messages;
        let answered: Vec<_> = messages.iter().filter_map(|one| one.answers.as_ref()).collect();
        let called: Vec<_> = messages.iter().flat_map(|one| &one.calls).map(|c| &c.id).collect();
        assert_eq!(answered[..], called[..3], "the closing call has no result");
        assert_eq!(made.0.turns().len(), 2);
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
