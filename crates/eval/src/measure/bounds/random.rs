//! Dropping at random: every past message is as likely to be kept as another.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use rand::Rng;

use super::Choice;
use crate::ident::{FactId, Seed};
use crate::measure::Subject;

/// Draws that are averaged.
const DRAWS: u32 = 16;

/// A message on its way: when it arrives, its tokens and the wanted facts in it.
struct Arrival {
    step: usize,
    tokens: f64,
    facts: Vec<usize>,
}

/// Demands met on average over the draws. A message's lot is drawn from the session and
/// the draw alone, so that all cells of a session see the same lots.
pub(super) fn mean(subject: &Subject, choice: &Choice, facts: &BTreeMap<FactId, usize>) -> f64 {
    if choice.wants.is_empty() {
        return 0.0;
    }
    let session = subject.session;
    let arrivals: Vec<Arrival> = session
        .log
        .messages
        .iter()
        .map(|message| {
            let held = session.book.of_message(message.id);
            let present = held.iter().filter(|held| !held.inverted);
            Arrival {
                step: session.book.step_of(message.id).saturating_add(1),
                tokens: session.reference.messages[message.id.index()].total().as_f64(),
                facts: present.filter_map(|held| facts.get(&held.fact).copied()).collect(),
            }
        })
        .collect();
    let mut wants: Vec<_> = choice.wants.iter().collect();
    wants.sort_by_key(|want| want.step);
    let (log, mut sum) = (&session.log, 0.0);
    for draw in 0..DRAWS {
        let words = ["random-drop", &log.id, &log.source, &draw.to_string()];
        let mut lots = Seed(0).derive(&words).rng();
        let lots: Vec<u64> = arrivals.iter().map(|_| lots.next_u64()).collect();
        sum += met(choice, &arrivals, &wants, &lots, facts.len());
    }
    sum / f64::from(DRAWS)
}

/// Demands met where the least lots go first.
fn met(
    choice: &Choice,
    arrivals: &[Arrival],
    wants: &[&super::Want],
    lots: &[u64],
    facts: usize,
) -> f64 {
    let mut kept: BinaryHeap<Reverse<(u64, usize)>> = BinaryHeap::new();
    let (mut tokens, mut held, mut met) = (0.0, vec![0_u32; facts], 0.0);
    let (mut next, mut wants) = (0, wants.iter().peekable());
    for (step, room) in choice.room.iter().enumerate() {
        while let Some(arrival) = arrivals.get(next).filter(|arrival| arrival.step <= step) {
            kept.push(Reverse((lots[next], next)));
            tokens += arrival.tokens;
            arrival.facts.iter().for_each(|fact| held[*fact] += 1);
            next += 1;
        }
        while tokens > *room {
            let Some(Reverse((_, gone))) = kept.pop() else { break };
            tokens -= arrivals[gone].tokens;
            arrivals[gone].facts.iter().for_each(|fact| held[*fact] -= 1);
        }
        while let Some(want) = wants.next_if(|want| want.step <= step) {
            met += if held[want.fact] > 0 { want.demands } else { 0.0 };
        }
    }
    met
}

#[cfg(test)]
mod tests {
    use super::super::{Choice, Want};
    use super::*;

    #[test]
    fn the_least_lots_go_first_and_stay_gone() {
        let arrival = |step, facts: &[usize]| Arrival { step, tokens: 10.0, facts: facts.to_vec() };
        let arrivals = [arrival(0, &[0]), arrival(0, &[1]), arrival(1, &[2])];
        let wants = [(0, 1), (1, 1), (1, 2), (2, 2)];
        let wants = wants.map(|(fact, step)| Want { fact, step, demands: 1.0 });
        let wants: Vec<&Want> = wants.iter().collect();
        let choice = |room: [f64; 3]| Choice { room: room.to_vec(), ..Choice::default() };
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
            assert_eq!(met(&choice(room), &arrivals, &wants, &lots, 3), expected, "{room:?}");
        }
    }
}
