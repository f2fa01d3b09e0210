//! Running a matrix: sessions one after the other, the cells of a session side by side.

mod cell;
mod finalise;
pub mod frozen;
pub mod live;
mod memory;
mod partition;
mod plan;
mod prepare;
pub(crate) mod programs;
mod ready;
pub mod rehearse;
pub mod rerun;
pub mod story;

pub use cell::{cell_of, limits};
pub(crate) use finalise::assemble;
pub use memory::measured;
pub use partition::{Slice, estimate, slices};
pub use plan::{Plan, tool};
pub use prepare::{Kept, Prepared, prepare, prepare_session};
pub use programs::Programs;

use std::sync::Arc;

use rayon::prelude::*;

use crate::derive;
use crate::matrix::CellSpec;
use crate::prelude::*;
use crate::run::cell::Ready;
use crate::run_dir::inputs;
use crate::run_dir::partition::{MATRIX, Partition};
use crate::run_dir::read::RunData;
use crate::run_dir::shard::Shard;
use crate::run_dir::write::{bytes, invalid_at, json_file, read_json, write_whole};
use crate::run_dir::{CellState, Manifest, ManifestSession, Stories, manifest, redact};
use crate::scenario::{Scenario, SessionSource};
use crate::strategy::Exchanges;
use crate::summarize::live::Live;
use crate::summarize::own::Summarizers;
use proctor_external::record::Record;

/// Sessions that are made ready and driven together: enough to keep threads busy where each has few
/// cells, few enough to be held in memory on any machine.
const SESSIONS_AT_ONCE: usize = 8;

/// What is being run, beside the cells that have landed.
const RECORDED: &str = "manifest.json";

/// How a run is carried out; none of it changes a figure.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The run directory.
    pub out: PathBuf,
    /// Threads; all cores where absent.
    pub jobs: Option<usize>,
    /// Whether to go on with what the directory holds.
    pub resume: bool,
    /// Which cells have their stories written.
    pub stories: Stories,
    /// Whether digests stand for the texts of transcripts; [`Plan::redacted`] hides names.
    pub redact: bool,
    /// The part of the run that is driven; all of it where absent.
    pub partition: Option<Partition>,
    /// Only these cells are driven, and sessions without one left out; all where absent.
    pub only: Option<BTreeSet<String>>,
    /// The binary that drives, with its commit where known, for `host.json`.
    pub binary: String,
    /// Who answers for the summarizer `http`, where a cell has it.
    pub live: Option<Arc<Live>>,
    /// The summarizers from outside that the suite may name.
    pub summarizers: Summarizers,
    /// Who answers for strategies that are programs.
    pub programs: Programs,
    /// Answers of programs that several runs share; each run has a record of its own where absent.
    pub exchanges: Option<Arc<Record>>,
    /// Where sessions made ready are kept for other runs; each run makes its own where absent.
    pub sessions: Option<Kept>,
}

impl Options {
    /// What programs answered, as the driver asks it.
    fn exchanges(&self) -> Option<&dyn Exchanges> {
        self.exchanges.as_deref().map(|record| record as &dyn Exchanges)
    }

    /// A whole run into this directory, without a model: first stories, nothing hidden.
    pub fn new(out: impl Into<PathBuf>) -> Options {
        Options { out: out.into(), binary: tool(), ..Options::default() }
    }
}

/// Is told how a run gets on.
pub trait Progress: Sync {
    /// So many cells are to be driven, so many are done from an earlier run.
    fn begin(&self, _cells: usize, _done: usize) {}
    /// A session is made ready.
    fn session(&self, _name: &str) {}
    /// A cell has landed.
    fn cell(&self, _id: &str) {}
    /// Something that the user should know.
    fn warn(&self, _text: &str) {}
}

/// Is told how a run gets on, and tells nobody.
#[derive(Clone, Copy, Debug)]
pub struct Silent;

impl Progress for Silent {}

/// What a run left.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Outcome {
    /// Cells of the matrix.
    pub cells: usize,
    /// Cells without figures: an internal error, or a model that gave no answer.
    pub failed: usize,
    /// Those of them that a model left unanswered.
    pub unanswered: usize,
    /// Controls that did not hold, in words.
    pub broken_controls: Vec<String>,
}

/// Runs the plan into the directory. [`Error::Stopped`] where a model cannot be asked any further
/// ([`Options::resume`] goes on), [`Error::WrongRun`] where the directory holds another run.
pub fn run(plan: &Plan, options: &Options, progress: &dyn Progress) -> Result<Outcome> {
    let plan = live::addressed(plan, options)?;
    live::finish(drive_all(&plan, options, progress), options)
}

fn drive_all(plan: &Plan, options: &Options, progress: &dyn Progress) -> Result<Outcome> {
    let part = partition::described(plan, options.partition)?;
    let mut manifest = Manifest { part, ..plan.manifest(options) };
    if options.resume && options.out.join("manifest.json").exists() {
        return complete(plan, options, &manifest);
    }
    if plan.sessions().iter().all(|(scenario, seed)| plan.cells(scenario, 0, *seed).is_empty()) {
        let hint = "no cell id holds this text; `--list` shows them all".to_owned();
        return Err(Error::unknown("cell", plan.filter.clone().unwrap_or_default(), Some(hint)));
    }
    programs::check(plan, options)?;
    let shard = open(&options.out, options.resume, &manifest, progress)?;
    let options = &programs::recording(plan, options)?;
    let inputs = plan.inputs(options.redact);
    write_whole(&options.out, inputs::FILE, &json_file(inputs::FILE, &inputs)?)?;
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(live::threads(options))
        .build()
        .map_err(invalid_at("--jobs"))?;
    let (sessions, order) = pool.install(|| drive_sessions(plan, options, &shard, progress))?;
    manifest.sessions = sessions;
    if manifest.part.is_some() {
        write_whole(&options.out, MATRIX, &partition::whole(plan).bytes()?)?;
    }
    let host = finalise::host(plan, options);
    programs::close(options, progress)?;
    assemble(&options.out, &shard, manifest, inputs, &order, host)
}

/// Drives the sessions: how each was, and the cells in the order of the matrix.
fn drive_sessions(
    plan: &Plan,
    options: &Options,
    shard: &Shard,
    progress: &dyn Progress,
) -> Result<(Vec<ManifestSession>, Vec<String>)> {
    let done: BTreeMap<String, Digest> =
        shard.landed().into_iter().map(|place| (place.cell, place.log)).collect();
    let is_wanted =
        |cell: &CellSpec| options.only.as_ref().is_none_or(|only| only.contains(&cell.key.cell));
    let slices = slices(plan, options.partition);
    progress.begin(partition::cells_of(plan, &slices), done.len());
    let is_asked = |slice: &Slice| {
        options.only.is_none() || plan.cells(slice.scenario, 0, slice.seed).iter().any(is_wanted)
    };
    let slices: Vec<Slice> = slices.into_iter().filter(is_asked).collect();
    let (mut sessions, mut order, mut waiting) = (Vec::new(), Vec::new(), Vec::new());
    for slices in slices.chunks(SESSIONS_AT_ONCE) {
        live::check_not_stopped(options)?;
        for slice in slices {
            progress.session(&format!("{} seed {}", slice.scenario.name, slice.seed));
        }
        let made = |slice: &Slice| {
            prepare::ready(plan, slice.scenario, slice.seed, options.sessions.as_ref())
        };
        let made: Vec<_> = slices.par_iter().map(made).collect();
        for (slice, prepared) in slices.iter().zip(made) {
            let (scenario, seed, prepared) = (slice.scenario, slice.seed, prepared?);
            frozen::hold_session(&plan.suite, &prepared.manifest)?;
            let mut line = prepared.manifest.clone();
            if options.redact {
                line.path = redact::name(&line.path);
            }
            sessions.push(line);
            let mut cells = slice.of(plan.cells(scenario, prepared.session.turns, seed));
            cells.retain(is_wanted);
            order.extend(cells.iter().map(|cell| cell.key.cell.clone()));
            let (landed, open): (Vec<CellSpec>, _) =
                cells.into_iter().partition(|cell| done.contains_key(&cell.key.cell));
            for CellSpec { key, .. } in &landed {
                same_session(&options.out, done.get(&key.cell), &prepared.manifest)?;
                progress.cell(&key.cell);
            }
            waiting.push(Ready { plan, options, scenario, seed, prepared, open });
        }
        if waiting.iter().map(|one| one.open.len()).sum::<usize>() >= live::cells_at_once(options) {
            ready::drive_ready(options, &waiting, shard, progress)?;
            waiting.clear();
        }
    }
    ready::drive_ready(options, &waiting, shard, progress)?;
    Ok((sessions, order))
}

/// Whether a run may begin, or go on, in the directory; else [`Error::WrongRun`].
pub fn is_free(out: &Path, resume: bool) -> Result<()> {
    if resume || !out.join("shards").join(RECORDED).exists() {
        return Ok(());
    }
    Err(Error::WrongRun {
        path: out.to_owned(),
        difference: "it exists already and `--resume` was not given".to_owned(),
    })
}

/// Opens the directory for a run of these inputs, or says what other run it holds. What is recorded
/// of the inputs is replaced where it is damaged and every landed cell is of these inputs.
pub(crate) fn open(
    out: &Path,
    resume: bool,
    inputs: &Manifest,
    progress: &dyn Progress,
) -> Result<Shard> {
    is_free(out, resume)?;
    let recorded = out.join("shards").join(RECORDED);
    let wanted = json_file(RECORDED, inputs)?;
    let shard = Shard::open(out, Digest::of(&wanted))?;
    let found = if recorded.exists() { Some(bytes(&recorded)?) } else { None };
    if found.as_ref() == Some(&wanted) {
        return Ok(shard);
    }
    let lost = || {
        let difference = "its record of inputs is damaged, and no cell is of these".to_owned();
        Error::WrongRun { path: out.to_owned(), difference }
    };
    let has_landed = !shard.landed().is_empty();
    if found.is_some() && !(has_landed && shard.is_of_run()) {
        return Err(match read_json(&recorded) {
            Ok((found, _)) => other_run(out, &found, inputs)?,
            Err(_) => lost(),
        });
    }
    if !shard.is_of_run() {
        return Err(lost());
    }
    if has_landed {
        progress.warn("what the run was made from was damaged; its landed cells agree on it");
    }
    write_whole(&out.join("shards"), RECORDED, &wanted)?;
    Ok(shard)
}

/// How a recorded run differs from the one that is wanted.
fn other_run(out: &Path, found: &serde_json::Value, inputs: &Manifest) -> Result<Error> {
    let wanted = manifest::value(inputs)?;
    let difference = match manifest::differing(found, &wanted) {
        Some(key) => format!("its `{key}` are not the same"),
        None => "it was written in another way".to_owned(),
    };
    Ok(Error::WrongRun { path: out.to_owned(), difference })
}

/// Whether a session is the one that was driven, where it was, by the digest of its log.
fn same_session(out: &Path, driven: Option<&Digest>, session: &ManifestSession) -> Result<()> {
    if driven.is_none_or(|driven| *driven == session.log) {
        return Ok(());
    }
    let difference = format!("the session of `{}` has changed since", session.scenario);
    Err(Error::WrongRun { path: out.to_owned(), difference })
}

/// A run that was finished before, if it was made from the same.
fn complete(plan: &Plan, options: &Options, inputs: &Manifest) -> Result<Outcome> {
    let out = &options.out;
    let RunData { manifest: finished, derived, .. } = RunData::load(out)?;
    let begun = Manifest { sessions: Vec::new(), cells: Vec::new(), ..finished.clone() };
    if begun != *inputs {
        return Err(other_run(out, &manifest::value(&begun)?, inputs)?);
    }
    for session in &finished.sessions {
        let source = plan.scenarios.iter().find(|scenario| scenario.name == session.scenario);
        let recorded = |one: &&Scenario| matches!(one.source, SessionSource::Transcript(_));
        if let Some(scenario) = source.filter(recorded) {
            let now = prepare(plan, scenario, session.seed)?.manifest;
            same_session(out, Some(&session.log), &now)?;
        }
    }
    let count = |is: fn(&CellState) -> bool| finished.cells.iter().filter(|c| is(&c.state)).count();
    Ok(Outcome {
        cells: finished.cells.len(),
        failed: count(CellState::is_failed),
        unanswered: count(|state| matches!(state, CellState::Unanswered(_))),
        broken_controls: derive::controls_hold(&derived).err().unwrap_or_default(),
    })
}
