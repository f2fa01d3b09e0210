//! The structural rules, checked where the change is and nowhere else.

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

use crate::answer::Answers;
use crate::apply::slots::Arrangement;
use crate::apply::{Applied, Claims};
use crate::ident::EntryId;
use crate::log::{CallId, Role};
use crate::view::{Entry, Kind, View};
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
    }
}

impl Rule {
    /// Whether a provider that pairs ids refuses the next request.
    pub fn breaks_strict_wire(self) -> bool {
        matches!(self, Rule::OrphanResult | Rule::OrphanCall | Rule::DuplicateResult)
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
    claims: Claims,
) -> Vec<Violation> {
    let mut violations = Vec::new();
    if applied.change.is_empty() && !arrangement.reordered {
        return violations;
    }
    let mut break_rule = |rule, entry| violations.push(Violation { rule, entry });
    let leaving: FxHashSet<EntryId> = applied.change.removed.iter().copied().collect();
    pairs(view, applied, &leaving, &mut break_rule);
    split_pairs(view, applied, &leaving, &mut break_rule);
    for entry in applied.change.removed.iter().filter_map(|id| view.entry(*id)) {
        if entry.role == Role::System {
            break_rule(Rule::SystemChanged, Some(entry.id));
        }
    }
    if arrangement.reordered {
        break_rule(Rule::OrderChanged, None);
    }
    if applied.counted > view.counted() {
        break_rule(Rule::Grew, None);
    }
    empty_summaries(applied, answers, &mut break_rule);
    if first_role(view.entries().iter().map(|e| &**e)) == Some(Role::User)
        && first_role(next_entries(view, applied)).is_some_and(|role| role != Role::User)
    {
        break_rule(Rule::FirstMessageRole, None);
    }
    if claims.whole_turns {
        split_turns(view, applied, &mut break_rule);
    }
    violations
}

fn next_entries<'a>(view: &'a View, applied: &'a Applied) -> impl Iterator<Item = &'a Entry> {
    let entries = view.entries();
    let (before, after) = (&entries[..applied.range.start], &entries[applied.range.end..]);
    before.iter().chain(&applied.entries).chain(after).map(|entry| &**entry)
}

fn first_role<'a>(mut entries: impl Iterator<Item = &'a Entry>) -> Option<Role> {
    entries.find(|entry| entry.role != Role::System).map(|entry| entry.role)
}

/// Orphans and duplicates among the calls that the change touches.
fn pairs(
    view: &View,
    applied: &Applied,
    leaving: &FxHashSet<EntryId>,
    break_rule: &mut impl FnMut(Rule, Option<EntryId>),
) {
    let removed = &applied.change.removed;
    let gone = removed.iter().filter_map(|id| view.entry(*id)).map(|entry| &**entry);
    let come: Vec<&Entry> =
        applied.entries.iter().map(|e| &**e).filter(|e| e.id >= view.next_id()).collect();
    let touched: BTreeSet<&CallId> = gone
        .chain(come.iter().copied())
        .flat_map(|entry| entry.calls.iter().map(|call| &call.id).chain(&entry.answers))
        .collect();
    let leaves = |id: &EntryId| leaving.contains(id);
    for id in touched {
        let before = view.pair(id).cloned().unwrap_or_default();
        let call = before
            .call
            .filter(|entry| !leaves(entry))
            .or_else(|| come.iter().find(|e| e.call(id).is_some()).map(|e| e.id));
        let mut results: Vec<EntryId> =
            before.results.iter().copied().filter(|entry| !leaves(entry)).collect();
        results
            .extend(come.iter().filter(|e| e.answers.as_ref() == Some(id)).map(|entry| entry.id));
        if call.is_none()
            && !results.is_empty()
            && (before.call.is_some() || before.results.is_empty())
        {
            break_rule(Rule::OrphanResult, results.first().copied());
        }
        if call.is_some() && results.is_empty() && !before.results.is_empty() {
            break_rule(Rule::OrphanCall, call);
        }
        if results.len() > 1 && before.results.len() <= 1 {
            break_rule(Rule::DuplicateResult, results.last().copied());
        }
    }
}

/// Results of the changed stretch, and the first behind it, that no longer follow their call.
fn split_pairs(
    view: &View,
    applied: &Applied,
    leaving: &FxHashSet<EntryId>,
    break_rule: &mut impl FnMut(Rule, Option<EntryId>),
) {
    let behind = view.entries()[applied.range.end..]
        .iter()
        .take_while(|entry| entry.role == Role::Tool)
        .map(|entry| &**entry);
    let mut leader = view.entries()[..applied.range.start]
        .iter()
        .rev()
        .find(|entry| entry.role != Role::Tool)
        .map(|entry| &**entry);
    for entry in applied.entries.iter().map(|entry| &**entry).chain(behind) {
        if entry.role != Role::Tool {
            leader = Some(entry);
            continue;
        }
        let Some(id) = &entry.answers else { continue };
        let follows = leader.is_some_and(|leader| leader.call(id).is_some());
        if !follows && call_stays(view, applied, leaving, id) && followed_before(view, id) {
            break_rule(Rule::SplitPair, Some(entry.id));
        }
    }
}

fn call_stays(view: &View, applied: &Applied, leaving: &FxHashSet<EntryId>, id: &CallId) -> bool {
    let before = view.pair(id).and_then(|pair| pair.call);
    before.is_some_and(|call| !leaving.contains(&call))
        || applied.entries.iter().any(|entry| entry.call(id).is_some())
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

fn empty_summaries(
    applied: &Applied,
    answers: &Answers,
    break_rule: &mut impl FnMut(Rule, Option<EntryId>),
) {
    for fold in &applied.change.added {
        let mut texts = fold.requests.iter().filter_map(|id| answers.get(id)).peekable();
        if texts.peek().is_some() && texts.all(|answered| answered.text.trim().is_empty()) {
            break_rule(Rule::EmptySummary, Some(fold.entry));
        }
    }
}

/// A fold that takes one of a user message and a summary of the same closed turn, not the other.
fn split_turns(view: &View, applied: &Applied, break_rule: &mut impl FnMut(Rule, Option<EntryId>)) {
    for fold in applied.change.added.iter().filter(|fold| fold.covered.len() > 1) {
        let places: BTreeSet<usize> =
            fold.covered.iter().filter_map(|id| view.position(*id)).collect();
        let of_closed_turn =
            |place: usize| view.at(place).filter(|e| e.is_user() || e.kind == Kind::Summarized);
        let split = places.iter().any(|&place| {
            let Some(entry) = of_closed_turn(place) else { return false };
            let next_left = of_closed_turn(place + 1).is_some_and(|next| {
                next.kind == Kind::Summarized
                    && next.turn == entry.turn
                    && !places.contains(&(place + 1))
            });
            let owner_left = entry.kind == Kind::Summarized
                && place > 0
                && !places.contains(&(place - 1))
                && of_closed_turn(place - 1).is_some_and(|previous| previous.turn == entry.turn);
            next_left || owner_left
        });
        if split {
            break_rule(Rule::TurnSplit, Some(fold.entry));
        }
    }
}
