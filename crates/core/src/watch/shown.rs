//! What a prompt shows: the view, less what is too fresh to count, as overlays have it.

use crate::ident::{EntryId, FactId};
use crate::overlay::Overlay;
use crate::trace::Found;
use crate::view::View;
use crate::watch::{Holdings, Partial, Watch, loss};

/// What a prompt shows beyond the standing of facts in the view: entries that are
/// too fresh to count, and entries that an overlay replaces.
pub(super) struct Shown {
    hidden: Vec<EntryId>,
    instead: Vec<(Holdings, Partial)>,
}

impl Shown {
    pub(super) fn new(watch: &Watch, view: &View, overlay: &Overlay, fresh: EntryId) -> Shown {
        let recent = view.entries().iter().rev().take_while(|entry| entry.id >= fresh);
        // A summary made since the previous call is new as an entry, not as content.
        let mut hidden: Vec<EntryId> =
            recent.filter(|entry| entry.origin.is_some()).map(|entry| entry.id).collect();
        let mut instead = Vec::new();
        for (id, entry) in overlay.iter() {
            if !hidden.contains(&id) {
                hidden.push(id);
                let text = loss::searchable_entry(entry);
                let generation = |fact| watch.held_in(id, fact).map_or(0, |held| held.generation);
                instead.push(watch.book.of_text(&text, generation));
            }
        }
        Shown { hidden, instead }
    }

    pub(super) fn find(&self, watch: &Watch, fact: FactId) -> Found {
        let mut standing = watch.standing[fact.index()];
        for id in &self.hidden {
            match watch.held_in(*id, fact) {
                Some(held) if held.inverted => standing.inverted -= 1,
                Some(_) => standing.present -= 1,
                None => {}
            }
        }
        let instead = self.instead.iter().flat_map(|(held, _)| held.iter());
        let instead = instead.filter(|held| held.fact == fact);
        for held in instead {
            if held.inverted { standing.inverted += 1 } else { standing.present += 1 }
        }
        match (standing.present, standing.inverted) {
            (0, 0) => Found::Absent,
            (0, _) => Found::Inverted,
            _ => Found::Present(self.generation(watch, fact)),
        }
    }

    /// Least generation among the holders. Demands are few, so a scan is cheap enough.
    fn generation(&self, watch: &Watch, fact: FactId) -> u32 {
        let ids = (0..watch.held.len() as u32).map(EntryId);
        let holders = ids.filter(|id| !self.hidden.contains(id));
        holders
            .filter_map(|id| watch.held_in(id, fact))
            .filter(|held| !held.inverted)
            .map(|held| held.generation)
            .min()
            .unwrap_or(0)
    }

    /// The most needles of an absent fact that one entry holds. Misses are few, so a
    /// scan of the view is cheap enough.
    pub(super) fn needles(&self, watch: &Watch, view: &View, fact: FactId) -> u32 {
        let ids = view.entries().iter().map(|entry| entry.id);
        let kept = ids.filter(|id| !self.hidden.contains(id));
        let kept = kept.filter_map(|id| watch.partial.get(id.0 as usize)?.as_ref());
        let instead = self.instead.iter().map(|(_, partial)| partial);
        kept.chain(instead).filter_map(|partial| found_of(partial, fact)).max().unwrap_or(0)
    }
}

fn found_of(partial: &Partial, fact: FactId) -> Option<u32> {
    let place = partial.binary_search_by_key(&fact, |(known, _)| *known).ok()?;
    Some(partial[place].1)
}
