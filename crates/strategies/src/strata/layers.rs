//! Where each layer begins.

use super::{Digest, Strata, is_system};
use crate::prelude::*;

/// How much of the budget for turns stays full where it is passed.
const KEPT: f64 = 2.0 / 3.0;

/// The places of the layers of a view, oldest first.
#[derive(Debug)]
pub(super) struct Layers {
    /// What stands before it are system messages and summaries.
    pub(super) summarized: usize,
    /// The turns that become a summary.
    pub(super) old: Range<usize>,
    /// The turns behind them, as they are to be told.
    pub(super) turns: Vec<Digest>,
    /// What is to be noted; empty where it is too little.
    pub(super) batch: Range<usize>,
    /// From here on everything stays.
    pub(super) raw: usize,
}

impl Layers {
    pub(super) fn of(view: &View, strata: &Strata, context: &PlanContext) -> Layers {
        let entries = view.entries();
        // A refused prompt says that the estimate was wrong; and who asks for room wants some.
        let share = if is_forced(context.occasion) { 0.5 } else { 1.0 };
        let budget = |part: f64| strata.room(context).share(part * share);
        let system = entries.iter().take_while(|entry| is_system(entry)).count();
        let is_summary = |entry: &&Arc<Entry>| entry.kind == Kind::Summary;
        let summarized = system + entries[system..].iter().take_while(is_summary).count();
        let unread = entries.iter().rposition(|entry| entry.role == Role::Assistant);
        let unread = unread.unwrap_or(entries.len()).max(summarized);
        let seams = seams(entries);
        let raw = reach(view, &seams, summarized..unread, budget(strata.raw_share));
        let noted = entries.iter().rposition(|entry| entry.kind == Kind::Summary);
        let start = noted.map_or(summarized, |place| place + 1).max(summarized).min(raw);
        let start = seam(&seams, start).max(summarized);
        let tokens: Tokens = entries[start..raw].iter().map(|entry| entry.counted).sum();
        // A note is worth its call where there is something to note.
        let raw = if tokens < budget(strata.raw_share / 2.0) { start } else { raw };
        let batch = start..raw;
        let turns = turns(view, &seams, summarized..raw, strata);
        // A large result that nobody has read yet leaves less for what is before it.
        let stays = entries[..summarized].iter().chain(&entries[raw..]);
        let left = Strata::most(context) - stays.map(|entry| entry.counted).sum::<Tokens>();
        let (old, turns) = folded(turns, summarized, budget(strata.words_share).min(left));
        Layers { summarized, old, turns, batch, raw }
    }

    /// The oldest summaries of the lowest level that has so many; of any level where all of them
    /// are more than `most`.
    pub(super) fn merged(&self, view: &View, fold: usize, most: Tokens) -> Option<Range<usize>> {
        let entries = &view.entries()[..self.summarized];
        let first = entries.iter().position(|entry| entry.kind == Kind::Summary)?;
        let summaries = &entries[first..];
        let level = |entry: &Arc<Entry>| entry.generation();
        let mut full = None;
        let mut start = first;
        for run in summaries.chunk_by(|one, next| level(one) == level(next)) {
            if run.len() >= fold {
                full = Some(start..start + fold);
            }
            start += run.len();
        }
        let all: Tokens = summaries.iter().map(|entry| entry.counted).sum();
        let oldest = || first..first + fold.min(summaries.len());
        full.or_else(|| (all > most && summaries.len() > 1).then(oldest))
    }
}

/// How far back a budget reaches, to the beginning of a step, at `bounds.end` or before.
fn reach(view: &View, seams: &[bool], bounds: Range<usize>, budget: Tokens) -> usize {
    let entries = view.entries();
    let (mut place, mut tokens) = (entries.len(), Tokens::ZERO);
    while place > bounds.start {
        tokens += entries[place - 1].counted;
        if tokens > budget && place <= bounds.end {
            break;
        }
        place -= 1;
    }
    seam(seams, place).max(bounds.start)
}

/// The last place up to this one at which no call is parted from its results.
fn seam(seams: &[bool], place: usize) -> usize {
    (0..=place).rev().find(|place| seams[*place]).unwrap_or(0)
}

/// The turns of a stretch, or the parts of turns that lie in it. None begins between a call and its
/// result.
fn turns(view: &View, seams: &[bool], places: Range<usize>, strata: &Strata) -> Vec<Digest> {
    let begins = |place: &usize| seams[*place] && view.entries()[*place].is_user();
    let mut starts: Vec<usize> = places.clone().filter(begins).collect();
    if starts.first() != Some(&places.start) && !places.is_empty() {
        starts.insert(0, places.start);
    }
    let ends = starts.iter().skip(1).copied().chain([places.end]);
    let turns = starts.iter().copied().zip(ends);
    turns.map(|(start, end)| Digest::of(view, start..end, strata)).collect()
}

/// Turns that are too old, and the others. A third of the budget is freed at once, so that this is
/// rare.
fn folded(mut turns: Vec<Digest>, start: usize, budget: Tokens) -> (Range<usize>, Vec<Digest>) {
    if turns.iter().map(|turn| turn.tokens).sum::<Tokens>() <= budget {
        return (start..start, turns);
    }
    let mut left = Tokens::ZERO;
    let stays = |turn: &&Digest| {
        left += turn.tokens;
        left <= budget.share(KEPT)
    };
    let kept = turns.iter().rev().take_while(stays).count();
    let newer = turns.split_off(turns.len() - kept);
    let end = turns.last().map_or(start, |turn| turn.places.end);
    (start..end, newer)
}
