//! Plans driven into the folder of a gate.

use super::Arguments;
use crate::cli::prelude::*;
use crate::run::{self, Kept, Options, Plan, Progress};
use crate::run_dir::Stories;

/// Drives plans into one folder, on sessions that are made once.
pub(super) struct Driver<'a> {
    pub(super) arguments: &'a Arguments,
    /// Holds `baseline` and `candidate`.
    pub(super) folder: &'a Path,
    sessions: Kept,
}

impl<'a> Driver<'a> {
    pub(super) fn new(arguments: &'a Arguments, folder: &'a Path) -> Driver<'a> {
        Driver { arguments, folder, sessions: Kept::default() }
    }

    pub(super) fn drive(&self, name: &str, plan: &Plan) -> Result<RunData> {
        let out = self.folder.join(name);
        let options = Options {
            jobs: self.arguments.jobs,
            stories: Stories::None,
            sessions: Some(self.sessions.clone()),
            ..Options::new(&out)
        };
        talk(&format!("{name}: {} sessions", plan.sessions().len()));
        run::run(plan, &options, &Quiet)?;
        if self.arguments.out.is_some() {
            talk(&format!("{name}: {}", out.display()));
        }
        RunData::load(&out)
    }
}

struct Quiet;

impl Progress for Quiet {
    fn warn(&self, text: &str) {
        talk(&format!("warning: {text}"));
    }
}
