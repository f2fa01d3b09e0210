//! New and rewritten entries from their pieces.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::answer::{Malformed, Sources};
use crate::apply::Fold;
use crate::apply::slots::{Arrangement, Run};
use crate::ident::{EntryId, RequestId};
use crate::plan::{Covers, Edit, NewEntry, Piece};
use crate::token::Tally;
use crate::unit::Millis;
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
    let rest = Rest::of(view, arrangement)?;
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
                let covered = rest.covered(new, view, arrangement);
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
struct Rest(Vec<EntryId>);

impl Rest {
    fn of(view: &View, arrangement: &Arrangement) -> Result<Rest, Malformed> {
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
            return Ok(Rest(Vec::new()));
        }
        if wanting > 1 {
            return Err(Malformed("two new entries cover the rest".to_owned()));
        }
        let leaving = arrangement.leaving().map(|place| view.entries()[place].id);
        Ok(Rest(leaving.filter(|id| !named.contains(id)).collect()))
    }

    fn covered(&self, new: &NewEntry, view: &View, arrangement: &Arrangement) -> Vec<EntryId> {
        match &new.covers {
            Covers::Rest => self.0.clone(),
            Covers::Entries(ids) => ids.clone(),
            Covers::Log(spans) => within(spans, view, arrangement).collect(),
            Covers::Nothing => Vec::new(),
        }
    }
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
    for (call_id, args) in &edit.args {
        let call = calls
            .iter_mut()
            .find(|call| call.id == *call_id)
            .ok_or_else(|| Malformed(format!("entry {} makes no call `{call_id}`", old.id.0)))?;
        call.args = args.clone();
    }
    Ok(Entry { id, parts, calls, rewritten: true, ..old.clone() }.recounted(tally))
}
