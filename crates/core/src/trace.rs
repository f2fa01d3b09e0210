//! The trace: everything that one cell did. Figures are pure functions of it and of the truth;
//! nothing here is derived from another cell, a clock or the environment.

mod compaction;
mod extra;
mod facts;
mod share;
mod trigger;

pub use compaction::{AddedEntry, Compaction, CompactionOutcome};
pub use extra::{Act, ExtraCall};
pub use facts::{
    Claimed, DemandRecord, FactRecord, Folded, Found, Loss, LossClass, OldValue, Sample,
};
pub use share::{Share, ShareTokens};
pub use trigger::{StageOutcome, Trigger};

use std::ops::AddAssign;

use crate::apply::{Rule, Violation};
use crate::drive::consequences::Sweep;
use crate::ident::Digest;
use crate::prelude::*;
use crate::view::{Class, Kind, View};
use crate::{record, words};

/// How a session ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EndedBy {
    /// It reached its last step.
    #[default]
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

words! {
    /// How a session ended, as tables name it. See [`EndedBy`].
    pub enum Ending {
        Completed = "completed",
        Overflow = "overflow",
        MaxTokens = "max-tokens",
        InvalidRequest = "invalid-request",
        Raised = "raised",
        CompactionLimit = "compaction-limit",
    }
}

impl Ending {
    /// What it means, in a clause.
    pub fn told(self) -> &'static str {
        match self {
            Ending::Completed => "it reached its last step",
            Ending::Overflow => "the prompt did not fit the window, and nothing made it fit",
            Ending::MaxTokens => "the answer did not fit behind the prompt, and nothing made room",
            Ending::InvalidRequest => {
                "a provider refuses the request: calls and results do not pair"
            }
            Ending::Raised => "the strategy gave up",
            Ending::CompactionLimit => "it compacted again and again, and was stopped",
        }
    }
}

record! {
    /// One model call as it was made (the last send of its step).
    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
    pub struct StepRecord {
        /// Step from 1.
        pub step: u32,
        /// Human turns begun.
        pub turn: u32,
        /// The whole prompt in reference tokens: system, schemas, unseen overhead, messages.
        pub prompt: Tokens,
        /// Messages kept in the view, reference tokens.
        pub kept: Tokens,
        /// Messages as sent, request-scope stages applied.
        pub sent: Tokens,
        /// Of these, what was carried over: all but messages appended since the previous call.
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
        /// Tokens of the scripted answer.
        pub output: Tokens,
        /// Price of the call on the run's price sheet, nine digits.
        pub usd: Usd,
        /// Live facts: born, not superseded, needed now or later.
        pub live: u32,
        /// Of these, present in the view as sent.
        pub present: u32,
        /// Whether the latest user request was sent word for word.
        pub live_goal: bool,
        /// Sends that the step took.
        pub sends: u32,
    }
}

/// Counts over one answer, or the sum of several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SummaryReading {
    /// Words.
    pub words: u32,
    /// Words that lie in a shingle which occurs in what the request showed.
    pub copied: u32,
    /// Distinct artifacts: paths, symbols, error codes, figures with units, commands.
    pub artifacts: u32,
    /// Of these, artifacts that occur nowhere in the whole prompt.
    pub fabricated: u32,
    /// Sentences, headings left out.
    pub sentences: u32,
    /// Sentences with a word of the first person.
    pub first_person: u32,
    /// Sentences with a hedge.
    pub hedges: u32,
    /// Headings that the prompt asks for.
    pub sections_asked: u32,
    /// Of these, headings that the answer has.
    pub sections: u32,
}

impl AddAssign for SummaryReading {
    fn add_assign(&mut self, other: SummaryReading) {
        self.words += other.words;
        self.copied += other.copied;
        self.artifacts += other.artifacts;
        self.fabricated += other.fabricated;
        self.sentences += other.sentences;
        self.first_person += other.first_person;
        self.hedges += other.hedges;
        self.sections_asked += other.sections_asked;
        self.sections += other.sections;
    }
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
    /// Of these, by index in `Truth::demands`: what the passages held and the view no longer.
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

impl Composition {
    /// Of a view.
    pub fn of(view: &View) -> Composition {
        let mut composition = Composition::default();
        let last_summary = view.of(Class::Summary).last().and_then(|id| view.position(*id));
        let tail = last_summary.map_or(0, |place| place + 1);
        let mut owned = false;
        for (place, entry) in view.entries().iter().enumerate() {
            let share = Share::of(entry) as usize;
            composition.entries[share] += 1;
            composition.tokens[share] += entry.tokens();
            if place >= tail {
                composition.tail_entries[share] += 1;
                composition.tail_tokens[share] += entry.tokens();
            }
            if entry.kind == Kind::Summarized {
                composition.ownerless += u32::from(!owned);
            } else {
                owned = entry.is_user();
            }
        }
        composition
    }
}

/// One checkpoint of the floor probe.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
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

impl Checkpoint {
    /// The lesser of the untouched view and that after one pass, with what it is made of: nothing
    /// has to be compacted, so no floor lies above its view.
    pub fn floor(&self) -> Option<(ProbeRound, &Composition)> {
        let (untouched, once) = (*self.rounds.first()?, *self.rounds.get(1)?);
        let grew = once.tokens > untouched.tokens;
        Some(if grew { (untouched, &self.before) } else { (once, &self.one_pass) })
    }
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

/// Everything that one cell did. Its JSON (`traces.jsonl.gz`) leaves out rows of tables and events.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Trace {
    /// How it ended.
    pub ended_by: EndedBy,
    /// Steps of the session.
    pub steps_total: u32,
    /// Calls made.
    #[serde(skip)]
    pub steps: Vec<StepRecord>,
    /// Plans, in order.
    pub compactions: Vec<Compaction>,
    /// Events, in order.
    #[serde(skip)]
    pub events: Vec<EventRecord>,
    /// What became of every moment at which a stage was due.
    #[serde(skip)]
    pub triggers: Vec<Trigger>,
    /// Floor probes.
    pub checkpoints: Vec<Checkpoint>,
    /// Every demand of the session.
    #[serde(skip)]
    pub demands: Vec<DemandRecord>,
    /// Calls for which something was recalled.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub recalls: Vec<RecallRecord>,
    /// Rules that request-scope stages broke: they change what is sent, and no view.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub masked: Vec<Violation>,
    /// Every fact of the session, as the last prompt held it.
    pub facts: Vec<FactRecord>,
    /// Facts that the view held at the checkpoints that were reached.
    pub samples: Vec<Sample>,
    /// Facts that went through summarizers, by kind and generation.
    pub folded: Vec<Folded>,
    /// What summaries say of facts, by kind.
    pub claimed: Vec<Claimed>,
    /// Entries that a profile took for what they are not; `None` where no stage goes by text.
    pub misclassified: Option<u32>,
    /// Decoys that some view held: always a fault of the harness or an invention.
    pub decoys_seen: u32,
    /// The view that was sent last.
    pub last: Composition,
    /// Refused and cut-off sends.
    pub overflows: u32,
    /// See `overflows`.
    pub cut_offs: u32,
    /// Calls that were sent the view from before a failed pass.
    #[serde(skip_serializing_if = "is_default")]
    pub stale_sends: u32,
    /// Where the agent acts on what it has lost: at which point of the sweep.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closed: Option<Sweep>,
    /// The calls that it made for that, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub extra: Vec<ExtraCall>,
}

impl Trace {
    /// Takes back that a step's compactions hid what the view holds that was sent in the end: the
    /// one from before a failed pass.
    pub(crate) fn read_after_all(&mut self, step: u32, sent: &View) {
        let of_step = self.compactions.iter_mut().rev().take_while(|one| one.step == step);
        let is_read = |broken: &Violation| {
            broken.rule == Rule::FreshResultHidden
                && broken.entry.is_some_and(|entry| sent.entry(entry).is_some())
        };
        of_step.for_each(|one| one.violations.retain(|broken| !is_read(broken)));
    }

    /// Every rule that was broken, in compactions and in requests.
    pub fn violations(&self) -> impl Iterator<Item = &Violation> {
        self.compactions.iter().flat_map(|one| &one.violations).chain(&self.masked)
    }

    /// Digest of everything that the cell did: two drives with one digest did the same.
    pub fn digest(&self) -> Digest {
        let figures = self.compactions.iter().map(Compaction::figures).collect::<Vec<_>>();
        let rows = (&self.steps, figures, &self.demands, &self.triggers, &self.events);
        Digest::of_json(&(self, rows))
    }
}
