//! The statistics against reference values of SciPy and statsmodels.
//!
//! `tests/stats/reference.py` made `tests/stats/reference.json` and says with which
//! versions.

use proctor::ident::Seed;
use proctor::stats::estimate::{Estimate, Unit};
use proctor::stats::multiplicity::holm;
use proctor::stats::paired::{sign_flip, standardized_mean};
use serde::Deserialize;
use serde::de::DeserializeOwned;

fn reference<Cases: DeserializeOwned>(group: &str) -> Cases {
    let all: serde_json::Value =
        serde_json::from_str(include_str!("stats/reference.json")).expect("JSON");
    serde_json::from_value(all[group].clone()).unwrap_or_else(|error| panic!("{group}: {error}"))
}

/// Both defined, and the same to nine digits behind the point (or before it, where the
/// value is large).
#[track_caller]
fn close(what: &str, found: Option<f64>, expected: f64) {
    let found = found.unwrap_or_else(|| panic!("{what}: nothing, not {expected}"));
    let room = 1e-9 * expected.abs().max(1.0);
    assert!((found - expected).abs() <= room, "{what}: {found} is not {expected}");
}

#[derive(Deserialize)]
struct Estimated {
    name: String,
    unit: Unit,
    values: Vec<f64>,
    labels: Vec<usize>,
    /// Against 0.25.
    t: f64,
    p: f64,
    /// At 90 %.
    low: f64,
    high: f64,
}

#[test]
fn estimates_are_those_of_scipy_of_one_sample_of_strata_and_of_clusters() {
    for case in reference::<Vec<Estimated>>("estimates") {
        let (name, bound) = (&case.name, 0.25);
        let found = Estimate::of(&case.values, &case.labels, case.unit).expect("an estimate");
        close(name, Some((found.mean - bound) / found.error), case.t);
        close(name, Some(found.above(bound)), case.p);
        close(name, found.interval(0.9).map(|one| one.low), case.low);
        close(name, found.interval(0.9).map(|one| one.high), case.high);
    }
}

#[derive(Deserialize)]
struct Paired {
    name: String,
    values: Vec<f64>,
    sign_flip: Option<f64>,
    standardized_mean: f64,
}

#[test]
fn paired_tests_and_effects_are_those_of_scipy() {
    for case in reference::<Vec<Paired>>("paired") {
        let (name, values) = (&case.name, &case.values);
        let flip = sign_flip(values, Seed(1)).map(|test| test.p);
        if let Some(expected) = case.sign_flip {
            close(&format!("{name}: sign flip"), flip, expected);
        }
        close(&format!("{name}: d"), standardized_mean(values), case.standardized_mean);
    }
}

#[derive(Deserialize)]
struct Difference {
    ours: u64,
    theirs: u64,
    count: u64,
    level: f64,
    low: f64,
    high: f64,
}

#[test]
fn intervals_of_paired_shares_are_those_of_the_formula() {
    for Difference { ours, theirs, count, level, low, high } in reference::<Vec<_>>("binary") {
        let found = Estimate::of_shares(ours, theirs, count).and_then(|one| one.interval(level));
        close(&format!("{ours}, {theirs} of {count}"), found.map(|found| found.low), low);
        close(&format!("{ours}, {theirs} of {count}"), found.map(|found| found.high), high);
    }
}

#[derive(Deserialize)]
struct Family {
    raw: Vec<f64>,
    holm: Vec<f64>,
}

#[test]
fn adjusted_probabilities_are_those_of_statsmodels() {
    for case in reference::<Vec<Family>>("families") {
        for (found, expected) in holm(&case.raw).expect("probabilities").iter().zip(case.holm) {
            close("adjusted", Some(*found), expected);
        }
    }
}

#[derive(Deserialize)]
struct Power {
    sessions: usize,
    level: f64,
    effect: f64,
}

/// The quantiles of Student's distribution come near the noncentral one.
#[test]
fn what_would_be_found_is_near_that_of_statsmodels() {
    for Power { sessions, level, effect } in reference::<Vec<_>>("power") {
        // A deviation of 1.
        let values: Vec<f64> = (0..sessions).map(|index| f64::from(index % 2 == 0)).collect();
        let found = Estimate::of(&values, &vec![0; sessions], Unit::Sessions).expect("an estimate");
        let deviation = found.error * (sessions as f64).sqrt();
        let found = found.detectable(level, sessions) / deviation;
        assert!((found / effect - 1.0).abs() < 0.05, "{sessions} at {level}: {found}, {effect}");
    }
}
