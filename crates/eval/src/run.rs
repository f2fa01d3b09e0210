//! Running a matrix: sessions one after the other, the cells of a session side by
//! side, each finished cell on disk before the next begins.

mod finalise;
pub mod frozen;
pub mod live;
mod partition;
mod plan;
mod prepare;
mod ready;
mod redacted;
pub mod rehearse;
pub mod rerun;
pub mod story;

pub use finalise::{Host, assemble};
pub use partition::{Slice, slices};
pub use plan::{Plan, tool};
pub use prepare::{Prepared, prepare};

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use serde::Serialize;
use serde_json::value::RawValue;

use crate::answer::Memo;
use crate::derive;
use crate::drive::{Cell, Limits, drive, drive_observed};
use crate::error::{Error, Result};
use crate::matrix::{CellSpec, Configuration};
use crate::measure::{self, Measurement, Subject, rows};
use crate::run::ready::Ready;
use crate::run::story::{AtLength, Recorder};
use crate::run_dir::inputs;
use crate::run_dir::partition::Partition;
use crate::run_dir::read::RunData;
use crate::run_dir::tables::CellRows;
use crate::run_dir::write::{Landed, Shard, json_file, write_whole};
use crate::run_dir::{
    CellState, Manifest, ManifestCell, ManifestSession, Stories, digests, manifest, redact,
};
use crate::scenario::{Scenario, SessionSource, twin_of};
use crate::secrets;
use crate::summarize::Ask;
use crate::summarize::live::Live;
use crate::summarize::own::Summarizers;
use crate::trace::Trace;
use crate::unit::Tokens;

/// What is being run, beside the cells that have landed.
const RECORDED: &str = "manifest.json";

/// How a run is carried out; none of it changes a figure.
#[derive(Clone, Debug)]
pub struct Options {
    /// The run directory.
    pub out: PathBuf,
    /// Threads; all cores where absent.
    pub jobs: Option<usize>,
    /// Whether to go on with what the directory holds.
    pub resume: bool,
    /// Which cells have their stories written.
    pub stories: Stories,
    /// Whether digests stand for the texts of transcripts and for where they lie. Their
    /// names are the plan's to hide: [`Plan::redacted`].
    pub redact: bool,
    /// The part of the run that is driven; all of it where absent.
    pub partition: Option<Partition>,
    /// Only these cells are driven; all of the plan where absent. Unlike a filter it leaves
    /// out sessions without a cell.
    pub only: Option<BTreeSet<String>>,
    /// The binary that drives, with its commit where known, for `host.json`.
    pub binary: String,
    /// Who answers for the summarizer `http`, where a cell has it.
    pub live: Option<Arc<Live>>,
    /// The summarizers from outside that the suite may name.
    pub summarizers: Summarizers,
}

impl Options {
    /// A whole run into this directory, without a model: the first stories are written, and
    /// nothing is hidden.
    pub fn new(out: impl Into<PathBuf>) -> Options {
        Options {
            out: out.into(),
            jobs: None,
            resume: false,
            stories: Stories::First,
            redact: false,
            partition: None,
            only: None,
            binary: tool(),
            live: None,
            summarizers: Summarizers::default(),
        }
    }
}

/// Told how a run gets on.
pub trait Progress: Sync {
    /// So many cells are to be driven, so many are done from an earlier run.
    fn begin(&self, cells: usize, done: usize);
    /// A session is made ready.
    fn session(&self, name: &str);
    /// A cell has landed.
    fn cell(&self, id: &str);
    /// Something that the user should know.
    fn warn(&self, text: &str);
}

/// What a run left.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Outcome {
    /// Cells of the matrix.
    pub cells: usize,
    /// Cells that failed with an internal error.
    pub failed: usize,
    /// Controls that did not hold, in words.
    pub broken_controls: Vec<String>,
}

/// Runs the plan into the directory.
///
/// # Errors
///
/// [`Error::Stopped`] where a live model cannot be asked any further: what has landed stays,
/// and [`Options::resume`] goes on. [`Error::WrongRun`] where the directory holds another
/// run, [`Error::Io`] where it cannot be written.
pub fn run(plan: &Plan, options: &Options, progress: &dyn Progress) -> Result<Outcome> {
    let plan = live::addressed(plan, options)?;
    live::finish(drive_all(&plan, options, progress), options)
}

#[expect(clippy::too_many_lines, reason = "the steps of a run in their order")]
fn drive_all(plan: &Plan, options: &Options, progress: &dyn Progress) -> Result<Outcome> {
    let inputs = Manifest {
        stories: options.stories,
        redacted: options.redact,
        part: partition::described(plan, options.partition)?,
        live: options.live.as_ref().map(|live| live.terms().clone()),
        ..plan.manifest()
    };
    if options.resume && options.out.join("manifest.json").exists() {
        same_inputs(&options.out, &inputs)?;
        return complete(&options.out);
    }
    if per_session(plan) == 0 {
        return Err(Error::Unknown {
            what: "cell",
            name: plan.filter.clone().unwrap_or_default(),
            hint: Some("no cell id holds this text; `--list` shows them all".to_owned()),
        });
    }
    let shard = open(&options.out, options.resume, &inputs)?;
    let made_from = json_file(inputs::FILE, &plan.inputs(options.redact))?;
    write_whole(&options.out, inputs::FILE, &made_from)?;
    let threads = live::threads(options);
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|error| Error::invalid("--jobs", error.to_string()))?;
    let done: BTreeSet<String> = shard.landed()?.into_iter().map(|place| place.cell).collect();
    let mut manifest = inputs;
    let slices = slices(plan, options.partition);
    let is_wanted =
        |cell: &CellSpec| options.only.as_ref().is_none_or(|only| only.contains(&cell.key.cell));
    progress.begin(partition::cells_of(plan, &slices), done.len());
    let mut order = Vec::new();
    let mut waiting: Vec<Ready> = Vec::new();
    for slice in slices {
        let (scenario, seed) = (slice.scenario, slice.seed);
        live::check_not_stopped(options)?;
        if options.only.is_some() && !plan.cells(scenario, 0, seed).iter().any(is_wanted) {
            continue;
        }
        progress.session(&format!("{} seed {seed}", scenario.name));
        let prepared = pool.install(|| prepare(plan, scenario, seed))?;
        frozen::hold_session(&plan.suite, &prepared.manifest)?;
        manifest.sessions.push(recorded(&prepared, options));
        if let Some(warning) = secrets_in(scenario, &prepared, options) {
            progress.warn(&warning);
        }
        let mut cells = slice.of(plan.cells(scenario, prepared.session.turns, seed));
        cells.retain(is_wanted);
        order.extend(cells.iter().map(|cell| cell.key.cell.clone()));
        let (landed, open): (Vec<CellSpec>, _) =
            cells.into_iter().partition(|cell| done.contains(&cell.key.cell));
        for cell in landed {
            progress.cell(&cell.key.cell);
        }
        waiting.push(Ready { scenario, seed, prepared, open });
        if waiting.iter().map(|one| one.open.len()).sum::<usize>() >= live::cells_at_once(options) {
            pool.install(|| ready::drive_ready(plan, options, &waiting, &shard, progress))?;
            waiting.clear();
        }
    }
    pool.install(|| ready::drive_ready(plan, options, &waiting, &shard, progress))?;
    if manifest.part.is_some() {
        write_whole(&options.out, digests::MATRIX, &partition::whole(plan).bytes()?)?;
    }
    finalise::finalise(options, &shard, manifest, &order, plan)
}

/// A session's line of the manifest.
fn recorded(prepared: &Prepared, options: &Options) -> ManifestSession {
    let mut manifest = prepared.manifest.clone();
    if options.redact {
        manifest.path = redact::name(&manifest.path);
    }
    manifest
}

/// A warning where a transcript holds what looks like secrets and its texts are going to
/// be written.
fn secrets_in(scenario: &Scenario, prepared: &Prepared, options: &Options) -> Option<String> {
    let SessionSource::Transcript(path) = &scenario.source else { return None };
    if options.redact || options.stories == Stories::None {
        return None;
    }
    let found = secrets::in_log(&prepared.session.log);
    let told = found.told()?;
    Some(format!(
        "`{}` seems to hold secrets: {told}; stories quote transcripts\n\nhint: `--redact` writes \
         digests in place of its texts, `--stories none` no texts at all",
        path.display()
    ))
}

/// Cells of the session that has most.
fn per_session(plan: &Plan) -> usize {
    let sessions = plan.sessions();
    sessions.iter().map(|(scenario, seed)| plan.cells(scenario, 0, *seed).len()).max().unwrap_or(0)
}

/// Whether a run may begin, or go on, in the directory.
///
/// # Errors
///
/// [`Error::WrongRun`] where it holds a run that is not to be gone on with.
pub fn is_free(out: &Path, resume: bool) -> Result<()> {
    if resume || !out.join("shards").join(RECORDED).exists() {
        return Ok(());
    }
    Err(Error::WrongRun {
        path: out.to_owned(),
        difference: "it exists already and `--resume` was not given".to_owned(),
    })
}

/// Opens the directory for a run of these inputs, or says what other run it holds.
///
/// # Errors
///
/// [`Error::WrongRun`], or [`Error::Io`].
pub fn open(out: &Path, resume: bool, inputs: &Manifest) -> Result<Shard> {
    is_free(out, resume)?;
    if out.join("shards").join(RECORDED).exists() {
        same_inputs(out, inputs)?;
        return Shard::open(out);
    }
    let shard = Shard::open(out)?;
    write_whole(&out.join("shards"), RECORDED, &json_file(RECORDED, inputs)?)?;
    Ok(shard)
}

/// Whether a directory was begun with these inputs.
fn same_inputs(out: &Path, inputs: &Manifest) -> Result<()> {
    let recorded = out.join("shards").join(RECORDED);
    let found = std::fs::read(&recorded).map_err(|source| Error::io("read", &recorded, source))?;
    if found == json_file(RECORDED, inputs)? {
        return Ok(());
    }
    let found: serde_json::Value = serde_json::from_slice(&found)
        .map_err(|error| Error::invalid(recorded.display().to_string(), error.to_string()))?;
    let wanted = manifest::value(inputs)?;
    let difference = match manifest::differing(&found, &wanted) {
        Some(key) => format!("its `{key}` are not the same"),
        None => "it was written in another way".to_owned(),
    };
    Err(Error::WrongRun { path: out.to_owned(), difference })
}

/// The outcome of a run that was finished before.
fn complete(out: &Path) -> Result<Outcome> {
    digests::check_sizes(out)?;
    let data = RunData::load(out)?;
    let failed = |cell: &&ManifestCell| matches!(cell.state, CellState::Failed(_));
    Ok(Outcome {
        cells: data.manifest.cells.len(),
        failed: data.manifest.cells.iter().filter(failed).count(),
        broken_controls: derive::controls_hold(&data.derived).err().unwrap_or_default(),
    })
}

/// A session that is being driven.
#[derive(Clone, Copy)]
struct Of<'a> {
    plan: &'a Plan,
    scenario: &'a Scenario,
    seed: u64,
    options: &'a Options,
}

/// Whether a cell's story is written.
fn has_story(spec: &CellSpec, of: Of) -> bool {
    let (key, suite) = (&spec.key, &of.plan.suite);
    let is_first = match of.scenario.source {
        SessionSource::Transcript(_) => true,
        SessionSource::Synth(_) => suite.seeds.first() == Some(&of.seed),
    };
    match of.options.stories {
        Stories::All => true,
        Stories::None => false,
        Stories::First => {
            is_first
                && twin_of(&key.scenario).is_none()
                && key.variant == "windowed"
                && suite.modes.first() == Some(&spec.mode)
                && spec.summarizer == suite.main()
                && key.replicate == 0
        }
    }
}

/// What the model admits in a configuration of a scenario.
pub fn limits(scenario: &Scenario, configuration: &Configuration) -> Limits {
    Limits {
        window: if configuration.windowless {
            Tokens::UNBOUNDED
        } else {
            configuration.window.unwrap_or(scenario.window)
        },
        max_output: scenario.max_output,
        admits: scenario.admits,
        wire: scenario.wire,
        // Without a window nothing is refused: the control replays what was said.
        cut_off_every: if configuration.windowless { 0 } else { scenario.cut_off_every },
    }
}

/// A cell of a plan, ready to be driven.
fn cell_of<'a>(
    plan: &'a Plan,
    scenario: &Scenario,
    prepared: &'a Prepared,
    spec: &CellSpec,
    (ask, memo): (&'a dyn Ask, &'a Memo),
) -> Cell<'a> {
    let configuration = &plan.configurations[spec.configuration];
    Cell {
        session: &prepared.session,
        pipeline: &configuration.pipeline,
        limits: limits(scenario, configuration),
        mode: spec.mode,
        ask,
        memo,
        sheet: &plan.sheet,
        replicate: spec.key.replicate,
        probes: plan.suite.probes && spec.is_probed(&plan.suite),
    }
}

/// Drives one cell. A panic is a defect of ours: the cell fails as a row, the run goes on.
///
/// # Errors
///
/// [`Error::Stopped`] where the summarizer will not answer any more, and what cannot be
/// written: the cell must not land.
fn land(spec: &CellSpec, cell: Cell, of: Of) -> Result<Landed> {
    let started = Instant::now();
    let driven = catch_unwind(AssertUnwindSafe(|| driven(spec, cell, of)));
    let mut landed = driven.unwrap_or_else(|panic| {
        let message = panic
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| panic.downcast_ref::<&str>().copied())
            .unwrap_or("no message");
        // A panic may quote the text that it stumbled over.
        let message = if of.options.redact { redact::text(message) } else { message.to_owned() };
        Ok(Landed {
            key: spec.key.clone(),
            failed: Some(format!("internal error: {message}")),
            figures: Measurement::default().columns(),
            rows: CellRows::default(),
            trace: None,
            digest: None,
            story: None,
            wall_ms: 0,
        })
    })?;
    landed.wall_ms = started.elapsed().as_millis() as u64;
    Ok(landed)
}

fn driven(spec: &CellSpec, cell: Cell, of: Of) -> Result<Landed> {
    let (trace, story) = match has_story(spec, of) {
        true => with_story(spec, cell, of)?,
        false => (drive(cell).map_err(|stopped| live::error_of(&stopped))?, None),
    };
    let id = &spec.key.cell;
    let subject = Subject {
        trace: &trace,
        session: cell.session,
        pipeline: cell.pipeline,
        limits: cell.limits,
        base_window: of.scenario.window,
        sheet: cell.sheet,
    };
    Ok(Landed {
        key: spec.key.clone(),
        failed: None,
        figures: measure::measure(&subject).columns(),
        rows: CellRows {
            floor: rows::floor_rows(id, &subject),
            composition: rows::composition_rows(id, &subject),
            steps: rows::step_rows(id, &subject),
            compactions: rows::compaction_rows(id, &subject),
            triggers: rows::trigger_rows(id, &subject),
            facts: rows::fact_rows(id, &subject),
            survival: measure::survival::rows(id, &subject),
        },
        trace: Some(raw_json("trace", &trace)?),
        digest: Some(trace.digest()),
        story,
        wall_ms: 0,
    })
}

/// Drives a cell and makes its story. The words of synthesized sessions are nobody's and
/// are never hidden.
fn with_story(spec: &CellSpec, cell: Cell, of: Of) -> Result<(Trace, Option<Box<RawValue>>)> {
    let mut recorder = Recorder::new(cell.session, cell.pipeline, AtLength::Nothing);
    let trace = drive_observed(cell, &mut recorder).map_err(|stopped| live::error_of(&stopped))?;
    let mut story = recorder.finish(&spec.key, cell.limits, &trace).story;
    if of.options.redact && matches!(of.scenario.source, SessionSource::Transcript(_)) {
        story = redact::story(story);
    }
    let story = raw_json("story", &story)?;
    Ok((trace, Some(story)))
}

fn raw_json<T: Serialize>(what: &str, value: &T) -> Result<Box<RawValue>> {
    serde_json::value::to_raw_value(value)
        .map_err(|error| Error::invalid(what, format!("cannot be written as JSON: {error}")))
}
