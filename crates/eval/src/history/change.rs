//! What the last night has that the one before it had not: session by session.

use super::night::{Figure, Group, Night, better};
use super::series::{Key, is_comparable};
use crate::prelude::*;
use crate::stats::multiplicity::holm;
use crate::stats::paired::sign_flip;
use crate::unit::nine;

const LEVEL: f64 = 0.05;

/// A figure that moved between two nights.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The series, over all scenarios.
    pub key: Key,
    /// Mean of the earlier night over the sessions of both.
    pub from: f64,
    /// Mean of the later night over the same sessions.
    pub to: f64,
    /// Sessions of both nights.
    pub n: usize,
    /// p of the sign-flip test after Holm; `None` where both nights repeat exactly.
    pub p: Option<f64>,
    /// Whether it is for the better, where the metric has a direction.
    pub better: Option<bool>,
}

/// The changes of the later night.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Changes {
    /// Figures that moved by more than chance, the worse first, then by size.
    pub moved: Vec<Change>,
    /// Figures that were compared.
    pub compared: usize,
    /// Of these, the same in every session.
    pub same: usize,
}

/// Compares two nights over the sessions that are the same in both.
pub fn changes(one: &Night, other: &Night) -> Changes {
    fn name(group: &Group) -> (&str, &str, &str) {
        (&group.configuration, &group.mode, &group.scenario)
    }
    let earlier: BTreeMap<_, &Group> =
        one.groups.iter().map(|group| (name(group), group)).collect();
    let mut pairs: BTreeMap<Key, Vec<(f64, f64)>> = BTreeMap::new();
    for group in &other.groups {
        let same_inputs = one.inputs.get(&group.scenario) == other.inputs.get(&group.scenario);
        let Some(before) = earlier.get(&name(group)).filter(|_| same_inputs) else { continue };
        for (metric, figure) in &group.figures {
            let known = before.figures.get(metric);
            let Some(known) = known.filter(|_| is_comparable(metric, one, other)) else { continue };
            let values: BTreeMap<u64, f64> = by_seed(before, known).collect();
            let both =
                by_seed(group, figure).filter_map(|(seed, to)| Some((*values.get(&seed)?, to)));
            let key = Key {
                metric: metric.clone(),
                configuration: group.configuration.clone(),
                mode: group.mode.clone(),
                scenario: None,
            };
            pairs.entry(key).or_default().extend(both);
        }
    }
    judge(pairs, one.offline && other.offline)
}

fn by_seed<'a>(group: &'a Group, figure: &'a Figure) -> impl Iterator<Item = (u64, f64)> + 'a {
    group.seeds.iter().zip(&figure.values).filter_map(|(seed, value)| Some((*seed, (*value)?)))
}

fn judge(pairs: BTreeMap<Key, Vec<(f64, f64)>>, exact: bool) -> Changes {
    let mut changes = Changes::default();
    let mut tested = Vec::new();
    for (key, pairs) in pairs.into_iter().filter(|(_, pairs)| !pairs.is_empty()) {
        changes.compared += 1;
        let differences: Vec<f64> = pairs.iter().map(|(from, to)| to - from).collect();
        if differences.iter().all(|difference| *difference == 0.0) {
            changes.same += 1;
        }
        let n = pairs.len();
        let mean = |sum: f64| nine(sum / n as f64);
        let from = mean(pairs.iter().map(|(from, _)| from).sum());
        let to = mean(pairs.iter().map(|(_, to)| to).sum());
        let better = better(&key.metric, from, to);
        let seed =
            Seed(0).derive(&["history", "change", &key.metric, &key.configuration, &key.mode]);
        let p = sign_flip(&differences, seed).map_or(1.0, |test| test.p);
        tested.push((Change { key, from, to, n, p: None, better }, p));
    }
    let raw: Vec<f64> = tested.iter().map(|(_, p)| *p).collect();
    let adjusted = holm(&raw).unwrap_or_else(|| vec![1.0; raw.len()]);
    for ((change, _), p) in tested.into_iter().zip(adjusted) {
        if exact && change.from.to_bits() != change.to.to_bits() {
            changes.moved.push(change);
        } else if !exact && p <= LEVEL {
            changes.moved.push(Change { p: Some(p), ..change });
        }
    }
    let size = |change: &Change| {
        (change.to - change.from).abs()
            / change.from.abs().max(change.to.abs()).max(f64::MIN_POSITIVE)
    };
    changes.moved.sort_by(|one, other| {
        let worse = |change: &Change| change.better != Some(false);
        worse(one).cmp(&worse(other)).then(size(other).total_cmp(&size(one)))
    });
    changes
}
