//! The offline default: a summary of the material's own sentences, weighed by who said them,
//! what they name and which cue words they carry, under the sections that the instruction asks
//! for. Linear in the material, and it never makes up a name.

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
