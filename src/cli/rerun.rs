//! `proctor rerun`: drive a recorded run again, from what its directory embeds.

use crate::cli::binary;
use crate::cli::inspect::cell::with_hint;
use crate::cli::prelude::*;
use crate::cli::run::{drive, next_free};
use crate::run::rerun::Recorded;

/// Which run is driven again, and what of it lies elsewhere now.
#[derive(Debug, Args)]
pub(super) struct AgainArguments {
    /// The run directory
    pub(super) run: PathBuf,
    /// Transcripts that the run replayed, where they lie now
    #[arg(long, value_name = "FILES", num_args = 1..)]
    pub(super) sessions: Vec<PathBuf>,
    /// The recording of the model that the run asked [default: the one in the run directory]
    #[arg(long, value_name = "FILE")]
    pub(super) cassette: Option<PathBuf>,
    /// Threads [default: all cores]; figures do not depend on it
    #[arg(long, value_name = "N", value_parser = super::threads)]
    pub(super) jobs: Option<usize>,
}

#[derive(Debug, Args)]
#[command(after_help = include_str!("help/rerun.txt"))]
pub(super) struct Arguments {
    #[command(flatten)]
    recorded: AgainArguments,
    /// The new run directory [default: the next free reports/runs/NAME-NNN]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Go on with what the new directory holds
    #[arg(long, requires = "out")]
    resume: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<u8> {
    let AgainArguments { run, sessions, cassette, jobs } = &arguments.recorded;
    let recorded = Recorded::open(registry(), run, sessions)?;
    if let Some((scenario, _)) = recorded.absent.first_key_value() {
        recorded.at_hand(scenario).map_err(|error| with_hint(error, "--sessions"))?;
    }
    let tool = crate::run::tool();
    if recorded.manifest.tool != tool {
        talk(shown!("note: the run was made by {}, this is {}", recorded.manifest.tool, tool));
    }
    let out = arguments.out.clone().unwrap_or_else(|| next_free(&recorded.plan.suite.name));
    let mut options = recorded.options(out, cassette.as_deref())?;
    options.jobs = *jobs;
    options.resume = arguments.resume;
    options.binary = binary();
    drive(&recorded.plan, &options, false)
}
