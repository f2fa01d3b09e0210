//! Remedies: how a failed request is changed before it is asked again.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::log::CallId;
use crate::plan::{Item, Recovery, SummaryRequest};
use crate::summarize::FailureClass;
use crate::unit::Tokens;
use crate::view::View;

pub(super) struct Remedies<'a> {
    pub(super) request: &'a SummaryRequest,
    keep: Vec<bool>,
    /// By class: which remedy is in use, and how often it was.
    spent: BTreeMap<FailureClass, (usize, u32)>,
    /// Reference tokens, of all that is shown and by item, once the whole request was written.
    sizes: Option<(Tokens, Vec<Tokens>)>,
    /// By call: the items that make or answer it, once a remedy asks for pairs.
    calls: Option<FxHashMap<CallId, Vec<usize>>>,
}

impl<'a> Remedies<'a> {
    pub(super) fn new(request: &'a SummaryRequest) -> Remedies<'a> {
        Remedies {
            request,
            keep: vec![true; request.items.len()],
            spent: BTreeMap::new(),
            sizes: None,
            calls: None,
        }
    }

    pub(super) fn measured(&self) -> Option<Tokens> {
        self.sizes.as_ref().map(|(total, _)| *total)
    }

    pub(super) fn measure(&mut self, total: Tokens, items: Vec<Tokens>) {
        if items.len() == self.keep.len() {
            self.sizes = Some((total, items));
        }
    }

    pub(super) fn items(&self) -> impl Iterator<Item = &'a Item> {
        self.request.items.iter().zip(&self.keep).filter(|(_, keep)| **keep).map(|(item, _)| item)
    }

    /// Applies the next remedy for this class; false when there is none left.
    pub(super) fn apply(&mut self, class: FailureClass, view: &View) -> bool {
        let Some(remedies) = self.request.recover.get(&class) else { return false };
        let (mut number, mut used) = self.spent.get(&class).copied().unwrap_or((0, 0));
        while let Some(remedy) = remedies.get(number) {
            let applies = match remedy {
                Recovery::Retry(times) => used < *times,
                Recovery::TrimOldest { pairs, leave } => self.trim_oldest(*pairs, *leave, view),
            };
            if applies {
                self.spent.insert(class, (number, used + 1));
                return true;
            }
            (number, used) = (number + 1, 0);
        }
        self.spent.insert(class, (number, used));
        false
    }

    fn trim_oldest(&mut self, pairs: bool, leave: usize, view: &View) -> bool {
        let Some(oldest) = self.keep.iter().position(|keep| *keep) else { return false };
        let mut going = vec![oldest];
        if pairs {
            let partners = self.calls.get_or_insert_with(|| items_by_call(self.request, view));
            let touched = calls_of(&self.request.items[oldest], view);
            going.extend(touched.filter_map(|call| partners.get(call)).flatten().copied());
            going.retain(|index| self.keep[*index]);
            going.sort_unstable();
            going.dedup();
        }
        let shown = self.keep.iter().filter(|keep| **keep).count();
        // Trimming everything is no request at all; the next remedy needs the items.
        if shown <= leave || leave > 0 && going.len() == shown {
            return false;
        }
        for index in going {
            self.keep[index] = false;
            if let Some((total, items)) = &mut self.sizes {
                *total -= items[index];
            }
        }
        true
    }
}

/// The calls that an item makes, and the one that it answers.
fn calls_of<'a>(item: &'a Item, view: &'a View) -> impl Iterator<Item = &'a CallId> {
    let (made, answered) = match item {
        Item::Entry(id) => view
            .entry(*id)
            .map_or((&[][..], None), |entry| (&entry.calls[..], entry.answers.as_ref())),
        Item::Message { answers, .. } => (&[][..], answers.as_ref()),
    };
    made.iter().map(|call| &call.id).chain(answered)
}

fn items_by_call(request: &SummaryRequest, view: &View) -> FxHashMap<CallId, Vec<usize>> {
    let mut items: FxHashMap<CallId, Vec<usize>> = FxHashMap::default();
    for (index, item) in request.items.iter().enumerate() {
        for call in calls_of(item, view) {
            items.entry(call.clone()).or_default().push(index);
        }
    }
    items
}
