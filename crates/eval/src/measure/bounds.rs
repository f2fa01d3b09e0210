//! Bounds on choosing: what keeping whole messages could know for the same tokens. A message is
//! kept from the first step that carries it over, and never had back. The best choice lies between
//! `oracle.at_least` and `oracle`; `random_drop` keeps a random sample.

mod oracle;
mod random;

use std::collections::BTreeMap;

use crate::ident::FactId;
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

pub(super) fn measure(subject: &Subject, into: &mut Measurement) {
    let far: Vec<&DemandRecord> = subject
        .trace
        .demands
        .iter()
        .filter(|demand| is_ranked(demand) && is_far(subject, demand))
        .collect();
    let share = |met: f64| (!far.is_empty()).then(|| met / far.len() as f64);
    let choice = Choice::of(subject, &far);
    let bounds = oracle::bounds(&choice);
    let oracle = share(bounds.above);
    into.put(MetricId::Oracle, oracle);
    into.put(MetricId::OracleAtLeast, share(bounds.below));
    into.put(MetricId::RandomDrop, share(random::mean(&subject.session.log, &choice)));
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
            let held = book.of_message(message.id);
            let present = held.iter().filter(|held| !held.inverted);
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
