//! Facts in a trace: what prompts held of them, and how they were lost.

use crate::prelude::*;
use crate::record::{BadValue, Column, Field, Line, Value, Values};
use crate::truth::{FactKind, Origin};
use crate::{record, words};

words! {
    /// Why a fact is gone. The first two hold for any model.
    pub enum LossClass {
        /// Its entry left and nothing stands for it.
        Dropped = "dropped",
        /// A summary stands for it, but its summarizer never saw it.
        Unseen = "covered-but-unseen",
        /// The summarizer saw it and left it out.
        Omitted = "shown-but-omitted",
        /// A summary held it and a later summary does not.
        Resummarized = "lost-in-re-summary",
        /// The subject survived without its sense, or with another value.
        Inverted = "inverted",
    }
}

impl LossClass {
    /// What it means, in a clause.
    pub fn told(self) -> &'static str {
        match self {
            LossClass::Dropped => "its message left and nothing stands for it",
            LossClass::Unseen => "a summary stands for it whose writer was never shown it",
            LossClass::Omitted => "the summarizer was shown it and left it out",
            LossClass::Resummarized => "an earlier summary held it, this one does not",
            LossClass::Inverted => "its subject is still named, without its sense",
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

record! {
    /// What came of one demand.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct DemandRecord {
        /// Its index in the truth's demands.
        pub demand: u32,
        /// Index of the fact in the truth's facts.
        pub fact: FactId,
        /// Kind of the fact.
        pub kind: FactKind,
        /// How the demand is known.
        pub origin: Origin,
        /// The step whose call needs the fact, from 1.
        pub step: u32,
        /// Reference tokens between the fact's last mention and the need.
        pub distance: Tokens,
        /// Whether the recorded session was compacted between the two.
        pub compacted: bool,
        /// What the prompt held of it.
        pub found: Found,
        /// The most of the fact's needles that one entry of the prompt held, wherever in it; `None`
        /// where the session had ended.
        pub needles: Option<u32>,
        /// Needles of the fact.
        pub of_needles: u32,
        /// For a fact that replaces another: what became of the other.
        pub stale: Option<OldValue>,
        /// For facts that are not known from it: why the fact was lost, where that is known.
        pub loss: Option<LossClass>,
        /// For facts that are not known from it: number of the compaction that lost the fact.
        pub lost_by: Option<u32>,
    }
}

impl DemandRecord {
    /// Whether the fact was last said so far back that it counts for recall at need: a window, or
    /// beyond a recorded compaction.
    pub fn is_far(&self, window: Tokens) -> bool {
        self.compacted || self.distance >= window
    }
}

words! {
    /// What became of a value that another replaced.
    pub enum OldValue {
        /// The prompt still held it.
        Carried = "carried",
        /// The prompt did not hold it.
        Gone = "gone",
    }
}

/// What a prompt held of a demanded fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Found {
    /// Present, at this generation (0 = verbatim).
    Present(u32),
    /// Its subject without its sense, denied or taken back.
    Inverted,
    /// Left open, or one of several values.
    Ambiguous,
    /// Not there.
    Absent,
    /// The session had ended.
    NotReached,
}

impl Found {
    /// A prompt was sent, and the fact was not known from it.
    pub fn is_missing(self) -> bool {
        matches!(self, Found::Inverted | Found::Ambiguous | Found::Absent)
    }

    /// Name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Found::Present(_) => "present",
            Found::Inverted => "inverted",
            Found::Ambiguous => "ambiguous",
            Found::Absent => "absent",
            Found::NotReached => "not-reached",
        }
    }
}

/// Two columns: what was found, and the generation of what is present.
impl Field for Found {
    fn columns(_: &'static str, _: &str) -> Vec<Column> {
        let meaning = "What the prompt held of the fact.";
        let words = vec!["present", "inverted", "ambiguous", "absent", "not-reached"];
        let found = Column::of_words("found", meaning, words);
        let meaning = "Summaries that a present fact went through; 0 for verbatim.";
        let mut columns = Option::<u32>::columns("generation", meaning);
        columns.insert(0, found);
        columns
    }

    fn write(&self, line: &mut Line) {
        line.push(Value::Text(self.name()));
        let generation = match self {
            Found::Present(generation) => Some(*generation),
            _ => None,
        };
        generation.write(line);
    }

    fn read(values: &mut Values) -> Result<Found, BadValue> {
        let found = values.text();
        let bad = values.bad(format!("`{found}` does not go with this generation"));
        Ok(match (found, Option::<u32>::read(values)?) {
            ("present", Some(generation)) => Found::Present(generation),
            ("inverted", None) => Found::Inverted,
            ("ambiguous", None) => Found::Ambiguous,
            ("absent", None) => Found::Absent,
            ("not-reached", None) => Found::NotReached,
            _ => return Err(bad),
        })
    }
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

/// What summaries say of facts of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claimed {
    /// The kind.
    pub kind: FactKind,
    /// Those of which it is true and current.
    pub so: u32,
    /// All of which a summary says something.
    pub all: u32,
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
