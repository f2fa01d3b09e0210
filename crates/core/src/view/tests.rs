use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::apply::commit;
use crate::log::Role;
use crate::plan::{Covers, Edit, Piece, Slot};
use crate::testkit::{Scene, answered, new, scene};

#[derive(Clone, Debug)]
enum Deed {
    Append(char),
    /// By place, modulo what there is: what becomes of each entry.
    Plan(Vec<u8>),
}

fn deed() -> impl Strategy<Value = Deed> {
    let letters = proptest::sample::select(vec!['y', 'u', 'h', 'a', 'c', '2', 't', 't']);
    prop_oneof![
        3 => letters.prop_map(Deed::Append),
        1 => proptest::collection::vec(0u8..8, 1..12).prop_map(Deed::Plan),
    ]
}

fn slots(view: &View, fates: &[u8]) -> Vec<Slot> {
    let kinds = [Kind::Summarized, Kind::GoalBatch, Kind::Summary, Kind::Notice];
    let mut slots = Vec::new();
    for (place, entry) in view.entries().iter().enumerate() {
        let fate = fates[place % fates.len()];
        match fate {
            0 => {}
            1 => {
                let pieces = Some(vec![Piece::literal("rewritten")]);
                slots.push(Slot::Rewrite(Edit {
                    entry: entry.id,
                    pieces,
                    args: BTreeMap::new(),
                    drops: Vec::new(),
                }));
            }
            2 | 3 => {
                let kind = kinds[(place + usize::from(fate)) % kinds.len()];
                let covers = Covers::Entries(vec![entry.id]);
                slots.push(new(Role::Assistant, kind, vec![Piece::quote(entry.id)], covers));
            }
            _ => slots.push(Slot::Keep(entry.id)),
        }
    }
    if fates.len().is_multiple_of(3) {
        slots.reverse();
    }
    slots
}

fn do_to(scene: &mut Scene, deed: &Deed) {
    match deed {
        Deed::Append(letter) => scene.more(&letter.to_string()),
        Deed::Plan(fates) => {
            let applied = scene.apply(slots(&scene.view, fates), &answered(""));
            commit(&mut scene.view, &applied);
            assert_eq!(scene.view.tokens(), applied.tokens);
            assert_eq!(scene.view.counted(), applied.counted);
        }
    }
}

fn pairs_of(entries: &[Arc<Entry>]) -> BTreeMap<CallId, Pair> {
    let mut pairs: BTreeMap<CallId, Pair> = BTreeMap::new();
    for entry in entries {
        for call in &entry.calls {
            pairs.entry(call.id.clone()).or_default().call = Some(entry.id);
        }
        if let Some(id) = &entry.answers {
            pairs.entry(id.clone()).or_default().results.push(entry.id);
        }
    }
    pairs.values_mut().for_each(|pair| pair.results.sort_unstable());
    pairs
}

/// Everything that the view keeps incrementally, from its entries alone.
fn assert_agrees_with_its_entries(view: &View) {
    let entries = view.entries();
    assert_eq!(view.tokens(), entries.iter().map(|entry| entry.tokens()).sum());
    assert_eq!(view.counted(), entries.iter().map(|entry| entry.counted).sum());
    let places: Vec<Option<usize>> =
        (0..view.next_id().0).map(|id| view.position(EntryId(id))).collect();
    let place_of = |id: u32| entries.iter().position(|entry| entry.id == EntryId(id));
    assert_eq!(places, (0..view.next_id().0).map(place_of).collect::<Vec<_>>());
    let next = |place: usize| entries.get(place + 1).map(|entry| entry.kind);
    let class = |has: &dyn Fn(usize, &Entry) -> bool| -> Vec<EntryId> {
        let found = entries.iter().enumerate().filter(|(place, entry)| has(*place, entry));
        found.map(|(_, entry)| entry.id).collect()
    };
    assert_eq!(view.of(Class::User), class(&|_, e| e.is_user()));
    assert_eq!(view.of(Class::Work), class(&|_, e| e.is_raw_work()));
    assert_eq!(view.of(Class::Call), class(&|_, e| e.is_raw_work() && !e.calls.is_empty()));
    assert_eq!(view.of(Class::Summary), class(&|_, e| e.kind.is_summary()));
    assert_eq!(
        view.of(Class::ClosedTurn),
        class(&|place, e| e.is_user() && next(place) == Some(Kind::Summarized))
    );
    let kept: BTreeMap<CallId, Pair> = view
        .pairs
        .iter()
        .map(|(id, pair)| {
            let mut pair = pair.clone();
            pair.results.sort_unstable();
            (id.clone(), pair)
        })
        .collect();
    assert_eq!(kept, pairs_of(entries));
}

proptest! {
    /// forall appends and plans: totals, places, classes and pairs are those of the entries.
    #[test]
    fn what_is_kept_incrementally_is_what_a_recount_finds(
        deeds in proptest::collection::vec(deed(), 1..40),
    ) {
        let mut scene = scene("");
        for deed in &deeds {
            do_to(&mut scene, deed);
            assert_agrees_with_its_entries(&scene.view);
        }
    }
}

#[test]
fn the_live_turn_begins_at_the_last_user_role_message() {
    for (shape, expected) in [("uauat", 2), ("uahct", 2), ("act", 0), ("uSM", 0), ("", 0)] {
        assert_eq!(scene(shape).view.live_turn(), expected, "{shape}");
    }
}
