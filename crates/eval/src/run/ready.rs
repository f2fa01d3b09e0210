//! Sessions made ready, and their cells side by side.

use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rayon::prelude::*;

use crate::answer::Memo;
use crate::drive::Cell;
use crate::matrix::{CellSpec, Summarizer};
use crate::prelude::*;
use crate::run::cell::{Ready, cell_of, land};
use crate::run::{Options, Progress, live, programs};
use crate::run_dir::shard::{Packed, Shard};
use crate::summarize::Ask;

/// Driven cells that may wait to be written.
const CELLS_WAITING: usize = 64;

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

/// The open cells of all sessions, each with who answers it.
fn spread<'a>(
    ready: &'a [Ready<'a>],
    answering: &'a [Answering],
) -> Vec<(&'a Ready<'a>, &'a Answering, &'a CellSpec)> {
    let sessions = ready.iter().zip(answering);
    sessions
        .flat_map(|(one, answering)| one.open.iter().map(move |spec| (one, answering, spec)))
        .collect()
}

/// Does something with every cell of these sessions, side by side; what came of it, in order.
pub(super) fn each_cell<T: Send>(
    ready: &[Ready],
    each: impl Fn(&Ready, &CellSpec, Cell) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let answering: Vec<Answering> = ready.iter().map(Ready::answering).collect();
    let cells = spread(ready, &answering);
    let done = cells.par_iter().with_max_len(1).map(|(one, answering, spec)| {
        let (ask, memo) = &answering[&spec.summarizer];
        let cell = cell_of(one.plan, one.scenario, &one.prepared, spec, (&**ask, memo));
        each(one, spec, Cell { exchanges: one.options.exchanges(), ..cell })
    });
    done.collect()
}

pub(super) fn drive_ready(
    options: &Options,
    ready: &[Ready],
    shard: &Shard,
    progress: &dyn Progress,
) -> Result<()> {
    let answering: Vec<Answering> = ready.iter().map(Ready::answering).collect();
    let cells = spread(ready, &answering);
    let broken: Mutex<Option<Error>> = Mutex::new(None);
    let is_over = || held(&broken).is_some() || live::check_not_stopped(options).is_err();
    std::thread::scope(|scope| {
        let (landing, landed) = sync_channel(CELLS_WAITING);
        let writer = scope.spawn(|| write(shard, landed, progress));
        // One by one: a thread that waits for a model must not keep other cells waiting.
        let cells = cells.par_iter().with_max_len(1);
        cells.for_each_with(landing, |landing, (one, answering, spec)| {
            if is_over() {
                return;
            }
            let (ask, memo) = &answering[&spec.summarizer];
            let cell = cell_of(one.plan, one.scenario, &one.prepared, spec, (&**ask, memo));
            let cell = Cell { exchanges: options.exchanges(), ..cell };
            let log = &one.prepared.manifest.log;
            let packed = land(spec, cell, one).and_then(|landed| {
                live::note_calls(options)?;
                programs::flush(options)?;
                Packed::new(&spec.key.cell, log, &landed, shard)
            });
            match packed {
                // OK to drop: the writer has left only where it failed.
                Ok(packed) => drop(landing.send(packed)),
                Err(error) => drop(held(&broken).get_or_insert(error)),
            }
        });
        let written = writer.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        if let Err(error) = written {
            held(&broken).get_or_insert(error);
        }
    });
    let broken = broken.into_inner().unwrap_or_else(PoisonError::into_inner);
    broken.map_or_else(|| live::check_not_stopped(options), Err)
}

fn held<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Lands cells as they come, those that wait together: they share the wait for the disk.
#[expect(clippy::needless_pass_by_value, reason = "it goes with the writer: no sender waits then")]
fn write(shard: &Shard, landed: Receiver<Packed>, progress: &dyn Progress) -> Result<()> {
    while let Ok(first) = landed.recv() {
        let cells: Vec<Packed> = std::iter::once(first).chain(landed.try_iter()).collect();
        shard.land(&cells)?;
        cells.iter().for_each(|packed| progress.cell(packed.cell()));
    }
    Ok(())
}
