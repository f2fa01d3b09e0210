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
//! records know no authors. The prompts are ours; their sections are those that
//! STRATEGIES 1.4 to 1.6 list in place of ADR-0040. No source limits an answer's
//! length, so `max-tokens` is ours.

mod goal_batch;
pub(super) mod prompt;
mod threshold;
mod tool_call;

pub use goal_batch::GoalBatch;
pub(super) use goal_batch::PARAMETERS as GOAL_BATCH_PARAMETERS;
pub use threshold::Threshold;
pub use tool_call::ToolCall;

use std::collections::BTreeMap;

use crate::ident::{EntryId, RequestId};
use crate::log::{Role, Text};
use crate::plan::{Covers, Layout, NewEntry, Piece, Plan, Slot, SummaryRequest, replacing};
use crate::strategy::Parameter;
use crate::unit::Tokens;
use crate::view::{Entry, Kind, View};

/// ADR-0042's override, which ADR-0014 lists: a model of its own for summaries.
pub(super) const MODEL: Parameter =
    Parameter::request("model", "a model of its own for summaries, where given");

/// The plan that puts summaries in place of entries: `folds` are (place of the
/// summary, what it covers, its request, tag, kind), covered entries leave.
pub(super) fn folding(view: &View, folds: Vec<FoldedBlock>) -> Plan {
    let mut instead: BTreeMap<usize, Vec<Slot>> = BTreeMap::new();
    let mut removed: Vec<usize> = Vec::new();
    let mut requests = Vec::new();
    for fold in folds {
        removed.extend(fold.covers.iter().filter_map(|id| view.position(*id)));
        let summary = NewEntry {
            role: Role::Assistant,
            kind: fold.kind,
            pieces: vec![Piece::Literal(fold.tag), Piece::answer(fold.request.id)],
            covers: Covers::Entries(fold.covers),
            answers: None,
            note: fold.note,
        };
        instead.entry(fold.place).or_default().push(Slot::New(summary));
        requests.push(fold.request);
    }
    removed.sort_unstable();
    removed.dedup();
    Plan::summarizing(Layout::Whole(replacing(view, &removed, instead)), requests)
}

/// One summary and what it stands for.
pub(super) struct FoldedBlock {
    /// Place of its first covered entry.
    pub(super) place: usize,
    pub(super) covers: Vec<EntryId>,
    pub(super) request: SummaryRequest,
    pub(super) kind: Kind,
    /// What its text begins with.
    pub(super) tag: Text,
    pub(super) note: Option<String>,
}

/// A request in the words of all tiers, to the model that the profile names.
pub(super) fn request(
    number: usize,
    body: Vec<Piece>,
    max_tokens: Tokens,
    model: Option<&str>,
) -> SummaryRequest {
    let id = RequestId(number as u32);
    let model = model.map(str::to_owned);
    SummaryRequest { model, ..SummaryRequest::new(id, prompt::system(), body, max_tokens) }
}

/// An entry as a prompt shows it: its words after a label, then its calls. In Forge a
/// call is text inside the message; in a log it stands beside it.
pub(super) fn told(label: &str, entry: &Entry, body: &mut Vec<Piece>) {
    body.push(Piece::literal(format!("\n{label}: ")));
    body.push(Piece::quote(entry.id));
    for call in &entry.calls {
        body.push(Piece::literal(format!("\n[call {}]: ", call.name)));
        body.push(Piece::arguments(entry.id, &call.id));
    }
}

#[cfg(test)]
mod tests;
