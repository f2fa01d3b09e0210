//! What one compaction did.

use super::{Loss, Share, SummaryReading};
use crate::answer::Attempt;
use crate::apply::Violation;
use crate::prelude::*;
use crate::pressure::{Occasion, Reading};
use crate::record::{BadValue, Column, Field, Line, Value, Values};
use crate::summarize::FailureClass;
use crate::view::Spans;

/// One plan and what became of it. As JSON it leaves out what `compactions.parquet` holds.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Compaction {
    /// Number in the cell, from 1; failed ones count.
    pub number: u32,
    /// Step before (or after) whose call it ran.
    #[serde(skip)]
    pub step: u32,
    /// Human turns begun.
    #[serde(skip)]
    pub turn: u32,
    /// Why it ran.
    #[serde(skip)]
    pub occasion: Occasion,
    /// The stage, by number in the pipeline from 0.
    pub stage: u32,
    /// Its repetition on this occasion, from 0.
    #[serde(skip)]
    pub round: u32,
    /// What became of it.
    #[serde(skip)]
    pub outcome: CompactionOutcome,
    /// The pressure it was fired by.
    pub reading: Option<Reading>,
    /// Prompt over usable window when it fired.
    #[serde(skip)]
    pub utilization: f64,
    /// View before and after, reference tokens.
    #[serde(skip)]
    pub before: Tokens,
    /// See `before`.
    #[serde(skip)]
    pub after: Tokens,
    /// Entries before and after.
    #[serde(skip)]
    pub entries_before: u32,
    /// See `entries_before`.
    #[serde(skip)]
    pub entries_after: u32,
    /// Entries that left.
    #[serde(skip)]
    pub removed: u32,
    /// Entries that came.
    pub added: Vec<AddedEntry>,
    /// Log messages that left and nothing stands for.
    pub dropped: Spans,
    /// Every try of every request.
    pub attempts: Vec<Attempt>,
    /// Rules that it broke.
    pub violations: Vec<Violation>,
    /// Whether it took the latest user request out of the view.
    #[serde(skip)]
    pub took_live_goal: bool,
    /// Facts that were present before and are not after.
    pub lost: Vec<Loss>,
    /// Price of its requests.
    #[serde(skip)]
    pub usd: Usd,
    /// Modelled time that the agent waited for it.
    #[serde(skip)]
    pub blocking: Millis,
}

impl Compaction {
    /// What its JSON leaves out.
    pub(super) fn figures(&self) -> impl Serialize + '_ {
        let when = (self.step, self.turn, self.occasion, self.round, &self.outcome);
        let size = (self.before, self.after, self.entries_before, self.entries_after, self.removed);
        (when, size, self.utilization, self.took_live_goal, self.usd, self.blocking)
    }
}

/// What became of a plan.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CompactionOutcome {
    /// Applied as planned.
    Accepted,
    /// The answers failed; the fallback was applied.
    Fallback(FailureClass),
    /// The answers failed and there was no fallback.
    Failed(FailureClass),
    /// The result did not meet the plan's own acceptance rule.
    Rejected,
    /// Applied, but nothing changed.
    #[default]
    Unchanged,
}

impl CompactionOutcome {
    /// Whether it was applied and the view is another one, given how many entries left and came.
    pub fn changed(&self, removed: u32, added: usize) -> bool {
        self.is_applied() && (removed > 0 || added > 0)
    }

    /// Whether the plan, or its fallback, was applied.
    pub fn is_applied(&self) -> bool {
        matches!(self, CompactionOutcome::Accepted | CompactionOutcome::Fallback(_))
    }

    /// The failure behind it; `None` where nothing failed.
    pub fn failure(&self) -> Option<FailureClass> {
        match self {
            CompactionOutcome::Fallback(class) | CompactionOutcome::Failed(class) => Some(*class),
            CompactionOutcome::Accepted
            | CompactionOutcome::Rejected
            | CompactionOutcome::Unchanged => None,
        }
    }

    /// Name in tables.
    pub fn name(&self) -> &'static str {
        match self {
            CompactionOutcome::Accepted => "accepted",
            CompactionOutcome::Fallback(_) => "fallback",
            CompactionOutcome::Failed(_) => "failed",
            CompactionOutcome::Rejected => "rejected",
            CompactionOutcome::Unchanged => "unchanged",
        }
    }
}

/// Two columns: the outcome and the failure behind it.
impl Field for CompactionOutcome {
    fn columns(_: &'static str, _: &str) -> Vec<Column> {
        let words = vec!["accepted", "fallback", "failed", "rejected", "unchanged"];
        let outcome = Column::of_words("outcome", "What became of the plan.", words);
        let meaning = "Why its requests failed; empty where they did not.";
        let mut failure = Option::<FailureClass>::columns("failure", meaning);
        failure.insert(0, outcome);
        failure
    }

    fn write(&self, line: &mut Line) {
        line.push(Value::Text(self.name()));
        self.failure().write(line);
    }

    fn read(values: &mut Values) -> Result<CompactionOutcome, BadValue> {
        let outcome = values.text();
        let bad = values.bad(format!("`{outcome}` is no outcome with this failure"));
        Ok(match (outcome, Option::<FailureClass>::read(values)?) {
            ("accepted", None) => CompactionOutcome::Accepted,
            ("fallback", Some(class)) => CompactionOutcome::Fallback(class),
            ("failed", Some(class)) => CompactionOutcome::Failed(class),
            ("rejected", None) => CompactionOutcome::Rejected,
            ("unchanged", None) => CompactionOutcome::Unchanged,
            _ => return Err(bad),
        })
    }
}

/// A new entry of a compaction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AddedEntry {
    /// Its share.
    pub share: Share,
    /// Its reference tokens.
    pub tokens: Tokens,
    /// Its generation.
    pub generation: u32,
    /// Entries that it covers.
    pub covered: u32,
    /// Reference tokens of what it covers and no earlier entry of the change does.
    pub covered_tokens: Tokens,
    /// Of these, tokens that no request of the plan showed.
    pub unseen_tokens: Tokens,
    /// Log messages that it stands for.
    pub covers: Spans,
    /// Log messages that its requests showed.
    pub shown: Spans,
    /// What its answers are like; `None` where it holds none.
    pub reading: Option<SummaryReading>,
    /// Metadata of the profile.
    pub note: Option<String>,
}
