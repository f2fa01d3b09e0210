//! Request-scope edits: what is sent differs from what is kept. An overlay replaces entries or adds
//! some behind the last, within one revision of the view. It removes nothing, and what it adds is
//! complete in itself, so pairs cannot break.

use crate::answer::{Answers, Malformed, Sources};
use crate::apply::rewritten;
use crate::archive::Archive;
use crate::log::{Call, CallId, Past, Role, Text};
use crate::plan::{Base, Edit, Recall};
use crate::prelude::*;
use crate::token::Tally;
use crate::view::{Entry, Kind, Part, PartSource, Spans, View};

/// The entries that are sent in place of others.
#[derive(Clone, Debug, Default)]
pub struct Overlay {
    instead: BTreeMap<EntryId, Arc<Entry>>,
    behind: Vec<Arc<Entry>>,
    /// Made from what was sent last: holds until the entries leave the view.
    lasting: bool,
}

impl Overlay {
    /// The next overlay. Edits on `LastSent` start from what was sent last.
    pub fn next(
        &self,
        view: &View,
        base: Base,
        edits: &[Edit],
        answers: &Answers,
        past: Past,
        tally: &Tally,
    ) -> Result<Overlay, Malformed> {
        let sources = Sources { view, past, answers };
        let mut instead = match base {
            Base::View => BTreeMap::new(),
            Base::LastSent => self.instead.clone(),
        };
        instead.retain(|id, _| view.entry(*id).is_some());
        for edit in edits {
            let kept = sources.entry(edit.entry)?;
            let old = instead.get(&edit.entry).unwrap_or(kept).clone();
            let new = rewritten(edit.entry, &old, edit, sources, tally)?;
            instead.insert(edit.entry, Arc::new(new));
        }
        Ok(Overlay { instead, behind: Vec::new(), lasting: base == Base::LastSent })
    }

    /// The overlay that adds these entries.
    pub fn adding(behind: Vec<Arc<Entry>>) -> Overlay {
        Overlay { behind, ..Overlay::default() }
    }

    /// What several stages make of one prompt: a later stage's edit of an entry stands above an
    /// earlier one's, as each reads the view alone; what they add stands in their order.
    pub fn together<'a>(overlays: impl Iterator<Item = &'a Overlay>) -> Overlay {
        overlays.fold(Overlay::default(), |mut all, one| {
            all.instead.extend(one.instead.iter().map(|(id, entry)| (*id, entry.clone())));
            all.behind.extend(one.behind.iter().cloned());
            all
        })
    }

    /// What is sent behind the last entry of the view.
    pub fn behind(&self) -> &[Arc<Entry>] {
        &self.behind
    }

    /// What is left where the stage proposes nothing: edits that accumulate.
    pub fn unasked(&self) -> Overlay {
        if self.lasting { self.clone() } else { Overlay::default() }
    }

    /// Without the entries that have left the view.
    pub fn retain(&mut self, view: &View) {
        self.instead.retain(|id, _| view.entry(*id).is_some());
    }

    /// Whether what is sent is what is kept.
    pub fn is_empty(&self) -> bool {
        self.instead.is_empty() && self.behind.is_empty()
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
        let sent = self.iter().map(|(_, entry)| entry).chain(&self.behind);
        let sent: Tokens = sent.map(|entry| entry.tokens()).sum();
        view.tokens() + sent - kept
    }

    /// First place at which what is sent in place of entries differs from `other`'s.
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

const TOOL: &str = "memory_search";

/// What an archive holds for a query, as a call and its result; nothing where nothing fits. The
/// call has no arguments, as the query is the rule's and not the model's.
pub fn recalled(
    archive: &Archive,
    recall: &Recall,
    tally: &Tally,
    at: Millis,
    turn: u32,
) -> Vec<Arc<Entry>> {
    let mut left = recall.allowance;
    let mut parts = Vec::new();
    for passage in archive.search(&recall.query, recall.passages) {
        let text: Text = format!("[message {}]\n{}\n\n", passage.message.0, passage.text).into();
        let tokens = tally.reference(&text);
        if tokens <= left {
            left -= tokens;
            parts.push(Part::raw(text, Spans::one(passage.message), PartSource::Log));
        }
    }
    if parts.is_empty() {
        return Vec::new();
    }
    let id = CallId::new(TOOL);
    let call = Call { id: id.clone(), name: TOOL.into(), args: "{}".into() };
    // Beyond all entries of a view: what is added has no place in it.
    let added = |role, parts, calls, answers| {
        let entry = Entry::made(EntryId(u32::MAX), role, Kind::Recalled, parts, calls, tally);
        Arc::new(Entry { answers, at, turn, ..entry })
    };
    vec![
        added(Role::Assistant, Vec::new(), vec![call], None),
        added(Role::Tool, parts, Vec::new(), Some(id)),
    ]
}
