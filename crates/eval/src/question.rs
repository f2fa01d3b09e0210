//! Questions: a model is asked about facts from the compacted view alone.
//!
//! Lexical retention says whether the words of a fact are still in a view. Whether a
//! reader finds them there, and makes nothing up where they are not, takes a reader.
//! Cells are driven again, the view is taken as it was sent at steps that need a fact,
//! and one question per fact is asked from it, beside controls: the whole log, nothing
//! at all, the view with the fact's statement added, and facts that nobody ever stated.
//!
//! A question is made from the truth and never holds its answer; what is asked of whom
//! depends on the session alone, so that every configuration faces the same questions.

mod answerability;
mod ask;
mod context;
mod draw;
mod examine;
mod grade;
mod quoting;
mod row;
mod summary;
mod wording;

pub use ask::{INSTRUCTION, JUDGE_INSTRUCTION, Reader};
pub use context::Collector;
pub use draw::{Draw, Item, Need, Sheet, SheetCounts, draw};
pub use examine::{Examined, examine};
pub use grade::{Grade, Key, grade};
pub use quoting::Quoting;
pub use row::{FILE, Header, NOTES, QuestionRow, load, write};
pub use summary::{Agreement, Figure, Line, Summary, summarize};
pub use wording::{Expected, Question};

use serde::{Deserialize, Serialize};

/// Version of instructions, templates and grading: figures of different versions are
/// not to be compared.
pub const QUESTIONS_VERSION: u32 = 1;

/// What a question is after.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A value, an error, a command, a wish, what came of something.
    Recall,
    /// A file, a name in the code, a test.
    Artifact,
    /// What is to be done next: what is left, where the work is headed.
    Continuation,
    /// What was settled on.
    Decision,
    /// Whether something goes against what was said. Asked in two senses, so that no
    /// answer that is always the same wins.
    Compliance,
}

impl Kind {
    /// All kinds in the order that tables list them.
    pub const ALL: [Kind; 5] =
        [Kind::Recall, Kind::Artifact, Kind::Continuation, Kind::Decision, Kind::Compliance];

    /// Name in tables and files.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Recall => "recall",
            Kind::Artifact => "artifact",
            Kind::Continuation => "continuation",
            Kind::Decision => "decision",
            Kind::Compliance => "compliance",
        }
    }
}

/// From what a question is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Condition {
    /// The view as sent.
    View,
    /// The whole log up to the step: the ceiling.
    Full,
    /// Nothing: the floor.
    None,
    /// The view with the fact's statement at its end: what any view could give.
    Restated,
    /// The view, asked about something that was never stated.
    Decoy,
}

impl Condition {
    /// All conditions in the order that tables list them.
    pub const ALL: [Condition; 5] =
        [Condition::View, Condition::Full, Condition::None, Condition::Restated, Condition::Decoy];
}

#[cfg(test)]
mod tests;
