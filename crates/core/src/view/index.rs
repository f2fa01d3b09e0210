//! Indices by class, so that eligibility need not rescan the view. Each is a list of ids in view
//! order, cut at the first change and refilled from there: a change near the end costs that end.

use std::sync::Arc;

use crate::ident::EntryId;
use crate::view::{Entry, Kind};

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

#[derive(Clone, Debug, Default)]
pub(super) struct Index {
    lists: [Vec<EntryId>; CLASSES.len()],
}

impl Index {
    pub(super) fn of(&self, class: Class) -> &[EntryId] {
        &self.lists[class as usize]
    }

    /// Forgets what stands at or after `first`, and the entry before it: whether that heads a
    /// closed turn depends on what follows. `positions` still hold the old places.
    pub(super) fn truncate(&mut self, first: usize, positions: &[u32]) {
        let kept = first.saturating_sub(1) as u32;
        for list in &mut self.lists {
            let cut = list.partition_point(|id| positions[id.index()] < kept);
            list.truncate(cut);
        }
    }

    /// Files the entries from `first − 1` on, after a truncate at `first`.
    pub(super) fn refill(&mut self, first: usize, entries: &[Arc<Entry>]) {
        let start = first.saturating_sub(1);
        for place in start..entries.len() {
            let entry = &entries[place];
            let next = entries.get(place + 1).map(|next| &**next);
            for class in CLASSES {
                if class.has(entry, next) {
                    self.lists[class as usize].push(entry.id);
                }
            }
        }
    }

    pub(super) fn append(&mut self, entry: &Entry, previous: Option<&Entry>) {
        for class in CLASSES {
            if class.has(entry, None) {
                self.lists[class as usize].push(entry.id);
            }
        }
        if let Some(previous) = previous
            && Class::ClosedTurn.has(previous, Some(entry))
        {
            self.lists[Class::ClosedTurn as usize].push(previous.id);
        }
    }
}
