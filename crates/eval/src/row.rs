//! Rows: the files of a run directory, as types.
//!
//! Everything to the right of a run reads these and nothing else. A row is flat,
//! its columns stand in the order of its fields, floats carry nine significant
//! digits, and a figure that does not exist is an empty field.

use serde::{Deserialize, Serialize};

pub use crate::matrix::CellKey;
use crate::unit::{Tokens, float};

/// Version of every row layout below; part of the manifest.
pub const SCHEMA: u32 = 3;

/// One floor-probe round (`floor.csv`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FloorRow {
    /// The cell.
    pub cell: String,
    /// Checkpoint from 1 to 12.
    pub checkpoint: u32,
    /// Step and turn.
    pub step: u32,
    /// See `step`.
    pub turn: u32,
    /// 0 = untouched.
    pub round: u32,
    /// Reference tokens of the view.
    pub tokens: u64,
    /// Live facts.
    pub live: u32,
    /// Of these, present.
    pub present: u32,
}

/// What a view is made of (`composition.csv`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CompositionRow {
    /// The cell.
    pub cell: String,
    /// Checkpoint from 1 to 12; 0 for the last view of the session.
    pub checkpoint: u32,
    /// `deployed` (the view as the run had it) or `one-pass` (after one forced round).
    pub state: String,
    /// Share: `user`, `summarized`, ...
    pub share: String,
    /// Entries.
    pub entries: u32,
    /// Reference tokens.
    pub tokens: u64,
    /// Entries in the recent raw tail (all that follows the last summary).
    pub tail_entries: u32,
    /// Reference tokens there.
    pub tail_tokens: u64,
}

/// One model call (`steps.csv`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepRow {
    /// The cell.
    pub cell: String,
    /// Step from 1.
    pub step: u32,
    /// Human turns begun.
    pub turn: u32,
    /// Whole prompt, reference tokens.
    pub prompt: u64,
    /// Messages kept in the view.
    pub kept: u64,
    /// Messages as sent.
    pub sent: u64,
    /// Of these, carried over: all but messages appended since the previous call.
    pub carried: u64,
    /// Kept tokens by share.
    pub system: u64,
    /// See `system`.
    pub user: u64,
    /// See `system`.
    pub assistant: u64,
    /// See `system`.
    pub tool: u64,
    /// See `system`.
    pub summarized: u64,
    /// See `system`.
    pub goal_batch: u64,
    /// See `system`.
    pub summary: u64,
    /// See `system`.
    pub other: u64,
    /// Entries of the view.
    pub entries: u32,
    /// Prompt tokens read from the cache.
    pub cached: u64,
    /// Written to it.
    pub written: u64,
    /// Taken from it by a change of the view.
    pub invalidated: u64,
    /// Taken from it by time.
    pub expired: u64,
    /// Tokens of the answer.
    pub output: u64,
    /// Dollars of the call on the run's price sheet, nine digits.
    pub usd: String,
    /// Live facts.
    pub live: u32,
    /// Of these, present.
    pub present: u32,
    /// 1 where the latest user request was sent word for word.
    pub live_goal: u8,
    /// Sends that the step took.
    pub sends: u32,
}

/// One plan and what became of it (`compactions.csv`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
    pub occasion: String,
    /// Repetition on this occasion, from 0.
    pub round: u32,
    /// `accepted`, `fallback`, `failed`, `rejected`, `unchanged`.
    pub outcome: String,
    /// View before, reference tokens.
    pub before: u64,
    /// View after.
    pub after: u64,
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
    /// Prompt over usable window when it fired, nine digits; empty when windowless.
    pub utilization: String,
    /// The utilization at which its stage's pressure would just have been met: the
    /// stage's own reading, scaled to reference tokens, nine digits; empty where it
    /// fired without reading any, or windowless.
    #[serde(default)]
    pub trigger: String,
    /// Requests' tries.
    pub attempts: u32,
    /// Of these, failed.
    pub failed_attempts: u32,
    /// Reference tokens of billed prompts.
    pub summarizer_prompt: u64,
    /// Reference tokens of billed answers.
    pub summarizer_completion: u64,
    /// Dollars on the run's price sheet, nine digits.
    pub usd: String,
    /// Modelled blocking time in milliseconds.
    pub blocking_ms: u64,
    /// Tokens covered.
    pub covered_tokens: u64,
    /// Of these, never shown to the summarizer.
    pub unseen_tokens: u64,
    /// Words of the answers in its new entries.
    pub words: u32,
    /// Of these, in 8 words in a row of what was shown.
    pub copied_words: u32,
    /// Artifacts in these answers.
    pub artifacts: u32,
    /// Of these, nowhere in their prompts.
    pub fabricated: u32,
    /// 1 where it took the latest user request out of the view.
    pub took_live_goal: u8,
    /// Facts lost by class.
    pub lost_dropped: u32,
    /// See `lost_dropped`.
    pub lost_unseen: u32,
    /// See `lost_dropped`.
    pub lost_omitted: u32,
    /// See `lost_dropped`.
    pub lost_resummarized: u32,
    /// See `lost_dropped`.
    pub lost_inverted: u32,
    /// Rules that it broke, separated by `;`.
    pub violations: String,
}

/// Moments at which a stage was due and that came to the same (`triggers.csv`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TriggerRow {
    /// The cell.
    pub cell: String,
    /// Place of the stage in its pipeline, from 1.
    pub stage: u32,
    /// Its strategy, e.g. `forge-goal-batch`.
    pub strategy: String,
    /// Occasion.
    pub occasion: String,
    /// 1 where it proposed a plan.
    pub fired: u8,
    /// 1 where some plan of it was carried out.
    pub changed: u8,
    /// 1 where it was asked and proposed none.
    pub declined: u8,
    /// Why it proposed none (`below its limit` where it was not asked); empty where it
    /// fired.
    pub reason: String,
    /// How many moments; those of a stage and occasion together are how often it was due.
    pub n: u32,
}

/// One demand and what came of it (`facts.csv`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FactRow {
    /// The cell.
    pub cell: String,
    /// Index in the truth's demands.
    pub demand: u32,
    /// Index in the truth's facts.
    pub fact: u32,
    /// Kind of the fact.
    pub kind: String,
    /// Origin of the demand.
    pub origin: String,
    /// Step whose call needs it, from 1.
    pub step: u32,
    /// Reference tokens since its last mention.
    pub distance: u64,
    /// That, in windows of the scenario, nine digits.
    pub windows: String,
    /// `present`, `inverted`, `absent`, `not-reached`.
    pub found: String,
    /// Generation where present.
    pub generation: Option<u32>,
    /// The most of its needles that one entry held, nine digits; empty where not reached.
    pub needles: String,
    /// `carried` or `gone`: what the fact replaces; empty where it replaces nothing.
    pub stale: String,
    /// Loss class where absent or inverted and known.
    pub loss: String,
    /// Number of the compaction that lost it.
    pub lost_by: Option<u32>,
}

/// Facts still known, of all (`survival.csv`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SurvivalRow {
    /// The cell.
    pub cell: String,
    /// Kind of the facts, or `all`.
    pub kind: String,
    /// `age` (live facts at the checkpoints, by base windows since their birth),
    /// `generation` (facts shown to their first, second, ... summarizer) or
    /// `step-share` (facts told and not replaced, at a share of the session's turns).
    pub axis: String,
    /// Bucket on the axis: `0.5-1`, `2`, `3/13` or `end`.
    pub bucket: String,
    /// Facts present.
    pub present: u32,
    /// All facts.
    pub all: u32,
}

/// A point of the Proctor curve (`curve.csv`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CurveRow {
    /// Scenario family, or `all`: the sessions that are pooled.
    pub pool: String,
    /// Pipeline.
    pub pipeline: String,
    /// `windowed`, `windowless` or a swept limit.
    pub variant: String,
    /// Mode.
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

/// A number of tokens as a column.
pub fn tokens(tokens: Tokens) -> u64 {
    tokens.0
}

/// An optional float as a column.
pub fn optional(value: Option<f64>) -> String {
    value.map_or_else(String::new, float)
}
