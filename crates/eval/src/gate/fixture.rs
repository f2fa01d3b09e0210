//! Runs made by hand, for tests: every figure is said, nothing is driven.

use serde_json::json;

use crate::frame::MeasuredCell;
use crate::matrix::CellKey;
use crate::measure::{Measurement, MetricId, Value};
use crate::prelude::*;
use crate::run_dir::read::RunData;
use crate::run_dir::{CellState, Manifest, ManifestCell};

/// A policy of a soft rule, one over the size of prompts, and a hard rule.
pub(crate) const POLICY: &str = include_str!("fixture/policy.toml");

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

    pub(crate) fn run<F>(&self, figures: F) -> RunData
    where
        F: Fn(&str, &str, u64) -> Figures,
    {
        let mut measurements = Vec::new();
        for scenario in &self.scenarios {
            for configuration in &self.configurations {
                for seed in 1..=self.seeds {
                    let figures = figures(scenario, configuration, seed).into_iter();
                    let figures = figures.map(|(id, value)| (id, Value::Number(value)));
                    let figures = figures.collect::<Measurement>().as_written();
                    let key = key(scenario, configuration, seed);
                    measurements.push(MeasuredCell::done(key, figures));
                }
            }
        }
        let cell = |row: &MeasuredCell| ManifestCell {
            key: row.key.clone(),
            state: CellState::Done,
            digest: None,
        };
        let cells: Vec<ManifestCell> = measurements.iter().map(cell).collect();
        RunData {
            manifest: manifest(self, &cells),
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

pub(crate) type Figures = BTreeMap<MetricId, f64>;

pub(crate) fn ended_well(recall: f64) -> Figures {
    Figures::from([
        (MetricId::Completion, 1.0),
        (MetricId::StepsReached, 40.0),
        (MetricId::RecallAtNeed, recall),
        (MetricId::TokensMeanPrompt, 10_000.0),
        (MetricId::Violations, 0.0),
    ])
}

pub(crate) fn ended_at(step: f64, recall: f64) -> Figures {
    let ending = [(MetricId::Completion, 0.0), (MetricId::StepsReached, step)];
    ended_well(recall).into_iter().chain(ending).collect()
}

fn key(scenario: &str, configuration: &str, seed: u64) -> CellKey {
    let (pipeline, variant) = configuration.split_once('@').unwrap_or((configuration, "windowed"));
    let key = json!({
        "cell": format!("{scenario}@20k/{configuration}/{seed}"),
        "scenario": scenario, "family": scenario, "turns": 20, "window": 20_000,
        "pipeline": pipeline, "variant": variant, "mode": "deployed", "seed": seed,
        "summarizer": "extractive", "replicate": 0,
    });
    serde_json::from_value(key).expect("a key")
}

fn manifest(made: &Made, cells: &[ManifestCell]) -> Manifest {
    let digest = |text: String| Digest::of(text.as_bytes());
    let input = |name: &str| json!({ "name": name, "digest": digest(name.to_owned()) });
    let session = |scenario: &String, seed: u64| {
        json!({
            "scenario": scenario, "seed": seed, "path": "", "log": digest(format!("{scenario} {seed}")),
            "truth": digest(format!("truth of {scenario} {seed}")), "turns": 20, "steps": 40,
            "messages": 90, "tokens": 60_000, "fixed_tokens": 500, "window": 20_000, "facts": 50,
            "demands": 20, "boundaries": 0, "fact_load": 0.4,
        })
    };
    let of = |scenario| (1..=made.seeds).map(move |seed| session(scenario, seed));
    let manifest = json!({
        "schema": crate::row::SCHEMA, "tool": "proctor 0.0.0", "command": "proctor run made",
        "suite": "made (0123)", "tokenizer": "o200k", "prices": input("example"),
        "scenarios": made.scenarios.iter().map(|name| input(name)).collect::<Vec<_>>(),
        "pipelines": [], "sessions": made.scenarios.iter().flat_map(of).collect::<Vec<_>>(),
        "summarizers": ["extractive"], "offline": true, "cells": cells,
        "metrics": crate::measure::table::versions(),
    });
    serde_json::from_value(manifest).expect("a manifest")
}
