//! Standing: changes for the worse that no later night has made good.
//!
//! A step for the worse stands until the level of the last night has come back: all the
//! way where figures repeat exactly, three quarters of it in noise, where two levels are
//! never the same. A drift for the worse goes on by its definition, as noise that grows
//! does. Nothing stands across other inputs, prices or definitions, where levels are not
//! compared, nor of a configuration that the last night did not run.

use std::collections::{BTreeMap, BTreeSet};

use super::finding::{Finding, Kind};
use super::series::{Key, Series};

/// How much of a loss in noise has to come back.
const MADE_GOOD: f64 = 0.75;

/// Sets [`Finding::stands`] of a family; `found` holds all findings of its series.
pub(super) fn mark(found: &mut [Finding], series: &[&Series], last_night: usize) {
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

/// The first night that the last one is compared with.
fn last_era(series: &Series) -> Option<usize> {
    series.points.get(series.eras.last()?.start).map(|point| point.night)
}

/// The level that each series has come to: that of its drift, else of its last step.
fn levels(found: &[Finding]) -> BTreeMap<Key, f64> {
    let mut levels: BTreeMap<Key, (bool, usize, f64)> = BTreeMap::new();
    for finding in found.iter().filter(|finding| finding.kind != Kind::Spread) {
        let place = (finding.kind == Kind::Drift, finding.night, finding.to);
        let known = levels.entry(finding.key.clone()).or_insert(place);
        if (place.0, place.1) > (known.0, known.1) {
            *known = place;
        }
    }
    levels.into_iter().map(|(key, (_, _, level))| (key, level)).collect()
}

fn is_made_good(loss: &Finding, level: f64) -> bool {
    let back = (level - loss.to) / (loss.from - loss.to);
    back >= if loss.p.is_none() { 1.0 } else { MADE_GOOD }
}
