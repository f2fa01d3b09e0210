//! The changes of all series, night by night: what a night announced, later nights leave as it is.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;

use super::chart::{Chart, bound, common_autocorrelation};
use super::finding::{Finding, State};
use super::night::better;
use super::series::{Key, Series};
use crate::gate::Policy;
use crate::measure::MetricId;

/// The bound of the charts lets all series together make one false finding in so many nights of
/// normal noise. The promise is one in a hundred: the rest pays for heavy tails, and for
/// autocorrelation that is only estimated (METHODOLOGY has what simulations show).
const NIGHTS_A_FALSE_FINDING: f64 = 300.0;
/// The margin of an exact figure that the policy has no margin for, as a share of its level.
const USUAL_MARGIN: f64 = 0.05;
/// A loss is made good when this share of it has come back.
const MADE_GOOD: f64 = 0.75;

/// All findings of the series, in their order: the newest first. The policy has the margins of
/// figures that repeat exactly.
pub fn findings(series: &[Series], last_night: usize, policy: &Policy) -> Vec<Finding> {
    let mut all: Vec<Finding> = series.par_iter().flat_map_iter(|one| exact(one, policy)).collect();
    let (noisy, levels) = noisy(series, last_night);
    all.extend(noisy);
    all.iter_mut().for_each(|finding| finding.is_new = finding.made == last_night);
    mark_standing(&mut all, series, last_night, &levels);
    let (single, mut found): (Vec<Finding>, Vec<Finding>) =
        all.into_iter().partition(|one| one.key.scenario.is_some());
    for finding in single {
        let near = found.iter_mut().filter(|other| other.shows(&finding));
        match near.min_by_key(|other| other.night.abs_diff(finding.night)) {
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

fn finding(key: &Key, (night, made): (usize, usize), (from, to): (f64, f64)) -> Finding {
    Finding {
        key: key.clone(),
        night,
        made,
        from,
        to,
        is_exact: false,
        better: better(&key.metric, from, to),
        state: State::Announced,
        is_new: false,
        stands: false,
        parts: Vec::new(),
    }
}

/// The changes of eras that repeat exactly. One is announced where the figure is a margin from
/// the level that was announced last, so that many small changes do not pass unseen.
fn exact(series: &Series, policy: &Policy) -> Vec<Finding> {
    let mut found = Vec::new();
    let eras = series.eras.iter().zip(&series.exact).filter(|(_, exact)| **exact);
    for (era, _) in eras {
        let points = &series.points[era.clone()];
        let Some(mut announced) = points.first().map(|point| point.mean) else { continue };
        for pair in points.windows(2) {
            let (before, now) = (pair[0].mean, pair[1].mean);
            if before.to_bits() == now.to_bits() {
                continue;
            }
            let is_small = (now - announced).abs() < margin(policy, &series.key.metric, announced);
            let from = if is_small { before } else { announced };
            let state = if is_small { State::Small } else { State::Announced };
            let nights = (pair[1].night, pair[1].night);
            found.push(Finding {
                is_exact: true,
                state,
                ..finding(&series.key, nights, (from, now))
            });
            if !is_small {
                announced = now;
            }
        }
    }
    found
}

fn margin(policy: &Policy, metric: &str, level: f64) -> f64 {
    let named = MetricId::named(metric).and_then(|id| policy.margin(id, level));
    named.unwrap_or(USUAL_MARGIN * level.abs())
}

/// A series with noise, and how far its chart has come.
struct Watched<'a> {
    series: &'a Series,
    /// The next of its points.
    next: usize,
    chart: Option<Chart>,
}

impl Watched<'_> {
    /// Takes the night's figure, where there is one.
    fn take(&mut self, night: usize, autocorrelation: f64, bound: f64) -> Option<Finding> {
        let series = self.series;
        let point = series.points.get(self.next).filter(|point| point.night == night)?;
        let at = self.next;
        self.next += 1;
        let (era, exact) =
            series.eras.iter().zip(&series.exact).find(|(era, _)| era.contains(&at))?;
        if *exact {
            return None;
        }
        let Some(chart) = self.chart.as_mut().filter(|_| at > era.start) else {
            self.chart = Some(Chart::new(point.mean));
            return None;
        };
        let shift = chart.next(point.mean, autocorrelation, bound)?;
        let first = series.points.get(at + 1 - shift.nights.min(at + 1))?;
        Some(finding(&series.key, (first.night, night), (shift.from, shift.to)))
    }
}

/// The findings of series with noise, and the level of each series on the last night.
fn noisy<'a>(series: &'a [Series], last_night: usize) -> (Vec<Finding>, BTreeMap<&'a Key, f64>) {
    let mut count = vec![0_usize; last_night + 1];
    let mut by_metric: BTreeMap<&str, Vec<Watched<'a>>> = BTreeMap::new();
    for one in series.iter().filter(|one| one.exact.contains(&false)) {
        for point in &one.points {
            if let Some(count) = count.get_mut(point.night) {
                *count += 1;
            }
        }
        let watched = Watched { series: one, next: 0, chart: None };
        by_metric.entry(&one.key.metric).or_default().push(watched);
    }
    let bounds: BTreeMap<usize, f64> = count
        .iter()
        .map(|&count| (count, bound(NIGHTS_A_FALSE_FINDING * count.max(1) as f64)))
        .collect();
    let watch = |mut watched: Vec<Watched<'a>>| {
        let mut found = Vec::new();
        for (night, count) in count.iter().enumerate() {
            let charts: Vec<&Chart> = watched.iter().filter_map(|one| one.chart.as_ref()).collect();
            let autocorrelation = common_autocorrelation(&charts);
            let taken = watched.iter_mut();
            found.extend(taken.filter_map(|one| one.take(night, autocorrelation, bounds[count])));
        }
        let level = |one: &Watched<'a>| Some((&one.series.key, one.chart.as_ref()?.level()));
        (found, watched.iter().filter_map(level).collect::<Vec<_>>())
    };
    let metrics: Vec<Vec<Watched>> = by_metric.into_values().collect();
    let (found, levels): (Vec<_>, Vec<_>) = metrics.into_par_iter().map(watch).unzip();
    (found.into_iter().flatten().collect(), levels.into_iter().flatten().collect())
}

/// Sets [`Finding::stands`]: a loss that was announced stands until three quarters of it have come
/// back. Nothing stands across eras, nor of what did not run.
fn mark_standing(
    found: &mut [Finding],
    series: &[Series],
    last_night: usize,
    levels: &BTreeMap<&Key, f64>,
) {
    let by_key: BTreeMap<&Key, &Series> = series.iter().map(|one| (&one.key, one)).collect();
    let contestant = |key: &Key| (key.configuration.clone(), key.mode.clone());
    let is_last = |one: &&Series| one.points.last().is_some_and(|point| point.night == last_night);
    let ran: BTreeSet<(String, String)> =
        series.iter().filter(is_last).map(|one| contestant(&one.key)).collect();
    let announced = found.iter_mut().filter(|one| one.is_announced() && one.better == Some(false));
    for finding in announced {
        let Some(series) = by_key.get(&finding.key) else { continue };
        let start = series.eras.last().and_then(|era| series.points.get(era.start));
        let is_of_now = start.is_some_and(|point| finding.night >= point.night);
        let level = match finding.is_exact {
            true => series.points.last().map(|point| point.mean),
            false => levels.get(&finding.key).copied(),
        };
        let back = level.map_or(0.0, |level| (level - finding.to) / (finding.from - finding.to));
        finding.stands = is_of_now && back < MADE_GOOD && ran.contains(&contestant(&finding.key));
    }
}
