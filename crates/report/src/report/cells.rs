//! What was driven and what was not: controls, cells, sessions, limits, provenance.

use std::collections::BTreeMap;

use super::document::{Cell, Table, Tone, figure, text};
use super::figures::{Figures, Write};
use super::section::Context;
use super::template::Parts;
use crate::error::Result;
use crate::frame::{Basis, MeasuredCell};
use crate::measure::{Check, MetricId, Value, Word};
use crate::number;
use crate::row::CellKey;
use crate::run_dir::{CellState, ManifestInput, ManifestSession};
use crate::stats;
use crate::trace::Ending;

/// Cells named one by one before the rest is only counted.
const NAMED: usize = 12;

/// Whether the measuring works: what must come out, and what did.
pub fn controls(context: &Context) -> Result<Option<Parts>> {
    let figures = context.figures;
    let columns = [
        text("Control"),
        text("Must be"),
        figure("Sessions or scenarios"),
        figure("Not so"),
        text("Holds"),
    ];
    let mut table = Table::new("Controls", columns);
    for (metric, name, must, shown) in [
        (MetricId::ControlRecall, "recall without a window", Value::Number(1.0), "100%"),
        (MetricId::ControlDecoys, "decoys found", Value::Number(0.0), "0"),
        (
            MetricId::ControlBrackets,
            "more known, more recalled (needs reached)",
            Value::Word(Word::Check(Check::Holds)),
            "so",
        ),
    ] {
        let rows: Vec<_> = figures.run.derived.iter().filter(|row| row.metric == metric).collect();
        // A session without demands has nothing to recall; every other gap is a fault.
        let empty = rows.iter().filter(|row| row.basis == Basis::NoDemands).count();
        let wrong = rows.iter().filter(|row| row.value != Some(must)).count() - empty;
        let holds = match (rows.len(), wrong) {
            (0, _) => table.undefined("not measured in this run"),
            (_, 0) => Cell::text("yes").toned(Tone::Good),
            _ => Cell::text("no").toned(Tone::Bad),
        };
        let (sessions, wrong) = (Cell::count(rows.len() - empty), Cell::count(wrong));
        table.rows.push(vec![Cell::text(name), Cell::text(shown), sessions, wrong, holds]);
    }
    Ok(Some(Parts::default().table("controls", table)))
}

/// Why a cell is not complete.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Unfinished<'a> {
    Excluded(&'a str),
    Failed(&'a str),
    EndedEarly(&'a str),
    /// It has no row of figures.
    Missing,
}

impl Unfinished<'_> {
    fn cells(&self) -> [Cell; 2] {
        let (what, why) = match self {
            Unfinished::Excluded(why) => (Cell::text("excluded"), *why),
            Unfinished::Failed(why) => (Cell::text("failed").toned(Tone::Bad), *why),
            Unfinished::EndedEarly(why) => (Cell::text("incomplete"), *why),
            Unfinished::Missing => (Cell::text("missing"), "no row in measurements.csv"),
        };
        [what, Cell::text(why)]
    }
}

/// Failed, excluded and incomplete cells, by reason.
pub fn unfinished(context: &Context) -> Result<Option<Parts>> {
    let figures = context.figures;
    let mut groups: BTreeMap<Unfinished, Vec<&str>> = BTreeMap::new();
    for cell in &figures.run.manifest.cells {
        if let Some(reason) = reason(figures, &cell.key, &cell.state) {
            groups.entry(reason).or_default().push(&cell.key.cell);
        }
    }
    let columns = [text("What"), text("Why"), figure("Cells"), text("Which")];
    let mut table = Table::new("Cells that failed, were excluded or ended early", columns);
    for (reason, cells) in groups {
        let mut named = cells[..cells.len().min(NAMED)].join(", ");
        if cells.len() > NAMED {
            named.push_str(&format!(" and {} more", cells.len() - NAMED));
        }
        let [what, why] = reason.cells();
        table.rows.push(vec![what, why, Cell::count(cells.len()), Cell::code(named)]);
    }
    let all = figures.run.manifest.cells.len();
    Ok(Some(Parts::default().value("all", all).table("unfinished", table)))
}

fn reason<'b>(
    figures: &Figures<'b>,
    key: &CellKey,
    state: &'b CellState,
) -> Option<Unfinished<'b>> {
    match state {
        CellState::Failed(why) => Some(Unfinished::Failed(why)),
        CellState::Excluded(why) => Some(Unfinished::Excluded(why)),
        CellState::Done => match figures.cell(&key.cell) {
            None => Some(Unfinished::Missing),
            // Faulty summarizers have a section of their own.
            Some(row) if !row.completed() && key.fault().is_none() => {
                Some(Unfinished::EndedEarly(row.ended_by().map_or("not recorded", Ending::name)))
            }
            Some(_) => None,
        },
    }
}

/// Every cell of the run, one by one.
pub fn every_cell(context: &Context) -> Result<Option<Parts>> {
    let figures = context.figures;
    let metrics: [(&str, MetricId, Write); 4] = [
        ("Mean prompt (tokens)", MetricId::TokensMeanPrompt, number::tokens),
        ("Dollars", MetricId::CostUsd, number::dollars),
        ("Recall at need", MetricId::RecallAtNeed, number::share),
        ("Compactions", MetricId::CompactionsCount, number::count),
    ];
    let columns = ["Cell", "Summarizer", "Ended by"].map(text).into_iter();
    let columns = columns.chain(metrics.iter().map(|(title, ..)| figure(*title)));
    let mut table = Table::new("Every cell", columns);
    for cell in &figures.run.manifest.cells {
        let row = figures.cell(&cell.key.cell);
        let mut fields = vec![
            Cell::code(&cell.key.cell),
            Cell::text(&cell.key.summarizer),
            end(&cell.state, row),
        ];
        for (_, metric, write) in metrics {
            let value = row.and_then(|row| row.number(metric));
            fields.push(table.number(value, write, ""));
        }
        table.rows.push(fields);
    }
    Ok(Some(Parts::default().table("cells", table)))
}

fn end(state: &CellState, row: Option<&MeasuredCell>) -> Cell {
    match state {
        CellState::Failed(_) => Cell::text("failed").toned(Tone::Bad),
        CellState::Excluded(_) => Cell::text("excluded").toned(Tone::Faint),
        CellState::Done => {
            let word = row.and_then(MeasuredCell::ended_by).map_or("not recorded", Ending::name);
            let is_complete = row.is_some_and(MeasuredCell::completed);
            Cell::text(word).toned(if is_complete { Tone::Plain } else { Tone::Bad })
        }
    }
}

/// The sessions, a row for each scenario.
pub fn sessions(context: &Context) -> Result<Option<Parts>> {
    let mut scenarios: Vec<(&str, Vec<&ManifestSession>)> = Vec::new();
    for session in &context.figures.run.manifest.sessions {
        match scenarios.iter_mut().find(|(name, _)| *name == session.scenario) {
            Some((_, sessions)) => sessions.push(session),
            None => scenarios.push((&session.scenario, vec![session])),
        }
    }
    let windows = |session: &ManifestSession| match session.window {
        0 => 0.0,
        window => session.tokens as f64 / window as f64,
    };
    let tenth: Write = |value| format!("{value:.1}");
    let hundredth: Write = |value| format!("{value:.2}");
    type Read = fn(&ManifestSession) -> f64;
    let columns: [(&str, Read, Write); 9] = [
        ("Turns", |session| f64::from(session.turns), number::count),
        ("Steps", |session| f64::from(session.steps), number::count),
        ("Tokens", |session| session.tokens as f64, number::tokens),
        ("Window", |session| session.window as f64, number::tokens),
        ("Windows", windows, tenth),
        ("Facts", |session| f64::from(session.facts), number::count),
        ("Demands", |session| f64::from(session.demands), number::count),
        ("Fact load", |session| session.fact_load, hundredth),
        ("Boundaries", |session| f64::from(session.boundaries), number::count),
    ];
    let titles = columns.iter().map(|(title, ..)| figure(*title));
    let mut table =
        Table::new("Sessions", [text("Scenario"), figure("Seeds")].into_iter().chain(titles));
    for (name, sessions) in scenarios {
        let mut row = vec![Cell::code(name), Cell::count(sessions.len())];
        for (_, value, write) in columns {
            let values: Vec<f64> = sessions.iter().map(|session| value(session)).collect();
            row.push(table.number(stats::mean(&values), write, ""));
        }
        table.rows.push(row);
    }
    Ok(Some(Parts::default().table("sessions", table)))
}

/// What these figures cannot show.
pub fn limits(context: &Context) -> Result<Option<Parts>> {
    let figures = context.figures;
    let cells = figures.shown_but_control().map(|config| figures.cells(config).len());
    Ok(Some(
        Parts::default()
            .value("offline", figures.run.manifest.offline)
            .value("prices", &figures.run.manifest.prices.name)
            .value("least", cells.filter(|cells| *cells > 0).min()),
    ))
}

/// What was run, so that it can be run again.
pub fn provenance(context: &Context) -> Result<Option<Parts>> {
    let run = context.figures.run;
    let manifest = &run.manifest;
    let names = |inputs: &[ManifestInput]| {
        let names: Vec<&str> = inputs.iter().map(|input| input.name.as_str()).collect();
        names.join(", ")
    };
    let lines = [
        ("Command", manifest.command.clone()),
        ("Proctor", manifest.tool.clone()),
        ("Suite", manifest.suite.clone()),
        ("Manifest digest", run.manifest_digest.to_string()),
        ("Tokenizer", manifest.tokenizer.clone()),
        ("Price sheet", format!("{} ({})", manifest.prices.name, manifest.prices.digest)),
        ("Summarizers", manifest.summarizers.join(", ")),
        ("Faults", manifest.faults.join(", ")),
        ("Pipelines", names(&manifest.pipelines)),
        ("Scenarios", names(&manifest.scenarios)),
        ("Cells", manifest.cells.len().to_string()),
    ];
    let mut table = Table::new("Where these figures come from", ["What", "Value"].map(text));
    for (what, value) in lines.into_iter().filter(|(_, value)| !value.is_empty()) {
        table.rows.push(vec![Cell::text(what), Cell::code(value)]);
    }
    Ok(Some(Parts::default().table("provenance", table)))
}
