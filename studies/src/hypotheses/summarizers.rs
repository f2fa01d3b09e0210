//! Summarizers for constructed sessions: the first words of what they are shown, with
//! something done to each answer.

use std::sync::atomic::{AtomicUsize, Ordering};

use proctor_core::summarize::{Ask, AskError, FailureClass, Prompt, Reply, Stopped};
use proctor_core::unit::Tokens;
use proctor_strategies::summarize::simple::{Lead, Limits};

/// Answers of at most this many tokens.
pub fn brief(max_output: u64) -> Lead {
    Lead { limits: Limits { max_output: Tokens(max_output), ..Limits::default() } }
}

/// Answers a prompt in place of `lead`, whose own answer it is given.
pub struct Altered<F> {
    lead: Lead,
    alter: F,
}

impl<F: Fn(&Prompt, Reply) -> Reply + Send + Sync> Altered<F> {
    /// Answers of at most this many tokens, altered.
    pub fn new(max_output: u64, alter: F) -> Altered<F> {
        Altered { lead: brief(max_output), alter }
    }
}

impl<F: Fn(&Prompt, Reply) -> Reply + Send + Sync> Ask for Altered<F> {
    fn name(&self) -> &'static str {
        "altered"
    }
    fn window(&self) -> Tokens {
        self.lead.window()
    }
    fn max_output(&self) -> Tokens {
        self.lead.max_output()
    }
    fn ask(&self, batch: &[Prompt]) -> Result<Vec<Reply>, Stopped> {
        let replies = self.lead.ask(batch)?;
        Ok(batch.iter().zip(replies).map(|(prompt, reply)| (self.alter)(prompt, reply)).collect())
    }
    fn memoizes(&self) -> bool {
        false
    }
}

/// Fails so many requests that hold a text, answers all others.
pub fn fails_first(failures: usize, holding: &'static str) -> impl Ask {
    let left = AtomicUsize::new(failures);
    Altered::new(200, move |prompt, reply| {
        let holds = prompt.messages.iter().any(|message| message.text().contains(holding));
        let one_less = |left: usize| left.checked_sub(1);
        if holds && left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less).is_ok() {
            return Err(AskError { class: FailureClass::Error, message: "no answer".into() });
        }
        reply
    })
}
