//! Findings: the steps and drifts of all series, the newest first.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use rayon::prelude::*;

use super::discovery;
use super::drift::{self, Trend};
use super::night::direction;
use super::series::{Key, Point, Series};
use super::standing;
use super::step::{self, Step};
use crate::measure::table::Direction;
use crate::stats::multiplicity::holm;
use crate::unit::nine;

/// Chance of any false finding in a family on one night: steps and drifts of pooled
/// series, and the same of series of single scenarios, are a family each.
pub const LEVEL: f64 = 0.05;
/// Steps of one configuration and metric this many nights apart are one.
pub(super) const NEAR: usize = 2;

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
    /// Index of the night on which it was first found: of a step in noise some nights
    /// after its own, of a drift the first of those that all show it.
    pub made: usize,
    /// Index of the night that names it however many nights follow: the place of a step
    /// as it was first found; of a drift the first night that might have been part of it.
    pub named: usize,
    /// Whether the last night is the first that shows it.
    pub is_new: bool,
    /// Whether it is for the worse and holds on the last night ([`super::standing`]).
    pub stands: bool,
    /// The same in single scenarios, with their own figures, where it is over all of them.
    pub parts: Vec<Finding>,
}

impl Finding {
    /// The scenarios that show it too, where it is over all of them.
    pub fn scenarios(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| part.key.scenario.as_deref())
    }
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
        match near {
            Some(over_all) => {
                over_all.is_new &= finding.is_new;
                over_all.made = over_all.made.min(finding.made);
                over_all.parts.push(finding);
            }
            None => found.push(finding),
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
    found.extend(drifts(series, &found, last_night));
    standing::mark(&mut found, series, last_night);
    found
}

/// The steps of a series, in all its eras.
fn steps(series: &Series, level: f64, last_night: usize) -> Vec<Finding> {
    let mut found = Vec::new();
    for (era, exact) in series.eras.iter().zip(&series.exact) {
        let values = series.values(era);
        let steps = if *exact { step::exact(&values) } else { step::noisy(&values, level) };
        for step in steps {
            let (made, named) =
                if *exact { (step.at, step.at) } else { discovery::of_step(&values, &step, level) };
            let night = |at: usize| series.points[era.start + at].night;
            let mut finding = finding(series, era.start + step.at, step, level);
            (finding.made, finding.named) = (night(made), night(named));
            finding.is_new = finding.made == last_night;
            found.push(finding);
        }
    }
    found
}

fn finding(series: &Series, at: usize, step: Step, level: f64) -> Finding {
    let Step { from, to, p, .. } = step;
    let night = series.points[at].night;
    Finding {
        kind: Kind::Step,
        night,
        other: series.points[at.saturating_sub(1)].night,
        from,
        to,
        p: p.map(|p| (p * LEVEL / level).min(1.0)),
        better: better(&series.key.metric, from, to),
        made: night,
        named: night,
        is_new: false,
        stands: false,
        parts: Vec::new(),
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

/// A trend that may be one.
struct Tested<'a> {
    finding: Finding,
    /// Raw p.
    p: f64,
    /// The points of its era since the last step.
    points: &'a [Point],
}

/// Drifts since the last step of each noisy series, by Holm's procedure over all of them.
fn drifts(series: &[&Series], steps: &[Finding], last_night: usize) -> Vec<Finding> {
    let mut last: BTreeMap<&Key, usize> = BTreeMap::new();
    for step in steps {
        let night = last.entry(&step.key).or_default();
        *night = step.night.max(*night);
    }
    let tests: Vec<Tested> = series
        .par_iter()
        .flat_map_iter(|one| trends(one, last.get(&one.key).copied().unwrap_or(0)))
        .collect();
    let raw: Vec<f64> = tests.iter().map(|test| test.p).collect();
    let adjusted = holm(&raw).unwrap_or_default();
    let clear: Vec<(Tested, f64)> =
        tests.into_iter().zip(adjusted).filter(|(_, p)| *p <= LEVEL).collect();
    // What a raw p is held to on earlier nights: the mildest that this night passed.
    let strictest = LEVEL / raw.len().max(1) as f64;
    let bar = clear.iter().map(|(test, _)| test.p).fold(strictest, f64::max);
    let told = |(test, p): (Tested, f64)| {
        let values: Vec<f64> = test.points.iter().map(|point| point.mean).collect();
        let made = discovery::of_trend(&values, test.finding.kind, bar);
        let made = test.points.get(made).map_or(test.finding.other, |point| point.night);
        Finding { p: Some(p), made, is_new: made == last_night, ..test.finding }
    };
    clear.into_par_iter().map(told).collect()
}

/// Level and noise of the last era since a night, each with its raw p.
fn trends(series: &Series, since: usize) -> Vec<Tested<'_>> {
    let Some((era, false)) = series.eras.last().zip(series.exact.last().copied()) else {
        return Vec::new();
    };
    let points = &series.points[era.clone()];
    let points = &points[points.partition_point(|point| point.night < since)..];
    let shown = &points[points.len().saturating_sub(drift::LAST)..];
    let values: Vec<f64> = shown.iter().map(|point| point.mean).collect();
    let values = step::smoothed(&values);
    let (Some(first), Some(end)) = (shown.first(), shown.last()) else { return Vec::new() };
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
            made: end.night,
            named: points.first().map_or(first.night, |point| point.night),
            is_new: false,
            stands: false,
            parts: Vec::new(),
        };
        Tested { finding, p: trend.p, points }
    };
    let middle = crate::stats::median(&values).unwrap_or(0.0);
    let level = drift::trend(&values).map(|trend| build(Kind::Drift, trend, middle));
    let spread = drift::spread(&values).map(|trend| {
        let distances: Vec<f64> = values.iter().map(|value| (value - middle).abs()).collect();
        build(Kind::Spread, trend, crate::stats::median(&distances).unwrap_or(0.0))
    });
    level.into_iter().chain(spread).collect()
}
