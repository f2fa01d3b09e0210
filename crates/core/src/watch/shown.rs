//! Which facts a prompt shows.

use crate::ident::{EntryId, FactId};
use crate::overlay::Overlay;
use crate::trace::Found;
use crate::truth::Reading;
use crate::view::View;
use crate::watch::book::searchable;
use crate::watch::{FactTracker, Held, Holdings, Partial};

/// How a prompt differs from the view: it hides fresh entries, and shows an overlay's instead.
pub(super) struct Shown {
    hidden: Vec<EntryId>,
    instead: Vec<(Holdings, Partial)>,
}

impl Shown {
    pub(super) fn new(
        watch: &FactTracker,
        view: &View,
        overlay: &Overlay,
        fresh: EntryId,
    ) -> Shown {
        let recent = view.entries().iter().rev().take_while(|entry| entry.id >= fresh);
        // A summary made since the previous call is new as an entry, not as content.
        let mut hidden: Vec<EntryId> =
            recent.filter(|entry| entry.origin.is_some()).map(|entry| entry.id).collect();
        let mut instead = Vec::new();
        for (id, entry) in overlay.iter() {
            if !hidden.contains(&id) {
                hidden.push(id);
                let text = searchable(&entry.content(), &entry.calls);
                let generation = |fact| watch.held_in(id, fact).map_or(0, |held| held.generation);
                instead.push(watch.read(&text, generation));
            }
        }
        Shown { hidden, instead }
    }

    pub(super) fn find(&self, watch: &FactTracker, fact: FactId) -> Found {
        let presence = &watch.presence[fact.index()];
        let hidden = self.hidden.iter().filter_map(|id| watch.held_in(*id, fact));
        let hidden: Vec<Held> = hidden.collect();
        let instead = self.instead.iter().flat_map(|(held, _)| held.iter());
        let shown: Vec<Reading> =
            instead.filter(|held| held.fact == fact).map(|held| held.reading).collect();
        let left = |all: u32, reading: Reading| {
            let shown = shown.iter().filter(|shown| **shown == reading).count();
            all as usize + shown - hidden.iter().filter(|held| held.reading == reading).count()
        };
        let holders = left(presence.held.total(), Reading::Present);
        let inverted = left(presence.inverted, Reading::Inverted);
        match (holders, inverted, left(presence.ambiguous, Reading::Ambiguous)) {
            (0, 0, 0) => Found::Absent,
            (0, 0, _) => Found::Ambiguous,
            (0, ..) => Found::Inverted,
            _ => {
                let present = hidden.iter().filter(|held| held.is_present());
                let hidden: Vec<u32> = present.map(|held| held.generation).collect();
                let least = presence.held.without(&hidden).next();
                Found::Present(least.unwrap_or(0))
            }
        }
    }

    /// The most needles of an absent fact that one entry holds.
    pub(super) fn needles(&self, watch: &FactTracker, fact: FactId) -> u32 {
        let hidden = self.hidden.iter().filter_map(|id| watch.contents(*id));
        let hidden: Vec<u32> =
            hidden.filter_map(|contents| needles_of(&contents.partial, fact)).collect();
        let most = watch.presence[fact.index()].partial.without(&hidden).next_back();
        let instead = self.instead.iter().filter_map(|(_, partial)| needles_of(partial, fact));
        instead.chain(most).max().unwrap_or(0)
    }
}

fn needles_of(partial: &Partial, fact: FactId) -> Option<u32> {
    let place = partial.binary_search_by_key(&fact, |(fact, _)| *fact).ok()?;
    Some(partial[place].1)
}
