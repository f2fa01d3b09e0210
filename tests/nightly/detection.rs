//! How often steps and drifts are found where there are none, and how soon where there
//! are: measured on simulated series, all from fixed seeds.

use proctor::history::{drift, step};
use proctor::ident::Seed;

use crate::nightly::simulated::{heavy, normal};

/// Series of each kind.
const SERIES: usize = 1_000;

type Noise = fn(Seed, usize) -> Vec<f64>;

fn seed(purpose: &str, index: usize) -> Seed {
    Seed(20_261_122).derive(&[purpose, &index.to_string()])
}

/// Of every 1,000 series without a step, those that show one.
fn false_alarms(noise: Noise, nights: usize, level: f64) -> f64 {
    let series = (80_000 / nights).min(5_000);
    let purpose = format!("null {nights}");
    let alarmed =
        |index: &usize| !step::noisy(&noise(seed(&purpose, *index), nights), level).is_empty();
    (0..series).filter(alarmed).count() as f64 / series as f64 * 1_000.0
}

/// Of 400 series of thirty nights that shift by `size` deviations, the shares that show
/// it within one night of its place after 3, 5, 10 and 20 nights of the new level.
fn power(size: f64, level: f64) -> [f64; 4] {
    [3, 5, 10, 20].map(|after| {
        let finds = |index: &usize| {
            let mut values = normal(seed("shift", *index), 30 + after);
            values[30..].iter_mut().for_each(|value| *value += size);
            step::noisy(&values, level).iter().any(|step| step.at.abs_diff(30) <= 1)
        };
        (0..400).filter(finds).count() as f64 / 400.0
    })
}

#[test]
fn a_step_is_found_in_few_series_that_have_none() {
    let mut told = String::from("of 1,000 series without a step, those that show one\n");
    for nights in [10, 20, 30, 90, 365] {
        for (name, noise) in [("normal", normal as Noise), ("heavy", heavy)] {
            let [usual, strict] = [0.05, 0.001].map(|level| false_alarms(noise, nights, level));
            told += &format!(
                "{nights:4} nights, {name:6} noise: {usual:.1} at 0.05, {strict:.1} at 0.001\n"
            );
            assert!(usual <= 55.0, "{told}");
        }
    }
    insta::assert_snapshot!(told);
}

#[test]
fn a_series_that_repeats_alarms_never_and_shows_any_change_at_once() {
    for index in 0..SERIES {
        let level = normal(seed("level", index), 1)[0];
        let mut values = vec![level; 90];
        assert!(step::exact(&values).is_empty());
        values.push(level * (1.0 + 1e-9));
        assert_eq!(step::exact(&values).len(), 1);
    }
}

#[test]
fn the_larger_a_step_the_sooner_it_is_found() {
    let mut told = String::from("found after 3, 5, 10, 20 nights of the new level\n");
    for level in [0.05, 0.05 / 100.0] {
        for size in [1.0, 2.0, 3.0, 4.0, 6.0] {
            let [three, five, ten, twenty] = power(size, level);
            told += &format!(
                "level {level}: {size} sigma: {three:.2} {five:.2} {ten:.2} {twenty:.2}\n"
            );
            assert!(three <= five + 0.02 && five <= ten + 0.02 && ten <= twenty + 0.02, "{told}");
        }
    }
    insta::assert_snapshot!(told);
}

#[test]
fn a_drift_is_found_where_there_is_one_and_seldom_where_there_is_none() {
    let mut told = String::new();
    for (name, slope) in [("none", 0.0), ("1 sigma in 30 nights", 1.0 / 30.0), ("3 sigma", 0.1)] {
        let drifting = |index: usize| {
            let mut values = normal(seed("drift", index), 30);
            values.iter_mut().enumerate().for_each(|(at, value)| *value += slope * at as f64);
            values
        };
        let all = || (0..SERIES).map(drifting);
        let drifts =
            all().filter(|values| drift::trend(values).is_some_and(|t| t.p <= 0.05)).count();
        let spreads =
            all().filter(|values| drift::spread(values).is_some_and(|t| t.p <= 0.05)).count();
        let steps = all().filter(|values| !step::noisy(values, 0.05).is_empty()).count();
        told += &format!("{name}: drift {drifts}, noise {spreads}, step {steps} of 1000\n");
    }
    insta::assert_snapshot!(told);
}
