//! Runs made by hand, for tests: every figure is said, nothing is driven.

use crate::measure::{Measurement, MetricId, Value};
use std::collections::BTreeMap;

use crate::frame::MeasuredCell;
use crate::ident::Digest;
use crate::matrix::CellKey;
use crate::run_dir::read::RunData;
use crate::run_dir::{CellState, Manifest, ManifestCell, ManifestInput, ManifestSession, Stories};

/// A policy of a soft rule, one over the size of prompts, and a hard rule.
pub(crate) const POLICY: &str = r#"
name = "test"
[[rule]]
name = "recall"
kind = "soft"
metric = "recall_at_need"
margin = 0.05
[[rule]]
name = "size"
kind = "soft"
metric = "tokens.mean_prompt"
margin-relative = 0.05
[[rule]]
name = "structure"
kind = "hard"
metric = "violations"
at-most = 0
"#;

/// A run of some scenarios, seeds and configurations whose figures a function says.
pub(crate) struct Made {
    pub(crate) scenarios: Vec<String>,
    pub(crate) seeds: u64,
    pub(crate) configurations: Vec<String>,
}

impl Made {
    /// Twelve sessions of one scenario under one configuration.
    pub(crate) fn small() -> Made {
        Made {
            scenarios: vec!["plain".to_owned()],
            seeds: 12,
            configurations: vec!["forge-adr".to_owned()],
        }
    }

    /// The run; `figures` is told scenario, configuration and seed.
    pub(crate) fn run<F>(&self, figures: F) -> RunData
    where
        F: Fn(&str, &str, u64) -> Figures,
    {
        let mut measurements = Vec::new();
        for scenario in &self.scenarios {
            for configuration in &self.configurations {
                for seed in 1..=self.seeds {
                    let figures = figures(scenario, configuration, seed);
                    measurements.push(measured(key(scenario, configuration, seed), &figures));
                }
            }
        }
        let cells = measurements
            .iter()
            .map(|row| ManifestCell { key: row.key.clone(), state: CellState::Done, digest: None })
            .collect();
        RunData {
            manifest: manifest(self, cells),
            manifest_digest: Digest::of(b"run"),
            measurements,
            derived: Vec::new(),
            floor: Vec::new(),
            compositions: Vec::new(),
            compactions: Vec::new(),
            curve: Vec::new(),
        }
    }
}

/// What was measured of a cell.
pub(crate) type Figures = BTreeMap<MetricId, f64>;

/// Figures of a session that reached its end.
pub(crate) fn ended_well(recall: f64) -> Figures {
    Figures::from([
        (MetricId::Completion, 1.0),
        (MetricId::StepsReached, 40.0),
        (MetricId::RecallAtNeed, recall),
        (MetricId::TokensMeanPrompt, 10_000.0),
        (MetricId::Violations, 0.0),
    ])
}

/// Figures of a session that ended at a step.
pub(crate) fn ended_at(step: f64, recall: f64) -> Figures {
    let ending = [(MetricId::Completion, 0.0), (MetricId::StepsReached, step)];
    ended_well(recall).into_iter().chain(ending).collect()
}

fn key(scenario: &str, configuration: &str, seed: u64) -> CellKey {
    let (pipeline, variant) = configuration.split_once('@').unwrap_or((configuration, "windowed"));
    CellKey {
        cell: format!("{scenario}@20k/{configuration}/{seed}"),
        scenario: scenario.to_owned(),
        family: scenario.to_owned(),
        turns: 20,
        window: 20_000,
        pipeline: pipeline.to_owned(),
        variant: variant.to_owned(),
        mode: "deployed".to_owned(),
        seed,
        summarizer: "extractive".to_owned(),
        replicate: 0,
    }
}

fn measured(key: CellKey, figures: &Figures) -> MeasuredCell {
    let figures = figures.iter().map(|(id, value)| (*id, Value::Number(*value)));
    MeasuredCell::done(key, figures.collect::<Measurement>().as_written())
}

fn manifest(made: &Made, cells: Vec<ManifestCell>) -> Manifest {
    let input =
        |name: &str| ManifestInput { name: name.to_owned(), digest: Digest::of(name.as_bytes()) };
    let session = |scenario: &String, seed| ManifestSession {
        scenario: scenario.clone(),
        seed,
        log: Digest::of(format!("{scenario} {seed}").as_bytes()),
        truth: Digest::of(format!("truth of {scenario} {seed}").as_bytes()),
        path: String::new(),
        turns: 20,
        steps: 40,
        messages: 90,
        tokens: 60_000,
        fixed_tokens: 500,
        window: 20_000,
        facts: 50,
        demands: 20,
        boundaries: 0,
        fact_load: 0.4,
    };
    let sessions = made.scenarios.iter();
    let sessions =
        sessions.flat_map(|scenario| (1..=made.seeds).map(move |seed| session(scenario, seed)));
    Manifest {
        schema: crate::row::SCHEMA,
        tool: "proctor 0.0.0".to_owned(),
        command: "proctor run made".to_owned(),
        suite: "made (0123)".to_owned(),
        tokenizer: "o200k".to_owned(),
        prices: input("example"),
        scenarios: made.scenarios.iter().map(|name| input(name)).collect(),
        pipelines: Vec::new(),
        aliases: BTreeMap::new(),
        orders: Vec::new(),
        grids: Vec::new(),
        fidelity: BTreeMap::new(),
        sessions: sessions.collect(),
        summarizers: vec!["extractive".to_owned()],
        faults: Vec::new(),
        live: None,
        part: None,
        references: BTreeMap::new(),
        offline: true,
        stories: Stories::First,
        redacted: false,
        metrics: crate::measure::table::versions(),
        cells,
    }
}
