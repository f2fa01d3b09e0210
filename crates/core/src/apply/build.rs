//! New and rewritten entries from their pieces.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::answer::{Answers, Malformed, resolve};
use crate::apply::Fold;
use crate::apply::slots::{Arrangement, Run};
use crate::ident::{EntryId, RequestId};
use crate::log::{Author, Past};
use crate::plan::{Covers, Edit, NewEntry, Piece};
use crate::token::Tally;
use crate::unit::Millis;
use crate::view::{Entry, Part, PartSource, Spans, View};

/// The entries that stand in the changed range, and what the new ones stand for.
pub(super) struct Built {
    pub(super) entries: Vec<Arc<Entry>>,
    pub(super) folds: Vec<Fold>,
}

pub(super) fn entries(
    view: &View,
    arrangement: &Arrangement,
    answers: &Answers,
    past: Past,
    tally: &Tally,
) -> Result<Built, Malformed> {
    let mut built = Built { entries: Vec::new(), folds: Vec::new() };
    let mut next = view.next_id();
    let rest = Rest::of(view, arrangement)?;
    for run in arrangement.runs() {
        let (entry, covered, pieces): (Entry, Vec<EntryId>, &[Piece]) = match run {
            Run::Kept(places) => {
                built.entries.extend(view.entries()[places.clone()].iter().cloned());
                continue;
            }
            Run::Rewritten(place, edit) => {
                let old = &view.entries()[*place];
                let entry = rewritten(next, old, edit, view, past, answers, tally)?;
                (entry, vec![old.id], edit.pieces.as_deref().unwrap_or_default())
            }
            Run::New(new) => {
                let covered = rest.covered(new, view, arrangement);
                let entry = fresh(next, new, &covered, view, past, answers, tally)?;
                (entry, covered, &new.pieces)
            }
        };
        built.folds.push(Fold { entry: next, covered, requests: requests(pieces) });
        built.entries.push(Arc::new(entry));
        next = EntryId(next.0 + 1);
    }
    Ok(built)
}

/// What leaves the view and no new entry names.
struct Rest(Vec<EntryId>);

impl Rest {
    fn of(view: &View, arrangement: &Arrangement) -> Result<Rest, Malformed> {
        let mut named = FxHashSet::default();
        let mut wanting = 0;
        for run in arrangement.runs() {
            let Run::New(new) = run else { continue };
            match &new.covers {
                Covers::Rest => wanting += 1,
                Covers::Entries(ids) => {
                    if let Some(id) = ids.iter().find(|id| view.entry(**id).is_none()) {
                        return Err(Malformed(format!(
                            "covered entry {} is not in the view",
                            id.0
                        )));
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
    let answers = pieces.iter().filter_map(|piece| match piece {
        Piece::Answer { first_of, .. } => Some(first_of.iter().copied()),
        Piece::Literal(_) | Piece::Extract { .. } | Piece::Quote { .. } => None,
    });
    answers.flatten().collect()
}

fn fresh(
    id: EntryId,
    new: &NewEntry,
    covered: &[EntryId],
    view: &View,
    past: Past,
    answers: &Answers,
    tally: &Tally,
) -> Result<Entry, Malformed> {
    let parts = parts(&new.pieces, view, past, answers)?;
    let covered: Vec<&Arc<Entry>> = covered.iter().filter_map(|id| view.entry(*id)).collect();
    let covers = match &new.covers {
        Covers::Log(spans) => spans.clone(),
        Covers::Nothing => Spans::new(),
        Covers::Rest | Covers::Entries(_) => Spans::union(covered.iter().map(|e| &e.covers)),
    };
    let now = past.messages.last().map_or(Millis(0), |message| message.at);
    let last_turn = || view.entries().last().map_or(0, |entry| entry.turn);
    Ok(Entry {
        id,
        role: new.role,
        author: Author::Harness,
        kind: new.kind,
        calls: Vec::new(),
        answers: new.answers.clone(),
        origin: None,
        rewritten: false,
        covers,
        at: covered.iter().map(|entry| entry.at).max().unwrap_or(now),
        turn: covered.first().map_or_else(last_turn, |entry| entry.turn),
        note: new.note.clone(),
        ..counted(parts, tally)
    })
}

/// An entry with changed pieces or arguments. Request-scope edits use it too.
pub(crate) fn rewritten(
    id: EntryId,
    old: &Entry,
    edit: &Edit,
    view: &View,
    past: Past,
    answers: &Answers,
    tally: &Tally,
) -> Result<Entry, Malformed> {
    let source = PartSource::Entry(old.id);
    let parts = match &edit.pieces {
        Some(pieces) => parts(pieces, view, past, answers)?,
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
    let entry = Entry { id, parts, calls, rewritten: true, ..old.clone() };
    let (counts, counted) = tally.message(&entry.content(), &entry.calls);
    Ok(Entry { counts, counted, ..entry })
}

fn parts(
    pieces: &[Piece],
    view: &View,
    past: Past,
    answers: &Answers,
) -> Result<Vec<Part>, Malformed> {
    Ok(resolve(pieces, view, past, answers)?.into_iter().map(|resolved| resolved.part).collect())
}

/// An otherwise blank entry of these parts, counted.
fn counted(parts: Vec<Part>, tally: &Tally) -> Entry {
    let entry = Entry {
        id: EntryId(0),
        role: crate::log::Role::User,
        author: Author::Harness,
        kind: crate::view::Kind::Notice,
        parts,
        calls: Vec::new(),
        answers: None,
        origin: None,
        rewritten: false,
        covers: Spans::new(),
        at: Millis(0),
        turn: 0,
        counts: crate::token::MessageTokens::default(),
        counted: crate::unit::Tokens::ZERO,
        note: None,
    };
    let (counts, counted) = tally.message(&entry.content(), &[]);
    Entry { counts, counted, ..entry }
}
