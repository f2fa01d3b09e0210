//! Sessions made ready, and their cells side by side.

use std::sync::Mutex;

use rayon::prelude::*;

use crate::answer::Memo;
use crate::drive::Cell;
use crate::matrix::{CellSpec, Summarizer};
use crate::prelude::*;
use crate::run::cell::{Ready, cell_of, land};
use crate::run::{Options, Progress, live, programs};
use crate::run_dir::shard::Shard;
use crate::summarize::Ask;

/// The summarizers of a session, each with what it has answered.
type Answering = BTreeMap<Summarizer, (Box<dyn Ask + Send>, Memo)>;

impl Ready<'_> {
    fn answering(&self) -> Answering {
        let session = &self.prepared.session;
        let fitted = &self.plan.suite.fitted;
        let answering = |summarizer: Summarizer| {
            let ask =
                live::summarizer(self.options, summarizer, (session, Seed(self.seed)), fitted);
            (summarizer, (ask, Memo::default()))
        };
        let summarizers: BTreeSet<Summarizer> =
            self.open.iter().map(|cell| cell.summarizer).collect();
        summarizers.into_iter().map(answering).collect()
    }
}

pub(super) fn drive_ready(
    options: &Options,
    ready: &[Ready],
    shard: &Shard,
    progress: &dyn Progress,
) -> Result<()> {
    let answering: Vec<Answering> = ready.iter().map(Ready::answering).collect();
    let cells: Vec<(&Ready, &Answering, &CellSpec)> = ready
        .iter()
        .zip(&answering)
        .flat_map(|(one, answering)| one.open.iter().map(move |spec| (one, answering, spec)))
        .collect();
    let broken: Mutex<Option<Error>> = Mutex::new(None);
    // One by one: a thread that waits for a model must not keep other cells waiting.
    cells.par_iter().with_max_len(1).for_each(|(one, answering, spec)| {
        let stop = || broken.lock().map_or(true, |broken| broken.is_some());
        if stop() || live::check_not_stopped(options).is_err() {
            return;
        }
        let (ask, memo) = &answering[&spec.summarizer];
        let cell = cell_of(one.plan, one.scenario, &one.prepared, spec, (&**ask, memo));
        let cell = Cell { exchanges: options.exchanges(), ..cell };
        let written = land(spec, cell, one).and_then(|landed| {
            live::note_calls(options)?;
            programs::flush(options)?;
            shard.land(&spec.key.cell, &landed)
        });
        match written {
            Ok(()) => progress.cell(&spec.key.cell),
            Err(error) => {
                let mut broken = broken.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                broken.get_or_insert(error);
            }
        }
    });
    let broken = broken.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    broken.map_or_else(|| live::check_not_stopped(options), Err)
}
