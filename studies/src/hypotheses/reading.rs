//! What hypotheses share: shapes of sessions, summarizers, and what is read off a trace.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use proctor_core::drive::Session;
use proctor_core::error::Result;
use proctor_core::log::{Author, Message, Role};
use proctor_core::pipeline::Pipeline;
use proctor_core::summarize::{Ask, AskError, FailureClass, Prompt, Reply, Stopped};
use proctor_core::trace::{AddedEntry, Compaction, Share, StepRecord, Trace};
use proctor_core::unit::Tokens;
use proctor_eval::stats::theil_sen;
use proctor_strategies::summarize::simple::{Lead, Limits};
use rayon::prelude::*;

use super::laboratory::{Driven, Laboratory};

/// Pairs per turn of the sessions of one shape.
pub const PAIRS: [u32; 6] = [0, 1, 5, 6, 15, 16];
/// Fewer of them, where two or three configurations are set side by side.
pub const FEWER_PAIRS: [u32; 4] = [0, 1, 5, 15];
/// Those of the longest sessions.
pub const LONG_PAIRS: [u32; 3] = [1, 3, 5];
/// The turns up to this one fill the recent messages that no tier touches.
const SETTLED: u32 = 20;
pub const STRUCTURE: [Share; 3] = [Share::User, Share::Summarized, Share::GoalBatch];
/// Forge's code without its threshold, in sessions that nothing refuses.
pub const FORGE: &str = "forge-head-no-threshold@windowless";
/// The same without goal batches.
pub const TOOL_CALL: &str = "forge-head-tool-call@windowless";

pub fn pairs_a_turn(pairs: u32) -> String {
    format!("{pairs} {} a turn", if pairs == 1 { "pair" } else { "pairs" })
}

pub fn scenario(pairs: u32, turns: u32) -> String {
    format!("turn-shape-p{pairs}-t{turns}")
}

/// The cells of a configuration on sessions of 120 turns, by their pairs a turn.
pub fn by_shape(
    lab: &Laboratory,
    pairs: &[u32],
    configuration: &str,
) -> Result<Vec<(u32, Vec<Arc<Driven>>)>> {
    let of = |pairs: &u32| Ok((*pairs, lab.cells(&scenario(*pairs, 120), configuration)?));
    pairs.iter().map(of).collect()
}

/// (turn, tokens of the structure) at the last call of every settled turn.
pub fn structure(driven: &Driven) -> Vec<(f64, f64)> {
    let settled = turn_ends(&driven.trace).filter(|step| step.turn > SETTLED);
    settled.map(|step| (f64::from(step.turn), tokens(step, &STRUCTURE))).collect()
}

/// Tokens of the structure per turn.
pub fn slope(driven: &Driven) -> Option<f64> {
    theil_sen(&structure(driven))
}

/// Reference tokens that a view held of some shares when a call was made.
pub fn tokens(step: &StepRecord, shares: &[Share]) -> f64 {
    shares.iter().map(|share| step.shares[*share as usize].as_f64()).sum()
}

pub fn entries_at_end(trace: &Trace, share: Share) -> f64 {
    f64::from(trace.last.entries[share as usize])
}

/// The last call of every turn.
pub fn turn_ends(trace: &Trace) -> impl Iterator<Item = &StepRecord> {
    trace.steps.chunk_by(|step, next| step.turn == next.turn).filter_map(<[StepRecord]>::last)
}

pub fn applied(trace: &Trace) -> impl DoubleEndedIterator<Item = &Compaction> {
    trace.compactions.iter().filter(|one| one.outcome.is_applied())
}

/// The plans of one stage that took effect.
pub fn runs_of(trace: &Trace, stage: u32) -> impl DoubleEndedIterator<Item = &Compaction> {
    applied(trace).filter(move |one| one.stage == stage)
}

/// The new entries of a share, in the order of the compactions that made them.
pub fn added(trace: &Trace, share: Share) -> impl Iterator<Item = &AddedEntry> {
    applied(trace).flat_map(|one| &one.added).filter(move |entry| entry.share == share)
}

pub fn covered<'a>(
    session: &'a Session,
    entry: &'a AddedEntry,
) -> impl Iterator<Item = &'a Message> {
    entry.covers.iter().filter_map(|id| session.log.message(id))
}

/// How many of the messages that an entry stands for are of the user's role and this author.
pub fn users(session: &Session, entry: &AddedEntry, author: Author) -> usize {
    covered(session, entry).filter(|one| (one.role, one.author) == (Role::User, author)).count()
}

pub fn each<T>(cells: &[Arc<Driven>], value: impl Fn(&Driven) -> Option<T>) -> Vec<T> {
    cells.iter().filter_map(|cell| value(cell)).collect()
}

pub fn counts(cells: &[Arc<Driven>], count: impl Fn(&Driven) -> usize) -> Vec<f64> {
    cells.iter().map(|cell| count(cell) as f64).collect()
}

/// One value for the session of each of these cells, driven side by side.
pub fn for_each<T: Send>(cells: &[Arc<Driven>], value: impl Fn(&Driven) -> T + Sync) -> Vec<T> {
    cells.par_iter().map(|cell| value(cell)).collect()
}

/// One value per session of two configurations' cells, partner by partner.
pub fn paired<T>(
    ours: &[Arc<Driven>],
    theirs: &[Arc<Driven>],
    value: impl Fn(&Driven, &Driven) -> Option<T>,
) -> Vec<T> {
    each(ours, |cell| value(cell, theirs.iter().find(|other| other.seed == cell.seed)?))
}

/// One part of another in %; `None` of nothing.
pub fn percent(part: usize, all: usize) -> Option<f64> {
    (all > 0).then(|| 100.0 * part as f64 / all as f64)
}

/// The shipped pipeline of this name with one of its stages alone.
pub fn only(pipeline: &str, stage: usize) -> Result<Pipeline> {
    let pipeline = proctor_strategies::pipeline(pipeline)?;
    let stages = pipeline.stages.get(stage).cloned().into_iter().collect();
    Ok(Pipeline { stages, ..pipeline })
}

/// Answers of at most this many tokens: the first words of what is shown.
pub fn brief(max_output: u64) -> Lead {
    Lead { limits: Limits { max_output: Tokens(max_output), ..Limits::default() } }
}

/// The answers of [`brief`] with something done to each.
pub struct Altered<F>(pub Lead, pub F);

impl<F: Fn(&Prompt, Reply) -> Reply + Send + Sync> Ask for Altered<F> {
    fn limits(&self) -> Limits {
        self.0.limits
    }
    fn ask(&self, batch: &[Prompt]) -> Result<Vec<Reply>, Stopped> {
        let replies = self.0.ask(batch)?;
        Ok(batch.iter().zip(replies).map(|(prompt, reply)| (self.1)(prompt, reply)).collect())
    }
    fn memoizes(&self) -> bool {
        false
    }
}

/// Fails so many requests that hold a text, answers all others.
pub fn fails_first(failures: usize, holding: &'static str) -> impl Ask {
    let left = AtomicUsize::new(failures);
    Altered(brief(200), move |prompt: &Prompt, reply| {
        let holds = prompt.messages.iter().any(|message| message.text().contains(holding));
        let one_less = |left: usize| left.checked_sub(1);
        if holds && left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less).is_ok() {
            return Err(AskError { class: FailureClass::Error, message: "no answer".into() });
        }
        reply
    })
}
