//! Rows: the files of a run directory, as types. A row is flat, its columns are its fields in
//! order, floats carry nine significant digits, and a figure that does not exist is empty.

use std::ops::Deref;

pub use crate::matrix::CellKey;
use crate::pressure::Occasion;
use crate::record::{BadValue, Column, Field, Line, Value, Values};
use crate::trace::{CompactionOutcome, DemandRecord, Share, StepRecord};
use crate::truth::FactKind;
use crate::unit::{Millis, Tokens, Usd};
use crate::{record, words};

/// Version of every row layout below; part of the manifest.
pub const SCHEMA: u32 = 4;

words! {
    /// The state of a view that is described.
    pub enum ViewState {
        Deployed = "deployed",
        OnePass = "one-pass",
    }
}

words! {
    /// What the facts of a survival row are sorted by.
    pub enum SurvivalAxis {
        Age = "age",
        Generation = "generation",
        StepShare = "step-share",
    }
}

/// Facts of one kind, or of all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kinds {
    /// Of this kind.
    One(FactKind),
    /// Of all kinds together.
    All,
}

impl Kinds {
    const EVERY: &'static str = "all";

    /// Name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Kinds::One(kind) => kind.name(),
            Kinds::All => Kinds::EVERY,
        }
    }
}

impl Field for Kinds {
    fn columns(name: &'static str, meaning: &str) -> Vec<Column> {
        let mut columns = FactKind::columns(name, meaning);
        columns[0].words.push(Kinds::EVERY);
        columns
    }

    fn write(&self, line: &mut Line) {
        line.push(Value::Text(self.name()));
    }

    fn read(values: &mut Values) -> Result<Kinds, BadValue> {
        if values.peek() == Value::Text(Kinds::EVERY) {
            values.text();
            return Ok(Kinds::All);
        }
        FactKind::read(values).map(Kinds::One)
    }
}

record! {
    /// One floor-probe round (`floor`).
    #[derive(Clone, Debug, PartialEq)]
    pub struct FloorRow {
        /// The cell.
        pub cell: String,
        /// Checkpoint from 1 to 12.
        pub checkpoint: u32,
        /// Step at which it was taken.
        pub step: u32,
        /// Human turns begun by then.
        pub turn: u32,
        /// Forced rounds before it; 0 for the untouched view.
        pub round: u32,
        /// Reference tokens of the view.
        pub tokens: Tokens,
        /// Live facts.
        pub live: u32,
        /// Of these, present.
        pub present: u32,
    }
}

/// Of each checkpoint the untouched view, and the lesser of it and the view after one pass: nothing
/// has to be compacted, so no floor lies above its view.
pub fn floors<'a>(rows: &[&'a FloorRow]) -> Vec<(&'a FloorRow, &'a FloorRow)> {
    let checkpoints = rows.chunk_by(|one, next| one.checkpoint == next.checkpoint);
    let floor = |rounds: &[&'a FloorRow]| {
        let of = |round: u32| rounds.iter().find(|row| row.round == round).copied();
        let (untouched, once) = (of(0)?, of(1)?);
        Some((untouched, if once.tokens > untouched.tokens { untouched } else { once }))
    };
    checkpoints.filter_map(floor).collect()
}

record! {
    /// What a view is made of (`composition`).
    #[derive(Clone, Debug, PartialEq)]
    pub struct CompositionRow {
        /// The cell.
        pub cell: String,
        /// Checkpoint from 1 to 12; 0 for the last view of the session.
        pub checkpoint: u32,
        /// `deployed` (the view as the run had it) or `one-pass` (after one forced round, or
        /// untouched where that made it larger).
        pub state: ViewState,
        /// What the entries are.
        pub share: Share,
        /// Entries.
        pub entries: u32,
        /// Reference tokens.
        pub tokens: Tokens,
        /// Entries in the recent raw tail (all that follows the last summary).
        pub tail_entries: u32,
        /// Reference tokens there.
        pub tail_tokens: Tokens,
    }
}

record! {
    /// One model call (`steps`).
    #[derive(Clone, Debug, PartialEq)]
    pub struct StepRow {
        /// The cell.
        pub cell: String,
        /// The call as the trace has it.
        pub call: StepRecord,
    }
}

impl Deref for StepRow {
    type Target = StepRecord;

    fn deref(&self) -> &StepRecord {
        &self.call
    }
}

record! {
    /// One plan and what became of it (`compactions`).
    #[derive(Clone, Debug, PartialEq)]
    pub struct CompactionRow {
        /// The cell.
        pub cell: String,
        /// Number in the cell from 1.
        pub number: u32,
        /// Step before whose call it ran, from 1.
        pub step: u32,
        /// Human turns begun.
        pub turn: u32,
        /// Stage name, e.g. `forge-goal-batch`.
        pub stage: String,
        /// Occasion.
        pub occasion: Occasion,
        /// Repetition on this occasion, from 0.
        pub round: u32,
        /// What became of it.
        pub outcome: CompactionOutcome,
        /// View before, reference tokens.
        pub before: Tokens,
        /// View after.
        pub after: Tokens,
        /// Entries before.
        pub entries_before: u32,
        /// Entries after.
        pub entries_after: u32,
        /// Entries that left.
        pub removed: u32,
        /// Entries that came.
        pub added: u32,
        /// Highest generation of an entry that came.
        pub generation: u32,
        /// Prompt over usable window when it fired; empty when windowless.
        pub utilization: Option<f64>,
        /// The utilization at which its stage's pressure would just have been met: the
        /// stage's own reading, scaled to reference tokens; empty where it
        /// fired without reading any, or windowless.
        pub trigger: Option<f64>,
        /// Requests' tries.
        pub attempts: u32,
        /// Of these, failed.
        pub failed_attempts: u32,
        /// Reference tokens of billed prompts.
        pub summarizer_prompt: Tokens,
        /// Reference tokens of billed answers.
        pub summarizer_completion: Tokens,
        /// Dollars on the run's price sheet.
        pub usd: Usd,
        /// Modelled blocking time in milliseconds.
        pub blocking_ms: Millis,
        /// Tokens covered.
        pub covered_tokens: Tokens,
        /// Of these, never shown to the summarizer.
        pub unseen_tokens: Tokens,
        /// Words of the answers in its new entries.
        pub words: u32,
        /// Of these, in 8 words in a row of what was shown.
        pub copied_words: u32,
        /// Artifacts in these answers.
        pub artifacts: u32,
        /// Of these, nowhere in their prompts.
        pub fabricated: u32,
        /// Whether it took the latest user request out of the view.
        pub took_live_goal: bool,
        /// Facts lost, dropped: nothing stands for them.
        pub lost_dropped: u32,
        /// Facts lost, covered by a summary whose summarizer never saw them.
        pub lost_unseen: u32,
        /// Facts lost, seen by the summarizer and left out.
        pub lost_omitted: u32,
        /// Facts lost, held by one summary and not by a later one.
        pub lost_resummarized: u32,
        /// Facts lost, of which the subject survived without its sense.
        pub lost_inverted: u32,
        /// Rules that it broke, separated by `;`.
        pub violations: String,
    }
}

record! {
    /// Moments at which a stage was due and that came to the same (`triggers`).
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct TriggerRow {
        /// The cell.
        pub cell: String,
        /// Place of the stage in its pipeline, from 1.
        pub stage: u32,
        /// Its strategy, e.g. `forge-goal-batch`.
        pub strategy: String,
        /// Occasion.
        pub occasion: Occasion,
        /// Whether it proposed a plan.
        pub fired: bool,
        /// Whether some plan of it was carried out.
        pub changed: bool,
        /// Whether it was asked and proposed none.
        pub declined: bool,
        /// Why it proposed none (`below its limit` where it was not asked); empty where it fired.
        pub reason: String,
        /// How many moments; those of a stage and occasion together are how often it was due.
        pub n: u32,
    }
}

record! {
    /// One demand and what came of it (`facts`).
    #[derive(Clone, Debug, PartialEq)]
    pub struct FactRow {
        /// The cell.
        pub cell: String,
        /// The demand as the trace has it.
        pub demand: DemandRecord,
        /// Its distance in windows of the scenario.
        pub windows: f64,
    }
}

record! {
    /// Facts still known, of all (`survival`).
    #[derive(Clone, Debug, PartialEq)]
    pub struct SurvivalRow {
        /// The cell.
        pub cell: String,
        /// Kind of the facts.
        pub kind: Kinds,
        /// What the facts are sorted by: `age` (live facts at the checkpoints, by base windows
        /// since their birth), `generation` (facts shown to their first, second, ... summarizer) or
        /// `step-share` (facts told and not replaced, at a share of the session's turns).
        pub axis: SurvivalAxis,
        /// Bucket on the axis: `0.5-1`, `2`, `3/13` or `end`.
        pub bucket: String,
        /// Facts present.
        pub present: u32,
        /// All facts.
        pub all: u32,
    }
}

record! {
    /// A point of the Proctor curve (`curve`).
    #[derive(Clone, Debug, PartialEq)]
    pub struct CurveRow {
        /// Scenario family, or `all`: the sessions that are pooled.
        pub pool: String,
        /// Pipeline.
        pub pipeline: String,
        /// `windowed`, `windowless` or a swept limit.
        pub variant: String,
        /// The mode of the cells, e.g. `deployed`.
        pub mode: String,
        /// Summarizer.
        pub summarizer: String,
        /// `achieved`, or a bound in the same tokens: `oracle`, `random-drop`.
        pub point: String,
        /// Mean prompt over the base window, mean over sessions, nine digits.
        pub mean_share: String,
        /// Recall at need, mean over sessions, nine digits.
        pub recall: String,
        /// 1 where every session completed.
        pub completed: u8,
        /// 1 where no other achieved point of the pool, mode and summarizer that completed
        /// and whose pipeline is not inferred knows as much for fewer tokens.
        pub on_front: u8,
        /// Sessions behind it.
        pub n: u32,
    }
}
