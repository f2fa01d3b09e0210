//! Summarizers for tests: one that answers, one that fails.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use proctor::summarize::{Answer, Ask, AskError, FailureClass, Limits, Prompt, Reply, Stopped};
use proctor::unit::Tokens;

const LIMITS: Limits = Limits { window: Some(Tokens(1_000_000)), max_output: Tokens(10_000) };

/// Says how much it read and the first words of it; remembers what it was asked.
#[derive(Default)]
pub struct Brief {
    prompts: Mutex<Vec<Prompt>>,
}

impl Brief {
    /// The prompts in the order of asking.
    pub fn prompts(self) -> Vec<Prompt> {
        self.prompts.into_inner().expect("no test panicked with it")
    }
}

fn brief(prompt: &Prompt) -> String {
    let material = prompt.segments().filter(|segment| segment.material);
    let words: Vec<&str> = material.flat_map(|segment| segment.text.split_whitespace()).collect();
    let first: Vec<&str> = words.iter().take(8).copied().collect();
    format!("Read {} words: {}", words.len(), first.join(" "))
}

impl Ask for Brief {
    fn limits(&self) -> Limits {
        LIMITS
    }
    fn ask(&self, batch: &[Prompt]) -> Result<Vec<Reply>, Stopped> {
        let mut prompts = self.prompts.lock().expect("no test panicked with it");
        prompts.extend(batch.iter().cloned());
        Ok(batch.iter().map(|prompt| Ok(Answer::complete(brief(prompt)))).collect())
    }
    fn memoizes(&self) -> bool {
        false
    }
}

/// Fails every prompt in one way, or every other one.
pub struct Failing {
    class: FailureClass,
    every_other: bool,
    asked: AtomicUsize,
}

impl Failing {
    pub fn always(class: FailureClass) -> Failing {
        Failing { class, every_other: false, asked: AtomicUsize::new(0) }
    }

    /// The first fails, the second succeeds, and so on.
    pub fn every_other(class: FailureClass) -> Failing {
        Failing { every_other: true, ..Failing::always(class) }
    }

    fn reply(&self, prompt: &Prompt) -> Reply {
        let number = self.asked.fetch_add(1, Ordering::SeqCst);
        if self.every_other && number % 2 == 1 {
            return Ok(Answer::complete(brief(prompt)));
        }
        match self.class {
            // What a provider gives then is an answer without words.
            FailureClass::Empty => Ok(Answer::complete("")),
            class => Err(AskError { class, message: "the provider said no".into() }),
        }
    }
}

impl Ask for Failing {
    fn limits(&self) -> Limits {
        LIMITS
    }
    fn ask(&self, batch: &[Prompt]) -> Result<Vec<Reply>, Stopped> {
        Ok(batch.iter().map(|prompt| self.reply(prompt)).collect())
    }
    fn memoizes(&self) -> bool {
        false
    }
}
