//! Facts in a trace: what prompts held of them, and how they were lost.

use serde::{Deserialize, Serialize};

use crate::ident::FactId;
use crate::truth::{FactKind, Origin};
use crate::unit::Tokens;

/// Why a fact is gone. The first two hold for any model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LossClass {
    /// Its entry left and nothing stands for it.
    Dropped,
    /// A summary stands for it, but its summarizer never saw it.
    Unseen,
    /// The summarizer saw it and left it out.
    Omitted,
    /// A summary held it and a later summary does not.
    Resummarized,
    /// The subject survived without its sense.
    Inverted,
}

impl LossClass {
    /// All classes in the order that tables list them.
    pub const ALL: [LossClass; 5] = [
        LossClass::Dropped,
        LossClass::Unseen,
        LossClass::Omitted,
        LossClass::Resummarized,
        LossClass::Inverted,
    ];

    /// Name in tables.
    pub fn name(self) -> &'static str {
        match self {
            LossClass::Dropped => "dropped",
            LossClass::Unseen => "covered-but-unseen",
            LossClass::Omitted => "shown-but-omitted",
            LossClass::Resummarized => "lost-in-re-summary",
            LossClass::Inverted => "inverted",
        }
    }
}

/// A fact that a compaction lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Loss {
    /// The fact.
    pub fact: FactId,
    /// Why it is gone.
    pub class: LossClass,
}

/// What came of one demand.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DemandRecord {
    /// Its index in `Truth::demands`.
    pub demand: u32,
    /// The fact.
    pub fact: FactId,
    /// How it is known.
    pub origin: Origin,
    /// The step whose call needs it, from 1.
    pub step: u32,
    /// Reference tokens between the fact's last mention and the need.
    pub distance: Tokens,
    /// What the prompt held of it.
    pub found: Found,
    /// The most of its needles that one entry of the prompt held, wherever in it.
    pub needles: u32,
    /// Needles of the fact.
    pub of_needles: u32,
    /// For a fact that replaces another: whether the prompt held what it replaces.
    pub stale: Option<bool>,
    /// For absent facts: the loss that explains it.
    pub loss: Option<LossClass>,
    /// For absent facts: the compaction that lost it.
    pub lost_by: Option<u32>,
}

/// What a prompt held of a demanded fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Found {
    /// Present, at this generation (0 = verbatim).
    Present(u32),
    /// Its subject without its sense.
    Inverted,
    /// Not there.
    Absent,
    /// The session had ended.
    NotReached,
}

/// How a fact stood in the last prompt that was sent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FactRecord {
    /// The fact.
    pub fact: FactId,
    /// What the prompt held of it; `NotReached` for facts not yet born.
    pub found: Found,
}

/// The facts that the view held at one of the checkpoints, when the call was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sample {
    /// Number of the checkpoint, from 1 to 12.
    pub number: u32,
    /// Step from 1.
    pub step: u32,
    /// Facts present, ascending.
    pub present: Vec<FactId>,
}

/// Facts of one kind whose last holders a summary took the place of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Folded {
    /// The kind.
    pub kind: FactKind,
    /// The summarizer that this was for them: their first, their second, ...
    pub generation: u32,
    /// Those that the summary holds.
    pub present: u32,
    /// All that were shown to it.
    pub all: u32,
}
