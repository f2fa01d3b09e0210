//! A view as cogni's compactor reads it: what each message is, and whether it stays.

use super::SUMMARY_PREFIX;
use crate::log::Role;
use crate::plan::{Item, Piece, Slot, replacing};
use crate::slots::reworded;
use crate::unit::Tokens;
use crate::view::{Entry, View};

/// What a message is, told by role and by how its text begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    /// The developer's or the project's.
    Instructions,
    /// An environment block.
    Environment,
    /// Any other user message.
    User,
    /// A tool's output.
    Output,
    /// Something that begins as a summary does.
    Summary,
    /// What the model said or called.
    Assistant,
}

impl Sort {
    fn of(entry: &Entry) -> Sort {
        Sort::told(entry.role, &entry.content(), !entry.calls.is_empty())
    }

    /// By role and the beginning of the text.
    pub(super) fn told(role: Role, text: &str, calls: bool) -> Sort {
        if role == Role::Tool {
            return Sort::Output;
        }
        if !calls && text.starts_with(SUMMARY_PREFIX) {
            return Sort::Summary;
        }
        let environment = ["<environment_context>", "<environment_diff>"];
        match role {
            Role::System => Sort::Instructions,
            Role::User if text.starts_with("# AGENTS.md instructions for ") => Sort::Instructions,
            Role::User if environment.iter().any(|tag| text.starts_with(tag)) => Sort::Environment,
            Role::User => Sort::User,
            Role::Assistant | Role::Tool => Sort::Assistant,
        }
    }
}

/// Whether a message stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kept {
    /// It leaves.
    No,
    /// Its calls stay, what was said beside them leaves.
    Calls,
    /// It stays.
    Whole,
}

/// A view, read.
pub(super) struct History<'a> {
    view: &'a View,
    sorts: Vec<Sort>,
    kept: Vec<Kept>,
}

impl<'a> History<'a> {
    /// Reads a view under a policy.
    pub(super) fn read(view: &'a View, user_budget: Tokens, outputs: usize) -> History<'a> {
        let sorts: Vec<Sort> = view.entries().iter().map(|entry| Sort::of(entry)).collect();
        let kept = sorts
            .iter()
            .map(|sort| if *sort == Sort::Instructions { Kept::Whole } else { Kept::No })
            .collect();
        let mut history = History { view, sorts, kept };
        if let Some(last) = history.last(Sort::Environment) {
            history.kept[last] = Kept::Whole;
        }
        history.keep_recent_users(user_budget);
        history.keep_outputs(outputs);
        history
    }

    fn last(&self, sort: Sort) -> Option<usize> {
        self.sorts.iter().rposition(|found| *found == sort)
    }

    fn places(&self, sort: Sort) -> impl DoubleEndedIterator<Item = usize> + '_ {
        (0..self.sorts.len()).filter(move |place| self.sorts[*place] == sort)
    }

    /// The newest first; the first that does not fit beside others ends it.
    fn keep_recent_users(&mut self, budget: Tokens) {
        let users: Vec<usize> = self.places(Sort::User).rev().collect();
        let mut total = Tokens::ZERO;
        for place in users {
            let tokens = self.view.entries()[place].counted;
            if total > Tokens::ZERO && total + tokens > budget {
                break;
            }
            total += tokens;
            self.kept[place] = Kept::Whole;
        }
    }

    /// The last outputs, or with 0 those after the last user message, with their calls.
    fn keep_outputs(&mut self, last: usize) {
        let outputs: Vec<usize> = match (last, self.last(Sort::User)) {
            (0, None) => Vec::new(),
            (0, Some(user)) => self.places(Sort::Output).filter(|place| *place > user).collect(),
            (last, _) => self.places(Sort::Output).rev().take(last).collect(),
        };
        for place in outputs {
            self.kept[place] = Kept::Whole;
            self.keep_call(place);
        }
    }

    /// The call that an output answers, with the other results of its message.
    fn keep_call(&mut self, output: usize) {
        let answered = self.view.entries()[output].answers.as_ref();
        let call = answered.and_then(|id| self.view.pair(id)?.call);
        let Some(place) = call.and_then(|call| self.view.position(call)) else { return };
        if place > output || self.kept[place] != Kept::No {
            return;
        }
        let message = &self.view.entries()[place];
        self.kept[place] = if message.content_len() == 0 { Kept::Whole } else { Kept::Calls };
        let pairs = message.calls.iter().filter_map(|call| self.view.pair(&call.id));
        for result in pairs.flat_map(|pair| &pair.results) {
            if let Some(place) = self.view.position(*result) {
                self.kept[place] = Kept::Whole;
            }
        }
    }

    /// Whether a message stays.
    pub(super) fn kept(&self, place: usize) -> Kept {
        self.kept[place]
    }

    /// Whether nothing leaves.
    pub(super) fn keeps_all(&self) -> bool {
        self.kept.iter().all(|kept| *kept == Kept::Whole)
    }

    /// Whether it begins as a summary does.
    pub(super) fn is_summary(&self, place: usize) -> bool {
        self.sorts[place] == Sort::Summary
    }

    /// Messages that leave, in whole or in part.
    pub(super) fn unkept(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.kept.len()).filter(|place| self.kept[*place] != Kept::Whole)
    }

    /// What of a message leaves, for the summarizer.
    pub(super) fn item(&self, place: usize) -> Item {
        let entry = &self.view.entries()[place];
        match self.kept[place] {
            Kept::No | Kept::Whole => Item::Entry(entry.id),
            Kept::Calls => Item::Message {
                role: entry.role,
                pieces: vec![Piece::quote(entry.id)],
                answers: None,
            },
        }
    }

    /// What of a message leaves, in tokens of the pipeline's counter; a text parted from
    /// its calls by the source's own estimate.
    pub(super) fn prompt_tokens(&self, place: usize) -> Tokens {
        let entry = &self.view.entries()[place];
        match self.kept[place] {
            Kept::No | Kept::Whole => entry.counted,
            Kept::Calls => Tokens(entry.content_len() as u64 / 4),
        }
    }

    /// What stays, in order.
    pub(super) fn slots(&self) -> Vec<Slot> {
        let touched: Vec<usize> = self.unkept().collect();
        let bare =
            |place: &usize| (*place, vec![reworded(&self.view.entries()[*place], Vec::new())]);
        let calls = touched.iter().filter(|place| self.kept[**place] == Kept::Calls);
        replacing(self.view, &touched, calls.map(bare).collect())
    }
}
