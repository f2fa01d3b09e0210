//! What a summary is like, read from its words alone.

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

/// Counts over one answer, or the sum of several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SummaryReading {
    /// Words.
    pub words: u32,
    /// Words that lie in a shingle which occurs in what the request showed.
    pub copied: u32,
    /// Distinct artifacts: paths, symbols, error codes, figures with units, commands.
    pub artifacts: u32,
    /// Of these, artifacts that occur nowhere in the whole prompt.
    pub fabricated: u32,
    /// Sentences, headings left out.
    pub sentences: u32,
    /// Sentences with a word of the first person.
    pub first_person: u32,
    /// Sentences with a hedge.
    pub hedges: u32,
    /// Headings that the prompt asks for.
    pub sections_asked: u32,
    /// Of these, headings that the answer has.
    pub sections: u32,
}

impl AddAssign for SummaryReading {
    fn add_assign(&mut self, other: SummaryReading) {
        self.words += other.words;
        self.copied += other.copied;
        self.artifacts += other.artifacts;
        self.fabricated += other.fabricated;
        self.sentences += other.sentences;
        self.first_person += other.first_person;
        self.hedges += other.hedges;
        self.sections_asked += other.sections_asked;
        self.sections += other.sections;
    }
}
