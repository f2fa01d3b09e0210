//! What a strategy may propose: the next view, in terms of the present one. A plan is data and can
//! be stored and sent; `answer` has its requests answered, `apply` makes the next view.

mod piece;
mod request;

pub use piece::{Clean, Piece, Source};
pub use request::{Frame, GiveUp, Item, Recovery, SummaryRequest};

use std::borrow::Cow;

use crate::log::{CallId, Role, Text};
use crate::prelude::*;
use crate::record::JsonSchema;
use crate::view::{Kind, Spans};

/// What a strategy answers when it is asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Decision {
    /// Do this.
    Plan(Plan),
    /// Nothing to do, and why: the reason is kept in the trace.
    Decline(Cow<'static, str>),
    /// The session cannot go on.
    Raise(String),
}

impl Decision {
    /// Declines for this reason.
    pub fn decline(reason: impl Into<Cow<'static, str>>) -> Decision {
        Decision::Decline(reason.into())
    }
}

/// A proposal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Plan {
    /// The next view.
    pub layout: Layout,
    /// Summaries that the layout uses, as data.
    #[serde(default)]
    pub requests: Vec<SummaryRequest>,
    /// What must hold of the result; otherwise it is rejected.
    #[serde(default)]
    pub accept: Vec<Accept>,
    /// Applied instead when answers fail or the result is rejected; it may have one of its own.
    pub otherwise: Option<Box<Plan>>,
    /// What becomes of the pass after a failure or rejection.
    #[serde(default)]
    pub then: Then,
}

impl Plan {
    /// A plan that needs no summary.
    pub fn mechanical(layout: Layout) -> Plan {
        Plan::summarizing(layout, Vec::new())
    }

    /// A plan whose answers are all accepted; a failure goes by the pipeline's rule.
    pub fn summarizing(layout: Layout, requests: Vec<SummaryRequest>) -> Plan {
        Plan { layout, requests, accept: Vec::new(), otherwise: None, then: Then::AsPipeline }
    }
}

/// What must hold of the view that a plan makes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Accept {
    /// Not larger than before, by the pipeline's counter.
    NotLarger,
    /// Smaller by at least this share of what it was.
    FreesShare(f64),
}

impl Accept {
    /// Whether it holds of a view before and after, by the pipeline's counter.
    pub fn holds(self, before: Tokens, after: Tokens) -> bool {
        match self {
            Accept::NotLarger => after <= before,
            Accept::FreesShare(share) => (before - after).as_f64() >= share * before.as_f64(),
        }
    }
}

/// What becomes of the pass when a plan fails, after `otherwise` was applied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Then {
    /// As the pipeline's `on-error` says.
    #[default]
    AsPipeline,
    /// The pass goes on.
    Continue,
    /// The session ends with `raised`.
    Raise,
}

/// The next view.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Layout {
    /// Exactly these slots, in order; what no slot keeps leaves the view.
    Whole(Vec<Slot>),
    /// The same entries with some rewritten. Request scope only.
    Edits {
        /// What the edits start from.
        base: Base,
        /// The rewrites.
        edits: Vec<Edit>,
    },
    /// The same entries, and behind them what the archive holds for a query. Request scope only.
    Recall(Recall),
}

/// A question to the archive of what has left the view.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Recall {
    /// The words to look for.
    pub query: Text,
    /// Most passages that come back.
    pub passages: usize,
    /// Most reference tokens of them together; a passage that does not fit any more is passed over.
    pub allowance: Tokens,
}

/// What request-scope edits start from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Base {
    /// The view: earlier edits are forgotten.
    View,
    /// What was sent last, with what was appended since: edits accumulate.
    LastSent,
}

/// One place of the next view.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Slot {
    /// An entry as it is.
    Keep(EntryId),
    /// All entries from one to another as they are, both included.
    Keeps(EntryId, EntryId),
    /// An entry with changed content or arguments.
    Rewrite(Edit),
    /// A new entry.
    New(NewEntry),
    /// A new entry that is left out where all the answers it holds are empty.
    NewUnlessEmpty(NewEntry),
}

/// A new entry.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct NewEntry {
    /// Role on the wire.
    pub role: Role,
    /// What it is to the harness.
    pub kind: Kind,
    /// Its content.
    pub pieces: Vec<Piece>,
    /// What leaves the view for it.
    pub covers: Covers,
    /// The call that it answers, for tool results.
    pub answers: Option<CallId>,
    /// Metadata of the profile, shown in traces.
    pub note: Option<String>,
}

impl NewEntry {
    /// An entry that answers no call and has no note.
    pub fn new(role: Role, kind: Kind, pieces: Vec<Piece>, covers: Covers) -> NewEntry {
        NewEntry { role, kind, pieces, covers, answers: None, note: None }
    }
}

/// What a new entry stands for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Covers {
    /// Everything that leaves the view and no other new entry covers.
    Rest,
    /// These entries.
    Entries(Vec<EntryId>),
    /// These log messages, in the view or not (timestamp ranges, archives).
    Log(Spans),
    /// Nothing.
    Nothing,
}

/// A rewrite of one entry.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Edit {
    /// The entry.
    pub entry: EntryId,
    /// Its new content; as it is where absent.
    pub pieces: Option<Vec<Piece>>,
    /// New arguments by call.
    #[serde(default)]
    pub args: BTreeMap<CallId, Text>,
    /// Calls that the entry no longer makes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub drops: Vec<CallId>,
}

/// Slots that keep all but some positions, each of which may have something in its place.
pub fn replacing(
    view: &crate::view::View,
    removed: &[usize],
    mut instead: BTreeMap<usize, Vec<Slot>>,
) -> Vec<Slot> {
    let mut slots = Vec::new();
    let mut start = 0;
    let entries = view.entries();
    for &place in removed.iter().chain([&entries.len()]) {
        if start < place {
            slots.push(Slot::Keeps(entries[start].id, entries[place - 1].id));
        }
        slots.extend(instead.remove(&place).unwrap_or_default());
        start = place + 1;
    }
    slots
}
