//! What must hold of a drive, whatever the pipeline.

use std::cell::LazyCell;
use std::collections::BTreeSet;
use std::sync::Arc;

use proctor::apply::Rule;
use proctor::drive::Session;
use proctor::ident::{EntryId, MsgId};
use proctor::log::Role;
use proctor::pipeline::{OnError, Pipeline};
use proctor::summarize::Prompt;
use proctor::trace::{Compaction, CompactionOutcome, EndedBy, Found};
use proctor::truth::Needle;
use proctor::unit::Tokens;
use proctor::view::{Entry, View};

use crate::properties::driven::{Driven, Snapshot};

/// A drive with what it was driven on.
pub struct Case<'a> {
    pub session: &'a Session,
    pub pipeline: &'a Pipeline,
    pub driven: &'a Driven,
    /// All prompts in order, where each was answered.
    pub prompts: Option<&'a [Prompt]>,
}

type Checked = Result<(), String>;

fn holds(condition: bool, rule: impl FnOnce() -> String) -> Checked {
    if condition { Ok(()) } else { Err(rule()) }
}

/// All of it.
pub fn hold(case: &Case) -> Checked {
    let Driven { trace, snapshots } = case.driven;
    holds(snapshots.len() == trace.compactions.len(), || "a plan was not recorded".to_owned())?;
    let mut walk = Walk { happened: 0, last: Vec::new(), dropped: BTreeSet::new() };
    let mut prompts = case.prompts.unwrap_or_default();
    for (compaction, snapshot) in trace.compactions.iter().zip(snapshots) {
        let at = |rule| format!("compaction {}: {rule}", compaction.number);
        walk.follows(&snapshot.before).map_err(at)?;
        sums(compaction, snapshot).map_err(at)?;
        provenance(compaction, snapshot, walk.happened).map_err(at)?;
        hidden(case, compaction, snapshot, walk.happened).map_err(at)?;
        if case.prompts.is_some() {
            let (own, rest) = prompts.split_at(compaction.attempts.len().min(prompts.len()));
            unseen(compaction, snapshot, own).map_err(at)?;
            prompts = rest;
        }
        walk.dropped.extend(compaction.dropped.iter().map(|message| message.0));
        walk.last = ids(&snapshot.after);
        walk.nothing_vanished(&snapshot.after).map_err(at)?;
    }
    holds(prompts.is_empty(), || "a request was asked that no compaction records".to_owned())?;
    steps(case)?;
    facts(case, &walk)
}

/// The view so far.
struct Walk {
    /// Messages of the log that have happened.
    happened: usize,
    /// The view as the last compaction left it.
    last: Vec<EntryId>,
    dropped: BTreeSet<u32>,
}

impl Walk {
    /// Only appended messages, in the order of the log, come between two compactions.
    fn follows(&mut self, view: &View) -> Checked {
        let same = ids(view).starts_with(&self.last);
        holds(same, || "the view changed without a compaction".to_owned())?;
        for entry in &view.entries()[self.last.len()..] {
            let next = entry.origin.map(MsgId::index) == Some(self.happened);
            holds(next, || format!("entry {} is not the next message", entry.id.0))?;
            self.happened += 1;
        }
        self.nothing_vanished(view)
    }

    /// Every message is in the view, covered by an entry of it, or was dropped by a
    /// compaction that says so; and no entry stands for what has not happened.
    fn nothing_vanished(&self, view: &View) -> Checked {
        let mut there: BTreeSet<u32> = self.dropped.clone();
        there.extend(view.entries().iter().flat_map(|entry| entry.covers.iter()).map(|m| m.0));
        let all: BTreeSet<u32> = (0..self.happened as u32).collect();
        let gone: Vec<&u32> = all.difference(&there).collect();
        holds(gone.is_empty(), || format!("messages {gone:?} vanished without a word"))?;
        holds(there.is_subset(&all), || "an entry covers the future".to_owned())
    }
}

fn ids(view: &View) -> Vec<EntryId> {
    view.entries().iter().map(|entry| entry.id).collect()
}

fn total(view: &View) -> Tokens {
    view.entries().iter().map(|entry| entry.tokens()).sum()
}

/// Figures of a compaction equal those of the views around it.
fn sums(compaction: &Compaction, Snapshot { before, after }: &Snapshot) -> Checked {
    for (view, tokens, entries) in [
        (before, compaction.before, compaction.entries_before),
        (after, compaction.after, compaction.entries_after),
    ] {
        let of_view = (view.tokens(), view.len() as u32);
        holds(of_view == (total(view), entries) && tokens == total(view), || {
            format!("{tokens} tokens of {entries} entries, the view has {of_view:?}")
        })?;
    }
    let gone = before.entries().iter().filter(|entry| after.entry(entry.id).is_none()).count();
    let come = after.entries().iter().filter(|entry| before.entry(entry.id).is_none());
    let come: Vec<&Arc<Entry>> = come.collect();
    holds((gone, come.len()) == (compaction.removed as usize, compaction.added.len()), || {
        format!("{gone} entries left and {} came, recorded otherwise", come.len())
    })?;
    for (entry, added) in come.iter().zip(&compaction.added) {
        let same = (entry.tokens(), &entry.covers) == (added.tokens, &added.covers);
        holds(same, || format!("entry {} is recorded otherwise", entry.id.0))?;
    }
    let changes =
        matches!(compaction.outcome, CompactionOutcome::Accepted | CompactionOutcome::Fallback(_));
    let untouched = ids(before) == ids(after) && compaction.violations.is_empty();
    holds(changes || untouched, || format!("{} and yet changed", compaction.outcome.name()))
}

/// Covers lie within the log so far; what was shown was there; what is dropped was in
/// the view and no new entry stands for it.
fn provenance(compaction: &Compaction, snapshot: &Snapshot, happened: usize) -> Checked {
    let there: BTreeSet<u32> = covered(&snapshot.before);
    for added in &compaction.added {
        let beyond = added.covers.iter().any(|message| message.index() >= happened);
        holds(!beyond, || "covers lie beyond the log so far".to_owned())?;
        let shown = added.shown.iter().all(|message| there.contains(&message.0));
        holds(shown, || "messages were shown that the view did not hold".to_owned())?;
        let unseen = added.unseen_tokens <= added.covered_tokens;
        holds(unseen, || "more unseen than covered".to_owned())?;
    }
    let standing: BTreeSet<u32> =
        compaction.added.iter().flat_map(|added| added.covers.iter()).map(|m| m.0).collect();
    let dropped: BTreeSet<u32> = compaction.dropped.iter().map(|message| message.0).collect();
    holds(dropped.is_subset(&there) && dropped.is_disjoint(&standing), || {
        "dropped what was not there, or what an entry stands for".to_owned()
    })
}

fn covered(view: &View) -> BTreeSet<u32> {
    view.entries().iter().flat_map(|entry| entry.covers.iter()).map(|message| message.0).collect()
}

/// A result that leaves before any call was made with it is counted: nothing is won by hiding it.
fn hidden(case: &Case, change: &Compaction, views: &Snapshot, happened: usize) -> Checked {
    let said = &case.session.log.messages[..happened];
    let answer = said.iter().rposition(|message| message.role == Role::Assistant);
    let after = LazyCell::new(|| {
        views.after.entries().iter().map(|entry| text(entry)).collect::<Vec<String>>()
    });
    let is_hidden = |entry: &&Arc<Entry>| {
        let is_fresh = entry.origin.is_some_and(|origin| Some(origin.index()) > answer);
        let stays = || after.iter().any(|text| text.contains(&*entry.content()));
        entry.role == Role::Tool && is_fresh && !stays()
    };
    let gone = views.before.entries().iter().filter(is_hidden).count();
    let broken = change.violations.iter();
    let counted = broken.filter(|broken| broken.rule == Rule::FreshResultHidden).count();
    holds(gone <= counted, || format!("{gone} fresh results are gone, {counted} are counted"))
}

/// Covered less shown, read anew from the prompts: an entry that stands in none of them
/// is unseen in whole, one that stands there in whole is not unseen.
fn unseen(compaction: &Compaction, snapshot: &Snapshot, prompts: &[Prompt]) -> Checked {
    let material: String = prompts
        .iter()
        .flat_map(Prompt::segments)
        .filter(|s| s.material)
        .fold(String::new(), |text, segment| text + &segment.text + "\u{0}");
    let standing: BTreeSet<u32> =
        compaction.added.iter().flat_map(|added| added.covers.iter()).map(|m| m.0).collect();
    let folded = snapshot.before.entries().iter().filter(|entry| {
        let leaves = snapshot.after.entry(entry.id).is_none();
        leaves && entry.covers.iter().all(|m| standing.contains(&m.0))
    });
    let (mut least, mut most) = (Tokens::ZERO, Tokens::ZERO);
    for entry in folded {
        let content = entry.content();
        let beginning: String = content.chars().take(12).collect();
        // Quotes may be whole lines, without a first one that is short.
        let stands = |line: &str| line.len() >= 16 && material.contains(line);
        let is_shown = material.contains(&beginning) || content.lines().map(str::trim).any(stands);
        // A notice stands for no message, and may be dropped as well as folded.
        if !content.is_empty() && !is_shown && !entry.covers.is_empty() {
            least += entry.counts.content;
        }
        let calls = entry.calls.iter().all(|call| material.contains(&*call.args));
        let whole = entry.parts.iter().all(|part| material.contains(&*part.text)) && calls;
        // What is short may stand elsewhere, too.
        let shortest =
            entry.calls.iter().map(|call| call.args.len()).fold(content.len(), usize::min);
        if !whole || shortest < 48 {
            most += entry.tokens();
        }
    }
    let counted: Tokens = compaction.added.iter().map(|added| added.unseen_tokens).sum();
    holds((least..=most).contains(&counted), || {
        format!("{counted} tokens unseen, by the prompts between {least} and {most}")
    })
}

/// Shares sum to what is kept; the prompt is what is fixed and what is sent; and what is
/// sent is what is kept, where no stage changes the request and no old view is sent.
fn steps(case: &Case) -> Checked {
    let requests = case
        .pipeline
        .stages
        .iter()
        .any(|stage| stage.strategy.strategy().scope() == proctor::strategy::Scope::Request);
    let stale = case.pipeline.on_error == OnError::AbortPassSendStale;
    for step in &case.driven.trace.steps {
        let shares: Tokens = step.shares.iter().copied().sum();
        let fixed = case.session.fixed();
        let right = shares == step.kept
            && step.prompt == fixed + step.sent
            && step.carried <= step.sent
            && (requests || stale || step.sent == step.kept);
        holds(right, || format!("step {}: the sums do not agree", step.step))?;
    }
    Ok(())
}

/// The record of facts is what a search of the last view finds.
fn facts(case: &Case, walk: &Walk) -> Checked {
    let trace = &case.driven.trace;
    if trace.ended_by != EndedBy::Completed {
        return Ok(());
    }
    let log = &case.session.log;
    let end = case.session.steps.last().map_or(0, |step| step.answer.index() + 1);
    let kept = case.driven.snapshots.last().map(|snapshot| snapshot.after.entries());
    let mut texts: Vec<String> = kept.unwrap_or_default().iter().map(|e| text(e)).collect();
    let appended = log.messages[walk.happened..end].iter();
    texts.extend(appended.map(|message| message.content.to_string()));
    for record in &trace.facts {
        let fact = &case.session.book.truth.facts[record.fact.index()];
        let Some(Needle::Code(needle)) = fact.needles.first() else { continue };
        let there = texts.iter().any(|text| text.contains(needle));
        let found = matches!(record.found, Found::Present(_));
        holds(found == there, || format!("{needle}: {:?}, a search says {there}", record.found))?;
    }
    Ok(())
}

fn text(entry: &Entry) -> String {
    entry.calls.iter().fold(entry.content().to_string(), |text, call| text + "\n" + &call.args)
}
