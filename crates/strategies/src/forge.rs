//! Forge's three tiers as its decision records describe them (`forge-adr`).
//!
//! Sources: ADR-0014 (composable context management) and ADR-0041 (goal-batch
//! compaction). Forge's code has gone other ways since; those generations are
//! profiles of their own. Where the records are silent or contradict each other,
//! each tier's doc comment says what was chosen.
//!
//! Common to all three: they act before each model call, as ADR-0014's agent loop
//! does, and never touch the live turn, as both records intend ("compression of
//! the current turn's context" is a non-goal of ADR-0014; ADR-0041 "must never
//! touch content close to the current position"). The live turn begins at the last
//! user-role message: Forge stores rejections and stop notices as such, and its
//! records know no authors. The prompts are ours; their sections are those of the
//! prompts in Forge's code, in place of ADR-0040's. No source limits an answer's length,
//! so `max-tokens` is ours.

mod goal_batch;
pub(super) mod prompt;
mod threshold;
mod tool_call;

pub(super) use goal_batch::{ADR_WORDING, Wording, closed_turns};
pub use goal_batch::{Batching, GoalBatch};
pub use threshold::Threshold;
pub use tool_call::ToolCall;

use std::borrow::Borrow;
use std::collections::BTreeMap;

use crate::ident::{EntryId, RequestId};
use crate::log::{Role, Text};
use crate::plan::{
    Covers, Decision, Layout, NewEntry, Piece, Plan, Slot, SummaryRequest, replacing,
};
use crate::strategy::PlanContext;
use crate::unit::Tokens;
use crate::view::{Entry, Kind, View};

/// A summary and the entries that it replaces.
pub(super) struct Fold {
    /// In view order.
    pub(super) covers: Vec<EntryId>,
    pub(super) request: SummaryRequest,
    pub(super) kind: Kind,
    /// What its text begins with.
    pub(super) tag: &'static str,
    pub(super) note: Option<String>,
}

impl Fold {
    /// With the tag of its kind and no note. The request is in the words of all tiers, to
    /// the model that the profile names.
    pub(super) fn new(
        kind: Kind,
        covers: impl IntoIterator<Item = EntryId>,
        body: Vec<Piece>,
        max_tokens: Tokens,
        model: &Option<String>,
    ) -> Fold {
        let system = Text::from(prompt::SYSTEM);
        let request = SummaryRequest::new(RequestId(0), system, body, max_tokens);
        Fold {
            covers: covers.into_iter().collect(),
            request: SummaryRequest { model: model.clone(), ..request },
            kind,
            tag: prompt::tag(kind),
            note: None,
        }
    }

    /// The same of entries whose request is a task and each entry behind its label, which
    /// is made of its number and itself.
    pub(super) fn of<E: Borrow<Entry>>(
        kind: Kind,
        entries: &[E],
        task: &str,
        label: impl Fn(usize, &Entry) -> String,
        max_tokens: Tokens,
        model: &Option<String>,
    ) -> Fold {
        let entries = || entries.iter().map(Borrow::borrow);
        let mut body = vec![Piece::literal(task)];
        for (number, entry) in (1..).zip(entries()) {
            show(&label(number, entry), entry, &mut body);
        }
        Fold::new(kind, entries().map(|entry| entry.id), body, max_tokens, model)
    }

    /// With a note.
    pub(super) fn noted(self, note: String) -> Fold {
        Fold { note: Some(note), ..self }
    }

    /// The new entry and the request with this id, whose answer it holds.
    pub(super) fn parts(self, id: RequestId) -> (Slot, SummaryRequest) {
        let pieces = vec![Piece::literal(self.tag), Piece::answer(id)];
        let covers = Covers::Entries(self.covers);
        let entry = NewEntry::new(Role::Assistant, self.kind, pieces, covers);
        let summary = Slot::New(NewEntry { note: self.note, ..entry });
        (summary, SummaryRequest { id, ..self.request })
    }
}

/// The plan that puts each summary where the first entry that it covers was. Covered
/// entries leave.
pub(super) fn folding(view: &View, folds: Vec<Fold>) -> Decision {
    let mut instead: BTreeMap<usize, Vec<Slot>> = BTreeMap::new();
    let mut removed: Vec<usize> = Vec::new();
    let mut requests = Vec::new();
    for (fold, number) in folds.into_iter().zip(0..) {
        let places = fold.covers.iter().filter_map(|id| view.position(*id));
        let first = removed.len();
        removed.extend(places);
        let place = removed.get(first).copied().unwrap_or(0);
        let (summary, request) = fold.parts(RequestId(number));
        instead.entry(place).or_default().push(summary);
        requests.push(request);
    }
    removed.sort_unstable();
    removed.dedup();
    let layout = Layout::Whole(replacing(view, &removed, instead));
    Decision::Plan(Plan::summarizing(layout, requests))
}

/// Whether there is nothing left to free.
pub(super) fn at_target(context: &PlanContext) -> bool {
    context.reading.is_some_and(|reading| reading.used <= reading.target)
}

/// The label of an entry by its role alone.
pub(super) fn role(_: usize, entry: &Entry) -> String {
    format!("[{}]", entry.role.name())
}

/// An entry as a prompt shows it: its words after a label, then its calls. In Forge a
/// call is text inside the message; in a log it stands beside it.
pub(super) fn show(label: &str, entry: &Entry, body: &mut Vec<Piece>) {
    body.push(Piece::literal(format!("\n{label}: ")));
    body.push(Piece::quote(entry.id));
    for call in &entry.calls {
        body.push(Piece::literal(format!("\n[call {}]: ", call.name)));
        body.push(Piece::arguments(entry.id, &call.id));
    }
}

#[cfg(test)]
mod tests;
