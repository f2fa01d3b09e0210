//! Dropping at random: every past message is as likely to be kept as another.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rand::Rng;

use super::{Choice, Want};
use crate::ident::Seed;
use crate::log::Log;

const DRAWS: u32 = 16;

/// Demands met on average. All cells of a session see the same lots.
pub(super) fn mean(log: &Log, choice: &Choice) -> f64 {
    if choice.wants.is_empty() {
        return 0.0;
    }
    let mut sum = 0.0;
    for draw in 0..DRAWS {
        let words = ["random-drop", &log.id, &log.source, &draw.to_string()];
        let mut lots = Seed(0).derive(&words).rng();
        let lots: Vec<u64> = choice.messages.iter().map(|_| lots.next_u64()).collect();
        sum += met(choice, &lots);
    }
    sum / f64::from(DRAWS)
}

/// Demands met where the least lots go first.
fn met(choice: &Choice, lots: &[u64]) -> f64 {
    let Choice { messages, wants, .. } = choice;
    let mut wants: Vec<&Want> = wants.iter().collect();
    wants.sort_by_key(|want| want.step);
    let mut wants = wants.into_iter().peekable();
    let facts = choice.wants.last().map_or(0, |want| want.fact + 1);
    let mut kept: BinaryHeap<Reverse<(u64, usize)>> = BinaryHeap::new();
    let (mut tokens, mut held, mut met, mut next) = (0.0, vec![0_u32; facts], 0.0, 0);
    for (step, room) in choice.room.iter().enumerate() {
        while let Some(message) = messages.get(next).filter(|message| message.arrives <= step) {
            kept.push(Reverse((lots[next], next)));
            tokens += message.tokens;
            message.facts.iter().for_each(|fact| held[*fact] += 1);
            next += 1;
        }
        while tokens > *room {
            let Some(Reverse((_, gone))) = kept.pop() else { break };
            tokens -= messages[gone].tokens;
            messages[gone].facts.iter().for_each(|fact| held[*fact] -= 1);
        }
        while let Some(want) = wants.next_if(|want| want.step <= step) {
            met += if held[want.fact] > 0 { want.demands } else { 0.0 };
        }
    }
    met
}

#[cfg(test)]
mod tests {
    use super::super::Item;
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
}
