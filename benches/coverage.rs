//! How often 95 % intervals of a mean difference cover the true one, by simulation:
//! `cargo bench --bench coverage`. The table stands in METHODOLOGY.md.

use std::io::Write;

use proctor::ident::Seed;
use proctor::stats::bca::{bca, bca_mean};
use proctor::stats::binary::paired_shares;
use proctor::stats::design::{Design, weighted_mean};
use proctor::stats::resample::{Interval, Resampling, bootstrap_mean};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

const SIMULATED: u64 = 2_000;
const RESAMPLES: u32 = 1_000;
const LEVEL: f64 = 0.95;

/// Where differences come from: a name, their true mean and one draw.
type Source = (&'static str, f64, fn(&mut ChaCha8Rng) -> f64);

const SOURCES: [Source; 3] = [
    ("symmetric (normal)", 0.0, normal),
    // exp(Z): its mean is √e.
    ("skewed (log-normal)", 1.648_721_270_700_128, |rng| normal(rng).exp()),
    ("all or nothing (1 in 5)", 0.2, |rng| f64::from(u8::from(rng.random::<f64>() < 0.2))),
];

/// One of two independent values of Box and Muller.
fn normal(rng: &mut ChaCha8Rng) -> f64 {
    let (one, two): (f64, f64) = (rng.random(), rng.random());
    (-2.0 * (1.0 - one).ln()).sqrt() * (std::f64::consts::TAU * two).cos()
}

fn main() {
    say(&format!(
        "coverage of 95 % intervals, {SIMULATED} samples of {RESAMPLES} resamples (mean width)"
    ));
    say("| differences | n | percentile | BCa, n drawn | BCa, n - 1 drawn | adjusted Wald |");
    say("|---|---:|---:|---:|---:|---:|");
    for (name, mean, draw) in SOURCES {
        for count in [5, 8, 20, 40] {
            let labels: Vec<usize> = vec![0; count];
            line(name, &labels, mean, &|rng, _| draw(rng));
        }
    }
    // Four scenarios that differ, of two and of five sessions each.
    for seeds in [2, 5] {
        let labels: Vec<usize> = (0..4 * seeds).map(|index| index / seeds).collect();
        let skewed = |rng: &mut ChaCha8Rng, scenario: usize| scenario as f64 + normal(rng).exp();
        line(&format!("4 scenarios of {seeds}"), &labels, 1.5 + 1.648_721_270_7, &skewed);
    }
}

/// Intervals that cover, and the sum of all widths.
#[derive(Clone, Copy, Default)]
struct Tally {
    covered: u32,
    made: u32,
    width: f64,
}

impl Tally {
    fn add(&mut self, interval: Option<Interval>, mean: f64) {
        let Some(Interval { low, high }) = interval else { return };
        self.made += 1;
        self.covered += u32::from(low <= mean && mean <= high);
        self.width += high - low;
    }

    /// An interval that could not be made covers nothing.
    fn text(&self) -> String {
        if self.made == 0 {
            return "-".to_owned();
        }
        let share = f64::from(self.covered) / SIMULATED as f64;
        format!("{:.1} % ({:.2})", 100.0 * share, self.width / f64::from(self.made))
    }
}

fn line(name: &str, labels: &[usize], mean: f64, draw: &dyn Fn(&mut ChaCha8Rng, usize) -> f64) {
    let mut tallies = [Tally::default(); 4];
    let design = Design::stratified(labels).expect("at least two sessions");
    for number in 0..SIMULATED {
        let seed = Seed(number).derive(&["coverage", name]);
        let mut rng = seed.derive(&["sample"]).rng();
        let values: Vec<f64> = labels.iter().map(|label| draw(&mut rng, *label)).collect();
        let seed = seed.derive(&["resamples"]);
        let resampling = Resampling { seed, resamples: RESAMPLES, level: LEVEL };
        tallies[0].add(bootstrap_mean(&values, resampling), mean);
        tallies[1].add(textbook(&values, resampling), mean);
        tallies[2].add(bca_mean(&values, &design, resampling), mean);
        if values.iter().all(|value| *value == 0.0 || *value == 1.0) {
            let wins = values.iter().filter(|value| **value == 1.0).count() as u64;
            tallies[3].add(paired_shares(wins, 0, values.len() as u64, LEVEL), mean);
        }
    }
    let cells = tallies.map(|tally| tally.text()).join(" | ");
    say(&format!("| {name} | {} | {cells} |", labels.len()));
}

/// BCa with as many drawn as there are, from one pool.
fn textbook(values: &[f64], resampling: Resampling) -> Option<Interval> {
    if values.iter().all(|value| *value == values[0]) {
        return Some(Interval { low: values[0], high: values[0] });
    }
    let design = Design::simple(values.len())?;
    let without_each = design.without_each(|weights| weighted_mean(values, weights))?;
    let count = values.len();
    let mut rng = resampling.seed.rng();
    let mut mean = || {
        let sum: f64 = (0..count).map(|_| values[rng.random_range(0..count)]).sum();
        sum / count as f64
    };
    let resampled: Vec<f64> = (0..resampling.resamples).map(|_| mean()).collect();
    bca(&resampled, values.iter().sum::<f64>() / count as f64, &without_each, resampling.level)
}

fn say(line: &str) {
    // A closed pipe is no reason to fail.
    let _ = writeln!(std::io::stdout(), "{line}");
}
