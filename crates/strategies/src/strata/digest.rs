//! A turn in few words, without a model.

use serde_json::Value;

use super::{Strata, beginning, bytes};
use crate::prelude::*;

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
    /// Notes among them.
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
            rest.iter().partition(|entry| entry.kind == Kind::Summary);
        let mut told = Told::default();
        work.iter().for_each(|entry| told.add(entry, strata));
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

/// A digest of an earlier time.
fn is_digest(entry: &Entry) -> bool {
    entry.kind == Kind::Notice
}

#[derive(Default)]
struct Told {
    pieces: Vec<Piece>,
    bytes: usize,
    /// Calls that were told.
    calls: std::collections::BTreeSet<String>,
}

impl Told {
    fn add(&mut self, entry: &Entry, strata: &Strata) {
        let text = entry.content();
        match entry.role {
            _ if is_digest(entry) => self.quote(entry.id, text.len()),
            Role::Tool => {
                if entry.counts.content <= strata.short {
                    self.quote(entry.id, text.len());
                }
            }
            _ => self.quote(entry.id, beginning(&text, bytes(strata.text))),
        }
        let calls = entry.calls.iter().filter(|_| strata.argument > Tokens::ZERO);
        for call in calls {
            let line = format!("({}{})\n", call.name, told(&call.args, bytes(strata.argument)));
            if self.calls.insert(line.clone()) {
                self.bytes += line.len();
                let of = vec![Source::Call(entry.id, call.id.clone())];
                self.pieces.push(Piece::Extract { text: line.into(), of });
            }
        }
    }

    fn quote(&mut self, id: EntryId, length: usize) {
        if length > 0 {
            self.bytes += length + 1;
            let of = Source::Entry(id);
            self.pieces.push(Piece::Quote { of, bytes: Some((0, length)) });
            self.pieces.push(Piece::literal("\n"));
        }
    }
}

/// The texts among the arguments of a call, each from its beginning.
fn told(args: &str, most: usize) -> String {
    let Ok(Value::Object(args)) = serde_json::from_str(args) else { return String::new() };
    let texts = args.values().filter_map(Value::as_str);
    let short = |text: &str| match &text[..beginning(text, most)] {
        "" => String::new(),
        text => format!(" {}", text.replace('\n', " ")),
    };
    texts.map(short).collect()
}
