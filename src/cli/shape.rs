//! `proctor shape`: the shapes of sessions, recorded beside synthesized.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use rayon::prelude::*;

use crate::chart::{ShapeChart, ShapeRow, Spread as Range, shapes_side_by_side};
use crate::cli::{complain, say, table, talk};
use crate::error::{Error, ExitCode, Result};
use crate::ident::Seed;
use crate::import;
use crate::log::Log;
use crate::matrix::Suite;
use crate::scenario::{Scenario, SessionSource};
use crate::shape::{Sample, Shape, Spread, columns};
use crate::token::{TokenTable, Tokenizer};
use crate::unit::nine;

/// Arguments of `proctor shape`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Transcripts, scenarios or suites; the default suite where none is given
    #[arg(value_name = "TRANSCRIPT | SCENARIO | SUITE")]
    targets: Vec<String>,
    /// The seed of synthesized sessions
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Every figure as CSV instead of the table
    #[arg(long)]
    csv: bool,
    /// Draw the main shapes side by side into this file: SVG, or PNG by its ending
    #[arg(long, value_name = "FILE")]
    chart: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  proctor shape                                      all sessions of the default suite
  proctor shape long-coding ~/sessions/*.jsonl       synthetic beside recorded
  proctor shape default ~/sessions/*.jsonl --chart shapes.svg";

/// A session to be measured.
enum Source {
    Recorded(PathBuf),
    Scenario(Box<Scenario>),
}

/// A row of the table.
struct Row {
    name: String,
    /// `recorded` or `synthetic`.
    source: &'static str,
    /// Several sessions taken together.
    pooled: bool,
    shape: Shape,
}

pub(super) fn run(arguments: &Arguments) -> Result<u8> {
    let named: Vec<&str> = match arguments.targets.as_slice() {
        [] => vec!["default"],
        targets => targets.iter().map(String::as_str).collect(),
    };
    let mut code = ExitCode::OK;
    let mut fail = |error: &Error| {
        complain::complain(error);
        code = error.exit_code();
    };
    let mut sources = Vec::new();
    for name in named {
        match resolve(name) {
            Ok(found) => sources.extend(found),
            Err(error) => fail(&error),
        }
    }
    let measured: Vec<Result<Measured>> =
        sources.par_iter().map(|source| measure(source, arguments.seed)).collect();
    let mut samples = Vec::new();
    for outcome in measured {
        match outcome {
            Ok(measured) => samples.push(measured),
            Err(error) => fail(&error),
        }
    }
    let rows = rows(samples);
    if arguments.csv {
        print_csv(&rows);
    } else {
        say(&text(&rows));
    }
    if let Some(path) = &arguments.chart {
        draw(&rows, path)?;
    }
    Ok(code)
}

/// A file that is no TOML is a transcript; a name is a suite's or a scenario's.
fn resolve(name: &str) -> Result<Vec<Source>> {
    let scenario = |scenario: Scenario| Source::Scenario(Box::new(scenario));
    let path = Path::new(name);
    if path.extension().is_some_and(|extension| extension == "toml") {
        return Ok(Scenario::load_all(path)?.into_iter().map(scenario).collect());
    }
    if path.exists() {
        return Ok(vec![Source::Recorded(path.to_owned())]);
    }
    if let Some(suite) = Suite::embedded(name) {
        let names = suite?.scenarios;
        return names.iter().map(|name| Scenario::embedded(name).map(scenario)).collect();
    }
    Ok(vec![scenario(Scenario::embedded(name)?)])
}

struct Measured {
    name: String,
    source: &'static str,
    sample: Sample,
}

fn measure(source: &Source, seed: u64) -> Result<Measured> {
    let (name, source, log) = match source {
        Source::Recorded(path) => recorded(path)?,
        Source::Scenario(scenario) => match &scenario.source {
            SessionSource::Transcript(path) => recorded(path)?,
            SessionSource::Synth(_) => {
                (scenario.name.clone(), "synthetic", scenario.session(Seed(seed))?.log)
            }
        },
    };
    let table = TokenTable::new(&log, Tokenizer::O200k);
    Ok(Measured { name, source, sample: Sample::of(&log, &table) })
}

fn recorded(path: &Path) -> Result<(String, &'static str, Log)> {
    let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    Ok((name.unwrap_or_default(), "recorded", import::load(path)?.log))
}

/// A row per session, recorded ones first, and one for all of either source where
/// there are several.
fn rows(measured: Vec<Measured>) -> Vec<Row> {
    let mut rows = Vec::new();
    let (recorded, synthetic): (Vec<Measured>, Vec<Measured>) =
        measured.into_iter().partition(|one| one.source == "recorded");
    for group in [recorded, synthetic] {
        let Some(source) = group.first().map(|one| one.source) else { continue };
        let several = group.len() > 1;
        let mut samples = Vec::new();
        for Measured { name, source, sample } in group {
            rows.push(Row { name, source, pooled: false, shape: sample.shape() });
            samples.push(sample);
        }
        if several {
            let name = format!("all {source}");
            rows.push(Row { name, source, pooled: true, shape: Sample::pool(samples).shape() });
        }
    }
    rows
}

fn text(rows: &[Row]) -> String {
    let mut table = table::plain(&[
        "session",
        "turns",
        "steps",
        "tokens",
        "user",
        "assistant",
        "result",
        "pairs",
        "turn tokens",
        "failed",
        "several",
        "narrated",
        "gap s",
        ">5 min",
        "run",
        "largest",
        "chars/token",
    ]);
    for row in rows {
        table.add_row(cells(row));
    }
    let note = "amounts are 10 % / median / 90 %, messages and turns in tokens, pairs per turn; \
                run: most results in a row without a word of the model; \
                characters per token of user / assistant / result";
    format!("{table}\n{note}")
}

fn cells(row: &Row) -> Vec<String> {
    let shape = &row.shape;
    let count = |value: f64| crate::number::tokens(value);
    let spread = |s: &Spread| format!("{} / {} / {}", count(s.p10), count(s.median), count(s.p90));
    let percent = |share: f64| format!("{:.0} %", 100.0 * share);
    let roles = [&shape.user, &shape.assistant, &shape.tool];
    let density = roles.map(|role| format!("{:.1}", role.chars_per_token)).join(" / ");
    vec![
        short(&row.name),
        shape.turns.to_string(),
        shape.steps.to_string(),
        count(shape.tokens),
        spread(&shape.user.tokens),
        spread(&shape.assistant.tokens),
        spread(&shape.tool.tokens),
        spread(&shape.pairs),
        spread(&shape.turn_tokens),
        percent(shape.failed),
        percent(shape.several),
        percent(shape.narrated),
        count(shape.gaps.median),
        percent(shape.long_gaps),
        count(shape.longest_run),
        count(shape.largest),
        density,
    ]
}

/// Transcripts have long names, of which the head tells them apart.
fn short(name: &str) -> String {
    if name.chars().count() <= 24 {
        return name.to_owned();
    }
    name.chars().take(23).chain(['…']).collect()
}

fn print_csv(rows: &[Row]) {
    let mut head = "session,source,pooled".to_owned();
    for column in columns() {
        let _ = write!(head, ",{}", column.name);
    }
    say(&head);
    for row in rows {
        let mut line = format!("{},{},{}", quoted(&row.name), row.source, row.pooled);
        for column in columns() {
            let _ = write!(line, ",{}", nine((column.of)(&row.shape)));
        }
        say(&line);
    }
}

/// A field of a CSV file; only a file's name can need quotes.
fn quoted(field: &str) -> String {
    if field.contains([',', '"', '\n']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_owned()
    }
}

fn draw(rows: &[Row], path: &Path) -> Result<()> {
    let range = |s: &Spread| Range { low: s.p10, middle: s.median, high: s.p90 };
    let row = |row: &Row| ShapeRow {
        name: row.name.clone(),
        recorded: row.source == "recorded",
        pooled: row.pooled,
        ranges: [
            range(&row.shape.user.tokens),
            range(&row.shape.assistant.tokens),
            range(&row.shape.tool.tokens),
            range(&row.shape.pairs),
            range(&row.shape.turn_tokens),
            range(&row.shape.gaps),
        ],
    };
    let chart = ShapeChart {
        title: "Shapes of sessions: synthetic beside recorded".to_owned(),
        rows: rows.iter().map(row).collect(),
        ..ShapeChart::default()
    };
    let Some(drawn) = shapes_side_by_side(&chart)? else {
        talk("nothing to draw");
        return Ok(());
    };
    let png = path.extension().is_some_and(|ending| ending == "png");
    let bytes = if png { drawn.png } else { drawn.svg.into_bytes() };
    std::fs::write(path, bytes).map_err(|source| Error::io("write", path, source))?;
    talk(&format!("wrote {}", path.display()));
    Ok(())
}
