//! What was driven and what was not: controls, cells, sessions, limits, provenance.

use super::prelude::*;
use crate::measure::{Check, METRICS, Value, Word};
use crate::run_dir::{CellState, ManifestCell, ManifestInput, ManifestSession};
use crate::trace::Ending;

/// Cells named one by one before the rest is only counted.
const NAMED: usize = 12;

const HOLDS: Value = Value::Word(Word::Check(Check::Holds));
/// What a run checks of itself: metric, name, what must come out, and how that is written.
const CONTROLS: [(MetricId, &str, Value, &str); 4] = [
    (MetricId::ControlRecall, "recall without a window", Value::Number(1.0), "100%"),
    (MetricId::ControlDecoys, "decoys found", Value::Number(0.0), "0"),
    (MetricId::ControlBrackets, "more known, more recalled (needs reached)", HOLDS, "so"),
    (MetricId::ControlAdversary, "adversaries lose", HOLDS, "so"),
];

pub fn controls(figures: &Figures) -> Result<Option<Parts>> {
    let rows = CONTROLS.map(|(metric, name, value, must)| {
        let rows = || figures.run.derived.iter().filter(|row| row.metric == metric);
        // A session without demands has nothing to recall; every other gap is a fault.
        let none = [Basis::NoDemands, Basis::WithoutChance];
        let empty = rows().filter(|row| none.contains(&row.basis)).count();
        let wrong = rows().filter(|row| row.value != Some(value)).count() - empty;
        let all = rows().count() - empty;
        let holds = match wrong {
            _ if rows().next().is_none() => Cell::undefined("not measured in this run"),
            0 => Cell::text("yes").toned(Tone::Good),
            _ => Cell::text("no").toned(Tone::Bad),
        };
        vec![Cell::text(name), Cell::text(must), Cell::count(all), Cell::count(wrong), holds]
    });
    let titles = ["Control", "Must be", "#Sessions, scenarios or adversaries", "#Not so", "Holds"];
    Ok(Some(Parts::default().table("controls", Table::of("Controls", titles, rows))))
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
    let rows = groups.iter().map(|((what, tone, why), names)| {
        let what = Cell::text(*what).toned(*tone);
        vec![what, Cell::text(*why), Cell::count(names.len()), Cell::code(which(names))]
    });
    let caption = "Cells that failed, were excluded or ended early";
    let table = Table::of(caption, ["What", "Why", "#Cells", "Which"], rows);
    if table.rows.is_empty() {
        return Ok(None);
    }
    Ok(Some(Parts::default().value("all", cells.len()).table("unfinished", table)))
}

/// What a cell is that is not complete, in the order of the table, and why.
type Unfinished<'a> = (&'static str, Tone, &'a str);

fn reason<'b>(figures: &Figures<'b>, cell: &'b ManifestCell) -> Option<Unfinished<'b>> {
    match &cell.state {
        CellState::Failed(why) => Some(("failed", Tone::Bad, why)),
        CellState::Unanswered(why) => Some(("unanswered", Tone::Bad, why)),
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
    row.and_then(|row| row.figures.ended_by()).map_or("not recorded", Ending::name)
}

pub fn every_cell(figures: &Figures) -> Result<Option<Parts>> {
    let rows = figures.run.manifest.cells.iter().map(|cell| {
        let row = figures.cell(&cell.key.cell);
        let ended_by = match &cell.state {
            CellState::Failed(_) | CellState::Unanswered(_) => {
                Cell::text(cell.state.name()).toned(Tone::Bad)
            }
            CellState::Excluded(_) => Cell::text("excluded").toned(Tone::Faint),
            CellState::Done => {
                let is_complete = row.is_some_and(MeasuredCell::completed);
                Cell::text(ending(row)).toned(if is_complete { Tone::Plain } else { Tone::Bad })
            }
        };
        let number =
            |metric, write: Write| Cell::number(row.and_then(|row| row.number(metric)), write, "");
        vec![
            Cell::code(&cell.key.cell),
            Cell::text(&cell.key.summarizer),
            ended_by,
            number(MetricId::TokensMeanPrompt, number::tokens),
            number(MetricId::CostUsd, number::dollars),
            number(MetricId::RecallAtNeed, number::share),
            number(MetricId::CompactionsCount, number::count),
        ]
    });
    let titles =
        "Cell|Summarizer|Ended by|#Mean prompt (tokens)|#Dollars|#Recall at need|#Compactions";
    let table = Table::of("Every cell", titles.split('|'), rows);
    Ok(Some(Parts::default().table("cells", table)))
}

pub fn sessions(figures: &Figures) -> Result<Option<Parts>> {
    let sessions = &figures.run.manifest.sessions;
    let scenarios = grouped(sessions.iter().map(|session| (session.scenario.as_str(), session)));
    let rows = scenarios.into_iter().map(|(name, sessions)| {
        let mean = |read: fn(&ManifestSession) -> f64, write: Write| {
            let values: Vec<f64> = sessions.iter().map(|session| read(session)).collect();
            Cell::number(stats::mean(&values), write, "")
        };
        vec![
            Cell::code(name),
            Cell::count(sessions.len()),
            mean(|session| f64::from(session.turns), number::count),
            mean(|session| f64::from(session.steps), number::count),
            mean(|session| session.tokens as f64, number::tokens),
            mean(|session| session.window as f64, number::tokens),
            mean(windows, |value| format!("{value:.1}")),
            mean(|session| f64::from(session.facts), number::count),
            mean(|session| f64::from(session.demands), number::count),
            mean(|session| session.fact_load, |value| format!("{value:.2}")),
            mean(|session| f64::from(session.boundaries), number::count),
        ]
    });
    let titles = "Scenario|#Seeds|#Turns|#Steps|#Tokens|#Window|#Windows|#Facts|#Demands|#Fact load|\
                  #Boundaries";
    let table = Table::of("Sessions", titles.split('|'), rows);
    Ok(Some(Parts::default().table("sessions", table)))
}

fn windows(session: &ManifestSession) -> f64 {
    if session.window == 0 { 0.0 } else { session.tokens as f64 / session.window as f64 }
}

pub fn limits(figures: &Figures) -> Result<Option<Parts>> {
    let cells = figures.shown_but_control().map(|config| figures.cells(config).len());
    Ok(Some(
        Parts::default()
            .value("offline", figures.run.manifest.offline)
            .value("model", figures.run.manifest.called(figures.main))
            .value("prices", &figures.run.manifest.prices.name)
            .value("least", cells.filter(|cells| *cells > 0).min()),
    ))
}

pub fn glossary(_: &Figures) -> Result<Option<Parts>> {
    let rows = METRICS.iter().map(|metric| {
        vec![Cell::code(metric.name), Cell::text(metric.unit), Cell::text(metric.definition)]
    });
    let table = Table::of("Glossary", ["Figure", "Unit", "Definition"], rows);
    Ok(Some(Parts::default().table("figures", Table { folded: true, ..table })))
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
        (
            "Summarizers",
            manifest
                .summarizers
                .iter()
                .map(|one| manifest.called(one))
                .collect::<Vec<_>>()
                .join(", "),
        ),
        ("Faults", manifest.faults.join(", ")),
        ("Pipelines", names(&manifest.pipelines)),
        ("Scenarios", names(&manifest.scenarios)),
        ("Cells", manifest.cells.len().to_string()),
    ];
    let lines = lines.into_iter().filter(|(_, value)| !value.is_empty());
    let rows = lines.map(|(what, value)| vec![Cell::text(what), Cell::code(value)]);
    let table = Table::of("Where these figures come from", ["What", "Value"], rows);
    Ok(Some(Parts::default().table("provenance", table)))
}
