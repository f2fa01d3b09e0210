//! The steps and drifts of all series.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::discovery;
use super::drift::{self, Trend};
use super::finding::{Finding, Kind};
use super::night::better;
use super::series::{Key, Point, Series};
use super::standing;
use super::step;
use crate::stats::median;
use crate::stats::multiplicity::holm;
use crate::unit::nine;

/// Chance of any false finding in a family on one night: steps and drifts of pooled
/// series, and the same of series of single scenarios, are a family each.
pub const LEVEL: f64 = 0.05;

/// All findings of the series, in their order: the newest first.
pub fn findings(series: &[Series], last_night: usize) -> Vec<Finding> {
    let (pooled, single): (Vec<&Series>, Vec<&Series>) =
        series.iter().partition(|one| one.key.scenario.is_none());
    let mut found = family(&pooled, last_night);
    for finding in family(&single, last_night) {
        let near = found.iter_mut().filter(|other| other.shows(&finding));
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
    found.sort_by_cached_key(Finding::order);
    found
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

/// A change of a series between two nights, of which nothing else is known.
fn finding(
    series: &Series,
    kind: Kind,
    (night, other): (usize, usize),
    (from, to): (f64, f64),
) -> Finding {
    let better = match kind {
        // More noise is worse, whatever it is about.
        Kind::Spread => Some(to < from),
        Kind::Step | Kind::Drift => better(&series.key.metric, from, to),
    };
    Finding {
        key: series.key.clone(),
        kind,
        night,
        other,
        from,
        to,
        p: None,
        better,
        made: night,
        named: night,
        is_new: false,
        stands: false,
        parts: Vec::new(),
    }
}

/// The steps of a series, in all its eras.
fn steps(series: &Series, level: f64, last_night: usize) -> Vec<Finding> {
    let mut found = Vec::new();
    for (era, exact) in series.eras.iter().zip(&series.exact) {
        let values = series.values(era);
        let night = |at: usize| series.points[at].night;
        let steps = if *exact { step::exact(&values) } else { step::noisy(&values, level) };
        for step in steps {
            let (made, named) =
                if *exact { (step.at, step.at) } else { discovery::of_step(&values, &step, level) };
            let (made, named) = (night(era.start + made), night(era.start + named));
            let at = era.start + step.at;
            let nights = (night(at), night(at.saturating_sub(1)));
            found.push(Finding {
                p: step.p.map(|p| (p * LEVEL / level).min(1.0)),
                made,
                named,
                is_new: made == last_night,
                ..finding(series, Kind::Step, nights, (step.from, step.to))
            });
        }
    }
    found
}

/// A trend that may be one.
struct Tested<'a> {
    finding: Finding,
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
    let dated = |(test, p): (Tested, f64)| {
        let values: Vec<f64> = test.points.iter().map(|point| point.mean).collect();
        let made = discovery::of_trend(&values, test.finding.kind, bar);
        let made = test.points.get(made).map_or(test.finding.other, |point| point.night);
        Finding { p: Some(p), made, is_new: made == last_night, ..test.finding }
    };
    clear.into_par_iter().map(dated).collect()
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
    let tested = |kind: Kind, trend: Trend, middle: f64| {
        let half = trend.slope * values.len().saturating_sub(1) as f64 / 2.0;
        let levels = (nine(middle - half), nine(middle + half));
        let finding = finding(series, kind, (first.night, end.night), levels);
        let named = points.first().map_or(first.night, |point| point.night);
        Tested { finding: Finding { made: end.night, named, ..finding }, p: trend.p, points }
    };
    let middle = median(&values).unwrap_or(0.0);
    let level = drift::trend(&values).map(|trend| tested(Kind::Drift, trend, middle));
    let spread = drift::spread(&values).map(|trend| {
        let distances: Vec<f64> = values.iter().map(|value| (value - middle).abs()).collect();
        tested(Kind::Spread, trend, median(&distances).unwrap_or(0.0))
    });
    level.into_iter().chain(spread).collect()
}
