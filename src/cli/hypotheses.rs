//! `proctor hypotheses`: drive what the hypotheses need, and judge them.

use std::path::PathBuf;

use clap::Args;

use crate::cli::{say, table, talk};
use crate::error::{Error, ExitCode, Result};
use crate::hypothesis::{self, Hypothesis, Judged, Laboratory, Provenance};

/// Arguments of `proctor hypotheses`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Write the whole page as Markdown into this file
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Only these hypotheses
    #[arg(long, value_name = "ID,ID,...", value_delimiter = ',')]
    only: Vec<String>,
    /// Threads [default: all cores]; figures do not depend on it
    #[arg(long, value_name = "N", value_parser = super::threads)]
    jobs: Option<usize>,
}

const EXAMPLES: &str = "\
Examples:
  proctor hypotheses                                    verdicts with their decisive figures
  proctor hypotheses --output reports/hypotheses.md     and the page with all of them
  proctor hypotheses --only H1,H6                       two of them
  proctor run hypotheses                                the rows of every cell behind them";

pub(super) fn run(arguments: &Arguments) -> Result<u8> {
    let wanted = hypothesis::named(&arguments.only)?;
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(arguments.jobs.unwrap_or(0))
        .build()
        .map_err(|error| Error::invalid("--jobs", error.to_string()))?;
    let laboratory = Laboratory::open(Box::new(|cell| talk(&format!("  {cell}"))))?;
    let judged = pool.install(|| judge(&wanted, &laboratory))?;
    say(&overview(&judged));
    let Some(path) = &arguments.output else {
        return Ok(ExitCode::OK);
    };
    let summarizers = laboratory.summarizers().iter().map(ToString::to_string).collect::<Vec<_>>();
    let provenance = Provenance {
        command: &command(arguments),
        summarizers: &summarizers,
        seeds: laboratory.seeds().len(),
    };
    let page = hypothesis::render(&judged, &provenance);
    std::fs::write(path, page).map_err(|source| Error::io("write", path, source))?;
    say(&format!("page: {}", path.display()));
    Ok(ExitCode::OK)
}

fn judge(wanted: &[&'static Hypothesis], laboratory: &Laboratory) -> Result<Vec<Judged>> {
    let one = |hypothesis: &&'static Hypothesis| {
        talk(&format!("{} {}", hypothesis.id, hypothesis.title));
        Ok(Judged { hypothesis, finding: (hypothesis.judge)(laboratory)? })
    };
    wanted.iter().map(one).collect()
}

fn overview(judged: &[Judged]) -> String {
    let mut table = table::plain(&["", "verdict", "decisive figure"]);
    for column in table.column_iter_mut() {
        column.set_cell_alignment(comfy_table::CellAlignment::Left);
    }
    for one in judged {
        let figure = one.finding.measured.first();
        let figure = figure
            .map_or_else(String::new, |measured| format!("{}: {}", measured.what, measured.text()));
        table.add_row([one.hypothesis.id, one.finding.verdict.name(), &figure]);
    }
    table.to_string()
}

/// What makes the same page again; neither the file nor the jobs change it.
fn command(arguments: &Arguments) -> String {
    let mut words = "proctor hypotheses --output FILE".to_owned();
    if !arguments.only.is_empty() {
        words.push_str(&format!(" --only {}", arguments.only.join(",")));
    }
    words
}
