//! Slots and plans that several families make.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::log::{CallId, Role, Text};
use crate::plan::{Decision, Edit, Layout, Piece, Plan, Slot, SummaryRequest, replacing};
use crate::pressure::Occasion;
use crate::view::{Class, Entry, View};

/// A plan that asks nobody.
pub(crate) fn mechanical(slots: Vec<Slot>) -> Decision {
    Decision::Plan(Plan::mechanical(Layout::Whole(slots)))
}

/// A plan with one request.
pub(crate) fn summarizing(slots: Vec<Slot>, request: SummaryRequest) -> Decision {
    Decision::Plan(Plan::summarizing(Layout::Whole(slots), vec![request]))
}

/// Keeps those entries before a place that `stays` holds of.
pub(crate) fn kept_before(view: &View, end: usize, stays: impl Fn(&Entry) -> bool) -> Vec<Slot> {
    let kept = view.entries()[..end].iter().filter(|entry| stays(entry));
    kept.map(|entry| Slot::Keep(entry.id)).collect()
}

/// Keeps everything from a place on.
pub(crate) fn kept_from(view: &View, start: usize) -> Option<Slot> {
    Some(Slot::Keeps(view.at(start)?.id, view.entries().last()?.id))
}

/// Drops what stands before a place, system messages apart; `instead` stands there.
pub(crate) fn cut_before(view: &View, place: usize, instead: Vec<Slot>) -> Vec<Slot> {
    let mut slots = kept_before(view, place, |entry| entry.role == Role::System);
    slots.extend(instead);
    slots.extend(kept_from(view, place));
    slots
}

/// The entry in other words, its calls as they are.
pub(crate) fn reworded(entry: &Entry, pieces: Vec<Piece>) -> Slot {
    Slot::Rewrite(Edit {
        entry: entry.id,
        pieces: Some(pieces),
        args: BTreeMap::new(),
        drops: Vec::new(),
    })
}

/// An entry that says something else in what is sent, or makes a call without arguments.
pub(crate) fn cleared(
    view: &View,
    place: usize,
    content: Option<&str>,
    call: Option<&CallId>,
) -> Edit {
    Edit {
        entry: view.entries()[place].id,
        pieces: content.map(|text| vec![Piece::literal(text)]),
        args: call.map(|id| (id.clone(), Text::from("{}"))).into_iter().collect(),
        drops: Vec::new(),
    }
}

/// The view with entries reworded, by place.
pub(crate) fn rewording(view: &View, words: BTreeMap<usize, Vec<Piece>>) -> Vec<Slot> {
    let places: Vec<usize> = words.keys().copied().collect();
    let slot =
        |(place, pieces): (usize, _)| (place, vec![reworded(&view.entries()[place], pieces)]);
    replacing(view, &places, words.into_iter().map(slot).collect())
}

/// The places of a class, in order.
pub(crate) fn places(view: &View, class: Class) -> impl Iterator<Item = usize> {
    view.of(class).iter().filter_map(|id| view.position(*id))
}

/// Of each place, the end among them: whether a cut there parts no result from its call.
pub(crate) fn seams(entries: &[Arc<Entry>]) -> Vec<bool> {
    let calls: FxHashMap<&CallId, usize> = entries
        .iter()
        .enumerate()
        .flat_map(|(place, entry)| entry.calls.iter().map(move |call| (&call.id, place)))
        .collect();
    // From the end: the earliest call that is answered from here on.
    let mut earliest = usize::MAX;
    let mut whole = vec![true; entries.len() + 1];
    for (place, entry) in entries.iter().enumerate().rev() {
        let call = entry.answers.as_ref().and_then(|id| calls.get(id));
        earliest = earliest.min(call.copied().unwrap_or(usize::MAX));
        whole[place] = earliest >= place;
    }
    whole
}

/// Whether a strategy with a trigger of its own is to act whatever that says.
pub(crate) fn is_forced(occasion: Occasion) -> bool {
    matches!(occasion, Occasion::FloorProbe | Occasion::Boundary) || occasion.is_reactive()
}

/// How many events of OpenHands an entry is: each call is one of its own.
pub(crate) fn event_count(entry: &Entry) -> usize {
    entry.calls.len().max(1)
}
