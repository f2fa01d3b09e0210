//! Pareto fronts: what costs least for what it knows.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::sessions::{Cell, Contestant, Named};
use crate::measure::MetricId;
use crate::stats::design::weighted_mean;

const COSTS: [MetricId; 2] = [MetricId::TokensMeanPrompt, MetricId::CostUsd];

/// A front over the sessions that all its configurations have, the cheapest first.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Front {
    /// Metric on the one axis; `recall_at_need` is on the other.
    pub(super) cost: MetricId,
    pub(super) mode: String,
    pub(super) n: usize,
    pub(super) points: Vec<FrontPoint>,
}

/// A configuration on or behind a front, with its means.
#[derive(Clone, Debug, Serialize)]
pub(super) struct FrontPoint {
    pub(super) name: String,
    pub(super) cost: f64,
    pub(super) recall: f64,
    /// Whether every session completed; only then can it be on the front.
    pub(super) completed: bool,
    pub(super) on_front: bool,
}

impl FrontPoint {
    /// Whether it completed, costs no more and knows as much, and is not just the same.
    fn beats(&self, other: &FrontPoint) -> bool {
        let is_as_good = self.cost <= other.cost && self.recall >= other.recall;
        self.completed && is_as_good && (self.cost < other.cost || self.recall > other.recall)
    }
}

pub(super) fn fronts(all: &[Named]) -> Vec<Front> {
    let mut modes: BTreeMap<&str, Vec<&Named>> = BTreeMap::new();
    for named in all {
        modes.entry(named.1.mode).or_default().push(named);
    }
    let each = modes.into_iter().flat_map(|(mode, own)| COSTS.map(|cost| front(&own, mode, cost)));
    each.flatten().collect()
}

fn front(own: &[&Named], mode: &str, cost: MetricId) -> Option<Front> {
    let figures: Vec<_> = own.iter().map(|(_, one)| by_session(one, cost)).collect();
    let mut common: BTreeSet<(&str, u64)> = figures.first()?.keys().copied().collect();
    common.retain(|place| figures.iter().all(|one| one.contains_key(place)));
    if common.is_empty() || own.len() < 2 {
        return None;
    }
    let whole = vec![1.0; common.len()];
    let mut points: Vec<FrontPoint> = Vec::new();
    for ((name, one), figures) in own.iter().zip(&figures) {
        let costs: Vec<f64> = common.iter().map(|place| figures[place].0).collect();
        let recalls: Vec<f64> = common.iter().map(|place| figures[place].1).collect();
        points.push(FrontPoint {
            name: name.clone(),
            cost: weighted_mean(&costs, &whole)?,
            recall: weighted_mean(&recalls, &whole)?,
            completed: one.cells.values().all(Cell::completed),
            on_front: false,
        });
    }
    for place in 0..points.len() {
        let is_beaten = points.iter().any(|other| other.beats(&points[place]));
        points[place].on_front = points[place].completed && !is_beaten;
    }
    points.sort_by(|one, other| one.cost.total_cmp(&other.cost).then(one.name.cmp(&other.name)));
    Some(Front { cost, mode: mode.to_owned(), n: common.len(), points })
}

/// Cost and recall by scenario and seed, replicates averaged.
fn by_session<'a>(one: &'a Contestant, cost: MetricId) -> BTreeMap<(&'a str, u64), (f64, f64)> {
    let mut sums: BTreeMap<(&str, u64), (f64, f64, f64)> = BTreeMap::new();
    for ((scenario, seed, _), cell) in &one.cells {
        let recall = cell.number(MetricId::RecallAtNeed);
        if let (Some(cost), Some(recall)) = (cell.number(cost), recall) {
            let sum = sums.entry((scenario, *seed)).or_default();
            *sum = (sum.0 + cost, sum.1 + recall, sum.2 + 1.0);
        }
    }
    sums.into_iter().map(|(place, (cost, recall, n))| (place, (cost / n, recall / n))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_beaten_is_on_the_front_and_nothing_that_ended_early_beats() {
        let point = |cost, recall, completed| FrontPoint {
            name: String::new(),
            cost,
            recall,
            completed,
            on_front: false,
        };
        let cheap = point(1.0, 0.2, true);
        assert!(cheap.beats(&point(2.0, 0.2, true)) && cheap.beats(&point(1.0, 0.1, true)));
        assert!(!cheap.beats(&point(2.0, 0.5, true)) && !cheap.beats(&cheap));
        assert!(!point(0.5, 0.9, false).beats(&cheap));
    }
}
