//! The steps and drifts of all series.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;

use super::drift::{self, Trend};
use super::finding::{Finding, Kind, NEAR};
use super::night::better;
use super::series::{Key, Point, Series};
use super::step::{self, Step};
use crate::stats::median;
use crate::stats::multiplicity::holm;
use crate::unit::nine;

/// Chance of any false finding in a family on one night: steps and drifts of pooled
/// series, and the same of series of single scenarios, are a family each.
const LEVEL: f64 = 0.05;

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
    mark_standing(&mut found, series, last_night);
    found
}

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

fn steps(series: &Series, level: f64, last_night: usize) -> Vec<Finding> {
    let mut found = Vec::new();
    for (era, exact) in series.eras.iter().zip(&series.exact) {
        let values = series.values(era);
        let night = |at: usize| series.points[at].night;
        let steps = if *exact { step::exact(&values) } else { step::noisy(&values, level) };
        for step in steps {
            let (made, named) =
                if *exact { (step.at, step.at) } else { step_made(&values, &step, level) };
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

/// A trend's finding, its p before Holm's procedure, and the points that it may be dated by.
type Tested<'a> = (Finding, f64, &'a [Point]);

/// Drifts since the last step of each noisy series, by Holm's procedure over all of them.
fn drifts(series: &[&Series], steps: &[Finding], last_night: usize) -> Vec<Finding> {
    // Of one series they stand in the order of nights.
    let last: BTreeMap<&Key, usize> = steps.iter().map(|step| (&step.key, step.night)).collect();
    let tests: Vec<Tested> = series
        .par_iter()
        .flat_map_iter(|one| trends(one, last.get(&one.key).copied().unwrap_or(0)))
        .collect();
    let raw: Vec<f64> = tests.iter().map(|(_, p, _)| *p).collect();
    let adjusted = holm(&raw).unwrap_or_default();
    let clear: Vec<(Tested, f64)> =
        tests.into_iter().zip(adjusted).filter(|(_, p)| *p <= LEVEL).collect();
    // What a raw p is held to on earlier nights: the mildest that this night passed.
    let strictest = LEVEL / raw.len().max(1) as f64;
    let bar = clear.iter().map(|((_, raw, _), _)| *raw).fold(strictest, f64::max);
    let dated = |((finding, _, points), p): (Tested, f64)| {
        let values: Vec<f64> = points.iter().map(|point| point.mean).collect();
        let made = trend_made(&values, finding.kind, bar);
        let made = points.get(made).map_or(finding.other, |point| point.night);
        Finding { p: Some(p), made, is_new: made == last_night, ..finding }
    };
    clear.into_par_iter().map(dated).collect()
}

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
        (Finding { made: end.night, named, ..finding }, trend.p, points)
    };
    let middle = median(&values).unwrap_or(0.0);
    let level = drift::trend(&values).map(|trend| tested(Kind::Drift, trend, middle));
    let spread = drift::spread(&values).map(|trend| {
        let distances: Vec<f64> = values.iter().map(|value| (value - middle).abs()).collect();
        tested(Kind::Spread, trend, median(&distances).unwrap_or(0.0))
    });
    level.into_iter().chain(spread).collect()
}

/// Where a step of a noisy series was first found, some nights after its own, and placed then.
fn step_made(values: &[f64], step: &Step, level: f64) -> (usize, usize) {
    let first = (step.at + 1..values.len()).find_map(|end| {
        let before = step::noisy(&values[..end], level);
        let same = before.iter().filter(|other| {
            other.at.abs_diff(step.at) <= NEAR && (other.to > other.from) == (step.to > step.from)
        });
        let nearest = same.min_by_key(|other| other.at.abs_diff(step.at))?;
        Some((end - 1, nearest.at))
    });
    first.unwrap_or((values.len().saturating_sub(1), step.at))
}

/// The first of those last values that all show the trend with at most this raw p.
fn trend_made(values: &[f64], kind: Kind, bar: f64) -> usize {
    let shows = |end: &usize| {
        let seen = step::smoothed(&values[end.saturating_sub(drift::LAST)..*end]);
        let trend = match kind {
            Kind::Spread => drift::spread(&seen),
            Kind::Step | Kind::Drift => drift::trend(&seen),
        };
        trend.is_some_and(|trend| trend.p <= bar)
    };
    let all = values.len();
    let first = (drift::FEWEST..=all).rev().take_while(shows).last();
    first.unwrap_or(all).saturating_sub(1)
}

const MADE_GOOD: f64 = 0.75;

/// Sets [`Finding::stands`] of a family; `found` holds all findings of its series. A step for the
/// worse stands until the last level has come back: all the way where figures repeat exactly, three
/// quarters of it in noise; a drift always. Nothing stands across eras, nor of what did not run.
fn mark_standing(found: &mut [Finding], series: &[&Series], last_night: usize) {
    let last_era = |one: &&Series| one.points.get(one.eras.last()?.start).map(|point| point.night);
    let eras: BTreeMap<&Key, usize> =
        series.iter().filter_map(|one| Some((&one.key, last_era(one)?))).collect();
    let contestant = |key: &Key| (key.configuration.clone(), key.mode.clone());
    let ran: BTreeSet<(String, String)> = series
        .iter()
        .filter(|one| one.points.last().is_some_and(|point| point.night == last_night))
        .map(|one| contestant(&one.key))
        .collect();
    let levels = levels(found);
    for finding in found.iter_mut().filter(|finding| finding.better == Some(false)) {
        let is_of_now = eras.get(&finding.key).is_some_and(|start| finding.night >= *start);
        let level = levels.get(&finding.key).copied().unwrap_or(finding.to);
        let holds = finding.kind != Kind::Step || !is_made_good(finding, level);
        finding.stands = is_of_now && holds && ran.contains(&contestant(&finding.key));
    }
}

/// The last level of each series: of several findings the later counts, a drift most.
fn levels(found: &[Finding]) -> BTreeMap<Key, f64> {
    let mut found: Vec<&Finding> = found.iter().filter(|one| one.kind != Kind::Spread).collect();
    found.sort_by_key(|one| (one.kind == Kind::Drift, one.night));
    found.into_iter().map(|one| (one.key.clone(), one.to)).collect()
}

fn is_made_good(loss: &Finding, level: f64) -> bool {
    let back = (level - loss.to) / (loss.from - loss.to);
    back >= if loss.p.is_none() { 1.0 } else { MADE_GOOD }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wobble(at: usize) -> f64 {
        [0.3, -0.2, 0.1, -0.4, 0.25, -0.05][at * 5 % 6]
    }

    #[test]
    fn a_clear_step_is_known_by_the_third_night_and_a_later_night_changes_neither() {
        let values: Vec<f64> =
            (0..40).map(|at| wobble(at) + if at < 20 { 0.0 } else { 5.0 }).collect();
        for end in 23..=40 {
            let steps = step::noisy(&values[..end], 0.05);
            assert_eq!(steps.len(), 1, "{end}: {steps:?}");
            assert_eq!(step_made(&values[..end], &steps[0], 0.05), (22, 20), "{end}");
        }
    }

    #[test]
    fn a_drift_is_known_before_the_last_night_and_from_then_on() {
        let values: Vec<f64> = (0..40).map(|at| wobble(at) + 0.05 * at as f64).collect();
        let bar = 0.001;
        let made = trend_made(&values, Kind::Drift, bar);
        assert!((drift::FEWEST..39).contains(&made), "{made}");
        assert!(drift::trend(&step::smoothed(&values[..made])).is_none_or(|one| one.p > bar));
        for end in made + 1..=40 {
            assert_eq!(trend_made(&values[..end], Kind::Drift, bar), made, "{end}");
        }
    }
}
