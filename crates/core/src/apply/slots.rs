//! Slots as runs of kept places and new entries. Kept ranges stay ranges.

use std::ops::Range;

use crate::answer::{Answers, Malformed};
use crate::ident::{EntryId, RequestId};
use crate::plan::{Edit, NewEntry, Piece, Slot};
use crate::view::View;

pub(super) enum Run<'a> {
    Kept(Range<usize>),
    Rewritten(usize, &'a Edit),
    New(&'a NewEntry),
}

/// The next view as runs, with the stretch that really changes.
pub(super) struct Arrangement<'a> {
    /// What stands in `range`, in order.
    pub(super) runs: Vec<Run<'a>>,
    pub(super) range: Range<usize>,
    /// For each place of `range`: kept (or rewritten).
    stays: Vec<bool>,
    /// A kept entry stands before one that preceded it.
    pub(super) reordered: bool,
}

impl<'a> Arrangement<'a> {
    pub(super) fn new(
        view: &View,
        slots: &'a [Slot],
        answers: &Answers,
    ) -> Result<Arrangement<'a>, Malformed> {
        let filled = slots.iter().filter(|slot| !comes_to_nothing(slot, answers));
        let mut runs = merged(filled.map(|slot| run(view, slot)))?;
        let prefix = match runs.first() {
            Some(Run::Kept(range)) if range.start == 0 => {
                let end = range.end;
                runs.remove(0);
                end
            }
            _ => 0,
        };
        let suffix = match runs.last() {
            Some(Run::Kept(range)) if range.end == view.len() && range.start >= prefix => {
                let start = range.start;
                runs.pop();
                start
            }
            _ => view.len(),
        };
        let range = prefix..suffix;
        let (stays, reordered) = staying(&runs, &range)?;
        Ok(Arrangement { runs, range, stays, reordered })
    }

    /// Entries that leave, rewritten ones included, in view order.
    pub(super) fn removed(&self, view: &View) -> Vec<EntryId> {
        let rewritten = self.runs.iter().filter_map(|run| match run {
            Run::Rewritten(place, _) => Some(*place),
            Run::Kept(_) | Run::New(_) => None,
        });
        let mut places: Vec<usize> = self.leaving().chain(rewritten).collect();
        places.sort_unstable();
        places.into_iter().map(|place| view.entries()[place].id).collect()
    }

    /// Places that no slot keeps or rewrites.
    pub(super) fn leaving(&self) -> impl Iterator<Item = usize> + '_ {
        self.range.clone().zip(&self.stays).filter(|(_, stays)| !**stays).map(|(place, _)| place)
    }
}

fn run<'a>(view: &View, slot: &'a Slot) -> Result<Run<'a>, Malformed> {
    let place = |id: &EntryId| {
        view.position(*id).ok_or_else(|| Malformed(format!("entry {} is not in the view", id.0)))
    };
    Ok(match slot {
        Slot::Keep(id) => {
            let place = place(id)?;
            Run::Kept(place..place + 1)
        }
        Slot::Keeps(first, last) => {
            let (from, to) = (place(first)?, place(last)?);
            if from > to {
                return Err(Malformed(format!(
                    "range from entry {} to entry {} runs backwards",
                    first.0, last.0
                )));
            }
            Run::Kept(from..to + 1)
        }
        Slot::Rewrite(edit) => Run::Rewritten(place(&edit.entry)?, edit),
        Slot::New(new) | Slot::NewUnlessEmpty(new) => Run::New(new),
    })
}

/// Whether a slot stands only for answers and all are empty; one that no request gives is not.
fn comes_to_nothing(slot: &Slot, answers: &Answers) -> bool {
    let Slot::NewUnlessEmpty(new) = slot else { return false };
    let mut given = new.pieces.iter().filter_map(Piece::requests);
    let is_empty = |id: &RequestId| answers.get(id).is_some_and(|a| a.text.trim().is_empty());
    given.all(|first_of| first_of.iter().all(is_empty))
}

fn merged<'a>(
    runs: impl Iterator<Item = Result<Run<'a>, Malformed>>,
) -> Result<Vec<Run<'a>>, Malformed> {
    let mut merged: Vec<Run> = Vec::new();
    for run in runs {
        match (merged.last_mut(), run?) {
            (Some(Run::Kept(last)), Run::Kept(next)) if last.end == next.start => {
                last.end = next.end;
            }
            (_, run) => merged.push(run),
        }
    }
    Ok(merged)
}

fn staying(runs: &[Run], range: &Range<usize>) -> Result<(Vec<bool>, bool), Malformed> {
    let mut stays = vec![false; range.len()];
    let (mut reordered, mut latest) = (false, None);
    for run in runs {
        let places = match run {
            Run::Kept(places) => places.clone(),
            Run::Rewritten(place, _) => *place..*place + 1,
            Run::New(_) => continue,
        };
        reordered |= latest.is_some_and(|latest| places.start < latest);
        latest = Some(places.end);
        for place in places {
            let doubled = match place.checked_sub(range.start).and_then(|i| stays.get_mut(i)) {
                Some(stay) => std::mem::replace(stay, true),
                None => true,
            };
            if doubled {
                return Err(Malformed(format!("the entry at place {place} is kept twice")));
            }
        }
    }
    Ok((stays, reordered))
}
