//! Simulated nights: noise of known size around known levels.

use std::collections::BTreeMap;

use proctor::compare::HEADLINES;
use proctor::history::night::Cells;
use proctor::history::{Day, Figure, Group, Night, SCHEMA};
use proctor::ident::{Digest, Seed};
use proctor::measure::MetricId;
use rand::RngExt;

/// Standard normal values (Box and Muller).
pub fn normal(seed: Seed, count: usize) -> Vec<f64> {
    let mut rng = seed.rng();
    let mut draw = || {
        let (one, other): (f64, f64) = (rng.random(), rng.random());
        (-2.0 * (1.0 - one).ln()).sqrt() * (std::f64::consts::TAU * other).cos()
    };
    (0..count).map(|_| draw()).collect()
}

/// Values of Student's distribution with three degrees of freedom, scaled to variance 1:
/// noise with far outliers.
pub fn heavy(seed: Seed, count: usize) -> Vec<f64> {
    let values = normal(seed, 4 * count);
    let of = |four: &[f64]| {
        let square = four[1..].iter().map(|value| value * value).sum::<f64>() / 3.0;
        four[0] / square.sqrt() / 3.0_f64.sqrt()
    };
    values.chunks(4).map(of).collect()
}

/// What a simulated history is of.
#[derive(Clone, Debug)]
pub struct Plan {
    pub seed: u64,
    pub nights: usize,
    pub configurations: Vec<&'static str>,
    pub scenarios: Vec<&'static str>,
    pub sessions: u64,
    /// Deviation of a session's figure as a share of its level; 0 for offline nights.
    pub noise: f64,
}

impl Plan {
    pub fn plausible(nights: usize) -> Plan {
        Plan {
            seed: 7,
            nights,
            configurations: vec!["none", "truncate", "codex", "forge-adr", "gemini-cli", "cline"],
            scenarios: vec!["long-coding", "mixed", "stale-values"],
            sessions: 4,
            noise: 0.03,
        }
    }

    /// The nights, `level` telling the factor on (night, configuration, metric).
    pub fn write(&self, level: impl Fn(usize, &str, &str) -> f64) -> Vec<Night> {
        (0..self.nights).map(|index| self.night(index, &level)).collect()
    }

    fn night(&self, index: usize, level: &impl Fn(usize, &str, &str) -> f64) -> Night {
        let digest = |text: &str| Digest::of(text.as_bytes());
        let mut groups = Vec::new();
        for configuration in &self.configurations {
            for scenario in &self.scenarios {
                groups.push(self.group(index, configuration, scenario, level));
            }
        }
        let names =
            |names: &[&str]| names.iter().map(|name| ((*name).to_owned(), digest(name))).collect();
        Night {
            schema: SCHEMA,
            date: day(index),
            turn: 0,
            run: digest(&format!("run {index}")),
            suite: "simulated".to_owned(),
            tool: if index < self.nights / 3 { "proctor 0.1.0" } else { "proctor 0.1.1" }
                .to_owned(),
            offline: self.noise == 0.0,
            summarizer: if self.noise == 0.0 { "extractive" } else { "simulated-model" }.to_owned(),
            tokenizer: "o200k_base".to_owned(),
            prices: digest("prices"),
            inputs: names(&self.scenarios),
            pipelines: names(&self.configurations),
            metrics: HEADLINES.iter().map(|id| (id.to_string(), 1)).collect(),
            cells: Cells {
                done: groups.len() as u32 * self.sessions as u32,
                failed: 0,
                excluded: 0,
            },
            gate: None,
            groups,
        }
    }

    fn group(
        &self,
        index: usize,
        configuration: &str,
        scenario: &str,
        level: &impl Fn(usize, &str, &str) -> f64,
    ) -> Group {
        let mut figures = BTreeMap::new();
        for (place, metric) in HEADLINES.map(MetricId::name).into_iter().enumerate() {
            let usual = [1.0, 0.82, 0.88, 14_000.0, 46_000.0, 0.42, 1.9, 5_200.0][place];
            let own = 1.0 - 0.03 * (configuration.len() % 5) as f64;
            let night = index.to_string();
            let seed = Seed(self.seed).derive(&[&night, configuration, scenario, metric]);
            let noise = normal(seed, self.sessions as usize);
            let value = |noise: &f64| {
                let noise = if place == 0 { 0.0 } else { noise * self.noise };
                let value = usual * if place == 0 { 1.0 } else { own };
                Some(value * level(index, configuration, metric) * (1.0 + noise))
            };
            let values: Vec<Option<f64>> = noise.iter().map(value).collect();
            figures.extend(Figure::of(&values).map(|figure| (metric.to_owned(), figure)));
        }
        Group {
            configuration: configuration.to_owned(),
            mode: "deployed".to_owned(),
            scenario: scenario.to_owned(),
            seeds: (1..=self.sessions).collect(),
            figures,
        }
    }
}

/// The date this many days after 2026-01-01.
pub fn day(index: usize) -> Day {
    let start = "2026-01-01".parse::<chrono::NaiveDate>().expect("a date");
    let date = start + chrono::Days::new(index as u64);
    date.to_string().parse().expect("a day")
}
