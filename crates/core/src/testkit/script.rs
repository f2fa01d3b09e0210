//! A summarizer whose replies are given in advance.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::summarize::{Answer, Ask, AskError, FailureClass, Limits, Prompt, Reply, Stopped};
use crate::unit::Tokens;

/// Gives its replies in turn, and the last one for ever.
#[derive(Debug)]
pub struct Script {
    /// What is left to say, and what was asked.
    state: Mutex<(VecDeque<Reply>, Vec<Prompt>)>,
    /// Its context window.
    pub window: Tokens,
    /// Whether an answer may be used again for an equal request.
    pub memoizes: bool,
}

/// A complete answer.
pub fn says(text: &str) -> Reply {
    Ok(Answer::complete(text))
}

/// A failure of this class.
pub fn fails(class: FailureClass) -> Reply {
    Err(AskError::new(class, "no luck"))
}

impl Script {
    /// Of these replies. Without any, every request fails.
    pub fn new(replies: impl IntoIterator<Item = Reply>) -> Script {
        Script {
            state: Mutex::new((replies.into_iter().collect(), Vec::new())),
            window: Tokens(100_000),
            memoizes: false,
        }
    }

    /// A poisoned lock only means that another test thread panicked; the lists are whole.
    fn locked(&self) -> MutexGuard<'_, (VecDeque<Reply>, Vec<Prompt>)> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Everything it was asked.
    pub fn prompts(&self) -> Vec<Prompt> {
        self.locked().1.clone()
    }

    /// The material of one prompt, a message a line; instructions are left out.
    pub fn shown(&self, number: usize) -> Vec<String> {
        let prompts = self.prompts();
        let material = prompts[number].messages.iter().map(|message| {
            let material = message.segments.iter().filter(|segment| segment.material);
            material.map(|segment| &*segment.text).collect::<String>()
        });
        material.filter(|text| !text.is_empty()).collect()
    }
}

impl Ask for Script {
    fn limits(&self) -> Limits {
        Limits { window: Some(self.window), max_output: Tokens(10_000) }
    }
    fn ask(&self, batch: &[Prompt]) -> Result<Vec<Reply>, Stopped> {
        let (replies, asked) = &mut *self.locked();
        asked.extend(batch.iter().cloned());
        let next = |_| match replies.len() {
            1 => replies[0].clone(),
            _ => replies.pop_front().unwrap_or_else(|| fails(FailureClass::Error)),
        };
        Ok(batch.iter().map(next).collect())
    }
    fn memoizes(&self) -> bool {
        self.memoizes
    }
}
