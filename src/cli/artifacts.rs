//! `proctor artifacts`: what summaries keep of the names in their material, beside
//! what recorded compactions kept.

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::Args;
use rayon::prelude::*;

use crate::artifact::{self, Column};
use crate::cli::{run, say, talk};
use crate::error::{ExitCode, Result};
use crate::ident::Seed;
use crate::matrix::SummarizerName;
use crate::scenario::Scenario;
use crate::token::{Counter, TokenTable};

/// Arguments of `proctor artifacts`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Suites, scenarios or transcripts; the default suite where none is given
    #[arg(value_name = "SUITE | SCENARIO | TRANSCRIPT")]
    targets: Vec<String>,
    /// The seed of synthesized sessions
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// A directory with boundaries.csv and artifacts.csv.gz of recorded compactions
    #[arg(long, value_name = "DIR")]
    recorded: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  proctor artifacts                                the default suite's sessions
  proctor artifacts session.jsonl                  a recorded session
  proctor artifacts --recorded recorded-compactions  beside what was recorded";

/// In the order of the table.
const SUMMARIZERS: [SummarizerName; 5] = [
    SummarizerName::Null,
    SummarizerName::Lead,
    SummarizerName::RandomSentence,
    SummarizerName::Extractive,
    SummarizerName::Perfect,
];

pub(super) fn run(arguments: &Arguments) -> Result<u8> {
    let scenarios = run::scenarios(&arguments.targets)?;
    let mut columns = Vec::new();
    if let Some(dir) = &arguments.recorded {
        columns.push(Column { name: "recorded".to_owned(), sightings: artifact::recorded(dir)? });
    }
    let empty =
        |name: SummarizerName| Column { name: name.name().to_owned(), sightings: Vec::new() };
    columns.extend(SUMMARIZERS.map(empty));
    let first = columns.len() - SUMMARIZERS.len();
    let mut stretches = 0;
    for scenario in &scenarios {
        talk(&format!("{} ...", scenario.name));
        let (count, sightings) = survey(scenario, Seed(arguments.seed))?;
        stretches += count;
        for (column, seen) in columns[first..].iter_mut().zip(sightings) {
            column.sightings.extend(seen);
        }
    }
    say(&markdown(&columns));
    talk(&format!("{} sessions, {stretches} stretches", scenarios.len()));
    Ok(ExitCode::OK)
}

/// The stretches of a session, and what each summarizer left of them.
fn survey(scenario: &Scenario, seed: Seed) -> Result<(usize, Vec<Vec<artifact::Sighting>>)> {
    let session = scenario.session(seed)?;
    let table = TokenTable::new(&session.log, Counter::REFERENCE.tokenizer);
    let sightings = SUMMARIZERS
        .par_iter()
        .map(|name| artifact::survey(&session.log, &table, &*name.build(&session.truth, seed)))
        .collect();
    Ok((artifact::stretches(&session.log, &table).len(), sightings))
}

fn markdown(columns: &[Column]) -> String {
    let mut text = String::from("| kind | which |");
    for column in columns {
        // OK because writing to a string cannot fail; so below.
        let _ = write!(text, " {} |", column.name);
    }
    text.push_str("\n|---|---|");
    text.push_str(&"---:|".repeat(columns.len()));
    for line in artifact::lines() {
        let rates: Vec<Option<(f64, usize)>> =
            columns.iter().map(|column| column.rate(&line)).collect();
        if rates.iter().all(Option::is_none) {
            continue;
        }
        let _ = write!(text, "\n| {} | {} |", line.kind.name(), line.which);
        for rate in rates {
            let shown = rate.map(|(share, n)| format!("{:.0} % ({n})", 100.0 * share));
            let _ = write!(text, " {} |", shown.unwrap_or_else(|| "–".to_owned()));
        }
    }
    if let Some(recorded) = columns.first().filter(|column| column.name == "recorded") {
        text.push_str("\n| rank correlation with recorded | | |");
        for column in &columns[1..] {
            let shown = artifact::rank_correlation(recorded, column)
                .map(|(value, n)| format!("{value:.2} ({n})"));
            let _ = write!(text, " {} |", shown.unwrap_or_else(|| "–".to_owned()));
        }
    }
    text
}
