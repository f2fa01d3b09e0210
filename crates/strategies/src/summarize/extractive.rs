//! The offline default: a summary made of the material's own sentences.
//!
//! No language model. It reads the instruction for the sections asked for, weighs
//! each sentence of the material by who said it, what it names and which cue words
//! it carries, and answers with the best under the sections they suit, within the
//! limit. Deterministic, and linear in the material: cutting, one pass over the
//! bytes of each line, one automaton for all cues.
//!
//! It sees its prompt alone. What it writes beyond quotation are titles taken from
//! the instruction and fixed lead-ins, so it never makes up a name.

mod brief;
mod compose;
mod material;
mod rank;
pub mod sentence;
mod topic;
mod words;

pub use topic::cues;

use crate::summarize::simple::Limits;
use crate::summarize::{Answer, Ask, Prompt, Reply};
use crate::unit::Tokens;

/// Answers with the most telling sentences of the material, by section.
#[derive(Clone, Copy, Debug, Default)]
pub struct Extractive {
    /// What it declares.
    pub limits: Limits,
}

impl Extractive {
    fn summarize(self, prompt: &Prompt) -> String {
        let ranking = rank::rank(&material::read(prompt));
        compose::compose(&brief::Brief::read(prompt), &ranking, self.limits.allowed(prompt))
    }
}

impl Ask for Extractive {
    fn name(&self) -> &'static str {
        "extractive"
    }
    fn window(&self) -> Tokens {
        self.limits.window
    }
    fn max_output(&self) -> Tokens {
        self.limits.max_output
    }
    fn ask(&self, batch: &[Prompt]) -> Vec<Reply> {
        batch.iter().map(|prompt| Ok(Answer::complete(self.summarize(prompt)))).collect()
    }
}

#[cfg(test)]
mod tests;
