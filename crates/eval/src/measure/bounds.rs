//! Bounds on choosing: what keeping whole messages could know for the same tokens. A message is
//! kept from the first step that carries it over, and never had back. The best choice lies between
//! `oracle.at_least` and `oracle`; `random_drop` keeps a random sample.

mod oracle;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use rand::Rng;

use crate::ident::{FactId, Seed};
use crate::log::Log;
use crate::measure::retention::{is_far, is_ranked, recall};
use crate::measure::{Measurement, MetricId, Subject};
use crate::trace::{DemandRecord, Found};

#[derive(Clone, Debug, PartialEq)]
struct Item {
    /// Index of the first step that carries it over.
    arrives: usize,
    tokens: f64,
    /// Wanted facts that it holds, ascending.
    facts: Vec<usize>,
}

/// A fact that is needed at a step, by so many demands.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Want {
    fact: usize,
    step: usize,
    demands: f64,
}

/// What a policy chooses from. Wants are in order of fact and step.
#[derive(Clone, Debug, Default, PartialEq)]
struct Choice {
    room: Vec<f64>,
    messages: Vec<Item>,
    /// Those that hold something still wanted when they come, with such facts alone.
    items: Vec<Item>,
    wants: Vec<Want>,
}

/// Shares of needs: at most and at least by the best choice, and by lot.
struct Chosen {
    above: Option<f64>,
    below: Option<f64>,
    by_lot: Option<f64>,
}

impl Chosen {
    fn of(subject: &Subject, demands: &[&DemandRecord]) -> Chosen {
        let share = |met: f64| (!demands.is_empty()).then(|| met / demands.len() as f64);
        let choice = Choice::of(subject, demands);
        let bounds = oracle::bounds(&choice);
        let by_lot = share(at_random(&subject.session.log, &choice));
        Chosen { above: share(bounds.above), below: share(bounds.below), by_lot }
    }
}

pub(super) fn measure(subject: &Subject, into: &mut Measurement) {
    let demands = subject.trace.demands.iter();
    let ranked: Vec<&DemandRecord> = demands.filter(|demand| is_ranked(demand)).collect();
    let far: Vec<&DemandRecord> =
        ranked.iter().copied().filter(|demand| is_far(subject, demand)).collect();
    let all = Chosen::of(subject, &ranked);
    into.put(MetricId::OracleAll, all.above);
    into.put(MetricId::RandomDropAll, all.by_lot);
    let Chosen { above: oracle, below, by_lot } = Chosen::of(subject, &far);
    into.put(MetricId::Oracle, oracle);
    into.put(MetricId::OracleAtLeast, below);
    into.put(MetricId::RandomDrop, by_lot);
    let achieved = recall(far.iter().copied());
    into.put(MetricId::Regret, oracle.zip(achieved).map(|(oracle, achieved)| oracle - achieved));
}

impl Choice {
    /// Of a cell. Needs that were not reached are missed whatever is kept.
    fn of(subject: &Subject, far: &[&DemandRecord]) -> Choice {
        let mut needs: BTreeMap<(FactId, usize), f64> = BTreeMap::new();
        for demand in far.iter().filter(|demand| demand.found != Found::NotReached) {
            *needs.entry((demand.fact, demand.step as usize - 1)).or_default() += 1.0;
        }
        let mut facts: BTreeMap<FactId, usize> = BTreeMap::new();
        let mut wants = Vec::with_capacity(needs.len());
        for ((fact, step), demands) in needs {
            let known = facts.len();
            let fact = *facts.entry(fact).or_insert(known);
            wants.push(Want { fact, step, demands });
        }
        let mut last = vec![0; facts.len()];
        for want in &wants {
            last[want.fact] = want.step.max(last[want.fact]);
        }
        let room = subject.trace.steps.iter().map(|step| step.carried.as_f64()).collect();
        let (book, counts) = (&subject.session.book, &subject.session.reference.messages);
        let messages = subject.session.log.messages.iter().map(|message| {
            let held = book.of_message(message.id).0;
            let present = held.iter().filter(|held| held.is_present());
            Item {
                arrives: book.step_of(message.id).saturating_add(1),
                tokens: counts[message.id.index()].total().as_f64(),
                facts: present.filter_map(|held| facts.get(&held.fact).copied()).collect(),
            }
        });
        let messages: Vec<Item> = messages.collect();
        let mut items = messages.clone();
        for item in &mut items {
            item.facts.retain(|fact| last[*fact] >= item.arrives);
        }
        items.retain(|item| !item.facts.is_empty());
        Choice { room, messages, items, wants }
    }
}

const DRAWS: u32 = 16;

/// Demands met on average. All cells of a session see the same lots.
fn at_random(log: &Log, choice: &Choice) -> f64 {
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
mod tests;
