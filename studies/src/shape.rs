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
use proctor_eval::matrix::Suite;
use proctor_eval::scenario::{Scenario, SessionSource};
use proctor_sessions::import;
use rayon::prelude::*;

use crate::table::{Table, number, percent, row};
use sample::{Amount, Sample};

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

/// The shapes of sessions, each and all of a kind together, recorded ones first.
///
/// # Errors
///
/// Where a session cannot be read or made.
pub fn page(sources: &[Source], seed: Seed) -> Result<String> {
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
    Ok(table(&rows).markdown())
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
    for Row { name, sample, .. } in rows {
        let count = |value: f64| number(value.round());
        let spread = |of: Amount| [0.1, 0.5, 0.9].map(|at| count(sample.at(of, at))).join(" / ");
        let density = [
            (Amount::UserChars, Amount::UserTokens),
            (Amount::AssistantChars, Amount::AssistantTokens),
            (Amount::ToolChars, Amount::ToolTokens),
        ];
        let density =
            density.map(|(chars, tokens)| format!("{:.1}", sample.density(chars, tokens)));
        table.push(row![
            name,
            count(sample.count(Amount::Pairs)),
            count(sample.count(Amount::AssistantTokens)),
            count(sample.sum(Amount::Tokens)),
            spread(Amount::UserTokens),
            spread(Amount::AssistantTokens),
            spread(Amount::ToolTokens),
            spread(Amount::Pairs),
            spread(Amount::TurnTokens),
            percent(sample.mean(Amount::Failed)),
            percent(sample.mean(Amount::Several)),
            percent(sample.mean(Amount::Narrated)),
            count(sample.at(Amount::Gap, 0.5)),
            percent(sample.long_gaps()),
            count(sample.at(Amount::Run, 1.0)),
            count(sample.at(Amount::Tokens, 1.0)),
            density.join(" / "),
        ]);
    }
    table
}
