//! A turn in few words, without a model.

use super::Strata;
use crate::prelude::*;
use crate::verbatim::{Limits, Told};

/// A turn, or the part of one, as the second layer tells it.
#[derive(Debug)]
pub(super) struct Digest {
    pub(super) places: Range<usize>,
    /// The user's message, where it begins with one.
    said: Option<EntryId>,
    /// What the agent wrote and did.
    work: Vec<Piece>,
    /// Entries that the digest stands for.
    covers: Vec<EntryId>,
    /// Notes among them, and system messages.
    notes: Vec<EntryId>,
    /// Whether all of it is told already, or is no longer than a digest of it.
    is_told: bool,
    /// About what it takes.
    pub(super) tokens: Tokens,
}

impl Digest {
    pub(super) fn of(view: &View, places: Range<usize>, strata: &Strata) -> Digest {
        let entries = &view.entries()[places.clone()];
        let (said, rest) = match entries.split_first() {
            Some((first, rest)) if first.is_user() => (Some(first), rest),
            _ => (None, entries),
        };
        let (notes, work): (Vec<_>, Vec<_>) =
            rest.iter().partition(|entry| entry.kind == Kind::Summary || is_system(entry));
        let limits = Limits { text: strata.text, argument: strata.argument, short: strata.short };
        let mut told = Told::default();
        for entry in &work {
            match is_digest(entry) {
                true => told.quote(Source::Entry(entry.id), entry.content_len()),
                false => told.add_entry(entry, limits),
            }
        }
        let size = |entries: &[&Arc<Entry>]| entries.iter().map(|entry| entry.counted).sum();
        let ids = |entries: &[&Arc<Entry>]| entries.iter().map(|entry| entry.id).collect();
        let (stands, digest): (Tokens, _) = (size(&work), Tokens(told.bytes as u64 / 4));
        let is_told = digest >= stands || work.iter().all(|entry| is_digest(entry));
        let others = size(&said.into_iter().chain(notes.iter().copied()).collect::<Vec<_>>());
        Digest {
            places,
            said: said.map(|entry| entry.id),
            work: told.pieces,
            covers: ids(&work),
            notes: ids(&notes),
            is_told,
            tokens: others + if is_told { stands } else { digest },
        }
    }

    /// Its slots; whether they change anything.
    pub(super) fn lay(&self, view: &View, slots: &mut Vec<Slot>) -> bool {
        if self.is_told {
            slots.extend(view.entries()[self.places.clone()].iter().map(|e| Slot::Keep(e.id)));
            return false;
        }
        slots.extend(self.said.map(Slot::Keep));
        let covers = Covers::Entries(self.covers.clone());
        if !self.work.is_empty() {
            let (role, kind) = (Role::Assistant, Kind::Notice);
            slots.push(Slot::New(NewEntry::new(role, kind, self.work.clone(), covers)));
        }
        slots.extend(self.notes.iter().map(|note| Slot::Keep(*note)));
        true
    }
}

/// What nobody may take away.
pub(super) fn is_system(entry: &Entry) -> bool {
    entry.role == Role::System
}

/// A digest of an earlier time.
fn is_digest(entry: &Entry) -> bool {
    entry.kind == Kind::Notice
}
