//! What stands behind a judgement: where a loss is largest, one case of it, which keys were changed,
//! and what was accepted. Published with the judgement (`proctor schema gate`).

use schemars::JsonSchema;

use crate::measure::MetricId;
use crate::prelude::*;

/// A line of a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Place {
    /// Path as it was given, with forward slashes.
    pub file: String,
    /// Line from 1.
    pub line: usize,
}

/// What stands behind a finding that does not pass.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Detail {
    /// The scenario that lost most, where there are several.
    pub scenario: Option<Moved>,
    /// The session that lost most, by its cell.
    pub session: Option<Moved>,
    /// The kind of fact that lost most: shares of needs that were met.
    pub kind: Option<Moved>,
    /// A fact that the baseline knew when it was needed, and the candidate does not.
    pub fact: Option<LostFact>,
    /// A session that ends earlier.
    pub end: Option<EarlyEnd>,
    /// A compaction that broke a rule.
    pub broken: Option<BrokenRule>,
}

/// A figure of a part, on both sides.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Moved {
    /// The part: a scenario, a cell, or a kind of fact.
    pub name: String,
    /// The baseline's figure.
    pub baseline: f64,
    /// The candidate's.
    pub candidate: f64,
    /// Sessions, or needs, behind it.
    pub n: usize,
}

/// A fact that was needed, known to the baseline and not to the candidate.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LostFact {
    /// The candidate's cell.
    pub cell: String,
    /// Its scenario.
    pub scenario: String,
    /// Its seed.
    pub seed: u64,
    /// The kind of fact.
    pub kind: String,
    /// The fact.
    pub statement: String,
    /// The step whose call needs it.
    pub step: u32,
    /// How many summaries it went through in the baseline's prompt; 0 for word for word.
    pub baseline_generation: u32,
    /// What the candidate's prompt held of it: `absent`, `ambiguous`, `inverted`.
    pub found: String,
    /// The candidate's compaction that lost it, where one did.
    pub lost_in: Option<LostIn>,
}

/// The compaction that lost a fact.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LostIn {
    /// Its number in the cell.
    pub compaction: u32,
    /// The step before whose call it ran.
    pub step: u32,
    /// The stage.
    pub stage: String,
    /// How it was lost: `dropped`, `covered-but-unseen`, `shown-but-omitted`,
    /// `lost-in-re-summary`, `inverted`.
    pub class: String,
    /// The same in words.
    pub how: String,
    /// The messages that held it and left.
    pub left: Vec<String>,
    /// What the summarizer was shown of it.
    pub shown: Option<String>,
    /// What it answered, at the place nearest to the fact; empty for an empty answer.
    pub answered: Option<String>,
}

/// A session that ends earlier than in the baseline.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EarlyEnd {
    /// The candidate's cell.
    pub cell: String,
    /// The steps that it reached.
    pub reached: u32,
    /// The steps of the session.
    pub steps: u32,
    /// How it ended, as `ended_by`.
    pub ended_by: String,
    /// The same in words.
    pub how: String,
}

/// A compaction that broke a rule.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BrokenRule {
    /// The candidate's cell.
    pub cell: String,
    /// The rule.
    pub rule: String,
    /// The compaction's number in the cell.
    pub compaction: u32,
    /// The step before whose call it ran.
    pub step: u32,
    /// The stage.
    pub stage: String,
}

/// A loss that a pipeline file accepts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Acceptance {
    /// The metric that may become worse.
    #[schemars(with = "String")]
    pub metric: MetricId,
    /// The scenario on which it may; absent for all together and each alone.
    pub scenario: Option<String>,
    /// The largest mean loss, in the metric's unit.
    pub up_to: Option<f64>,
    /// The same as a share of the baseline's mean; the larger of both counts.
    pub up_to_relative: Option<f64>,
    /// The last day on which it holds, as 2027-01-31.
    pub until: String,
    /// Why the loss is wanted.
    pub because: String,
    /// Where it is written.
    pub place: Place,
    /// What came of it.
    pub outcome: Outcome,
}

/// What came of an accepted loss.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// No loss of this metric would fail the gate.
    #[default]
    Unneeded,
    /// It lets a loss pass.
    Accepted,
    /// A loss is larger than it allows.
    Exceeded,
    /// Its last day is over.
    Expired,
}

/// The changed keys of the candidate, undone one by one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Blame {
    /// Each key that was undone alone, in the order of the file.
    pub tried: Vec<Undone>,
    /// Changed keys that were not tried, for the limit.
    pub left_out: usize,
}

/// The candidate with one change undone, gated again.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Undone {
    /// Its place in [`super::Judgement::changed`].
    pub change: usize,
    /// Whether nothing fails any more that failed.
    pub undoes: bool,
    /// The figure of the worst finding with it undone; absent where it has none.
    pub figure: Option<f64>,
    /// Why it could not be undone alone.
    pub error: Option<String>,
}

impl Blame {
    /// The changes that undo the loss, each alone.
    pub fn culprits(&self) -> impl Iterator<Item = usize> + '_ {
        self.tried.iter().filter(|one| one.undoes).map(|one| one.change)
    }
}
