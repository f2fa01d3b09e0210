//! Which facts a session keeps: what was asked for, what was needed, and a sample.

use std::collections::{BTreeMap, BTreeSet};

use super::sample_key;
use crate::ident::FactId;
use crate::truth::{Demand, Fact, FactKind, Origin};

/// Most facts of one session. More would make a retention figure of what nobody needs.
const MOST: usize = 400;
/// What this share of the messages mentions, and so many at least, cannot be forgotten: no fact.
const FREQUENT: (f64, usize) = (0.25, 12);

/// The kept facts, born in log order with ids anew, and their demands.
pub(super) fn choose(
    facts: Vec<Fact>,
    demands: Vec<Demand>,
    messages: usize,
) -> (Vec<Fact>, Vec<Demand>) {
    let frequent = FREQUENT.1.max((messages as f64 * FREQUENT.0) as usize);
    let needed: BTreeSet<FactId> = demands
        .iter()
        .filter(|demand| demand.origin != Origin::Incidental)
        .map(|demand| demand.fact)
        .collect();
    let mut ranked: Vec<&Fact> = facts
        .iter()
        .filter(|fact| !fact.mentions.is_empty() && fact.mentions.len() <= frequent)
        .collect();
    ranked.sort_by_cached_key(|fact| {
        // Stated and needed first, then either, then the sample.
        let class = u8::from(!is_stated(fact.kind)) + u8::from(!needed.contains(&fact.id));
        (class, sample_key("fact", &fact.statement), fact.id)
    });
    let mut kept: BTreeSet<FactId> = BTreeSet::new();
    for fact in ranked {
        // A superseded fact needs its successor, or it would seem to hold still.
        let new = successors(&facts, fact.id).filter(|id| !kept.contains(id)).collect::<Vec<_>>();
        if kept.len() + new.len() <= MOST {
            kept.extend(new);
        }
    }
    renumbered(facts, demands, &kept)
}

/// What was said, as against what the work threw up.
fn is_stated(kind: FactKind) -> bool {
    use FactKind::{Command, Error, Path, Symbol, Test, Value};
    !matches!(kind, Path | Symbol | Error | Test | Command | Value)
}

/// The fact, its successor, and so on. Births ascend, so the chain ends.
fn successors(facts: &[Fact], id: FactId) -> impl Iterator<Item = FactId> {
    std::iter::successors(Some(id), |id| facts[id.index()].superseded_by)
}

fn renumbered(
    mut facts: Vec<Fact>,
    demands: Vec<Demand>,
    kept: &BTreeSet<FactId>,
) -> (Vec<Fact>, Vec<Demand>) {
    facts.retain(|fact| kept.contains(&fact.id));
    facts.sort_by(|a, b| {
        (a.born, a.kind, &a.statement, a.id).cmp(&(b.born, b.kind, &b.statement, b.id))
    });
    let ids: BTreeMap<FactId, FactId> =
        facts.iter().enumerate().map(|(index, fact)| (fact.id, FactId(index as u32))).collect();
    for fact in &mut facts {
        fact.id = ids[&fact.id];
        fact.superseded_by = fact.superseded_by.and_then(|id| ids.get(&id).copied());
    }
    let demands = demands.into_iter().filter_map(|demand| {
        let fact = ids.get(&demand.fact).copied()?;
        Some(Demand { fact, ..demand })
    });
    let mut demands: Vec<Demand> = demands.collect();
    demands.sort_by_key(|demand| (demand.at, demand.fact));
    (facts, demands)
}
