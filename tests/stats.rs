//! The statistics against reference values of SciPy and statsmodels.
//!
//! `tests/stats/reference.py` made `tests/stats/reference.json` and says with which
//! versions. Where figures are resampled, both sides use the stored draws.

use proctor::ident::Seed;
use proctor::stats::bca::bca;
use proctor::stats::binary::{mcnemar, paired_shares};
use proctor::stats::design::{Design, weighted_mean};
use proctor::stats::multiplicity::holm;
use proctor::stats::paired::{sign_flip, standardized_mean};
use proctor::stats::power::{power, sessions_needed};
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
struct Simple {
    name: String,
    level: f64,
    values: Vec<f64>,
    draws: Vec<Vec<usize>>,
    low: f64,
    high: f64,
}

#[test]
fn intervals_are_those_of_scipy_on_the_same_draws() {
    for case in reference::<Vec<Simple>>("bca") {
        let count = case.values.len() as f64;
        let mean = |draw: &Vec<usize>| draw.iter().map(|&i| case.values[i]).sum::<f64>() / count;
        let resampled: Vec<f64> = case.draws.iter().map(mean).collect();
        let estimate = case.values.iter().sum::<f64>() / count;
        let without_each = Design::simple(case.values.len())
            .and_then(|design| design.without_each(|weights| weighted_mean(&case.values, weights)))
            .expect("a jackknife");
        let interval = bca(&resampled, estimate, &without_each, case.level);
        close(&case.name, interval.map(|interval| interval.low), case.low);
        close(&case.name, interval.map(|interval| interval.high), case.high);
    }
}

#[derive(Deserialize)]
struct Strata {
    strata: Vec<Vec<f64>>,
    draws: Vec<Vec<Vec<usize>>>,
    without_each: Vec<Vec<f64>>,
    low: f64,
    high: f64,
}

#[test]
fn stratified_intervals_are_those_of_scipy_with_several_samples() {
    for case in reference::<Vec<Strata>>("bca_strata") {
        let values = case.strata.concat();
        let labels: Vec<usize> = (0..case.strata.len())
            .flat_map(|stratum| vec![stratum; case.strata[stratum].len()])
            .collect();
        let without_each = Design::stratified(&labels)
            .and_then(|design| design.without_each(|weights| weighted_mean(&values, weights)))
            .expect("a jackknife");
        for (found, expected) in without_each.concat().iter().zip(case.without_each.concat()) {
            close("without one", Some(*found), expected);
        }
        let drawn = |number: usize| {
            let sums = case.strata.iter().zip(&case.draws).map(|(stratum, draws)| {
                draws[number].iter().map(|&index| stratum[index]).sum::<f64>()
            });
            sums.sum::<f64>() / values.len() as f64
        };
        let resampled: Vec<f64> = (0..case.draws[0].len()).map(drawn).collect();
        let estimate = values.iter().sum::<f64>() / values.len() as f64;
        let interval = bca(&resampled, estimate, &without_each, 0.95);
        close("low", interval.map(|interval| interval.low), case.low);
        close("high", interval.map(|interval| interval.high), case.high);
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
struct Binary {
    mcnemar: Vec<Split>,
    paired_shares: Vec<Difference>,
}

#[derive(Deserialize)]
struct Split {
    ours: u64,
    theirs: u64,
    p: f64,
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
fn all_or_nothing_outcomes_are_those_of_scipy_and_statsmodels() {
    let Binary { mcnemar: splits, paired_shares: differences } = reference("binary");
    for Split { ours, theirs, p } in splits {
        close(&format!("{ours} against {theirs}"), Some(mcnemar(ours, theirs)), p);
    }
    for Difference { ours, theirs, count, level, low, high } in differences {
        let found = paired_shares(ours, theirs, count, level);
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
struct Powers {
    power: Vec<Power>,
    needed: Vec<Needed>,
}

#[derive(Deserialize)]
struct Power {
    sessions: u64,
    effect: f64,
    level: f64,
    power: f64,
}

#[derive(Deserialize)]
struct Needed {
    deviation: f64,
    difference: f64,
    level: f64,
    sessions: u64,
}

#[test]
fn power_and_sessions_needed_are_those_of_statsmodels() {
    let Powers { power: powers, needed } = reference("power");
    for case in powers {
        let found = power(case.sessions, case.effect, case.level);
        close(&format!("{} at {}", case.sessions, case.effect), found, case.power);
    }
    for case in needed {
        let found = sessions_needed(case.deviation, case.difference, case.level);
        assert_eq!(found, Some(case.sessions), "{} at {}", case.difference, case.deviation);
    }
}
