//! The structural rules, checked where the change is and nowhere else.

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;

use crate::answer::Answers;
use crate::apply::Applied;
use crate::apply::build::Arrangement;
use crate::log::{CallId, Role};
use crate::prelude::*;
use crate::view::{Entry, Kind, Part, PartSource, View};
use crate::words;

words! {
    /// A rule of a well-formed view.
    pub enum Rule {
        /// A tool result whose call left the view.
        OrphanResult = "orphan-result",
        /// A call whose results left the view.
        OrphanCall = "orphan-call",
        /// Something stands between a call and its result that did not before.
        SplitPair = "split-pair",
        /// A call answered twice.
        DuplicateResult = "duplicate-result",
        /// A system message was removed or rewritten.
        SystemChanged = "system-changed",
        /// Kept entries changed places.
        OrderChanged = "order-changed",
        /// The view is larger than before, by the pipeline's counter.
        Grew = "grew",
        /// A summary without a word in it.
        EmptySummary = "empty-summary",
        /// The first message after the system's is no longer the user's.
        FirstMessageRole = "first-message-role",
        /// A closed turn was taken apart by a strategy that claims not to.
        TurnSplit = "turn-split",
        /// The text of a tool result left, in whole or in part, before any call was made with it in
        /// view: removed, folded, cut or masked, in the view or in what is sent. The agent asked
        /// for it and never reads it. Counts also where the prompt would not have fit with it.
        FreshResultHidden = "fresh-result-hidden",
    }
}

impl Rule {
    /// Whether a provider that pairs ids refuses the next request.
    pub fn breaks_strict_wire(self) -> bool {
        matches!(self, Rule::OrphanResult | Rule::OrphanCall | Rule::DuplicateResult)
    }

    /// Whether some providers refuse the next request, and others take it.
    pub fn is_refused_by_some(self) -> bool {
        matches!(self, Rule::FirstMessageRole | Rule::SplitPair)
    }

    /// Whether it breaks what the agent asked for: a provider refuses the next request, or a result
    /// never reaches the agent.
    pub fn is_fatal(self) -> bool {
        self.breaks_strict_wire() || self == Rule::FreshResultHidden
    }
}

/// A rule that a change breaks, where the view before kept it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Violation {
    /// The rule.
    pub rule: Rule,
    /// The entry at fault, where there is one.
    pub entry: Option<EntryId>,
}

pub(super) fn broken(
    view: &View,
    applied: &Applied,
    arrangement: &Arrangement,
    answers: &Answers,
    (whole_turns, unread): (bool, MsgId),
) -> Vec<Violation> {
    if applied.change.is_empty() && !arrangement.reordered {
        return Vec::new();
    }
    let leaving = applied.change.removed.iter().copied().collect();
    let mut check = Check { view, applied, leaving, violations: Vec::new() };
    check.pairs();
    check.split_pairs();
    for entry in applied.change.removed.iter().filter_map(|id| view.entry(*id)) {
        if entry.role == Role::System {
            check.broken(Rule::SystemChanged, Some(entry.id));
        }
    }
    if arrangement.reordered {
        check.broken(Rule::OrderChanged, None);
    }
    if applied.counted > view.counted() {
        check.broken(Rule::Grew, None);
    }
    check.empty_summaries(answers);
    check.hidden_results(unread);
    let next = view.entries()[..applied.range.start].iter().chain(&applied.entries);
    let next = first_role(next.chain(&view.entries()[applied.range.end..]));
    let was_users = first_role(view.entries().iter()) == Some(Role::User);
    if was_users && next.is_some_and(|role| role != Role::User) {
        check.broken(Rule::FirstMessageRole, None);
    }
    if whole_turns {
        check.split_turns();
    }
    check.violations
}

fn first_role<'a>(mut entries: impl Iterator<Item = &'a Arc<Entry>>) -> Option<Role> {
    entries.find(|entry| entry.role != Role::System).map(|entry| entry.role)
}

struct Check<'a> {
    view: &'a View,
    applied: &'a Applied,
    leaving: FxHashSet<EntryId>,
    violations: Vec<Violation>,
}

impl Check<'_> {
    fn broken(&mut self, rule: Rule, entry: Option<EntryId>) {
        self.violations.push(Violation { rule, entry });
    }

    /// Orphans and duplicates among the calls that the change touches.
    fn pairs(&mut self) {
        let (view, applied) = (self.view, self.applied);
        let gone = applied.change.removed.iter().filter_map(|id| view.entry(*id));
        let come = || applied.entries.iter().filter(|entry| entry.id >= view.next_id());
        let touched: BTreeSet<&CallId> = gone
            .chain(come())
            .flat_map(|entry| entry.calls.iter().map(|call| &call.id).chain(&entry.answers))
            .collect();
        for id in touched {
            let before = view.pair(id).cloned().unwrap_or_default();
            let stays = |entry: &EntryId| !self.leaving.contains(entry);
            let made = || come().find(|entry| entry.call(id).is_some()).map(|entry| entry.id);
            let call = before.call.filter(stays).or_else(made);
            let given = come().filter(|entry| entry.answers.as_ref() == Some(id));
            let kept = before.results.iter().copied().filter(stays);
            let results: Vec<EntryId> = kept.chain(given.map(|entry| entry.id)).collect();
            let was_whole = before.call.is_some() || before.results.is_empty();
            if call.is_none() && !results.is_empty() && was_whole {
                self.broken(Rule::OrphanResult, results.first().copied());
            }
            if call.is_some() && results.is_empty() && !before.results.is_empty() {
                self.broken(Rule::OrphanCall, call);
            }
            if results.len() > 1 && before.results.len() <= 1 {
                self.broken(Rule::DuplicateResult, results.last().copied());
            }
        }
    }

    /// Results of the changed stretch, and the first behind it, that no longer follow their call.
    fn split_pairs(&mut self) {
        let (view, applied) = (self.view, self.applied);
        let (before, behind) = view.entries().split_at(applied.range.start);
        let behind = behind[applied.range.len()..].iter();
        let behind = behind.take_while(|entry| entry.role == Role::Tool);
        let mut leader = before.iter().rev().find(|entry| entry.role != Role::Tool);
        for entry in applied.entries.iter().chain(behind) {
            if entry.role != Role::Tool {
                leader = Some(entry);
                continue;
            }
            let Some(id) = &entry.answers else { continue };
            let follows = leader.is_some_and(|leader| leader.call(id).is_some());
            if !follows && self.call_stays(id) && followed_before(view, id) {
                self.broken(Rule::SplitPair, Some(entry.id));
            }
        }
    }

    /// Whether the call is still made, by the same entry or by what became of it.
    fn call_stays(&self, id: &CallId) -> bool {
        let before = self.view.pair(id).and_then(|pair| pair.call);
        before.is_some_and(|call| !self.leaving.contains(&call))
            || self.applied.entries.iter().any(|entry| entry.call(id).is_some())
    }

    fn empty_summaries(&mut self, answers: &Answers) {
        for fold in &self.applied.change.added {
            let mut texts = fold.requests.iter().filter_map(|id| answers.get(id)).peekable();
            if texts.peek().is_some() && texts.all(|answered| answered.text.trim().is_empty()) {
                self.broken(Rule::EmptySummary, Some(fold.entry));
            }
        }
    }

    fn hidden_results(&mut self, unread: MsgId) {
        let applied = self.applied;
        let gone = applied.change.removed.iter().filter_map(|id| self.view.entry(*id));
        let come = || applied.entries.iter().filter(|entry| entry.id >= self.view.next_id());
        let hidden: Vec<EntryId> =
            gone.filter(|old| is_hidden(old, come(), unread)).map(|old| old.id).collect();
        for entry in hidden {
            self.broken(Rule::FreshResultHidden, Some(entry));
        }
    }

    /// A fold that takes one of user message and summary of a closed turn, not the other.
    fn split_turns(&mut self) {
        let view = self.view;
        let of_closed_turn =
            |place: usize| view.at(place).filter(|e| e.is_user() || e.kind == Kind::Summarized);
        for fold in self.applied.change.added.iter().filter(|fold| fold.covered.len() > 1) {
            let places = fold.covered.iter().filter_map(|id| view.position(*id));
            let places: BTreeSet<usize> = places.collect();
            let splits = |place: &usize| {
                let Some(entry) = of_closed_turn(*place) else { return false };
                let left = |other: usize| {
                    let other = of_closed_turn(other).filter(|_| !places.contains(&other));
                    other.filter(|other| other.turn == entry.turn)
                };
                let next_left = left(place + 1).is_some_and(|next| next.kind == Kind::Summarized);
                let owner = place.checked_sub(1).filter(|_| entry.kind == Kind::Summarized);
                next_left || owner.and_then(left).is_some()
            };
            if places.iter().any(splits) {
                self.broken(Rule::TurnSplit, Some(fold.entry));
            }
        }
    }
}

/// Whether an entry that gives way to others is a tool result from `unread` on, the first message
/// that no call was made with, whose text they do not quote in whole. One that was rewritten
/// before has been judged then.
pub(crate) fn is_hidden<'a>(
    old: &Entry,
    come: impl Iterator<Item = &'a Arc<Entry>>,
    unread: MsgId,
) -> bool {
    let Some(message) = old.origin.filter(|message| *message >= unread) else { return false };
    if old.role != Role::Tool || old.rewritten {
        return false;
    }
    let is_quote = |part: &&Part| {
        part.source == PartSource::Entry(old.id)
            || part.source == PartSource::Log && part.spans.contains(message)
    };
    let mut quoted = come.map(|new| -> String {
        new.parts.iter().filter(is_quote).map(|part| &*part.text).collect()
    });
    let text = old.content();
    !text.trim().is_empty() && !quoted.any(|quoted| quoted.contains(&*text))
}

/// Whether the call's results stood behind it; true where there were none.
fn followed_before(view: &View, id: &CallId) -> bool {
    let results = view.pair(id).map_or(&[][..], |pair| &pair.results);
    let mut places = results.iter().filter_map(|result| view.position(*result)).peekable();
    let leads = |place: usize| {
        let leader = view.entries()[..place].iter().rev().find(|entry| entry.role != Role::Tool);
        leader.is_some_and(|leader| leader.call(id).is_some())
    };
    places.peek().is_none() || places.any(leads)
}
