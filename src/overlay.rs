//! Request-scope edits: what is sent differs from what is kept.
//!
//! An overlay replaces entries in what is sent and lives within one revision of
//! the view. It adds nothing and removes nothing, so pairs cannot break.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::answer::{Answers, Malformed};
use crate::apply::rewritten;
use crate::ident::EntryId;
use crate::log::Past;
use crate::plan::{Base, Edit};
use crate::token::Tally;
use crate::unit::Tokens;
use crate::view::{Entry, View};

/// The entries that are sent in place of others.
#[derive(Clone, Debug, Default)]
pub struct Overlay {
    instead: BTreeMap<EntryId, Arc<Entry>>,
    /// Made from what was sent last: holds until the entries leave the view.
    lasting: bool,
}

impl Overlay {
    /// The next overlay from these edits. Edits on `LastSent` start from what
    /// was sent last; entries that have left the view since are forgotten.
    pub fn next(
        &self,
        view: &View,
        base: Base,
        edits: &[Edit],
        answers: &Answers,
        past: Past,
        tally: &Tally,
    ) -> Result<Overlay, Malformed> {
        let mut instead = match base {
            Base::View => BTreeMap::new(),
            Base::LastSent => self.instead.clone(),
        };
        instead.retain(|id, _| view.entry(*id).is_some());
        for edit in edits {
            let kept = view
                .entry(edit.entry)
                .ok_or_else(|| Malformed(format!("entry {} is not in the view", edit.entry.0)))?;
            let old = instead.get(&edit.entry).unwrap_or(kept).clone();
            let new = rewritten(edit.entry, &old, edit, view, past, answers, tally)?;
            instead.insert(edit.entry, Arc::new(new));
        }
        Ok(Overlay { instead, lasting: base == Base::LastSent })
    }

    /// What is left where the stage proposes nothing: edits that accumulate stay,
    /// those made afresh for every request are forgotten.
    pub fn unasked(&self) -> Overlay {
        if self.lasting { self.clone() } else { Overlay::default() }
    }

    /// Without the entries that have left the view.
    pub fn retain(&mut self, view: &View) {
        self.instead.retain(|id, _| view.entry(*id).is_some());
    }

    /// Whether what is sent is what is kept.
    pub fn is_empty(&self) -> bool {
        self.instead.is_empty()
    }

    /// What is sent in place of an entry.
    pub fn of(&self, id: EntryId) -> Option<&Arc<Entry>> {
        self.instead.get(&id)
    }

    /// The replaced entries and what is sent instead.
    pub fn iter(&self) -> impl Iterator<Item = (EntryId, &Arc<Entry>)> {
        self.instead.iter().map(|(id, entry)| (*id, entry))
    }

    /// Reference tokens of the view as sent.
    pub fn tokens(&self, view: &View) -> Tokens {
        let kept: Tokens =
            self.iter().filter_map(|(id, _)| view.entry(id)).map(|entry| entry.tokens()).sum();
        let sent: Tokens = self.iter().map(|(_, entry)| entry.tokens()).sum();
        view.tokens() + sent - kept
    }

    /// First place at which what is sent differs from `other`'s.
    pub fn first_difference(&self, other: &Overlay, view: &View) -> Option<usize> {
        let differs = |id: &EntryId| match (self.of(*id), other.of(*id)) {
            (Some(mine), Some(theirs)) => !Arc::ptr_eq(mine, theirs) && mine.parts != theirs.parts,
            (None, None) => false,
            _ => true,
        };
        let ids = self.instead.keys().chain(other.instead.keys());
        ids.filter(|id| differs(id)).filter_map(|id| view.position(*id)).min()
    }
}
