//! The shape of sessions: how long messages are, how many calls a turn holds, how often a
//! result reports a failure, how long a user stays away. Shapes are taken from a log alone,
//! so that synthesized sessions can be compared with recorded ones.

mod sample;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use proctor_core::error::Result;
use proctor_core::ident::Seed;
use proctor_core::log::Log;
use proctor_core::token::{TokenTable, Tokenizer};
use proctor_core::unit::float;
use proctor_eval::matrix::Suite;
use proctor_eval::scenario::{Scenario, SessionSource};
use proctor_sessions::import;
use rayon::prelude::*;

use crate::table::{Table, number, percent};
use sample::{Figure, Sample};

/// Where a session comes from.
pub enum Source {
    Recorded(PathBuf),
    Scenario(Box<Scenario>),
}

/// What a target names: a file that is not TOML is a transcript, a name is a suite's or a
/// scenario's.
///
/// # Errors
///
/// Where a file does not parse and where nothing has the name.
pub fn sources(target: &str) -> Result<Vec<Source>> {
    let scenario = |scenario: Scenario| Source::Scenario(Box::new(scenario));
    let path = Path::new(target);
    if path.extension().is_some_and(|extension| extension == "toml") {
        return Ok(Scenario::load_all(path)?.into_iter().map(scenario).collect());
    }
    if path.exists() {
        return Ok(vec![Source::Recorded(path.to_owned())]);
    }
    if let Some(suite) = Suite::embedded(target) {
        let names = suite?.scenarios;
        return names.iter().map(|name| Scenario::embedded(name).map(scenario)).collect();
    }
    Ok(vec![scenario(Scenario::embedded(target)?)])
}

impl Source {
    /// Its name and its messages.
    ///
    /// # Errors
    ///
    /// Where the session cannot be read or made.
    pub fn log(&self, seed: Seed) -> Result<(String, Log)> {
        match self {
            Source::Recorded(path) => recorded(path),
            Source::Scenario(scenario) => match &scenario.source {
                SessionSource::Transcript(path) => recorded(path),
                SessionSource::Synth(_) => Ok((scenario.name.clone(), scenario.session(seed)?.log)),
            },
        }
    }

    fn kind(&self) -> Kind {
        match self {
            Source::Recorded(_) => Kind::Recorded,
            Source::Scenario(scenario) => match scenario.source {
                SessionSource::Transcript(_) => Kind::Recorded,
                SessionSource::Synth(_) => Kind::Synthetic,
            },
        }
    }
}

fn recorded(path: &Path) -> Result<(String, Log)> {
    let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    Ok((name.unwrap_or_default(), import::load(path)?.log))
}

/// A session, or all of one kind together.
struct Row {
    name: String,
    kind: Kind,
    sample: Sample,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Recorded,
    Synthetic,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Recorded => "recorded",
            Kind::Synthetic => "synthetic",
        }
    }
}

/// The shapes of sessions, each and all of a kind together, recorded ones first: every figure
/// as CSV, or the main ones as a table.
///
/// # Errors
///
/// Where a session cannot be read or made.
pub fn page(sources: &[Source], seed: Seed, csv: bool) -> Result<String> {
    let measured = sources.par_iter().map(|source| measure(source, seed));
    let mut rows = Vec::new();
    let measured: Vec<Row> = measured.collect::<Result<_>>()?;
    let (recorded, synthetic): (Vec<Row>, Vec<Row>) =
        measured.into_iter().partition(|row| row.kind == Kind::Recorded);
    for group in [recorded, synthetic] {
        let Some(kind) = group.first().map(|row| row.kind).filter(|_| group.len() > 1) else {
            rows.extend(group);
            continue;
        };
        let sample = Sample::pool(group.iter().map(|row| row.sample.clone()));
        rows.extend(group);
        rows.push(Row { name: format!("all {}", kind.name()), kind, sample });
    }
    Ok(if csv { comma_separated(&rows) } else { table(&rows).markdown() })
}

fn measure(source: &Source, seed: Seed) -> Result<Row> {
    let (name, log) = source.log(seed)?;
    let table = TokenTable::new(&log, Tokenizer::O200k);
    Ok(Row { name, kind: source.kind(), sample: Sample::of(&log, &table) })
}

fn table(rows: &[Row]) -> Table {
    let mut table = Table::new(
        "Amounts are 10 % / median / 90 %, messages and turns in tokens, pairs per turn. Run: most \
         results in a row without a word of the model. Characters per token of user / assistant / \
         result",
        &[
            "session",
            "#turns",
            "#steps",
            "#tokens",
            "#user",
            "#assistant",
            "#result",
            "#pairs",
            "#turn tokens",
            "#failed",
            "#several",
            "#narrated",
            "#gap s",
            "#> 5 min",
            "#run",
            "#largest",
            "#characters per token",
        ],
    );
    for row in rows {
        let figures = row.sample.figures();
        let value = |name: &str| {
            let found = figures.iter().find(|figure| figure.name == name);
            found.map_or(f64::NAN, |figure| figure.value)
        };
        let count = |name: &str| number(value(name).round());
        let share = |name: &str| percent(value(name));
        let spread = |name: &str| {
            ["p10", "median", "p90"].map(|at| count(&format!("{name}.{at}"))).join(" / ")
        };
        let density = ["user", "assistant", "tool"]
            .map(|role| format!("{:.1}", value(&format!("{role}.chars_per_token"))));
        table.push([
            row.name.clone(),
            count("turns"),
            count("steps"),
            count("tokens"),
            spread("user_tokens"),
            spread("assistant_tokens"),
            spread("tool_tokens"),
            spread("pairs"),
            spread("turn_tokens"),
            share("failed"),
            share("several_calls"),
            share("narrated"),
            count("gap_seconds.median"),
            share("long_gaps"),
            count("longest_run"),
            count("largest_message"),
            density.join(" / "),
        ]);
    }
    table
}

fn comma_separated(rows: &[Row]) -> String {
    let mut text = String::new();
    for (place, row) in rows.iter().enumerate() {
        let figures = row.sample.figures();
        let mut line = |head: [&str; 2], cell: fn(&Figure) -> String| {
            let cells = figures.iter().map(cell);
            let line: Vec<String> = head.map(str::to_owned).into_iter().chain(cells).collect();
            text.push_str(&(line.join(",") + "\n"));
        };
        if place == 0 {
            line(["session", "source"], |figure| figure.name.clone());
        }
        // Only the name of a file can need quotes.
        let name = match row.name.contains([',', '"', '\n']) {
            true => format!("\"{}\"", row.name.replace('"', "\"\"")),
            false => row.name.clone(),
        };
        line([&name, row.kind.name()], |figure| float(figure.value));
    }
    text
}
