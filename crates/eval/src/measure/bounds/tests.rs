use proptest::prelude::*;

use super::oracle::{Bounds, bounds};
use super::*;

#[test]
fn the_least_lots_go_first_and_stay_gone() {
    let message = |arrives, fact| Item { arrives, tokens: 10.0, facts: vec![fact] };
    let messages = vec![message(0, 0), message(0, 1), message(1, 2)];
    let wants = [(0, 1), (1, 1), (1, 2), (2, 2)];
    let wants = wants.map(|(fact, step)| Want { fact, step, demands: 1.0 }).to_vec();
    let choice = Choice { messages, wants, ..Choice::default() };
    for (room, lots, expected) in [
        // All fits: 0 and 1 at step 1, 1 and 2 at step 2.
        ([30.0, 30.0, 30.0], [1, 2, 3], 4.0),
        // The first goes at step 1; the others stay.
        ([20.0, 20.0, 30.0], [1, 2, 3], 3.0),
        // The last has the least lot and goes as soon as it comes.
        ([20.0, 20.0, 30.0], [2, 3, 1], 3.0),
        // Only one is left, and it is the second.
        ([10.0, 10.0, 10.0], [1, 3, 2], 2.0),
        ([0.0, 0.0, 0.0], [1, 2, 3], 0.0),
    ] {
        let choice = Choice { room: room.to_vec(), ..choice.clone() };
        assert_eq!(met(&choice, &lots), expected, "{room:?}");
    }
}

/// The best choice by trying every step at which each message may be let go.
fn exact(choice: &Choice) -> f64 {
    fn best(choice: &Choice, until: &[usize]) -> f64 {
        if let Some(item) = choice.items.get(until.len()) {
            let ends = item.arrives.min(choice.room.len())..=choice.room.len();
            return ends.map(|end| best(choice, &[until, &[end]].concat())).fold(0.0, f64::max);
        }
        let kept = |number: usize, step: usize| {
            choice.items[number].arrives <= step && step < until[number]
        };
        let numbers = 0..choice.items.len();
        let fits = choice.room.iter().enumerate().all(|(step, room)| {
            let held = numbers.clone().filter(|number| kept(*number, step));
            held.map(|number| choice.items[number].tokens).sum::<f64>() <= *room
        });
        let met = choice.wants.iter().filter(|want| {
            let holds = |number: &usize| choice.items[*number].facts.contains(&want.fact);
            numbers.clone().filter(holds).any(|number| kept(number, want.step))
        });
        if fits { met.map(|want| want.demands).sum() } else { 0.0 }
    }
    best(choice, &[])
}

fn choice() -> impl Strategy<Value = Choice> {
    let item = (0..5_usize, 1..9_u8, prop::collection::btree_set(0..3_usize, 1..3));
    let want = (0..3_usize, 0..5_usize);
    (
        prop::collection::vec(0..16_u8, 5),
        prop::collection::vec(item, 0..5),
        prop::collection::btree_map(want, 1..3_u8, 0..7),
    )
        .prop_map(|(room, items, wants)| Choice {
            room: room.into_iter().map(f64::from).collect(),
            items: items
                .into_iter()
                .map(|(arrives, tokens, facts)| Item {
                    arrives,
                    tokens: f64::from(tokens),
                    facts: facts.into_iter().collect(),
                })
                .collect(),
            messages: Vec::new(),
            wants: wants
                .into_iter()
                .map(|((fact, step), demands)| Want { fact, step, demands: f64::from(demands) })
                .collect(),
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]
    /// forall choices: at_least <= the best choice, tried out <= oracle.
    #[test]
    fn the_best_choice_lies_between_the_bounds(choice in choice()) {
        let (found, best) = (bounds(&choice), exact(&choice));
        prop_assert!(found.below <= best, "{found:?} {best}");
        prop_assert!(best <= found.above, "{found:?} {best}");
    }
}

#[test]
fn whole_needs_are_met_and_what_was_let_go_cannot_be_had_back() {
    let item = |arrives, fact| Item { arrives, tokens: 6.0, facts: vec![fact] };
    let want = |fact, step| Want { fact, step, demands: 1.0 };
    let both = vec![item(0, 0), item(0, 1)];
    let wants = vec![want(0, 2), want(1, 2)];
    for (room, items, wants, expected) in [
        (vec![], vec![], vec![], 0.0),
        // At the need there is room for both, but not in between.
        (vec![12.0, 6.0, 12.0], both.clone(), wants.clone(), 1.0),
        (vec![12.0; 3], both, wants, 2.0),
        // A later mention need not be waited for.
        (vec![0.0, 0.0, 6.0], vec![item(0, 0), item(2, 0)], vec![want(0, 2)], 1.0),
        (vec![0.0, 0.0, 6.0], vec![item(0, 0)], vec![want(0, 2)], 0.0),
    ] {
        let choice = Choice { room, items, wants, ..Choice::default() };
        assert_eq!(bounds(&choice), Bounds { above: expected, below: expected }, "{choice:?}");
    }
}
