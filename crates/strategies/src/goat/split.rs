//! Where the preserve zone begins.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::log::{CallId, Role};
use crate::unit::Tokens;
use crate::view::Entry;

/// What becomes of a split between a call and its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pairs {
    /// Nothing: the cut falls where it falls.
    Ignored,
    /// Goat's `adjustSplitForToolPairs` as its code has it: back over tool results,
    /// and once more back where that leads to an assistant message with calls. In a
    /// run of tool rounds the last step lands on the result of the round before, and
    /// the preserve zone begins with a result whose call is gone. Its tests do not
    /// see it, as their runs begin at 1, where the index is held.
    StepBack,
    /// The nearest earlier place that no pair straddles; where there is none, the
    /// nearest later one.
    Kept,
}

impl Pairs {
    /// The split moved as the rule says; 0 where nothing can be split off.
    pub(super) fn adjusted(self, entries: &[Arc<Entry>], split: usize) -> usize {
        match self {
            Pairs::Ignored => split,
            _ if split == 0 || split >= entries.len() => split,
            Pairs::StepBack => stepped_back(entries, split),
            Pairs::Kept => unstraddled(entries, split),
        }
    }
}

/// `calculateSplitPoint` before the adjustment: from the end, the first message
/// that exceeds the budget is the last to be summarized. 0 where all fit; the last
/// message is always preserved.
pub(super) fn by_tokens(
    messages: impl DoubleEndedIterator<Item = Tokens>,
    budget: Tokens,
) -> usize {
    let costs: Vec<Tokens> = messages.collect();
    let mut used = Tokens::ZERO;
    let over = costs.iter().rposition(|cost| {
        used += *cost;
        used > budget
    });
    // The source also holds the index at 1 or more, which it always is here.
    over.map_or(0, |over| (over + 1).min(costs.len() - 1))
}

/// The document's split: this share of the messages stays, rounded down (as in its
/// drawing, where 5 of 14 do). Silent on few messages: the last one stays.
pub(super) fn by_count(messages: usize, share: f64) -> usize {
    let preserved = (messages as f64 * share) as usize;
    messages.saturating_sub(preserved.max(1))
}

fn stepped_back(entries: &[Arc<Entry>], split: usize) -> usize {
    let mut place = split;
    while place > 0 && entries[place].role == Role::Tool {
        place -= 1;
    }
    if place > 0 && entries[place].role == Role::Assistant && !entries[place].calls.is_empty() {
        place -= 1;
    }
    place.max(1)
}

fn unstraddled(entries: &[Arc<Entry>], split: usize) -> usize {
    let calls: FxHashMap<&CallId, usize> = entries
        .iter()
        .enumerate()
        .flat_map(|(place, entry)| entry.calls.iter().map(move |call| (&call.id, place)))
        .collect();
    // From the end: the earliest call that is answered from here on.
    let mut earliest = usize::MAX;
    let mut whole = vec![false; entries.len()];
    for (place, entry) in entries.iter().enumerate().rev() {
        let call = entry.answers.as_ref().and_then(|id| calls.get(id));
        earliest = earliest.min(call.copied().unwrap_or(usize::MAX));
        whole[place] = earliest >= place;
    }
    let earlier = (1..=split).rev().find(|place| whole[*place]);
    earlier.or_else(|| (split + 1..entries.len()).find(|place| whole[*place])).unwrap_or(0)
}
