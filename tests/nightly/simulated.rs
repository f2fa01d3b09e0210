//! Simulated nights: noise of known size around known levels.

use std::collections::BTreeMap;

use proctor::compare::HEADLINES;
use proctor::history::night::Cells;
use proctor::history::parameters::Parameters;
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

/// Noise by configuration, scenario and metric; of each by session and night.
type Drawn<'a> = BTreeMap<(&'a str, &'a str, &'a str), Vec<Vec<f64>>>;

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
    pub kind: Noise,
    /// Whether completion has noise too, which else is a whole 1.
    pub is_all_noisy: bool,
}

/// How the noise of nights hangs together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Noise {
    /// Normal, each session and night for itself.
    Independent,
    /// Student's t with three degrees of freedom, each session and night for itself.
    Heavy,
    /// The same, one value a night for all sessions of a scenario.
    HeavyNights,
    /// Normal; each session's nights follow the one before with this autocorrelation.
    Following(f64),
    /// Normal; half of the variance of a night's mean is one value for all configurations and
    /// scenarios of a metric, with this autocorrelation.
    Shared(f64),
}

/// Noise that follows the night before, of variance 1.
fn following(values: &[f64], correlation: f64) -> Vec<f64> {
    let mut last = None;
    let next = |value: &f64| {
        let before = last.map_or(*value, |last: f64| {
            correlation * last + (1.0 - correlation * correlation).sqrt() * value
        });
        last = Some(before);
        before
    };
    values.iter().map(next).collect()
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
            kind: Noise::Independent,
            is_all_noisy: false,
        }
    }

    /// The nights, `level` telling the factor on (night, configuration, metric).
    pub fn write(&self, level: impl Fn(usize, &str, &str) -> f64) -> Vec<Night> {
        let mut noise = BTreeMap::new();
        for configuration in &self.configurations {
            for scenario in &self.scenarios {
                for metric in HEADLINES.map(MetricId::name) {
                    let key = (*configuration, *scenario, metric);
                    noise.insert(key, self.noise_of(configuration, scenario, metric));
                }
            }
        }
        (0..self.nights).map(|index| self.night(index, &noise, &level)).collect()
    }

    /// Noise of variance 1 by session and night.
    fn noise_of(&self, configuration: &str, scenario: &str, metric: &str) -> Vec<Vec<f64>> {
        let seed = |words: &[&str]| Seed(self.seed).derive(words);
        let own = |session: u64, draw: fn(Seed, usize) -> Vec<f64>| {
            draw(seed(&[configuration, scenario, metric, &session.to_string()]), self.nights)
        };
        let sessions = 1..=self.sessions;
        match self.kind {
            Noise::Independent => sessions.map(|session| own(session, normal)).collect(),
            Noise::Heavy => sessions.map(|session| own(session, heavy)).collect(),
            Noise::HeavyNights => {
                let night = own(0, heavy);
                let share = (self.sessions as f64).sqrt();
                let of = |_| night.iter().map(|value| value / share).collect();
                sessions.map(of).collect()
            }
            Noise::Following(correlation) => {
                sessions.map(|session| following(&own(session, normal), correlation)).collect()
            }
            Noise::Shared(correlation) => {
                let shared =
                    following(&normal(seed(&["shared", metric]), self.nights), correlation);
                let all = self.sessions as f64 * self.scenarios.len() as f64;
                let both =
                    |(own, shared): (f64, &f64)| own * 0.5_f64.sqrt() + shared * (0.5 / all).sqrt();
                let of =
                    |session| own(session, normal).into_iter().zip(&shared).map(both).collect();
                sessions.map(of).collect()
            }
        }
    }

    fn night(
        &self,
        index: usize,
        noise: &Drawn,
        level: &impl Fn(usize, &str, &str) -> f64,
    ) -> Night {
        let digest = |text: &str| Digest::of(text.as_bytes());
        let mut groups = Vec::new();
        for configuration in &self.configurations {
            for scenario in &self.scenarios {
                groups.push(self.group(index, configuration, scenario, noise, level));
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
            parameters: Parameters::default(),
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
        noise: &Drawn,
        level: &impl Fn(usize, &str, &str) -> f64,
    ) -> Group {
        let mut figures = BTreeMap::new();
        for (place, metric) in HEADLINES.map(MetricId::name).into_iter().enumerate() {
            let usual = [1.0, 0.82, 0.88, 14_000.0, 46_000.0, 0.42, 1.9, 5_200.0][place];
            let own = 1.0 - 0.03 * (configuration.len() % 5) as f64;
            let value = |nights: &Vec<f64>| {
                let is_quiet = place == 0 && !self.is_all_noisy;
                let noise = if is_quiet { 0.0 } else { nights[index] * self.noise };
                let value = usual * if place == 0 { 1.0 } else { own };
                Some(value * level(index, configuration, metric) * (1.0 + noise))
            };
            let values: Vec<Option<f64>> =
                noise[&(configuration, scenario, metric)].iter().map(value).collect();
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
