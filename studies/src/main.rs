//! Studies of particular compaction designs, on the public interface of `proctor`. Each reads a
//! run directory or drives cells itself, and prints a page as Markdown.

mod artifacts;
mod claims;
mod fit;
mod hypotheses;
mod orders;
mod run;
mod saving;
mod shape;
mod table;

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};
use proctor_core::error::{Error, Result};
use proctor_core::ident::Seed;
use proctor_eval::run::frozen;
use proctor_eval::run::rerun::Recorded;
use proctor_eval::scenario::Scenario;
use proctor_strategies::shipped;

use hypotheses::Laboratory;
use run::Run;

/// Studies of particular compaction designs.
#[derive(Debug, Parser)]
#[command(name = "proctor-studies", version, max_term_width = 100)]
struct Arguments {
    #[command(subcommand)]
    verb: Verb,
    /// Threads [default: all cores]; figures do not depend on it
    #[arg(long, global = true, value_name = "N")]
    jobs: Option<usize>,
    /// Write the page into this file
    #[arg(long, global = true, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Expectations about compaction, each driven and judged
    Hypotheses {
        /// Only these hypotheses
        #[arg(long, value_name = "ID,ID,...", value_delimiter = ',')]
        only: Vec<String>,
    },
    /// Orders of the same stages, compared over a run of the suite `orderings`
    Orders {
        /// A run directory
        #[arg(value_name = "RUN")]
        run: PathBuf,
    },
    /// What the source designs claim, judged on a run
    Claims {
        /// A run directory
        #[arg(value_name = "RUN")]
        run: PathBuf,
    },
    /// Digests of a run of a frozen suite, as its file in `scenarios` holds them
    Frozen {
        /// A run directory
        #[arg(value_name = "RUN")]
        run: PathBuf,
    },
    /// Which names of a session its summaries keep, by where they stood
    Artifacts(Sessions),
    /// Fits the simulated summarizer to recorded compactions, and checks it on sessions left out
    Fit {
        /// The directory of `artifacts.csv.gz` and `boundaries.csv`
        #[arg(value_name = "DIR")]
        directory: PathBuf,
        /// Transcripts with recorded compactions, on which `extractive` is run beside it
        #[arg(long, value_name = "FILE,FILE,...", value_delimiter = ',')]
        sessions: Vec<PathBuf>,
        /// Write the parameters into this file, which has what is assumed already
        #[arg(long, value_name = "FILE")]
        parameters: Option<PathBuf>,
    },
    /// Lengths of messages and turns, failures and gaps of sessions
    Shape(Sessions),
}

#[derive(Debug, Args)]
struct Sessions {
    /// Suites, scenarios or transcripts
    #[arg(value_name = "SUITE | SCENARIO | TRANSCRIPT", default_value = "default")]
    targets: Vec<String>,
    /// The seed of synthesized sessions
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

impl Sessions {
    fn sources(&self) -> Result<Vec<Scenario>> {
        let sources = self.targets.iter().map(|target| shape::sources(target));
        Ok(sources.collect::<Result<Vec<_>>>()?.into_iter().flatten().collect())
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            progress(&format!("error: {error}"));
            error.hint().into_iter().for_each(|hint| progress(&format!("hint: {hint}")));
            ExitCode::from(error.exit_code())
        }
    }
}

fn run(arguments: &Arguments) -> Result<()> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(arguments.jobs.unwrap_or(0)).build();
    let pool = pool.map_err(|error| Error::invalid("--jobs", error.to_string()))?;
    let page = pool.install(|| match &arguments.verb {
        Verb::Hypotheses { only } => hypotheses(only),
        Verb::Artifacts(sessions) => {
            artifacts::page(&sessions.sources()?, Seed(sessions.seed), progress)
        }
        Verb::Shape(sessions) => shape::page(&sessions.sources()?, Seed(sessions.seed)),
        Verb::Fit { directory, sessions, parameters } => {
            let chart = arguments.output.as_ref().map(|page| page.with_extension("svg"));
            let (parameters, chart) = (parameters.as_deref(), chart.as_deref());
            fit::page(fit::Files { tables: directory, sessions, parameters, chart })
        }
        Verb::Frozen { run } => frozen(run),
        Verb::Claims { run } => claims::page(&Run::open(run)?),
        Verb::Orders { run } => orders::page(&Run::open(run)?),
    })?;
    match &arguments.output {
        Some(path) => std::fs::write(path, page).map_err(|error| Error::io("write", path, error)),
        None => print(&page),
    }
}

fn hypotheses(only: &[String]) -> Result<String> {
    let lab = Laboratory::open(progress)?;
    let judged = hypotheses::judged(only, &lab, progress)?;
    let mut command = "proctor-studies hypotheses --output FILE".to_owned();
    if !only.is_empty() {
        command.push_str(&format!(" --only {}", only.join(",")));
    }
    Ok(hypotheses::render(&judged, &command, lab.suite()))
}

fn frozen(run: &Path) -> Result<String> {
    let Recorded { plan, manifest, .. } = Recorded::read(shipped(), run)?;
    let about = format!(
        "# What the suite {} is made of, frozen: a change of these is another suite. The figures\n\
         # are of its own pipelines under this version. Held by tests/frozen.rs, `proctor run` and\n\
         # `proctor verify`; made by `proctor-studies frozen RUN`.",
        plan.suite.name
    );
    let mut lines = vec![about];
    lines.extend(frozen::lines(&plan, &manifest.sessions));
    lines.extend(frozen::figures(run, &plan.suite)?);
    Ok(lines.join("\n") + "\n")
}

fn print(page: &str) -> Result<()> {
    let written = io::stdout().write_all(page.as_bytes());
    match written {
        // Who closed the pipe has seen enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written.map_err(|error| Error::io("write", Path::new("stdout"), error)),
    }
}

fn progress(line: &str) {
    // A closed stderr is no reason to stop working.
    let _ = writeln!(io::stderr(), "{line}");
}
