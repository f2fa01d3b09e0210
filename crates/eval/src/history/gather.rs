//! A night out of a run directory.

use super::night::{Cells, Day, Figure, GateNote, Group, MOST_SESSIONS, Night, SCHEMA};
use super::parameters::Parameters;
use crate::compare::HEADLINES;
use crate::frame::MeasuredCell;
use crate::measure::MetricId;
use crate::prelude::*;
use crate::run_dir::CellState;
use crate::run_dir::read::RunData;
use crate::stats;

/// Condenses a run: headlines and `named` figures, in the window under the main summarizer. Its
/// parameters are not in the tables: [`super::parameters`] reads them.
pub fn gather(run: &RunData, date: &Day, named: &[MetricId], gate: Option<GateNote>) -> Night {
    let manifest = &run.manifest;
    let wanted: BTreeSet<MetricId> = HEADLINES.into_iter().chain(named.iter().copied()).collect();
    let is_wanted = |name: &str| MetricId::named(name).is_some_and(|id| wanted.contains(&id));
    let versions = manifest.metrics.iter().filter(|(name, _)| is_wanted(name));
    let pipelines = manifest.pipelines.iter();
    Night {
        schema: SCHEMA,
        date: date.clone(),
        turn: 0,
        run: run.manifest_digest.clone(),
        suite: manifest.suite.clone(),
        tool: manifest.tool.clone(),
        offline: manifest.offline,
        summarizer: manifest.main_summarizer().to_owned(),
        tokenizer: manifest.tokenizer.clone(),
        prices: manifest.prices.digest.clone(),
        inputs: inputs(run),
        pipelines: pipelines.map(|one| (one.name.clone(), one.digest.clone())).collect(),
        parameters: Parameters::default(),
        metrics: versions.cloned().collect(),
        cells: cells(run),
        gate,
        groups: groups(run, &wanted),
    }
}

fn cells(run: &RunData) -> Cells {
    let mut cells = Cells::default();
    for cell in &run.manifest.cells {
        match cell.state {
            CellState::Done => cells.done += 1,
            CellState::Failed(_) | CellState::Unanswered(_) => cells.failed += 1,
            CellState::Excluded(_) => cells.excluded += 1,
        }
    }
    cells
}

fn inputs(run: &RunData) -> BTreeMap<String, Digest> {
    let mut told: BTreeMap<&str, String> = BTreeMap::new();
    for scenario in &run.manifest.scenarios {
        told.entry(&scenario.name).or_default().push_str(&scenario.digest.0);
    }
    for session in &run.manifest.sessions {
        let line =
            format!("\n{} {} {} {}", session.seed, session.window, session.log, session.truth);
        told.entry(&session.scenario).or_default().push_str(&line);
    }
    told.into_iter().map(|(name, all)| (name.to_owned(), Digest::of(all.as_bytes()))).collect()
}

type Place<'a> = (String, &'a str, &'a str);
type Seeds<'a> = BTreeMap<u64, Vec<&'a MeasuredCell>>;

fn groups(run: &RunData, wanted: &BTreeSet<MetricId>) -> Vec<Group> {
    let (main, frame) = (run.manifest.main_summarizer(), run.frame());
    let mut sessions: BTreeMap<Place, Seeds> = BTreeMap::new();
    for row in run.measurements.iter().filter(|row| row.is_done()) {
        let key = &row.key;
        if key.is_windowed() && key.summarizer == main && !row.is_twin() {
            let place = (key.configuration(), key.mode.as_str(), key.scenario.as_str());
            sessions.entry(place).or_default().entry(key.seed).or_default().push(row);
        }
    }
    let group = |((configuration, mode, scenario), seeds): (Place, Seeds)| {
        let value = |metric: MetricId| {
            let session = |rows: &Vec<&MeasuredCell>| {
                let values = rows.iter().filter_map(|row| frame.figure(row, metric));
                stats::mean(&values.collect::<Vec<f64>>())
            };
            Figure::of(&seeds.values().map(session).collect::<Vec<Option<f64>>>())
        };
        let figures = wanted.iter().filter_map(|id| Some((id.to_string(), value(*id)?))).collect();
        let (mode, scenario) = (mode.to_owned(), scenario.to_owned());
        let seeds = seeds.keys().copied().take(MOST_SESSIONS).collect();
        Group { configuration, mode, scenario, seeds, figures }
    };
    sessions.into_iter().map(group).collect()
}
