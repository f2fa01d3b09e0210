//! The trace: everything that one cell did.
//!
//! Figures are pure functions of a trace and the session's truth; nothing here is
//! derived from another cell, a clock or the environment.

mod facts;
mod summary;
mod trigger;

pub use facts::{DemandRecord, FactRecord, Folded, Found, Loss, LossClass, Sample};
pub use summary::SummaryReading;
pub use trigger::{Moment, Trigger};

use serde::{Deserialize, Serialize};

use crate::answer::Attempt;
use crate::apply::Violation;
use crate::pressure::{Occasion, Reading};
use crate::summarize::FailureClass;
use crate::unit::{Millis, Tokens, Usd};
use crate::view::{Kind, Spans};

/// How a session ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EndedBy {
    /// It reached its last step.
    Completed,
    /// The model refused the prompt, and nothing helped.
    Overflow,
    /// The answer was cut off, and nothing helped.
    MaxTokens,
    /// The provider refused a malformed conversation.
    InvalidRequest(String),
    /// The strategy gave up or proposed nonsense.
    Raised(String),
    /// The pipeline compacted again and again, and was stopped.
    CompactionLimit,
}

impl EndedBy {
    /// Without what was said of it.
    pub fn kind(&self) -> Ending {
        match self {
            EndedBy::Completed => Ending::Completed,
            EndedBy::Overflow => Ending::Overflow,
            EndedBy::MaxTokens => Ending::MaxTokens,
            EndedBy::InvalidRequest(_) => Ending::InvalidRequest,
            EndedBy::Raised(_) => Ending::Raised,
            EndedBy::CompactionLimit => Ending::CompactionLimit,
        }
    }

    /// Name in tables.
    pub fn name(&self) -> &'static str {
        self.kind().name()
    }
}

/// How a session ended, as tables name it. See [`EndedBy`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "documented at EndedBy")]
pub enum Ending {
    Completed,
    Overflow,
    MaxTokens,
    InvalidRequest,
    Raised,
    CompactionLimit,
}

impl Ending {
    /// All endings.
    pub const ALL: [Ending; 6] = [
        Ending::Completed,
        Ending::Overflow,
        Ending::MaxTokens,
        Ending::InvalidRequest,
        Ending::Raised,
        Ending::CompactionLimit,
    ];

    /// Name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Ending::Completed => "completed",
            Ending::Overflow => "overflow",
            Ending::MaxTokens => "max-tokens",
            Ending::InvalidRequest => "invalid-request",
            Ending::Raised => "raised",
            Ending::CompactionLimit => "compaction-limit",
        }
    }
}

/// What an entry counts as in shares and compositions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Share {
    /// System messages inside the conversation.
    System,
    /// User-role messages of the log.
    User,
    /// Raw assistant messages.
    Assistant,
    /// Raw tool results.
    Tool,
    /// `[SUMMARIZED]` blocks.
    Summarized,
    /// `[GOAL BATCH]` blocks.
    GoalBatch,
    /// Summaries of the history at large.
    Summary,
    /// Notices and recalled text.
    Other,
}

impl Share {
    /// All shares in the order that tables list them.
    pub const ALL: [Share; 8] = [
        Share::System,
        Share::User,
        Share::Assistant,
        Share::Tool,
        Share::Summarized,
        Share::GoalBatch,
        Share::Summary,
        Share::Other,
    ];

    /// Of an entry.
    pub fn of(entry: &crate::view::Entry) -> Share {
        use crate::log::Role;
        match (entry.kind, entry.role) {
            (Kind::Summarized, _) => Share::Summarized,
            (Kind::GoalBatch, _) => Share::GoalBatch,
            (Kind::Summary, _) => Share::Summary,
            (Kind::Notice | Kind::Recalled, _) => Share::Other,
            (Kind::Message, Role::System) => Share::System,
            (Kind::Message, Role::User) => Share::User,
            (Kind::Message, Role::Assistant) => Share::Assistant,
            (Kind::Message, Role::Tool) => Share::Tool,
        }
    }

    /// Name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Share::System => "system",
            Share::User => "user",
            Share::Assistant => "assistant",
            Share::Tool => "tool",
            Share::Summarized => "summarized",
            Share::GoalBatch => "goal-batch",
            Share::Summary => "summary",
            Share::Other => "other",
        }
    }
}

/// Reference tokens by share, in the order of [`Share::ALL`].
pub type ShareTokens = [Tokens; Share::ALL.len()];

/// One model call as it was made (the last send of its step).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepRecord {
    /// Step number from 1.
    pub step: u32,
    /// Human turns begun.
    pub turn: u32,
    /// Reference tokens of the whole prompt: system, schemas, unseen overhead, messages.
    pub prompt: Tokens,
    /// Reference tokens of the messages kept in the view.
    pub kept: Tokens,
    /// Reference tokens of the messages as sent (request-scope stages applied).
    pub sent: Tokens,
    /// Of these, what was carried over: all but messages appended since the previous
    /// call.
    pub carried: Tokens,
    /// Kept tokens by share.
    pub shares: ShareTokens,
    /// Entries of the view.
    pub entries: u32,
    /// Prompt tokens read from the cache.
    pub cached: Tokens,
    /// Prompt tokens written to the cache.
    pub written: Tokens,
    /// Tokens that a change of the view took from the cached prefix.
    pub invalidated: Tokens,
    /// Tokens that time took from it.
    pub expired: Tokens,
    /// Reference tokens of the scripted answer.
    pub output: Tokens,
    /// Live facts: born, not superseded, needed now or later.
    pub live: u32,
    /// Of these, present in the view as sent.
    pub present: u32,
    /// Whether the latest user request was sent word for word.
    pub live_goal: bool,
    /// Sends that the step took.
    pub sends: u32,
}

/// One plan and what became of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Compaction {
    /// Number in the cell, from 1; failed ones count.
    pub number: u32,
    /// Step before (or after) whose call it ran.
    pub step: u32,
    /// Human turns begun.
    pub turn: u32,
    /// Why it ran.
    pub occasion: Occasion,
    /// The stage, by number in the pipeline from 0.
    pub stage: u32,
    /// Its repetition on this occasion, from 0.
    pub round: u32,
    /// What became of it.
    pub outcome: CompactionOutcome,
    /// The pressure it was fired by.
    pub reading: Option<Reading>,
    /// Prompt over usable window when it fired.
    pub utilization: f64,
    /// View before and after, reference tokens.
    pub before: Tokens,
    /// See `before`.
    pub after: Tokens,
    /// Entries before and after.
    pub entries_before: u32,
    /// See `entries_before`.
    pub entries_after: u32,
    /// Entries that left.
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
    pub took_live_goal: bool,
    /// Facts that were present before and are not after.
    pub lost: Vec<Loss>,
    /// Price of its requests.
    pub usd: Usd,
    /// Modelled time that the agent waited for it.
    pub blocking: Millis,
}

/// What became of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
    Unchanged,
}

impl CompactionOutcome {
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

/// What a request-scope stage brought back for one call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecallRecord {
    /// The step, from 1.
    pub step: u32,
    /// Passages that came back.
    pub passages: u32,
    /// Reference tokens that they added to the prompt.
    pub tokens: Tokens,
    /// Demands of the step.
    pub demands: u32,
    /// Of these, by index in `Truth::demands`: what the view held no longer and the
    /// passages held. Their demand records say what the view held.
    pub met: Vec<u32>,
}

/// What a view is made of.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Composition {
    /// Entries by share.
    pub entries: [u32; Share::ALL.len()],
    /// Reference tokens by share.
    pub tokens: ShareTokens,
    /// Entries of the recent raw tail: all that follows the last summary.
    pub tail_entries: [u32; Share::ALL.len()],
    /// Its reference tokens.
    pub tail_tokens: ShareTokens,
    /// `[SUMMARIZED]` blocks that follow no user message of the view.
    pub ownerless: u32,
}

/// One checkpoint of the floor probe.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// Number from 1 to 12.
    pub number: u32,
    /// Step and human turn at which it was taken.
    pub step: u32,
    /// See `step`.
    pub turn: u32,
    /// Tokens and recall after round 0 (untouched), 1, 2, ...
    pub rounds: Vec<ProbeRound>,
    /// The view untouched.
    pub before: Composition,
    /// The view after the first round.
    pub one_pass: Composition,
    /// Prompt tokens of the probe's requests, billed to the probe.
    pub summarizer: Tokens,
}

/// The view after a round of the probe.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProbeRound {
    /// Reference tokens of the view.
    pub tokens: Tokens,
    /// Live facts, and how many of them are present.
    pub live: u32,
    /// See `live`.
    pub present: u32,
}

/// Something that an agent's harness would announce.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Event {
    /// Before a plan is carried out.
    PreCompact,
    /// Its requests go out.
    SummarizationStart,
    /// A batch of its requests was answered.
    SummarizationProgress,
    /// The view was changed.
    SummarizationComplete,
    /// It failed.
    SummarizationError,
    /// The boundary that a transcript would record.
    CompactBoundary,
    /// The session goes on with `source = compact`.
    SessionStart,
}

/// An event with its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventRecord {
    /// Step from 1.
    pub step: u32,
    /// The compaction.
    pub compaction: u32,
    /// What.
    pub event: Event,
}

/// Everything that one cell did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trace {
    /// How it ended.
    pub ended_by: EndedBy,
    /// Steps of the session.
    pub steps_total: u32,
    /// Calls made.
    pub steps: Vec<StepRecord>,
    /// Plans, in order.
    pub compactions: Vec<Compaction>,
    /// Events, in order.
    pub events: Vec<EventRecord>,
    /// What became of every moment at which a stage was due.
    pub triggers: Vec<Trigger>,
    /// Floor probes.
    pub checkpoints: Vec<Checkpoint>,
    /// Every demand of the session.
    pub demands: Vec<DemandRecord>,
    /// Calls for which something was recalled.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub recalls: Vec<RecallRecord>,
    /// Every fact of the session, as the last prompt held it.
    pub facts: Vec<FactRecord>,
    /// Facts that the view held at the checkpoints that were reached.
    pub samples: Vec<Sample>,
    /// Facts that went through summarizers, by kind and generation.
    pub folded: Vec<Folded>,
    /// Entries that a profile which goes by text took for what they are not; `None`
    /// where no stage does.
    pub misclassified: Option<u32>,
    /// Decoys that some view held: always a fault of the harness or an invention.
    pub decoys_seen: u32,
    /// The view that was sent last.
    pub last: Composition,
    /// Refused and cut-off sends.
    pub overflows: u32,
    /// See `overflows`.
    pub cut_offs: u32,
    /// Calls that were sent the view from before a failed pass, whatever its earlier
    /// stages had done.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub stale_sends: u32,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
fn is_zero(count: &u32) -> bool {
    *count == 0
}

impl Trace {
    /// The trace without what the tables of a run directory hold row by row:
    /// steps and demands.
    pub fn without_tables(&self) -> Trace {
        Trace {
            steps: Vec::new(),
            demands: Vec::new(),
            ended_by: self.ended_by.clone(),
            steps_total: self.steps_total,
            compactions: self.compactions.clone(),
            events: self.events.clone(),
            triggers: self.triggers.clone(),
            checkpoints: self.checkpoints.clone(),
            recalls: self.recalls.clone(),
            facts: self.facts.clone(),
            samples: self.samples.clone(),
            folded: self.folded.clone(),
            misclassified: self.misclassified,
            decoys_seen: self.decoys_seen,
            last: self.last.clone(),
            overflows: self.overflows,
            cut_offs: self.cut_offs,
            stale_sends: self.stale_sends,
        }
    }
}
