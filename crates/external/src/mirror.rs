//! A view as a program last saw it: what is new since, and a digest of the whole that costs what is
//! new.

use crate::ident::key_of;
use crate::prelude::*;
use crate::protocol::Level;
use crate::shape::Shape;

/// What a place of the process knows of a view.
#[derive(Debug, Default)]
pub struct Mirror {
    revision: u64,
    entries: Vec<Arc<Entry>>,
    /// By entry: a digest of it and all before it.
    digests: Vec<u128>,
    /// By entry: its number as a message, from 0. Results of one step may share one.
    numbers: Vec<usize>,
    /// Entries that the process has been sent and that have not changed.
    sent: usize,
}

impl Mirror {
    /// Whether it is of this view but for what was appended.
    pub fn is_of(&self, view: &View) -> bool {
        let last = self.entries.len().wrapping_sub(1);
        self.revision == view.revision()
            && match (self.entries.last(), view.entries().get(last)) {
                (Some(known), Some(entry)) => Arc::ptr_eq(known, entry),
                (None, _) => true,
                (Some(_), None) => false,
            }
    }

    /// Takes over the view.
    pub fn follow(&mut self, view: &View, shape: Shape) {
        let entries = view.entries();
        let same = if self.is_of(view) {
            self.entries.len()
        } else {
            let pairs = self.entries.iter().zip(entries);
            pairs.take_while(|(known, entry)| Arc::ptr_eq(known, entry)).count()
        };
        self.revision = view.revision();
        self.sent = self.sent.min(same);
        self.entries.truncate(same);
        self.digests.truncate(same);
        self.numbers.truncate(same);
        for entry in &entries[same..] {
            let before = self.digests.last().copied().unwrap_or_default();
            self.digests.push(chained(before, entry));
            let number = match (self.numbers.last(), self.entries.last()) {
                (Some(number), Some(last)) if shape.joins(last, entry) => *number,
                (Some(number), _) => number + 1,
                (None, _) => 0,
            };
            self.numbers.push(number);
            self.entries.push(entry.clone());
        }
    }

    /// A digest of the view.
    pub fn digest(&self) -> u128 {
        self.digests.last().copied().unwrap_or_default()
    }

    /// Nothing of the view is known to the process any more.
    pub fn forget_sent(&mut self) {
        self.sent = 0;
    }

    /// How many messages the process keeps, and the rest as JSON. It is held to have them then.
    pub fn rest(&mut self, shape: Shape) -> (usize, String) {
        let mut from = self.sent;
        // A message that grew is sent again.
        while from > 0 && self.numbers.get(from) == self.numbers.get(from - 1) {
            from -= 1;
        }
        let keep = from.checked_sub(1).map_or(0, |last| self.numbers[last] + 1);
        self.sent = self.entries.len();
        (keep, shape.write(&self.entries[from..]))
    }
}

fn chained(before: u128, entry: &Entry) -> u128 {
    let (before, id) = (before.to_le_bytes(), entry.id.0.to_le_bytes());
    let head: [&[u8]; 4] =
        [&before, &id, entry.role.name().as_bytes(), entry.kind.name().as_bytes()];
    let content = entry.content();
    let calls = entry.calls.iter().flat_map(|call| [&*call.id.0, &call.name, &call.args]);
    let answers = entry.answers.iter().map(|id| &*id.0);
    let texts = [&*content].into_iter().chain(calls).chain(answers).map(str::as_bytes);
    key_of(head.into_iter().chain(texts))
}

impl Shape {
    /// Whether an entry is part of the same message as the one before it.
    pub(crate) fn joins(self, last: &Entry, entry: &Entry) -> bool {
        let are_results = last.role == Role::Tool && entry.role == Role::Tool;
        are_results && self.level == Level::List && self.groups_results()
    }
}
