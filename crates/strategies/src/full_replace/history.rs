//! The history made valid before it is sent: every call answered, no result last.

use crate::ident::EntryId;
use crate::log::{CallId, Role};
use crate::plan::{Covers, Item, NewEntry, Piece, Slot};
use crate::view::{Kind, View};

const NO_RESPONSE: &str = "Tool no response";
const UNDERSTOOD: &str = "Understood.";

/// An entry of the cleaned history.
pub(super) enum Cleaned {
    /// As it is.
    Entry(EntryId),
    /// In the place of a result that never came.
    Missing(CallId),
    /// Behind a result that would be last.
    Understood,
}

/// `fillMissingToolResponses`, then `ensureAssistantAfterTools`.
pub(super) fn cleaned(view: &View) -> Vec<Cleaned> {
    let mut history = Vec::with_capacity(view.len());
    let mut open: Vec<CallId> = Vec::new();
    for entry in view.entries() {
        if entry.role != Role::Tool {
            history.extend(open.drain(..).map(Cleaned::Missing));
        }
        if let Some(id) = &entry.answers {
            open.retain(|call| call != id);
        }
        history.push(Cleaned::Entry(entry.id));
        open.extend(entry.calls.iter().map(|call| call.id.clone()));
    }
    let ends_in_tool =
        !open.is_empty() || view.entries().last().is_some_and(|entry| entry.role == Role::Tool);
    history.extend(open.into_iter().map(Cleaned::Missing));
    history.extend(ends_in_tool.then_some(Cleaned::Understood));
    history
}

impl Cleaned {
    /// As the request shows it.
    pub(super) fn item(&self) -> Item {
        let said = |role, text, answers| Item::Message {
            role,
            pieces: vec![Piece::literal(text)],
            answers,
        };
        match self {
            Cleaned::Entry(id) => Item::Entry(*id),
            Cleaned::Missing(id) => said(Role::Tool, NO_RESPONSE, Some(id.clone())),
            Cleaned::Understood => said(Role::Assistant, UNDERSTOOD, None),
        }
    }

    /// As the history keeps it.
    pub(super) fn slot(&self) -> Slot {
        match self {
            Cleaned::Entry(id) => Slot::Keep(*id),
            Cleaned::Missing(id) => notice(Role::Tool, NO_RESPONSE, Some(id.clone())),
            Cleaned::Understood => notice(Role::Assistant, UNDERSTOOD, None),
        }
    }
}

/// Words of the harness in the history.
pub(super) fn notice(role: Role, text: &str, answers: Option<CallId>) -> Slot {
    let entry = NewEntry::new(role, Kind::Notice, vec![Piece::literal(text)], Covers::Nothing);
    Slot::New(NewEntry { answers, ..entry })
}
