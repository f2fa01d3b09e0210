//! Two sides driven into one folder, on more and more sessions.

use std::sync::Arc;

use crate::cli::live::EndpointArguments;
use crate::cli::prelude::*;
use crate::gate::Look;
use crate::run::{self, Kept, Options, Plan, Progress};
use crate::run_dir::Stories;
use crate::summarize::live::Live;

/// Drives plans into one folder, on sessions that are made once.
pub(in crate::cli) struct Driver<'a> {
    /// Holds `baseline` and `candidate`.
    pub(in crate::cli) folder: &'a Path,
    /// Whether somebody wants the folder.
    is_kept: bool,
    jobs: Option<usize>,
    sessions: Kept,
    model: Option<&'a EndpointArguments>,
}

/// What both sides came to, up to a look.
#[derive(Clone, Copy)]
pub(in crate::cli) struct Seen<'a> {
    pub(in crate::cli) look: Look,
    pub(in crate::cli) base: &'a RunData,
    pub(in crate::cli) run: &'a RunData,
    /// The seeds of all looks so far.
    pub(in crate::cli) seeds: &'a [u64],
}

impl<'a> Driver<'a> {
    /// Into `kept`, or else into a folder that goes again.
    pub(in crate::cli) fn new(
        kept: Option<&'a Path>,
        scratch: &'a Path,
        jobs: Option<usize>,
    ) -> Driver<'a> {
        let folder = kept.unwrap_or(scratch);
        Driver { folder, is_kept: kept.is_some(), jobs, sessions: Kept::default(), model: None }
    }

    /// The same, with the model that answers where plans have the summarizer `http`. It is opened
    /// anew for each run, which closes it.
    pub(in crate::cli) fn asking(
        self,
        plans: &[Plan; 2],
        at: &'a EndpointArguments,
    ) -> Result<Driver<'a>> {
        if !plans.iter().any(Plan::asks_a_model) {
            return at.unused().map_or(Ok(self), Err);
        }
        Ok(Driver { model: Some(at), ..self })
    }

    fn live(&self, plan: &Plan) -> Result<Option<Arc<Live>>> {
        let own = || {
            let made = std::fs::create_dir_all(self.folder);
            made.map_err(|source| Error::io("create", self.folder, source))?;
            Ok(self.folder.join("cassette.jsonl"))
        };
        let model = self.model.filter(|_| plan.asks_a_model());
        model.map(|at| at.open(own)).transpose()
    }

    /// The run directories of both sides so far, a pair for each look.
    pub(in crate::cli) fn pairs(&self) -> Vec<(PathBuf, PathBuf)> {
        let looks = Look::all(1, usize::MAX).map(|look| {
            let of = |side: &str| self.folder.join(format!("{side}{look}"));
            (of("baseline"), of("candidate"))
        });
        let is_there = |dir: &Path| dir.join("manifest.json").exists();
        looks.take_while(|(base, run)| is_there(base) && is_there(run)).collect()
    }

    /// Drives both sides, and as many seeds again while nothing is decided, at most so many of each
    /// scenario. `None` where that is so at the end.
    pub(in crate::cli) fn until<T>(
        &self,
        [own, changed]: &[Plan; 2],
        most: Option<usize>,
        decided: impl Fn(Seen) -> Result<Option<T>>,
    ) -> Result<Option<T>> {
        let batch = own.suite.seeds.len();
        let (mut sides, mut seeds): (Option<[RunData; 2]>, _) = (None, Vec::new());
        for look in Look::all(batch, most.unwrap_or(batch)) {
            let drive = |name: &str, plan: &Plan| {
                let mut plan = plan.clone();
                plan.suite.seeds = look.seeds(&plan.suite.seeds);
                self.drive(&format!("{name}{look}"), &plan)
            };
            let (more, run) = (drive("baseline", own)?, drive("candidate", changed)?);
            let [base, run] = match sides.take() {
                Some([before, after]) => [before.joined(more), after.joined(run)],
                None => [more, run],
            };
            seeds.extend(look.seeds(&own.suite.seeds));
            let seen = Seen { look, base: &base, run: &run, seeds: &seeds };
            if let Some(answer) = decided(seen)? {
                return Ok(Some(answer));
            }
            sides = Some([base, run]);
        }
        Ok(None)
    }

    pub(in crate::cli) fn drive(&self, name: &str, plan: &Plan) -> Result<RunData> {
        let out = self.folder.join(name);
        let options = Options {
            jobs: self.jobs,
            stories: Stories::None,
            sessions: Some(self.sessions.clone()),
            live: self.live(plan)?,
            ..Options::new(&out)
        };
        talk(shown!("{}: {} sessions", name, plan.sessions().len()));
        run::run(plan, &options, &Quiet)?;
        if self.is_kept {
            talk(shown!("{}: {}", name, out.display()));
        }
        RunData::load(&out)
    }
}

struct Quiet;

impl Progress for Quiet {
    fn warn(&self, text: &str) {
        talk(Shown::laid_out(&format!("warning: {text}")));
    }
}
