//! Forge's three tiers as its code has them (`forge-head`).
//!
//! Source: entrhq/forge at 0bff338 (March 2026), `pkg/agent/context`, and its wiring in
//! `cmd/forge/main.go`: ToolCall(20, 10, 40), Threshold(80 %), GoalBatch(20, 3, 6) over
//! 100,000 tokens, before every model call. Faults are kept: showing them is the point.
//!
//! Where the records (ADR-0014, ADR-0041) and this code disagree beyond what each tier
//! says: the records fail the turn when a summary fails, the code logs the error, skips
//! the later tiers and sends the prompt that it had built before the pass, even where an
//! earlier tier of the pass has rewritten the memory by then (`on-error =
//! "abort-pass-send-stale"`). No tier looks at the answer: an empty or an inflated
//! summary is committed.
//!
//! Forge's wire is text. A call there is `<tool>` inside an assistant message and a
//! result is a message of role tool without an id; here an assistant message with calls
//! stands for the first, and the calls that end its loop, which store no result, are
//! calls without one. A pair that a cut parts offends no provider of Forge's, but it
//! does one that pairs ids: under a scenario's strict wire the session ends there.
//!
//! Its accounting: what the manager compares with the window before the first tier that
//! acts holds the system prompt (tool descriptions included), what it counts afterwards
//! does not. So the first tier of a pass reports as saved what was never there to save,
//! and a later tier of the same pass sees too little. The first shows in the note of
//! each new entry (`overstated_by`, in the pipeline's own tokens: the reported saving is
//! the real one plus this), the second decides whether the threshold tier acts. The
//! error context that Forge counts with its first prompt does not exist in a log.
//!
//! The prompts are ours; headings, labels and what is shown follow the source. Forge
//! limits no answer, so `max-tokens` is ours. It takes its default for a parameter of 0
//! or less; here 0 means none, or is refused.

mod goal_batch;
mod operations;
mod threshold;

pub use goal_batch::GoalBatch;
pub use operations::{OldCalls, ToolCall};
pub use threshold::Threshold;
pub(super) use threshold::below_by_recount;

use crate::ident::EntryId;
use crate::strategy::PlanContext;
use crate::unit::Tokens;
use crate::view::View;

/// Whether a tier has acted in this pass: then the newest entry is its summary, as
/// every call of the model appends a message before the next pass.
fn recounted(view: &View) -> bool {
    let newest = EntryId(view.next_id().0.saturating_sub(1));
    view.entry(newest).is_some_and(|entry| entry.kind.is_summary())
}

/// Tokens that the manager counts before the pass's first act and not after it.
fn uncounted_later(context: &PlanContext) -> Tokens {
    context.budget.system + context.budget.schemas
}

/// A note with what the manager reports as saved beyond the real saving.
pub(super) fn note(counted: &str, view: &View, context: &PlanContext) -> String {
    let over = if recounted(view) { Tokens::ZERO } else { uncounted_later(context) };
    format!("{counted} overstated_by={}", over.0)
}

#[cfg(test)]
mod tests;
