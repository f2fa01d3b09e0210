//! Findings: the steps and drifts of all series, the newest first.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use rayon::prelude::*;

use super::drift::{self, Trend};
use super::night::direction;
use super::series::{Key, Series};
use super::step::{self, Step};
use crate::measure::table::Direction;
use crate::stats::multiplicity::holm;
use crate::unit::nine;

/// Chance of any false finding in a family on one night: steps and drifts of pooled
/// series, and the same of series of single scenarios, are a family each.
pub const LEVEL: f64 = 0.05;
/// Steps of one configuration and metric this many nights apart are one.
const NEAR: usize = 2;

/// What was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// The level shifted and stayed.
    Step,
    /// The level moves a little every night.
    Drift,
    /// The noise about the level grows or shrinks.
    Spread,
}

impl Kind {
    /// In a word.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Step => "step",
            Kind::Drift => "drift",
            Kind::Spread => "noise",
        }
    }
}

/// A change of a series.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The series.
    pub key: Key,
    /// What was found.
    pub kind: Kind,
    /// Index of the night: the first of the new level, or the first of the nights that
    /// drift.
    pub night: usize,
    /// Index of the night before it in the series; of a drift, its last night.
    pub other: usize,
    /// The level, or the noise, before.
    pub from: f64,
    /// The level, or the noise, after.
    pub to: f64,
    /// Chance of as much anywhere in its family without a change; `None` where the series
    /// repeats exactly.
    pub p: Option<f64>,
    /// Whether it is for the better, where the metric has a direction.
    pub better: Option<bool>,
    /// Whether the night before the last did not show it yet.
    pub is_new: bool,
    /// Scenarios that show the same step, where it is one over all of them.
    pub scenarios: Vec<String>,
}

/// All findings of the series: the newest first; of one night those over all scenarios
/// before single ones, the worse before the better, the larger before the smaller.
pub fn findings(series: &[Series], last_night: usize) -> Vec<Finding> {
    let (pooled, single): (Vec<&Series>, Vec<&Series>) =
        series.iter().partition(|one| one.key.scenario.is_none());
    let mut found = family(&pooled, last_night);
    for finding in family(&single, last_night) {
        let near = found.iter_mut().filter(|other| is_same(other, &finding));
        let near = near.min_by_key(|other| other.night.abs_diff(finding.night));
        match (near, &finding.key.scenario) {
            (Some(over_all), Some(scenario)) => {
                over_all.is_new &= finding.is_new;
                over_all.scenarios.push(scenario.clone());
            }
            _ => found.push(finding),
        }
    }
    found.sort_by(|one, other| order(one).cmp(&order(other)).then_with(|| one.key.cmp(&other.key)));
    found
}

/// Whether a pooled series shows the finding of a single scenario.
fn is_same(pooled: &Finding, single: &Finding) -> bool {
    let (one, other) = (&pooled.key, &single.key);
    one.scenario.is_none()
        && pooled.kind == single.kind
        && (&one.metric, &one.configuration, &one.mode)
            == (&other.metric, &other.configuration, &other.mode)
        && (pooled.kind != Kind::Step || pooled.night.abs_diff(single.night) <= NEAR)
        && (pooled.to > pooled.from) == (single.to > single.from)
}

fn order(finding: &Finding) -> impl Ord + use<> {
    let size = (finding.to - finding.from).abs() / finding.from.abs().max(finding.to.abs());
    let worth = match finding.better {
        Some(false) => 0,
        Some(true) => 1,
        None => 2,
    };
    let size = if size.is_finite() { (size * 1e6) as u64 } else { 0 };
    let night = match finding.kind {
        Kind::Step => finding.night,
        // A drift is as new as its last night, but no single night is its own.
        Kind::Drift | Kind::Spread => 0,
    };
    (
        finding.kind != Kind::Step,
        Reverse(night),
        finding.key.scenario.is_some(),
        worth,
        Reverse(size),
    )
}

fn family(series: &[&Series], last_night: usize) -> Vec<Finding> {
    let noisy = series.iter().filter(|one| one.exact.last() == Some(&false)).count();
    let level = LEVEL / noisy.max(1) as f64;
    let mut found: Vec<Finding> =
        series.par_iter().flat_map_iter(|one| steps(one, level, last_night)).collect();
    found.extend(drifts(series, &found));
    found
}

/// The steps of a series, in all its eras.
fn steps(series: &Series, level: f64, last_night: usize) -> Vec<Finding> {
    let mut found = Vec::new();
    for (era, exact) in series.eras.iter().zip(&series.exact) {
        let values = series.values(era);
        let steps = if *exact { step::exact(&values) } else { step::noisy(&values, level) };
        let is_last =
            series.points[era.clone()].last().is_some_and(|point| point.night == last_night);
        let before = match (steps.is_empty() || *exact || !is_last, values.split_last()) {
            (false, Some((_, before))) => step::noisy(before, level),
            _ => Vec::new(),
        };
        for step in steps {
            let known = before.iter().any(|other| other.at.abs_diff(step.at) <= NEAR);
            let is_new = is_last && if *exact { step.at + 1 == values.len() } else { !known };
            found.push(finding(series, era.start + step.at, step, level, is_new));
        }
    }
    found
}

fn finding(series: &Series, at: usize, step: Step, level: f64, is_new: bool) -> Finding {
    let Step { from, to, p, .. } = step;
    Finding {
        kind: Kind::Step,
        night: series.points[at].night,
        other: series.points[at.saturating_sub(1)].night,
        from,
        to,
        p: p.map(|p| (p * LEVEL / level).min(1.0)),
        better: better(&series.key.metric, from, to),
        is_new,
        scenarios: Vec::new(),
        key: series.key.clone(),
    }
}

fn better(metric: &str, from: f64, to: f64) -> Option<bool> {
    match direction(metric) {
        Direction::Higher => Some(to > from),
        Direction::Lower => Some(to < from),
        Direction::Neither => None,
    }
}

/// Drifts since the last step of each noisy series, by Holm's procedure over all of them.
fn drifts(series: &[&Series], steps: &[Finding]) -> Vec<Finding> {
    let mut last: BTreeMap<&Key, usize> = BTreeMap::new();
    for step in steps {
        let night = last.entry(&step.key).or_default();
        *night = step.night.max(*night);
    }
    let tests: Vec<(Finding, f64)> = series
        .par_iter()
        .flat_map_iter(|one| trends(one, last.get(&one.key).copied().unwrap_or(0)))
        .collect();
    let raw: Vec<f64> = tests.iter().map(|(_, p)| *p).collect();
    let adjusted = holm(&raw).unwrap_or_default();
    let clear = tests.into_iter().zip(adjusted).filter(|(_, p)| *p <= LEVEL);
    clear.map(|((finding, _), p)| Finding { p: Some(p), ..finding }).collect()
}

/// Level and noise of the last era since a night, each with its raw p.
fn trends(series: &Series, since: usize) -> Vec<(Finding, f64)> {
    let Some((era, false)) = series.eras.last().zip(series.exact.last().copied()) else {
        return Vec::new();
    };
    let points = &series.points[era.clone()];
    let start = points.partition_point(|point| point.night < since);
    let start = start.max(points.len().saturating_sub(drift::LAST));
    let values: Vec<f64> = points[start..].iter().map(|point| point.mean).collect();
    let values = step::smoothed(&values);
    let (Some(first), Some(end)) = (points.get(start), points.last()) else { return Vec::new() };
    let nights = (values.len().saturating_sub(1)) as f64;
    let build = |kind: Kind, trend: Trend, middle: f64| {
        let half = trend.slope * nights / 2.0;
        let (from, to) = (nine(middle - half), nine(middle + half));
        let better = match kind {
            Kind::Spread => Some(trend.slope < 0.0),
            Kind::Step | Kind::Drift => better(&series.key.metric, from, to),
        };
        let finding = Finding {
            key: series.key.clone(),
            kind,
            night: first.night,
            other: end.night,
            from,
            to,
            p: None,
            better,
            is_new: false,
            scenarios: Vec::new(),
        };
        (finding, trend.p)
    };
    let middle = crate::stats::median(&values).unwrap_or(0.0);
    let level = drift::trend(&values).map(|trend| build(Kind::Drift, trend, middle));
    let spread = drift::spread(&values).map(|trend| {
        let distances: Vec<f64> = values.iter().map(|value| (value - middle).abs()).collect();
        build(Kind::Spread, trend, crate::stats::median(&distances).unwrap_or(0.0))
    });
    level.into_iter().chain(spread).collect()
}
