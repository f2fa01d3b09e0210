//! The fixture's rows as the files of a run directory.

use std::fs;
use std::path::Path;

use proctor::ident::Digest;
use proctor::matrix::Asks;
use proctor::record::Field;
use proctor::row::*;
use proctor::run_dir::tables::write_table;
use proctor::run_dir::*;

use super::{Files, KINDS, Length, METRICS, Names, SEEDS, SUMMARIZERS, configurations, lengths};

pub fn store(dir: &Path, names: &Names, files: &Files) {
    let manifest = manifest(names, &files.cells);
    let manifest = serde_json::to_string_pretty(&manifest).unwrap();
    fs::write(dir.join("manifest.json"), manifest).unwrap();
    let mut header: Vec<String> = [
        "cell",
        "scenario",
        "family",
        "turns",
        "window",
        "pipeline",
        "variant",
        "mode",
        "seed",
        "summarizer",
        "replicate",
        "state",
        "error",
    ]
    .map(str::to_owned)
    .to_vec();
    header.extend(METRICS.map(str::to_owned));
    header.extend(KINDS.map(|kind| format!("retention.{kind}")));
    let mut measurements = csv::Writer::from_path(dir.join("measurements.csv")).unwrap();
    measurements.write_record(&header).unwrap();
    for row in &files.measurements {
        measurements.write_record(row).unwrap();
    }
    measurements.flush().unwrap();
    rows(dir, "derived.csv", &files.derived);
    rows(dir, "curve.csv", &files.curve);
    rows(dir, "floor.parquet", &files.floor);
    rows(dir, "composition.parquet", &files.compositions);
    rows(dir, "compactions.parquet", &files.compactions);
    rows(dir, "triggers.parquet", &files.triggers);
    rows(dir, "facts.parquet", &files.facts);
    rows(dir, "survival.parquet", &files.survival);
    rows(dir, "steps.parquet", &files.steps);
}

fn rows<Row: Field>(dir: &Path, file: &str, rows: &[Row]) {
    write_table(dir, file, rows).unwrap();
}

fn manifest(names: &Names, cells: &[ManifestCell]) -> Manifest {
    let input = |name: &str| ManifestInput { name: name.to_owned(), digest: Digest::of(b"input") };
    let mut pipelines: Vec<ManifestInput> = Vec::new();
    for configuration in configurations(names) {
        if !pipelines.iter().any(|known| known.name == configuration.pipeline) {
            pipelines.push(input(configuration.pipeline));
        }
    }
    let lengths = lengths(names);
    let sessions = lengths.iter().flat_map(|length| SEEDS.map(|seed| session(length, seed)));
    Manifest {
        faults: Vec::new(),
        schema: SCHEMA,
        tool: "0.1.0 (abcdef0)".to_owned(),
        command: format!("suite {}", names.suite),
        suite: names.suite.to_owned(),
        asks: Asks::Strategy,
        tokenizer: "o200k_base".to_owned(),
        prices: input("example-2026"),
        scenarios: lengths.iter().map(|length| input(&length.scenario)).collect(),
        pipelines,
        aliases: std::collections::BTreeMap::new(),
        orders: Vec::new(),
        grids: Vec::new(),
        references: std::collections::BTreeMap::new(),
        part: None,
        fidelity: std::collections::BTreeMap::from([(
            names.pipeline.to_owned(),
            proctor::pipeline::Fidelity::Document,
        )]),
        sessions: sessions.collect(),
        summarizers: SUMMARIZERS.map(str::to_owned).to_vec(),
        offline: true,
        live: None,
        fitted: std::collections::BTreeMap::new(),
        stories: Stories::First,
        redacted: false,
        metrics: METRICS.map(|metric| (metric.to_owned(), 1)).to_vec(),
        cells: cells.to_vec(),
    }
}

fn session(length: &Length, seed: u64) -> ManifestSession {
    ManifestSession {
        scenario: length.scenario.clone(),
        seed,
        log: Digest::of(b"log"),
        truth: Digest::of(b"truth"),
        path: String::new(),
        turns: length.turns,
        steps: length.turns * 5,
        messages: length.turns * 9,
        tokens: u64::from(length.turns) * 2_150,
        fixed_tokens: 1_100,
        window: 100_000,
        facts: length.turns / 2,
        demands: length.turns / 3,
        boundaries: 0,
        fact_load: 0.37,
    }
}
