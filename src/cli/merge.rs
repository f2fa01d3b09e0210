//! `proctor merge`: the parts of a run as one run.

use std::path::PathBuf;

use clap::Args;

use crate::cli::{binary, run};
use crate::error::Result;
use crate::merge::merge;

#[derive(Debug, Args)]
#[command(after_help = include_str!("help/merge.txt"))]
pub(super) struct Arguments {
    /// The new run directory
    out: PathBuf,
    /// The run directories of all parts
    #[arg(required = true, value_name = "PART")]
    parts: Vec<PathBuf>,
    /// Fail (exit code 5) where a control does not hold
    #[arg(long)]
    strict_controls: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<u8> {
    let outcome = merge(&arguments.out, &arguments.parts, binary())?;
    run::conclude(&arguments.out, &outcome, arguments.strict_controls)
}
