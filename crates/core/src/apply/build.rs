//! Slots as runs of kept places, and new and rewritten entries from their pieces.

use std::ops::Range;

use rustc_hash::FxHashSet;

use crate::answer::{Answers, Malformed, Sources};
use crate::apply::Fold;
use crate::log::{Call, CallId};
use crate::plan::{Covers, Edit, NewEntry, Piece, Slot};
use crate::prelude::*;
use crate::token::Tally;
use crate::view::{Entry, Part, PartSource, Spans, View};

/// The entries that stand in the changed range, and what the new ones stand for.
pub(super) fn entries(
    arrangement: &Arrangement,
    sources: Sources,
    tally: &Tally,
) -> Result<(Vec<Arc<Entry>>, Vec<Fold>), Malformed> {
    let view = sources.view;
    let (mut entries, mut folds) = (Vec::new(), Vec::new());
    let mut next = view.next_id();
    let rest = rest(view, arrangement)?;
    for run in &arrangement.runs {
        let (entry, covered, pieces): (Entry, Vec<EntryId>, &[Piece]) = match run {
            Run::Kept(places) => {
                entries.extend(view.entries()[places.clone()].iter().cloned());
                continue;
            }
            Run::Rewritten(place, edit) => {
                let old = &view.entries()[*place];
                let entry = rewritten(next, old, edit, sources, tally)?;
                (entry, vec![old.id], edit.pieces.as_deref().unwrap_or_default())
            }
            Run::New(new) => {
                let covered = match &new.covers {
                    Covers::Rest => rest.clone(),
                    Covers::Entries(ids) => ids.clone(),
                    Covers::Log(spans) => within(spans, view, arrangement).collect(),
                    Covers::Nothing => Vec::new(),
                };
                let entry = fresh(next, new, &covered, sources, tally)?;
                (entry, covered, &new.pieces)
            }
        };
        folds.push(Fold { entry: next, covered, requests: requests(pieces) });
        entries.push(Arc::new(entry));
        next = EntryId(next.0 + 1);
    }
    Ok((entries, folds))
}

/// What leaves the view and no new entry names.
fn rest(view: &View, arrangement: &Arrangement) -> Result<Vec<EntryId>, Malformed> {
    let mut named = FxHashSet::default();
    let mut wanting = 0;
    for run in &arrangement.runs {
        let Run::New(new) = run else { continue };
        match &new.covers {
            Covers::Rest => wanting += 1,
            Covers::Entries(ids) => {
                if let Some(EntryId(id)) = ids.iter().find(|id| view.entry(**id).is_none()) {
                    return Err(Malformed(format!("covered entry {id} is not in the view")));
                }
                named.extend(ids.iter().copied());
            }
            Covers::Log(spans) => named.extend(within(spans, view, arrangement)),
            Covers::Nothing => {}
        }
    }
    if wanting == 0 {
        return Ok(Vec::new());
    }
    if wanting > 1 {
        return Err(Malformed("two new entries cover the rest".to_owned()));
    }
    let leaving = arrangement.leaving().map(|place| view.entries()[place].id);
    Ok(leaving.filter(|id| !named.contains(id)).collect())
}

/// Leaving entries all of whose messages are in the spans.
fn within<'a>(
    spans: &'a Spans,
    view: &'a View,
    arrangement: &'a Arrangement,
) -> impl Iterator<Item = EntryId> + 'a {
    let leaving = arrangement.leaving().map(|place| &view.entries()[place]);
    leaving
        .filter(|entry| !entry.covers.is_empty() && entry.covers.without(spans).is_empty())
        .map(|entry| entry.id)
}

fn requests(pieces: &[Piece]) -> Vec<RequestId> {
    pieces.iter().filter_map(Piece::requests).flatten().copied().collect()
}

fn fresh(
    id: EntryId,
    new: &NewEntry,
    covered: &[EntryId],
    sources: Sources,
    tally: &Tally,
) -> Result<Entry, Malformed> {
    let Sources { view, past, .. } = sources;
    let covered: Vec<&Arc<Entry>> = covered.iter().filter_map(|id| view.entry(*id)).collect();
    let covers = match &new.covers {
        Covers::Log(spans) => spans.clone(),
        Covers::Nothing => Spans::new(),
        Covers::Rest | Covers::Entries(_) => Spans::union(covered.iter().map(|e| &e.covers)),
    };
    let now = past.messages.last().map_or(Millis(0), |message| message.at);
    let last_turn = || view.entries().last().map_or(0, |entry| entry.turn);
    let parts = sources.parts(&new.pieces)?;
    Ok(Entry {
        answers: new.answers.clone(),
        covers,
        at: covered.iter().map(|entry| entry.at).max().unwrap_or(now),
        turn: covered.first().map_or_else(last_turn, |entry| entry.turn),
        note: new.note.clone(),
        ..Entry::made(id, new.role, new.kind, parts, Vec::new(), tally)
    })
}

/// An entry with changed pieces or arguments. Request-scope edits use it too.
pub(crate) fn rewritten(
    id: EntryId,
    old: &Entry,
    edit: &Edit,
    sources: Sources,
    tally: &Tally,
) -> Result<Entry, Malformed> {
    let source = PartSource::Entry(old.id);
    let parts = match &edit.pieces {
        Some(pieces) => sources.parts(pieces)?,
        // Other arguments, the same content.
        None => old.parts.iter().map(|part| Part { source, ..part.clone() }).collect(),
    };
    let mut calls = old.calls.clone();
    let place = |calls: &[Call], id: &CallId| {
        let found = calls.iter().position(|call| call.id == *id);
        found.ok_or_else(|| Malformed(format!("entry {} makes no call `{id}`", old.id.0)))
    };
    for (id, args) in &edit.args {
        let place = place(&calls, id)?;
        calls[place].args = args.clone();
    }
    for id in &edit.drops {
        calls.remove(place(&calls, id)?);
    }
    Ok(Entry { id, parts, calls, rewritten: true, ..old.clone() }.recounted(tally))
}

enum Run<'a> {
    Kept(Range<usize>),
    Rewritten(usize, &'a Edit),
    New(&'a NewEntry),
}

/// The next view as runs, with the stretch that really changes.
pub(super) struct Arrangement<'a> {
    /// What stands in `range`, in order.
    runs: Vec<Run<'a>>,
    pub(super) range: Range<usize>,
    /// For each place of `range`: kept (or rewritten).
    stays: Vec<bool>,
    /// A kept entry stands before one that preceded it.
    pub(super) reordered: bool,
}

impl<'a> Arrangement<'a> {
    pub(super) fn new(
        view: &View,
        slots: &'a [Slot],
        answers: &Answers,
    ) -> Result<Arrangement<'a>, Malformed> {
        let filled = slots.iter().filter(|slot| !comes_to_nothing(slot, answers));
        let mut runs = merged(filled.map(|slot| run(view, slot)))?;
        let prefix = match runs.first() {
            Some(Run::Kept(range)) if range.start == 0 => {
                let end = range.end;
                runs.remove(0);
                end
            }
            _ => 0,
        };
        let suffix = match runs.last() {
            Some(Run::Kept(range)) if range.end == view.len() && range.start >= prefix => {
                let start = range.start;
                runs.pop();
                start
            }
            _ => view.len(),
        };
        let range = prefix..suffix;
        let (stays, reordered) = staying(&runs, &range)?;
        Ok(Arrangement { runs, range, stays, reordered })
    }

    /// Entries that leave, rewritten ones included, in view order.
    pub(super) fn removed(&self, view: &View) -> Vec<EntryId> {
        let rewritten = self.runs.iter().filter_map(|run| match run {
            Run::Rewritten(place, _) => Some(*place),
            Run::Kept(_) | Run::New(_) => None,
        });
        let mut places: Vec<usize> = self.leaving().chain(rewritten).collect();
        places.sort_unstable();
        places.into_iter().map(|place| view.entries()[place].id).collect()
    }

    /// Places that no slot keeps or rewrites.
    fn leaving(&self) -> impl Iterator<Item = usize> + '_ {
        self.range.clone().zip(&self.stays).filter(|(_, stays)| !**stays).map(|(place, _)| place)
    }
}

fn run<'a>(view: &View, slot: &'a Slot) -> Result<Run<'a>, Malformed> {
    let place = |id: &EntryId| {
        view.position(*id).ok_or_else(|| Malformed(format!("entry {} is not in the view", id.0)))
    };
    Ok(match slot {
        Slot::Keep(id) => {
            let place = place(id)?;
            Run::Kept(place..place + 1)
        }
        Slot::Keeps(first, last) => {
            let (from, to) = (place(first)?, place(last)?);
            if from > to {
                return Err(Malformed(format!(
                    "range from entry {} to entry {} runs backwards",
                    first.0, last.0
                )));
            }
            Run::Kept(from..to + 1)
        }
        Slot::Rewrite(edit) => Run::Rewritten(place(&edit.entry)?, edit),
        Slot::New(new) | Slot::NewUnlessEmpty(new) => Run::New(new),
    })
}

/// Whether a slot stands only for answers and all are empty; one that no request gives is not.
fn comes_to_nothing(slot: &Slot, answers: &Answers) -> bool {
    let Slot::NewUnlessEmpty(new) = slot else { return false };
    let mut given = new.pieces.iter().filter_map(Piece::requests);
    let is_empty = |id: &RequestId| answers.get(id).is_some_and(|a| a.text.trim().is_empty());
    given.all(|first_of| first_of.iter().all(is_empty))
}

fn merged<'a>(
    runs: impl Iterator<Item = Result<Run<'a>, Malformed>>,
) -> Result<Vec<Run<'a>>, Malformed> {
    let mut merged: Vec<Run> = Vec::new();
    for run in runs {
        match (merged.last_mut(), run?) {
            (Some(Run::Kept(last)), Run::Kept(next)) if last.end == next.start => {
                last.end = next.end;
            }
            (_, run) => merged.push(run),
        }
    }
    Ok(merged)
}

fn staying(runs: &[Run], range: &Range<usize>) -> Result<(Vec<bool>, bool), Malformed> {
    let mut stays = vec![false; range.len()];
    let (mut reordered, mut latest) = (false, None);
    for run in runs {
        let places = match run {
            Run::Kept(places) => places.clone(),
            Run::Rewritten(place, _) => *place..*place + 1,
            Run::New(_) => continue,
        };
        reordered |= latest.is_some_and(|latest| places.start < latest);
        latest = Some(places.end);
        for place in places {
            let doubled = match place.checked_sub(range.start).and_then(|i| stays.get_mut(i)) {
                Some(stay) => std::mem::replace(stay, true),
                None => true,
            };
            if doubled {
                return Err(Malformed(format!("the entry at place {place} is kept twice")));
            }
        }
    }
    Ok((stays, reordered))
}
