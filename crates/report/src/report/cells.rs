//! What was driven and what was not: controls, cells, sessions, limits, provenance.

use super::prelude::*;
use crate::measure::{Check, METRICS, Metric, Value, Word};
use crate::run_dir::{CellState, ManifestCell, ManifestInput, ManifestSession};
use crate::trace::Ending;

/// Cells named one by one before the rest is only counted.
const NAMED: usize = 12;

/// What a run checks of itself: metric, name, what must come out, and how that is written.
const CONTROLS: [(MetricId, &str, Value, &str); 3] = [
    (MetricId::ControlRecall, "recall without a window", Value::Number(1.0), "100%"),
    (MetricId::ControlDecoys, "decoys found", Value::Number(0.0), "0"),
    (
        MetricId::ControlBrackets,
        "more known, more recalled (needs reached)",
        Value::Word(Word::Check(Check::Holds)),
        "so",
    ),
];

pub fn controls(figures: &Figures) -> Result<Option<Parts>> {
    /// Name, what must come out, of how many sessions it was checked, and how many are wrong.
    type Checked = (&'static str, &'static str, Option<usize>, usize);
    let rows = CONTROLS.map(|(metric, name, value, must)| -> Checked {
        let rows = || figures.run.derived.iter().filter(|row| row.metric == metric);
        // A session without demands has nothing to recall; every other gap is a fault.
        let empty = rows().filter(|row| row.basis == Basis::NoDemands).count();
        let wrong = rows().filter(|row| row.value != Some(value)).count() - empty;
        (name, must, rows().next().map(|_| rows().count() - empty), wrong)
    });
    let holds = |(_, _, all, wrong): &Checked| match wrong {
        _ if all.is_none() => Cell::undefined("not measured in this run"),
        0 => Cell::text("yes").toned(Tone::Good),
        _ => Cell::text("no").toned(Tone::Bad),
    };
    let fields = [
        text("Control", |row: &Checked| Cell::text(row.0)),
        text("Must be", |row: &Checked| Cell::text(row.1)),
        figure("Sessions or scenarios", |row: &Checked| Cell::count(row.2.unwrap_or(0))),
        figure("Not so", |row: &Checked| Cell::count(row.3)),
        text("Holds", holds),
    ];
    Ok(Some(Parts::default().table("controls", Table::of("Controls", &rows, fields))))
}

pub fn unfinished(figures: &Figures) -> Result<Option<Parts>> {
    let cells = &figures.run.manifest.cells;
    let mut groups: BTreeMap<Unfinished, Vec<&str>> = BTreeMap::new();
    for cell in cells {
        if let Some(reason) = reason(figures, cell) {
            groups.entry(reason).or_default().push(&cell.key.cell);
        }
    }
    let which = |names: &[&str]| match names.len().saturating_sub(NAMED) {
        0 => names.join(", "),
        more => format!("{} and {more} more", names[..NAMED].join(", ")),
    };
    type Group<'a> = (Unfinished<'a>, Vec<&'a str>);
    let groups: Vec<Group> = groups.into_iter().collect();
    let fields = [
        text("What", |((what, tone, _), _): &Group| Cell::text(*what).toned(*tone)),
        text("Why", |((_, _, why), _): &Group| Cell::text(*why)),
        figure("Cells", |(_, cells): &Group| Cell::count(cells.len())),
        text("Which", |(_, cells): &Group| Cell::code(which(cells))),
    ];
    let table = Table::of("Cells that failed, were excluded or ended early", &groups, fields);
    Ok(Some(Parts::default().value("all", cells.len()).table("unfinished", table)))
}

/// What a cell is that is not complete, in the order of the table, and why.
type Unfinished<'a> = (&'static str, Tone, &'a str);

fn reason<'b>(figures: &Figures<'b>, cell: &'b ManifestCell) -> Option<Unfinished<'b>> {
    match &cell.state {
        CellState::Failed(why) => Some(("failed", Tone::Bad, why)),
        CellState::Excluded(why) => Some(("excluded", Tone::Plain, why)),
        CellState::Done => match figures.cell(&cell.key.cell) {
            None => Some(("missing", Tone::Plain, "no row in measurements.csv")),
            // Faulty summarizers have a section of their own.
            Some(row) if !row.completed() && cell.key.fault().is_none() => {
                Some(("incomplete", Tone::Plain, ending(Some(row))))
            }
            Some(_) => None,
        },
    }
}

fn ending(row: Option<&MeasuredCell>) -> &'static str {
    row.and_then(MeasuredCell::ended_by).map_or("not recorded", Ending::name)
}

pub fn every_cell(figures: &Figures) -> Result<Option<Parts>> {
    let row = |cell: &ManifestCell| figures.cell(&cell.key.cell);
    let ended_by = |cell: &ManifestCell| match &cell.state {
        CellState::Failed(_) => Cell::text("failed").toned(Tone::Bad),
        CellState::Excluded(_) => Cell::text("excluded").toned(Tone::Faint),
        CellState::Done => {
            let is_complete = row(cell).is_some_and(MeasuredCell::completed);
            let tone = if is_complete { Tone::Plain } else { Tone::Bad };
            Cell::text(ending(row(cell))).toned(tone)
        }
    };
    let metric = |title, metric, write: Write| {
        figure(title, move |cell: &ManifestCell| {
            Cell::number(row(cell).and_then(|row| row.number(metric)), write, "")
        })
    };
    let fields = [
        text("Cell", |cell: &ManifestCell| Cell::code(&cell.key.cell)),
        text("Summarizer", |cell: &ManifestCell| Cell::text(&cell.key.summarizer)),
        text("Ended by", ended_by),
        metric("Mean prompt (tokens)", MetricId::TokensMeanPrompt, number::tokens),
        metric("Dollars", MetricId::CostUsd, number::dollars),
        metric("Recall at need", MetricId::RecallAtNeed, number::share),
        metric("Compactions", MetricId::CompactionsCount, number::count),
    ];
    let table = Table::of("Every cell", &figures.run.manifest.cells, fields);
    Ok(Some(Parts::default().table("cells", table)))
}

pub fn sessions(figures: &Figures) -> Result<Option<Parts>> {
    type Sessions<'a> = (&'a str, Vec<&'a ManifestSession>);
    let sessions = &figures.run.manifest.sessions;
    let scenarios = grouped(sessions.iter().map(|session| (session.scenario.as_str(), session)));
    fn mean<'a>(
        title: &'static str,
        read: impl Fn(&ManifestSession) -> f64 + 'a,
        write: Write,
    ) -> Field<'a, Sessions<'a>> {
        figure(title, move |(_, sessions): &Sessions| {
            let values: Vec<f64> = sessions.iter().map(|session| read(session)).collect();
            Cell::number(stats::mean(&values), write, "")
        })
    }
    let windows = |session: &ManifestSession| match session.window {
        0 => 0.0,
        window => session.tokens as f64 / window as f64,
    };
    let fields = [
        text("Scenario", |(name, _): &Sessions| Cell::code(*name)),
        figure("Seeds", |(_, sessions): &Sessions| Cell::count(sessions.len())),
        mean("Turns", |session| f64::from(session.turns), number::count),
        mean("Steps", |session| f64::from(session.steps), number::count),
        mean("Tokens", |session| session.tokens as f64, number::tokens),
        mean("Window", |session| session.window as f64, number::tokens),
        mean("Windows", windows, |value| format!("{value:.1}")),
        mean("Facts", |session| f64::from(session.facts), number::count),
        mean("Demands", |session| f64::from(session.demands), number::count),
        mean("Fact load", |session| session.fact_load, |value| format!("{value:.2}")),
        mean("Boundaries", |session| f64::from(session.boundaries), number::count),
    ];
    let table = Table::of("Sessions", &scenarios, fields);
    Ok(Some(Parts::default().table("sessions", table)))
}

pub fn limits(figures: &Figures) -> Result<Option<Parts>> {
    let cells = figures.shown_but_control().map(|config| figures.cells(config).len());
    Ok(Some(
        Parts::default()
            .value("offline", figures.run.manifest.offline)
            .value("prices", &figures.run.manifest.prices.name)
            .value("least", cells.filter(|cells| *cells > 0).min()),
    ))
}

pub fn glossary(_: &Figures) -> Result<Option<Parts>> {
    let fields = [
        text("Figure", |metric: &Metric| Cell::code(metric.name)),
        text("Unit", |metric: &Metric| Cell::text(metric.unit)),
        text("Definition", |metric: &Metric| Cell::text(metric.definition)),
    ];
    let table = Table::of("Glossary", METRICS, fields).folded();
    Ok(Some(Parts::default().table("figures", table)))
}

pub fn provenance(figures: &Figures) -> Result<Option<Parts>> {
    let run = figures.run;
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
    let fields = [
        text("What", |(what, _): &(&str, String)| Cell::text(*what)),
        text("Value", |(_, value): &(&str, String)| Cell::code(value)),
    ];
    let lines = lines.iter().filter(|(_, value)| !value.is_empty());
    let table = Table::of("Where these figures come from", lines, fields);
    Ok(Some(Parts::default().table("provenance", table)))
}
