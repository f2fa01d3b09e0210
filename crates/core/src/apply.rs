//! The only code that changes a view. `apply` is pure: from view, layout and answers it makes the
//! next entries, the [`Change`], and the rules that it breaks, which are neither repaired nor
//! errors, as real implementations break some. [`commit`] then changes the view.

mod build;
mod rules;

pub(crate) use build::rewritten;
pub(crate) use rules::is_hidden;
pub use rules::{Rule, Violation};

use std::ops::Range;

use crate::answer::{Answers, Malformed, Sources};
use crate::log::Past;
use crate::plan::Layout;
use crate::prelude::*;
use crate::token::Tally;
use crate::view::{Entry, Spans, View};
use build::Arrangement;

/// What a plan changes. Shares, facts and cache follow this and nothing else.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Change {
    /// Entries that left the view, in view order.
    pub removed: Vec<EntryId>,
    /// Entries that came, in view order, with what they stand for.
    pub added: Vec<Fold>,
    /// First place at which the view differs.
    pub first: usize,
    /// Log messages that left and that nothing stands for.
    pub dropped: Spans,
}

impl Change {
    /// Whether nothing changes.
    pub fn is_empty(&self) -> bool {
        self.removed.is_empty() && self.added.is_empty()
    }
}

/// A new entry and what it stands for.
#[derive(Clone, Debug, PartialEq)]
pub struct Fold {
    /// The new entry.
    pub entry: EntryId,
    /// The entries of the old view that it covers.
    pub covered: Vec<EntryId>,
    /// The requests whose answers it holds.
    pub requests: Vec<RequestId>,
}

/// The outcome of a plan, not yet committed.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Applied {
    /// Places of the old view that are replaced.
    pub range: Range<usize>,
    /// What stands there instead.
    pub entries: Vec<Arc<Entry>>,
    /// What changed.
    pub change: Change,
    /// Rules that the change breaks and the old view did not.
    pub violations: Vec<Violation>,
    /// Reference tokens of the next view.
    pub tokens: Tokens,
    /// The next view by the pipeline's counter.
    pub counted: Tokens,
}

/// Makes the next view. Fails on a malformed plan: unknown or doubled ids, missing answers.
/// `whole_turns`: the profile claims to keep closed turns whole. `unread`: the first message that no
/// model call has had in view.
pub fn apply(
    view: &View,
    layout: &Layout,
    answers: &Answers,
    past: Past,
    tally: &Tally,
    whole_turns: bool,
    unread: MsgId,
) -> Result<Applied, Malformed> {
    let Layout::Whole(slots) = layout else {
        return Err(Malformed("edits are for request scope only".to_owned()));
    };
    let arrangement = Arrangement::new(view, slots, answers)?;
    let (entries, added) = build::entries(&arrangement, Sources { view, past, answers }, tally)?;
    let removed = arrangement.removed(view);
    let gone: Vec<&Arc<Entry>> = removed.iter().filter_map(|id| view.entry(*id)).collect();
    let come: Vec<&Arc<Entry>> = entries.iter().filter(|one| one.id >= view.next_id()).collect();
    let next = |now: Tokens, of: fn(&Entry) -> Tokens| {
        let sum = |entries: &[&Arc<Entry>]| entries.iter().map(|entry| of(entry)).sum::<Tokens>();
        now + sum(&come) - sum(&gone)
    };
    let covers = |entries: &[&Arc<Entry>]| Spans::union(entries.iter().map(|entry| &entry.covers));
    let (range, dropped) = (arrangement.range.clone(), covers(&gone).without(&covers(&come)));
    let (tokens, counted) =
        (next(view.tokens(), Entry::tokens), next(view.counted(), |entry| entry.counted));
    let change = Change { removed, added, first: range.start, dropped };
    let violations = Vec::new();
    let mut applied = Applied { range, entries, change, violations, tokens, counted };
    applied.violations =
        rules::broken(view, &applied, &arrangement, answers, (whole_turns, unread));
    Ok(applied)
}

/// Changes the view as applied. Costs what stands after the first change.
pub fn commit(view: &mut View, applied: &Applied) {
    view.splice(applied.range.clone(), applied.entries.clone());
}

#[cfg(test)]
mod tests;
