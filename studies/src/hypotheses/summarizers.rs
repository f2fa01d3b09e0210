//! Summarizers for constructed sessions: the first words of what they are shown, with
//! something added.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use proctor::summarize::simple::{Lead, Limits};
use proctor::summarize::{Ask, AskError, FailureClass, Prompt, Reply, Stopped};
use proctor::unit::Tokens;

/// Answers of at most this many tokens.
pub fn brief(max_output: u64) -> Lead {
    Lead { limits: Limits { max_output: Tokens(max_output), ..Limits::default() } }
}

/// Writes down what it is asked.
#[derive(Debug)]
pub struct Recorder {
    lead: Lead,
    asked: Mutex<Vec<Prompt>>,
}

impl Recorder {
    /// Answers of at most this many tokens.
    pub fn new(max_output: u64) -> Recorder {
        Recorder { lead: brief(max_output), asked: Mutex::default() }
    }

    /// The prompts so far, in order.
    pub fn asked(&self) -> Vec<Prompt> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Ask for Recorder {
    fn name(&self) -> &'static str {
        "recorder"
    }
    fn window(&self) -> Tokens {
        self.lead.window()
    }
    fn max_output(&self) -> Tokens {
        self.lead.max_output()
    }
    fn ask(&self, batch: &[Prompt]) -> Result<Vec<Reply>, Stopped> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).extend(batch.iter().cloned());
        self.lead.ask(batch)
    }
    fn memoizes(&self) -> bool {
        false
    }
}

/// Fails the first requests that hold a text, answers all others.
#[derive(Debug)]
pub struct FailsFirst {
    lead: Lead,
    left: AtomicUsize,
    holding: &'static str,
}

impl FailsFirst {
    /// So many failures of requests that hold this text.
    pub fn new(failures: usize, holding: &'static str) -> FailsFirst {
        FailsFirst { lead: brief(200), left: AtomicUsize::new(failures), holding }
    }

    fn fails(&self, prompt: &Prompt) -> bool {
        let holds = prompt.messages.iter().any(|message| message.text().contains(self.holding));
        let one_less = |left: usize| left.checked_sub(1);
        holds && self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less).is_ok()
    }
}

impl Ask for FailsFirst {
    fn name(&self) -> &'static str {
        "fails-first"
    }
    fn window(&self) -> Tokens {
        self.lead.window()
    }
    fn max_output(&self) -> Tokens {
        self.lead.max_output()
    }
    fn ask(&self, batch: &[Prompt]) -> Result<Vec<Reply>, Stopped> {
        let one = |prompt: &Prompt| {
            if self.fails(prompt) {
                let message = "no answer".into();
                return Ok(Err(AskError { class: FailureClass::Error, message }));
            }
            Ok(self.lead.ask(std::slice::from_ref(prompt))?.swap_remove(0))
        };
        batch.iter().map(one).collect()
    }
    fn memoizes(&self) -> bool {
        false
    }
}
