//! How often 95 % intervals of a mean difference cover the true one, by simulation:
//! `cargo bench --bench coverage`. The table stands in METHODOLOGY.md.

use std::io::Write;

use proctor::ident::Seed;
use proctor::stats::estimate::{Estimate, Unit};
use proctor::stats::resample::{Interval, Resampling, bootstrap_mean};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

const SIMULATED: u64 = 4_000;
const RESAMPLES: u32 = 1_000;
const LEVEL: f64 = 0.95;

/// Where differences come from: a name, their true mean and one draw.
type Source = (&'static str, f64, fn(&mut ChaCha8Rng) -> f64);

const SOURCES: [Source; 3] = [
    ("normal", 0.0, normal),
    // exp(Z): its mean is √e.
    ("log-normal", 1.648_721_270_700_128, |rng| normal(rng).exp()),
    ("all or nothing, 1 in 5", 0.2, |rng| f64::from(u8::from(rng.random::<f64>() < 0.2))),
];

/// One of two independent values of Box and Muller.
fn normal(rng: &mut ChaCha8Rng) -> f64 {
    let (one, two): (f64, f64) = (rng.random(), rng.random());
    (-2.0 * (1.0 - one).ln()).sqrt() * (std::f64::consts::TAU * two).cos()
}

fn main() {
    say(&format!("coverage of 95 % intervals, in percent; {SIMULATED} samples"));
    say("| differences | n | percentile | sessions | within scenarios | scenarios | shares |");
    say("|---|---:|---:|---:|---:|---:|---:|");
    for (name, mean, draw) in SOURCES {
        for count in [8, 20, 40, 64] {
            let labels: Vec<usize> = vec![0; count];
            line(name, &labels, mean, &|rng, labels| labels.iter().map(|_| draw(rng)).collect());
        }
    }
    // Scenarios that differ by what is the same in every sample: the question is about these.
    for (scenarios, seeds) in [(4, 2), (4, 5), (20, 3), (8, 8)] {
        let labels: Vec<usize> = (0..scenarios * seeds).map(|index| index / seeds).collect();
        let mean = 1.648_721_270_7 + (scenarios as f64 - 1.0) / 2.0;
        let skewed = |rng: &mut ChaCha8Rng, labels: &[usize]| {
            labels.iter().map(|label| *label as f64 + normal(rng).exp()).collect()
        };
        line(&format!("these {scenarios} scenarios of {seeds}"), &labels, mean, &skewed);
    }
    // Scenarios that are drawn anew in every sample: the question is about scenarios like these.
    for (scenarios, seeds) in [(10, 8), (20, 3)] {
        let labels: Vec<usize> = (0..scenarios * seeds).map(|index| index / seeds).collect();
        let drawn = |rng: &mut ChaCha8Rng, labels: &[usize]| {
            let of: Vec<f64> = (0..scenarios).map(|_| 2.6 * normal(rng)).collect();
            labels.iter().map(|label| of[*label] + normal(rng)).collect()
        };
        line(&format!("{scenarios} like these, of {seeds}"), &labels, 0.0, &drawn);
    }
}

fn line(
    name: &str,
    labels: &[usize],
    mean: f64,
    draw: &dyn Fn(&mut ChaCha8Rng, &[usize]) -> Vec<f64>,
) {
    let mut covered = [(0_u32, 0_u32); 5];
    for number in 0..SIMULATED {
        let seed = Seed(number).derive(&["coverage", name]);
        let values = draw(&mut seed.derive(&["sample"]).rng(), labels);
        let seed = seed.derive(&["resamples"]);
        let resampling = Resampling { seed, resamples: RESAMPLES, level: LEVEL };
        let of = |unit| Estimate::of(&values, labels, unit)?.interval(LEVEL);
        let shares = || {
            let wins = values.iter().filter(|value| **value == 1.0).count() as u64;
            let all = values.iter().all(|value| *value == 0.0 || *value == 1.0);
            let count = values.len() as u64;
            all.then(|| Estimate::of_shares(wins, 0, count)?.interval(LEVEL)).flatten()
        };
        let [sessions, within, scenarios] = Unit::ALL.map(of);
        let made = [bootstrap_mean(&values, resampling), sessions, within, scenarios, shares()];
        for ((covers, count), interval) in covered.iter_mut().zip(made) {
            let Some(Interval { low, high }) = interval else { continue };
            *count += 1;
            *covers += u32::from(low <= mean && mean <= high);
        }
    }
    let cells = covered.map(|(covers, count)| match count {
        0 => "–".to_owned(),
        // An interval that could not be made covers nothing.
        _ => format!("{:.1}", 100.0 * f64::from(covers) / SIMULATED as f64),
    });
    say(&format!("| {name} | {} | {} |", labels.len(), cells.join(" | ")));
}

fn say(line: &str) {
    // A closed pipe is no reason to fail.
    let _ = writeln!(std::io::stdout(), "{line}");
}
