//! What a view is made of.

use crate::trace::{Composition, Share};
use crate::view::{Class, Kind, View};

/// What a view is made of, with and without its recent raw tail.
pub fn composition(view: &View) -> Composition {
    let mut composition = Composition::default();
    let last_summary = view.of(Class::Summary).last().and_then(|id| view.position(*id));
    let tail = last_summary.map_or(0, |place| place + 1);
    let mut owned = false;
    for (place, entry) in view.entries().iter().enumerate() {
        let share = Share::of(entry) as usize;
        composition.entries[share] += 1;
        composition.tokens[share] += entry.tokens();
        if place >= tail {
            composition.tail_entries[share] += 1;
            composition.tail_tokens[share] += entry.tokens();
        }
        if entry.kind == Kind::Summarized {
            composition.ownerless += u32::from(!owned);
        } else {
            owned = entry.is_user();
        }
    }
    composition
}
