//! Each configuration on each scenario: what a mean over all sessions hides.

use serde::Serialize;

use super::document::{Cell, Column, Table, Tone, figure, text};
use super::figures::{Config, Figures};
use super::section::Context;
use super::template::Parts;
use crate::error::Result;
use crate::frame::MeasuredCell;
use crate::measure::MetricId;
use crate::number;
use crate::scenario::twin_of;
use crate::stats;

/// Scenarios that one table has room for.
const COLUMNS: usize = 6;
/// Scenarios that are shown; the table of all cells has every one.
const SHOWN: usize = 24;
/// With fewer needs a session, one more or less moves its recall by a tenth.
const FEW: f64 = 10.0;
/// Sessions without a need that are named.
const NAMED: usize = 8;

/// A scenario with what its sessions need.
struct Scenario<'a> {
    name: &'a str,
    sessions: usize,
    /// Needs a window away, mean over its sessions; none where they were not counted.
    needs: Option<f64>,
    /// Sessions with such a need.
    needing: usize,
}

impl Scenario<'_> {
    fn has_few(&self) -> bool {
        self.needs.is_some_and(|needs| needs < FEW)
    }

    fn column(&self) -> Column {
        let needs = match self.needs {
            Some(needs) if self.needing < self.sessions => {
                format!(", needs {} in {} of them", number::count(needs), self.needing)
            }
            Some(needs) => format!(", needs {}", number::count(needs)),
            None => String::new(),
        };
        let few = if self.has_few() { ": few" } else { "" };
        figure(format!("{} (n {}{needs}{few})", self.name, self.sessions))
    }
}

/// Recall, completion and mean prompt by scenario; none where there is one scenario.
pub fn parts(context: &Context) -> Result<Option<Parts>> {
    let figures = context.figures;
    let mut scenarios = scenarios(figures);
    if scenarios.len() < 2 {
        return Ok(None);
    }
    let left_out = scenarios.split_off(scenarios.len().min(SHOWN)).len();
    let mut parts = Parts::default();
    let tables = scenarios.chunks(COLUMNS).map(|columns| parts.place(table(figures, columns)));
    let tables: Vec<_> = tables.collect();
    let few = scenarios.iter().any(Scenario::has_few).then_some(FEW as u32);
    Ok(Some(parts.value("tables", tables).value("few", few).value("left_out", left_out)))
}

/// The scenarios with cells, in the order of the run.
fn scenarios<'a>(figures: &Figures<'a>) -> Vec<Scenario<'a>> {
    let mut scenarios: Vec<Scenario> = Vec::new();
    let sessions = figures.run.manifest.sessions.iter();
    for session in sessions.filter(|session| twin_of(&session.scenario).is_none()) {
        match scenarios.iter_mut().find(|known| known.name == session.scenario) {
            Some(known) => known.sessions += 1,
            None => {
                let needs = needs(figures, &session.scenario);
                let needing = needs.iter().filter(|needs| **needs > 0.0).count();
                let name = &session.scenario;
                scenarios.push(Scenario { name, sessions: 1, needs: stats::mean(&needs), needing });
            }
        }
    }
    scenarios
}

/// Needs a window away in each session of a scenario: all cells of a session have the same.
fn needs(figures: &Figures, scenario: &str) -> Vec<f64> {
    let of = |config: &Config| -> Vec<f64> {
        let cells = figures.cells(config).iter();
        let own = cells.filter(|row| row.key.scenario == scenario);
        own.filter_map(|row| row.number(MetricId::DemandsAtNeed)).collect()
    };
    let mut known = figures.unswept().map(of);
    known.find(|values| !values.is_empty()).unwrap_or_default()
}

fn table(figures: &Figures, scenarios: &[Scenario]) -> Table {
    let columns = std::iter::once(text("Configuration"));
    let columns = columns.chain(scenarios.iter().map(Scenario::column));
    let ends = scenarios.first().zip(scenarios.last());
    let (first, last) = ends.map_or(("", ""), |(first, last)| (first.name, last.name));
    let mut table = Table::new(format!("By scenario: {first} to {last}"), columns);
    for config in figures.shown_but_control() {
        let mut row = vec![Cell::code(config.name())];
        for scenario in scenarios {
            row.push(field(figures, &mut table, config, scenario.name));
        }
        table.rows.push(row);
    }
    table
}

fn field(figures: &Figures, table: &mut Table, config: &Config, scenario: &str) -> Cell {
    let mut cells = figures.cells(config).to_vec();
    cells.retain(|row| row.key.scenario == scenario);
    if cells.is_empty() {
        return table.undefined("no cell of it is done");
    }
    let mean = |metric: MetricId| {
        let own = |row: &&MeasuredCell| row.number(metric);
        stats::mean(&cells.iter().filter_map(own).collect::<Vec<f64>>())
    };
    let complete = cells.iter().filter(|row| row.completed()).count();
    let recall = mean(MetricId::RecallAtNeed);
    let written = recall.map_or_else(|| "no need".to_owned(), number::share);
    let prompt = mean(MetricId::TokensMeanPrompt).map(number::tokens);
    let prompt = prompt.map_or(String::new(), |prompt| format!("; {prompt}"));
    let text = format!("{written}; {complete}/{}{prompt}", cells.len());
    let tone = if complete == cells.len() { Tone::Plain } else { Tone::Bad };
    Cell { value: recall, ..Cell::text(text).toned(tone) }
}

/// Sessions that have no needs, and so are in no mean of recall.
#[derive(Serialize)]
pub struct WithoutNeeds {
    with_needs: usize,
    all: usize,
    /// Scenario and seed of some.
    named: Vec<(String, u64)>,
    more: usize,
}

/// `None` where every session has needs.
pub fn without_needs(figures: &Figures) -> Option<WithoutNeeds> {
    let config = figures.unswept().find(|config| config.is_windowless())?;
    let cells = figures.cells(config);
    let without = cells.iter().filter(|row| row.number(MetricId::DemandsAtNeed) == Some(0.0));
    let mut named: Vec<(String, u64)> =
        without.map(|row| (row.key.scenario.clone(), row.key.seed)).collect();
    let count = named.len();
    named.truncate(NAMED);
    (count > 0).then(|| WithoutNeeds {
        with_needs: cells.len() - count,
        all: cells.len(),
        more: count - named.len(),
        named,
    })
}
