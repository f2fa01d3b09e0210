//! `proctor merge`: the parts of a run as one run.

use std::path::PathBuf;

use clap::Args;

use crate::cli::{binary, run};
use crate::error::Result;
use crate::merge::merge;

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
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

const EXAMPLES: &str = "\
Examples:
  proctor run default --partition 1/3 --out part-1     (and 2/3, 3/3, on any machines)
  proctor merge whole part-1 part-2 part-3             the run as if driven whole, byte for byte";

pub(super) fn run(arguments: &Arguments) -> Result<u8> {
    let outcome = merge(&arguments.out, &arguments.parts, binary())?;
    run::conclude(&arguments.out, &outcome, arguments.strict_controls)
}
