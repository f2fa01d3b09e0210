//! Entries as a program of level `plan` sees them.

use crate::log::Author;
use crate::prelude::*;

#[derive(Serialize)]
pub(super) struct Seen<'a> {
    id: EntryId,
    role: Role,
    author: Author,
    kind: Kind,
    content: Text,
    #[serde(skip_serializing_if = "<[Call]>::is_empty")]
    calls: &'a [Call],
    #[serde(skip_serializing_if = "Option::is_none")]
    answers: Option<&'a CallId>,
    tokens: Tokens,
    turn: u32,
}

pub(super) fn of(entries: &[Arc<Entry>]) -> Vec<Seen<'_>> {
    entries.iter().map(seen).collect()
}

fn seen(entry: &Arc<Entry>) -> Seen<'_> {
    Seen {
        id: entry.id,
        role: entry.role,
        author: entry.author,
        kind: entry.kind,
        content: entry.content(),
        calls: &entry.calls,
        answers: entry.answers.as_ref(),
        tokens: entry.tokens(),
        turn: entry.turn,
    }
}
