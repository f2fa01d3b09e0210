//! What hypotheses read off a trace.

use std::sync::Arc;

use proctor_core::drive::Session;
use proctor_core::log::{Author, Message};
use proctor_core::pipeline::Pipeline;
use proctor_core::trace::{AddedEntry, Compaction, CompactionOutcome, Share, StepRecord, Trace};
use rayon::prelude::*;

use super::Driven;

/// The place of a share in [`Share::ALL`].
fn place(share: Share) -> usize {
    // OK because every share is listed.
    Share::ALL.iter().position(|known| *known == share).unwrap_or(0)
}

/// Reference tokens that a view held of some shares when a call was made.
pub(super) fn tokens(step: &StepRecord, shares: &[Share]) -> f64 {
    shares.iter().map(|share| step.shares[place(*share)].as_f64()).sum()
}

/// Entries of a share in the view that was sent last.
pub(super) fn entries_at_end(trace: &Trace, share: Share) -> f64 {
    f64::from(trace.last.entries[place(share)])
}

/// The last call of every turn.
pub(super) fn turn_ends(trace: &Trace) -> impl Iterator<Item = &StepRecord> {
    let steps = &trace.steps;
    let ends = steps.iter().enumerate();
    ends.filter(|(at, step)| steps.get(at + 1).is_none_or(|next| next.turn > step.turn))
        .map(|(_, step)| step)
}

/// Whether a plan took effect.
pub(super) fn is_applied(compaction: &Compaction) -> bool {
    matches!(compaction.outcome, CompactionOutcome::Accepted | CompactionOutcome::Fallback(_))
}

/// The plans of one stage that took effect.
pub(super) fn runs_of(trace: &Trace, stage: u32) -> impl Iterator<Item = &Compaction> {
    trace.compactions.iter().filter(move |one| one.stage == stage && is_applied(one))
}

/// The new entries of a share, in the order of the compactions that made them.
pub(super) fn added(trace: &Trace, share: Share) -> impl Iterator<Item = &AddedEntry> {
    let applied = trace.compactions.iter().filter(|one| is_applied(one));
    applied.flat_map(|one| &one.added).filter(move |entry| entry.share == share)
}

/// The messages of the log that a new entry stands for.
pub(super) fn covered<'a>(
    session: &'a Session,
    entry: &'a AddedEntry,
) -> impl Iterator<Item = &'a Message> {
    entry.covers.iter().filter_map(|id| session.log.message(id))
}

/// How many of the messages that an entry stands for are of the user's role and this author.
pub(super) fn users(session: &Session, entry: &AddedEntry, author: Author) -> usize {
    let is_user = |message: &&Message| message.role == proctor_core::log::Role::User;
    covered(session, entry).filter(is_user).filter(|message| message.author == author).count()
}

/// All rounds of one stage on one occasion, as the share of the view that they freed
/// together; negative where it grew.
pub(super) fn freed_shares(trace: &Trace) -> Vec<f64> {
    let applied: Vec<&Compaction> =
        trace.compactions.iter().filter(|one| is_applied(one)).collect();
    let same = |one: &&Compaction, next: &&Compaction| {
        next.round > one.round
            && (one.step, one.stage, one.occasion) == (next.step, next.stage, next.occasion)
    };
    let firings = applied.chunk_by(same);
    let freed = firings.filter_map(|rounds| {
        let (first, last) = (rounds.first()?, rounds.last()?);
        (first.before.0 > 0).then(|| 1.0 - last.after.over(first.before))
    });
    freed.collect()
}

/// One value per session.
pub(super) fn each(cells: &[Arc<Driven>], value: impl Fn(&Driven) -> Option<f64>) -> Vec<f64> {
    cells.iter().filter_map(|cell| value(cell)).collect()
}

/// One value for the session of each of these cells, driven side by side.
pub(super) fn for_each<T: Send>(
    cells: &[Arc<Driven>],
    value: impl Fn(&Driven) -> T + Sync,
) -> Vec<T> {
    cells.par_iter().map(|cell| value(cell)).collect()
}

/// The pipeline with one of its stages alone.
pub(super) fn only(pipeline: &Pipeline, stage: usize) -> Pipeline {
    let stages = pipeline.stages.get(stage).cloned().into_iter().collect();
    Pipeline { stages, ..pipeline.clone() }
}

/// One value per session of two configurations' cells, partner by partner.
pub(super) fn paired(
    ours: &[Arc<Driven>],
    theirs: &[Arc<Driven>],
    value: impl Fn(&Driven, &Driven) -> Option<f64>,
) -> Vec<f64> {
    ours.iter()
        .filter_map(|cell| {
            let partner = theirs.iter().find(|other| other.seed == cell.seed)?;
            value(cell, partner)
        })
        .collect()
}
