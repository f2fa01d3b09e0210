//! A run whose names, errors and stories hold texts of our choice.

use std::fs;
use std::path::Path;

use proctor::report::ReportFiles;
use proctor::row::CellKey;
use proctor::run_dir::{CellState, Manifest, ManifestCell};
use tempfile::TempDir;

use super::told;
use crate::fixture;

/// Attempts at escaping from a place for text.
pub fn corpus() -> Vec<String> {
    let text = include_str!("corpus.json");
    serde_json::from_str(text).unwrap()
}

/// The report of a run in which every text names a scenario, a pipeline and a cell, is an
/// error or an end, and is said by a story in every place of it.
pub fn report(texts: &[String]) -> (TempDir, ReportFiles) {
    let dir = tempfile::tempdir().unwrap();
    fixture::write(dir.path(), &fixture::ORDINARY);
    add_cells(dir.path(), texts.iter().map(|text| (text.clone(), text.clone())));
    for (number, text) in texts.iter().enumerate() {
        told::write(dir.path(), number + 1, &told::saying(text));
    }
    let files = crate::harness::reported(dir.path()).unwrap();
    (dir, files)
}

/// Adds cells to a run directory: their ids, and what else of them has a name.
pub fn add_cells(dir: &Path, cells: impl Iterator<Item = (String, String)>) {
    let path = dir.join("manifest.json");
    let mut manifest: Manifest = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    let template = manifest.cells[0].key.clone();
    let session = manifest.sessions[0].clone();
    let measured = dir.join("measurements.csv");
    let old = fs::read(&measured).unwrap();
    let mut table = csv::Reader::from_reader(&old[..]);
    let header = table.headers().unwrap().clone();
    let mut rows = csv::Writer::from_path(&measured).unwrap();
    rows.write_record(&header).unwrap();
    for row in table.records() {
        rows.write_record(&row.unwrap()).unwrap();
    }
    for (number, (cell, text)) in cells.enumerate() {
        let key = CellKey {
            cell: cell.clone(),
            scenario: text.clone(),
            pipeline: text.clone(),
            variant: "windowed".to_owned(),
            ..template.clone()
        };
        let failed = number % 2 == 0;
        let state = if failed { CellState::Failed(text.clone()) } else { CellState::Done };
        let row = header.iter().map(|column| match column {
            "cell" => cell.as_str(),
            "scenario" | "pipeline" => &text,
            "family" => &key.family,
            "turns" | "seed" => "7",
            "window" => "100000",
            "variant" => "windowed",
            "mode" => "deployed",
            "summarizer" => "extractive",
            "replicate" => "0",
            "state" => {
                if failed {
                    "failed"
                } else {
                    "done"
                }
            }
            "error" if failed => &text,
            "ended_by" if !failed => "completed",
            _ => "",
        });
        rows.write_record(row).unwrap();
        let mut session = session.clone();
        session.scenario = text;
        manifest.sessions.push(session);
        manifest.cells.push(ManifestCell { key, state, digest: None });
    }
    rows.flush().unwrap();
    fs::write(path, serde_json::to_string(&manifest).unwrap()).unwrap();
}
