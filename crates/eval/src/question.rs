//! Questions: a model is asked about facts from the compacted view alone, beside controls.
//! A question is made from the truth and never holds its answer; it depends on the session alone,
//! so that every configuration faces the same questions.

mod ask;
mod draw;
mod examine;
mod grade;
mod quoting;
mod row;
mod summary;
mod wording;

pub use ask::{Collector, Reader};
pub use draw::{Draw, Item, Need, Sheet, SheetCounts, draw};
pub use examine::{Examined, examine};
pub use grade::Key;
pub use quoting::Quoting;
pub use row::{FILE, Header, QuestionRow, load, write};
pub use summary::{Agreement, Figure, Line, Summary, summarize};

use crate::words;

/// Version of instructions, templates and grading; figures compare only within one.
pub const QUESTIONS_VERSION: u32 = 1;

words! {
    /// What a question is after.
    pub enum Kind {
        /// A value, an error, a command, a wish, what came of something.
        Recall = "recall",
        /// A file, a name in the code, a test.
        Artifact = "artifact",
        /// What is to be done next: what is left, where the work is headed.
        Continuation = "continuation",
        /// What was settled on.
        Decision = "decision",
        /// Whether something goes against what was said, asked in two senses.
        Compliance = "compliance",
    }
}

words! {
    /// From what a question is answered.
    pub enum Condition {
        /// The view as sent.
        View = "view",
        /// The whole log up to the step: the ceiling.
        Full = "full",
        /// Nothing: the floor.
        None = "none",
        /// The view with the fact's statement at its end: what any view could give.
        Restated = "restated",
        /// The view, asked about something that was never stated.
        Decoy = "decoy",
    }
}

#[cfg(test)]
mod tests;
