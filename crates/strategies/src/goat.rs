//! Goat's proactive and reactive compaction (jg-phare/goat, pkg/context, Go).
//!
//! Two profiles, because its document and its code differ: [`Document`] is the
//! design document's version, [`Code`] the code's. The bodies of the code's estimator and
//! of its pruning were not read; their specification was. Where the two disagree:
//!
//! | | document | code |
//! |---|---|---|
//! | utilization | messages / (limit − system − max output) | (system + messages + max output) / limit |
//! | 40 % | of the messages | of the context limit, in tokens |
//! | summary | `[COMPACT SUMMARY]`, then "Understood." | `[Previous conversation summary]`, no answer |
//! | failure | a placeholder in the summary's place | the preserve zone alone, nothing said |
//! | an empty summary | a failure | accepted |
//! | tool pairs | never split | can be split, see [`Pairs::StepBack`] |
//! | announced last | the boundary | the session start |
//!
//! The first row is the pipeline file's business. The last one shows nowhere: the
//! trace announces in the code's order. Both act before each call above 80 %
//! (strictly) and, on the same condition, when an answer was cut off at the output
//! limit; a 95 % rule exists in the code, and its loop never asks it. The reactive
//! half asks of the messages that the proactive one has just passed, so beside it it
//! acts only where that left utilization too high. Neither acts when a prompt is
//! refused as too long. Tool schemas are not counted.
//!
//! Goat's list holds no system messages. Those of a log are out of its sight here:
//! they are neither counted as messages, nor shown, nor removed.

mod code;
mod document;
mod prune;
mod split;

pub use code::Code;
pub use document::{Document, OnFailure};
pub use prune::PruneResults;
pub use split::Pairs;

use std::sync::Arc;

use crate::ident::RequestId;
use crate::log::Role;
use crate::plan::{Covers, Decision, Layout, NewEntry, Piece, Plan, Slot};
use crate::slots::{cut_before, kept_from};
use crate::view::{Entry, Kind, View};

/// What Goat's list would hold: everything but system messages.
fn conversation(view: &View) -> Vec<Arc<Entry>> {
    view.entries().iter().filter(|entry| entry.role != Role::System).cloned().collect()
}

/// The conversation and where it is split, or what to do where it is not: one message
/// alone is declined, and nothing changes where nothing can be split off.
fn split_off(
    view: &View,
    pairs: Pairs,
    split: impl FnOnce(&[Arc<Entry>]) -> usize,
) -> Result<(Vec<Arc<Entry>>, usize), Decision> {
    let messages = conversation(view);
    if messages.len() <= 1 {
        return Err(Decision::decline("a single message is returned as it is"));
    }
    let split = pairs.adjusted(&messages, split(&messages));
    if split == 0 || split >= messages.len() {
        return Err(Decision::Plan(unchanged(view)));
    }
    Ok((messages, split))
}

/// The share of what stays is below all.
fn check_share(share: f64) -> Result<(), String> {
    if (0.0..1.0).contains(&share) {
        return Ok(());
    }
    Err(format!("`preserve-share` {share} is not between 0 and 1"))
}

/// The summary, in the user's role behind this header.
fn summary(header: &str) -> Slot {
    let pieces = vec![Piece::literal(header), Piece::answer(RequestId(0))];
    Slot::New(NewEntry::new(Role::User, Kind::Summary, pieces, Covers::Rest))
}

/// What stands before the preserve zone goes, system messages apart; `instead`
/// stands in its place. `first` is the first entry that is preserved.
fn replaced(view: &View, first: &Entry, instead: Vec<Slot>) -> Layout {
    Layout::Whole(cut_before(view, view.position(first.id).unwrap_or(0), instead))
}

/// Goat returns the list as it is where there is nothing to split: its `PreCompact`
/// hook has run by then, but no boundary follows and no error.
fn unchanged(view: &View) -> Plan {
    Plan::mechanical(Layout::Whole(kept_from(view, 0).into_iter().collect()))
}

#[cfg(test)]
mod tests;
