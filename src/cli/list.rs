//! `proctor list`: what ships, a line each.

use clap::ValueEnum;

use crate::cli::prelude::*;
use crate::cli::table::Plain;
use crate::import::Format;
use crate::matrix::{EMBEDDED, Suite, SummarizerName};
use crate::measure::table::METRICS;

#[derive(Debug, Args)]
#[command(after_help = include_str!("help/list.txt"))]
pub(super) struct Arguments {
    /// What is listed; without it, how many there are of each
    #[arg(value_enum)]
    kind: Option<Kind>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Kind {
    /// Scenarios with the strategies that are driven over them
    Suites,
    /// Sources of sessions, and the question that each is there for
    Scenarios,
    /// Shipped pipelines: fidelity, what they do, where they come from
    Strategies,
    /// What answers summary requests
    Summarizers,
    /// Figures: unit, which way is better, definition
    Metrics,
    /// Transcripts that can be loaded
    Formats,
}

pub(super) fn run(arguments: &Arguments) -> Result<u8> {
    let mut lines = Plain::bare(4);
    match arguments.kind {
        Some(kind) => kind.lines()?.into_iter().for_each(|line| lines.add_row(line)),
        None => {
            for kind in Kind::value_variants() {
                let named = kind.to_possible_value().unwrap_or_default();
                let about = named.get_help().map(ToString::to_string).unwrap_or_default();
                let count = kind.lines()?.len().to_string();
                lines.add_row([named.get_name().to_owned(), count, about]);
            }
        }
    }
    lines.to_string().lines().for_each(|line| say(Shown::laid_out(&fitting(line.trim_start()))));
    Ok(ExitCode::OK)
}

impl Kind {
    fn lines(self) -> Result<Vec<Vec<String>>> {
        let words = |words: &[&str]| words.iter().map(|word| one_line(word)).collect::<Vec<_>>();
        match self {
            Kind::Suites => {
                let suites = EMBEDDED.iter().filter_map(|(name, _)| Suite::embedded(name));
                suites.map(|suite| suite.map(|one| words(&[&one.name, &one.about]))).collect()
            }
            Kind::Scenarios => {
                let names = Scenario::embedded_names();
                let of = |name: &String| {
                    Scenario::embedded(name).map(|one| words(&[&one.name, &one.purpose]))
                };
                names.iter().map(of).collect()
            }
            Kind::Strategies => {
                let of = |name: &str| {
                    let one = registry().pipeline(name)?;
                    let source = format!("({})", one.source);
                    Ok(words(&[&one.name, one.fidelity.name(), &one.about, &source]))
                };
                registry().pipeline_names().map(of).collect()
            }
            Kind::Summarizers => {
                let shipped = SummarizerName::SHIPPED;
                Ok(shipped.iter().map(|(_, name, about)| words(&[name, about])).collect())
            }
            Kind::Metrics => {
                let line = |one: &crate::measure::Metric| {
                    words(&[one.name, one.unit, one.better.name(), one.definition])
                };
                Ok(METRICS.iter().map(line).collect())
            }
            Kind::Formats => {
                let formats = Format::ALL.into_iter();
                Ok(formats.map(|one| words(&[one.name(), one.about()])).collect())
            }
        }
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Cut to the width of a terminal, whole anywhere else.
fn fitting(line: &str) -> String {
    match console::Term::stdout().size_checked() {
        Some((_, width)) => console::truncate_str(line, usize::from(width), "…").into_owned(),
        None => line.to_owned(),
    }
}
