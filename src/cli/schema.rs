//! `proctor schema`: the JSON Schemas of what the binary writes.

use clap::{Args, ValueEnum};

use crate::cli::say;
use crate::error::{ExitCode, Result};
use crate::gate::render;

/// Arguments of `proctor schema`.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// What the schema is of
    #[arg(value_enum)]
    of: Of,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Of {
    /// What `proctor gate --json` writes
    Gate,
}

pub(super) fn run(arguments: &Arguments) -> Result<u8> {
    let text = match arguments.of {
        Of::Gate => render::schema()?,
    };
    say(text.trim_end());
    Ok(ExitCode::OK)
}
