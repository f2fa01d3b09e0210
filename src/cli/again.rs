//! Arguments of the verbs that drive all of a recorded run again.

use std::path::PathBuf;

use clap::Args;

/// Which run, and what of it lies elsewhere now.
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
