//! The view: what the model would be sent, as ordered immutable entries. Totals and indices are
//! kept incrementally: appending costs what is appended, a change what stands after its first
//! position. Facts, shares and cache follow each [`Change`](crate::apply::Change) elsewhere.

mod entry;
mod spans;

pub use entry::{Entry, Kind, Part, PartSource};
pub use spans::Spans;

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use rustc_hash::FxHashMap;

use crate::log::CallId;
use crate::prelude::*;

/// Place of an entry that is no longer in the view.
const GONE: u32 = u32::MAX;

/// The entries that make and answer one call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pair {
    /// The assistant entry that makes the call.
    pub call: Option<EntryId>,
    /// The entries that answer it; more than one breaks a rule.
    pub results: Vec<EntryId>,
}

/// Ordered entries with their indices.
#[derive(Clone, Debug, Default)]
pub struct View {
    entries: Vec<Arc<Entry>>,
    positions: Vec<u32>,
    /// Entries by class, so that eligibility need not rescan the view: each list is cut at the
    /// first change and refilled from there.
    classes: [Vec<EntryId>; CLASSES.len()],
    pairs: FxHashMap<CallId, Pair>,
    tokens: Tokens,
    counted: Tokens,
    revision: u64,
}

impl View {
    /// The entries in order.
    pub fn entries(&self) -> &[Arc<Entry>] {
        &self.entries
    }

    /// Number of entries.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is no entry.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The entry at a place.
    pub fn at(&self, position: usize) -> Option<&Entry> {
        self.entries.get(position).map(|entry| &**entry)
    }

    /// The place of an entry, if it is in the view.
    pub fn position(&self, id: EntryId) -> Option<usize> {
        match self.positions.get(id.index()) {
            Some(&place) if place != GONE => Some(place as usize),
            _ => None,
        }
    }

    /// The entry with this id, if it is in the view.
    pub fn entry(&self, id: EntryId) -> Option<&Arc<Entry>> {
        self.position(id).map(|place| &self.entries[place])
    }

    /// Entries of a class in view order.
    pub fn of(&self, class: Class) -> &[EntryId] {
        &self.classes[class as usize]
    }

    /// The entries that make and answer a call.
    pub fn pair(&self, id: &CallId) -> Option<&Pair> {
        self.pairs.get(id)
    }

    /// Reference tokens of all entries.
    pub fn tokens(&self) -> Tokens {
        self.tokens
    }

    /// All entries by the pipeline's own counter (without its per-list part).
    pub fn counted(&self) -> Tokens {
        self.counted
    }

    /// A stamp that is another after every change but appending, in whichever copy of the view. It
    /// differs from run to run, so that no figure may depend on it.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// The id that the next entry gets.
    pub fn next_id(&self) -> EntryId {
        EntryId(self.positions.len() as u32)
    }

    /// The last user-role message: where the live turn begins.
    pub fn live_turn(&self) -> usize {
        self.of(Class::User).last().and_then(|id| self.position(*id)).unwrap_or(0)
    }

    /// Appends an entry whose id is [`View::next_id`].
    pub fn append(&mut self, entry: Entry) {
        debug_assert_eq!(entry.id, self.next_id());
        self.splice(self.len()..self.len(), vec![Arc::new(entry)]);
    }

    /// Replaces the entries of a range by some of them and fresh ones with the next free ids.
    pub(crate) fn splice(&mut self, range: Range<usize>, new: Vec<Arc<Entry>>) {
        static REVISIONS: AtomicU64 = AtomicU64::new(1);
        let (first, end) = (range.start, range.start + new.len());
        if first < self.len() {
            self.revision = REVISIONS.fetch_add(1, Ordering::Relaxed);
        }
        let fresh_from = self.next_id();
        self.forget_classes(first);
        // Places behind the range move only where its length changes.
        let moved = if range.len() == new.len() { end } else { usize::MAX };
        for old in &self.entries[range.clone()] {
            self.positions[old.id.index()] = GONE;
        }
        let old: Vec<Arc<Entry>> = self.entries.splice(range, new).collect();
        for place in first..moved.min(self.entries.len()) {
            let id = self.entries[place].id.index();
            if id >= self.positions.len() {
                self.positions.resize(id + 1, GONE);
            }
            self.positions[id] = place as u32;
        }
        // A rewrite hands its calls over, so the old entries leave first.
        for entry in old.iter().filter(|entry| self.positions[entry.id.index()] == GONE) {
            Self::leave(&mut self.pairs, entry);
            self.tokens -= entry.tokens();
            self.counted -= entry.counted;
        }
        for place in first..end {
            let entry = self.entries[place].clone();
            if entry.id >= fresh_from {
                self.enter(&entry);
            }
        }
        self.file_classes(first);
    }

    /// Forgets the classes of what stands at or after `first`, and of the entry before it: whether
    /// that heads a closed turn depends on what follows. `positions` still hold the old places.
    fn forget_classes(&mut self, first: usize) {
        let kept = first.saturating_sub(1) as u32;
        for list in &mut self.classes {
            list.truncate(list.partition_point(|id| self.positions[id.index()] < kept));
        }
    }

    /// Files the entries from `first − 1` on.
    fn file_classes(&mut self, first: usize) {
        for place in first.saturating_sub(1)..self.entries.len() {
            let entry = &self.entries[place];
            let next = self.entries.get(place + 1).map(|next| &**next);
            for class in CLASSES.into_iter().filter(|class| class.has(entry, next)) {
                self.classes[class as usize].push(entry.id);
            }
        }
    }

    fn enter(&mut self, entry: &Entry) {
        self.tokens += entry.tokens();
        self.counted += entry.counted;
        for call in &entry.calls {
            self.pairs.entry(call.id.clone()).or_default().call = Some(entry.id);
        }
        if let Some(id) = &entry.answers {
            self.pairs.entry(id.clone()).or_default().results.push(entry.id);
        }
    }

    fn leave(pairs: &mut FxHashMap<CallId, Pair>, entry: &Entry) {
        let touched = entry.calls.iter().map(|call| &call.id).chain(&entry.answers);
        for id in touched {
            let Some(pair) = pairs.get_mut(id) else { continue };
            if pair.call == Some(entry.id) {
                pair.call = None;
            }
            pair.results.retain(|result| *result != entry.id);
            if *pair == Pair::default() {
                pairs.remove(id);
            }
        }
    }
}

/// A class of entries that strategies look for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// User-role messages of the log.
    User,
    /// Raw assistant messages with tool calls.
    Call,
    /// Raw assistant and tool messages.
    Work,
    /// User messages directly followed by a `[SUMMARIZED]` block: closed turns.
    ClosedTurn,
    /// Entries that a summarizer wrote.
    Summary,
}

const CLASSES: [Class; 5] =
    [Class::User, Class::Call, Class::Work, Class::ClosedTurn, Class::Summary];

impl Class {
    fn has(self, entry: &Entry, next: Option<&Entry>) -> bool {
        match self {
            Class::User => entry.is_user(),
            Class::Call => entry.is_raw_work() && !entry.calls.is_empty(),
            Class::Work => entry.is_raw_work(),
            Class::ClosedTurn => {
                entry.is_user() && next.is_some_and(|next| next.kind == Kind::Summarized)
            }
            Class::Summary => entry.kind.is_summary(),
        }
    }
}

#[cfg(test)]
mod tests;
