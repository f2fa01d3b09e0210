//! `proctor report`: render a run directory's report again.

use std::path::PathBuf;

use clap::Args;

use crate::cli::say;
use crate::error::{ExitCode, Result};
use crate::report;

/// Arguments of `proctor report`.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  proctor report reports/runs/default-001")]
pub(super) struct Arguments {
    /// The run directory
    run: PathBuf,
    /// Rank pipelines that were completed where their source is silent (fidelity `inferred`)
    #[arg(long)]
    include_inferred: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<u8> {
    let files = report::write_ranking(&arguments.run, arguments.include_inferred)?;
    say(&files.html.display().to_string());
    say(&files.markdown.display().to_string());
    Ok(ExitCode::OK)
}
