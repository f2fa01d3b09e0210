//! The truth of a session: its answer key, with the forms that decide whether a text holds a fact.
//! Only `watch`, `measure` and the summarizer `perfect` see it; a test holds that.

pub mod fold;
pub mod format;
pub mod needle;
pub mod relation;
mod searched;

pub use needle::{Holding, Needle, NeedleIndex};
pub use relation::{Reading, Said};
pub use searched::Searched;

use serde::{Deserialize, Serialize};

use crate::ident::{FactId, GoalId, MsgId};
use crate::words;

/// What a session knows and will need.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Truth {
    /// What the user was after, in order of birth.
    pub goals: Vec<Goal>,
    /// Pieces of truth; `facts[i].id == FactId(i)`.
    pub facts: Vec<Fact>,
    /// When facts are needed, in log order.
    pub demands: Vec<Demand>,
    /// Plausible facts that never occur: a text that holds one was not written from this session.
    pub decoys: Vec<Fact>,
}

/// What the user is after, over one or several turns (its arc).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Goal {
    /// Its index in `Truth::goals`.
    pub id: GoalId,
    /// In the user's words.
    pub title: String,
    /// The user messages of its arc: statement, redirects, clarifications, extensions.
    pub arc: Vec<MsgId>,
}

words! {
    /// Kind of a fact.
    pub enum FactKind {
        Path = "path",
        Symbol = "symbol",
        Error = "error",
        Test = "test",
        Command = "command",
        /// A setting, limit, port, version.
        Value = "value",
        Decision = "decision",
        /// Something the user said must hold.
        Constraint = "constraint",
        Preference = "preference",
        /// Something that must never be done.
        SafetyRule = "safety-rule",
        /// An approach that was tried and abandoned.
        DeadEnd = "dead-end",
        /// A change of direction by the user.
        Direction = "direction",
        Outcome = "outcome",
        /// Something left to do.
        Pending = "pending",
    }
}

impl FactKind {
    /// Whether a fact of this kind has polarity: its subject without its sense is an inversion.
    pub fn has_polarity(self) -> bool {
        matches!(self, FactKind::Constraint | FactKind::SafetyRule | FactKind::DeadEnd)
    }

    /// Whether it is what somebody said, as against what the work threw up.
    pub fn is_said(self) -> bool {
        use FactKind::{Command, Error, Path, Symbol, Test, Value};
        !matches!(self, Path | Symbol | Error | Test | Command | Value)
    }
}

/// One piece of truth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fact {
    /// Its index in `Truth::facts`.
    pub id: FactId,
    /// Kind.
    pub kind: FactKind,
    /// The goal it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goal: Option<GoalId>,
    /// The shortest sentence with all its needles and its polarity: for `perfect` and `fact_load`.
    pub statement: String,
    /// All must occur in one entry: in one clause with the topic, or within 400 characters where the
    /// fact has no topic.
    pub needles: Vec<Needle>,
    /// Phrases of which any names what the fact is about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub topic: Vec<Needle>,
    /// For kinds with polarity: any of these beside the needles gives the sense ("must not").
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub polarity: Vec<Needle>,
    /// Words of which any must stand with a fact that has a topic: what a rule forbids ("edit"), the
    /// part that a direction is for. A text without them leaves the fact open.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub context: Vec<Needle>,
    /// The message that first holds it.
    pub born: MsgId,
    /// Every message that holds it, `born` first; of a recorded session also those that show it in
    /// another form.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mentions: Vec<MsgId>,
    /// The fact that replaced it (its `born` says when).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<FactId>,
}

impl Fact {
    /// A fact that is not yet placed: of no goal, without polarity and mentions.
    pub fn new(
        id: FactId,
        kind: FactKind,
        statement: impl Into<String>,
        needles: Vec<Needle>,
    ) -> Fact {
        Fact {
            id,
            kind,
            goal: None,
            statement: statement.into(),
            needles,
            topic: Vec::new(),
            polarity: Vec::new(),
            context: Vec::new(),
            born: MsgId(0),
            mentions: Vec::new(),
            superseded_by: None,
        }
    }
}

/// A step at which a fact is needed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Demand {
    /// What is needed.
    pub fact: FactId,
    /// The assistant message whose call needs it: the prompt for it must hold the fact.
    pub at: MsgId,
    /// How the need is known.
    pub origin: Origin,
}

words! {
    /// How a demand is known.
    pub enum Origin {
        /// Planned by the synthesizer.
        Planned = "planned",
        /// The user names it.
        User = "user",
        /// An assistant call names it with no mention in the window since.
        Call = "call",
        /// Re-read or re-run after a recorded boundary.
        Reacquired = "reacquired",
        /// Seen again in tool output. Never a demand in rankings.
        Incidental = "incidental",
    }
}
