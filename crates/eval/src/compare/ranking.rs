//! Configurations ranked within every session: Friedman's test and Nemenyi's
//! critical difference.

use std::collections::BTreeSet;

use serde::Serialize;

use super::evidence::LEVEL;
use super::sessions::{Cell, Contestant, Named};
use crate::measure::{Direction, Metric, MetricId};
use crate::stats::ranks::{critical_difference, friedman, undecided_groups};

/// Metrics that are ranked where they are in the family.
const RANKED: [MetricId; 3] =
    [MetricId::RecallAtNeed, MetricId::TokensMeanPrompt, MetricId::CostUsd];

/// Mean ranks of all configurations under one mode.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ranking {
    /// Metric.
    pub metric: MetricId,
    /// Mode.
    pub mode: String,
    /// Configurations with their mean ranks, the best (lowest) first.
    pub ranks: Vec<(String, f64)>,
    /// Sessions in which all have the figure.
    pub sessions: usize,
    /// Of these, sessions in which some share a rank.
    pub tied: usize,
    /// p of Friedman's test, in the F form of Iman and Davenport.
    pub p: f64,
    /// Mean ranks that differ by this much differ at 5 %, over all pairs.
    pub critical: f64,
    /// Runs of configurations, as places in `ranks`, that the sessions cannot tell apart.
    pub undecided: Vec<Vec<usize>>,
}

/// Rankings of every mode with at least three configurations.
pub(super) fn rankings(all: &[Named], metrics: &[&'static Metric]) -> Vec<Ranking> {
    let modes: BTreeSet<&str> = all.iter().map(|(_, one)| one.mode).collect();
    let ranked: Vec<&Metric> =
        metrics.iter().copied().filter(|metric| RANKED.contains(&metric.id)).collect();
    let each = modes.into_iter().flat_map(|mode| ranked.iter().map(move |metric| (mode, *metric)));
    each.filter_map(|(mode, metric)| {
        let own: Vec<&Named> = all.iter().filter(|(_, one)| one.mode == mode).collect();
        if own.len() < 3 { None } else { ranking(&own, mode, metric) }
    })
    .collect()
}

fn ranking(own: &[&Named], mode: &str, metric: &'static Metric) -> Option<Ranking> {
    let sessions: BTreeSet<(&str, u64)> =
        own[0].1.cells.keys().map(|(scenario, seed, _)| (*scenario, *seed)).collect();
    let blocks: Vec<Vec<f64>> = sessions
        .iter()
        .filter_map(|session| own.iter().map(|(_, one)| badness(one, *session, metric)).collect())
        .collect();
    let found = friedman(&blocks)?;
    let critical = critical_difference(own.len(), blocks.len(), LEVEL)?;
    let mut ranks: Vec<(String, f64)> =
        own.iter().zip(&found.mean_ranks).map(|((name, _), rank)| (name.clone(), *rank)).collect();
    ranks.sort_by(|one, other| one.1.total_cmp(&other.1).then(one.0.cmp(&other.0)));
    let means: Vec<f64> = ranks.iter().map(|(_, rank)| *rank).collect();
    Some(Ranking {
        metric: metric.id,
        mode: mode.to_owned(),
        sessions: blocks.len(),
        tied: found.tied_blocks,
        p: found.p_of_f,
        critical,
        undecided: undecided_groups(&means, critical),
        ranks,
    })
}

/// The figure of a session, turned so that less is better. A session that ended early
/// comes last by anything that does not itself count what was not reached.
fn badness(one: &Contestant, (scenario, seed): (&str, u64), metric: &Metric) -> Option<f64> {
    /// Above every figure that a file can hold in nine digits, and finite.
    const LAST: f64 = 1e300;
    let own =
        one.cells.iter().filter(|((name, number, _), _)| *name == scenario && *number == seed);
    let cells: Vec<&Cell> = own.map(|(_, cell)| cell).collect();
    if cells.is_empty() {
        return None;
    }
    if metric.id != MetricId::RecallAtNeed && cells.iter().any(|cell| !cell.completed()) {
        return Some(LAST);
    }
    let values: Vec<f64> = cells.iter().filter_map(|cell| cell.number(metric.id)).collect();
    let mean = crate::stats::mean(&values)?;
    Some(if metric.better == Direction::Higher { -mean } else { mean })
}
