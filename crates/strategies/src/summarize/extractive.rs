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
mod lines;
mod rank;
mod topic;

pub use topic::cues;

use crate::summarize::{Limits, Offline, Prompt};

/// Answers with the most telling sentences of the material, by section.
#[derive(Clone, Copy, Debug, Default)]
pub struct Extractive {
    /// What it declares.
    pub limits: Limits,
}

impl Offline for Extractive {
    const NAME: &'static str = "extractive";

    fn limits(&self) -> Limits {
        self.limits
    }

    fn answer(&self, prompt: &Prompt) -> String {
        let ranking = rank::rank(&lines::read(prompt));
        compose::compose(&brief::Brief::read(prompt), &ranking, self.limits.allowed(prompt))
    }
}

#[cfg(test)]
mod tests;
