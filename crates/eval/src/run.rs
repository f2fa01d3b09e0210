//! Running a matrix: sessions one after the other, the cells of a session side by
//! side, each finished cell on disk before the next begins.

pub mod again;
mod finalise;
pub mod frozen;
pub mod live;
mod partition;
mod prepare;
mod ready;
mod redacted;
pub mod rehearse;
pub mod story;

pub use finalise::{assemble, derived};
pub use partition::{Slice, slices};
pub use prepare::{Prepared, prepare};

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use serde_json::value::RawValue;

use crate::answer::Memo;
use crate::derive;
use crate::drive::{Cell, Limits, drive, drive_observed};
use crate::error::{Error, Result};
use crate::matrix::{
    self, CellSpec, Configuration, GridPoints, OrderedStages, Suite, SummarizerName,
};
use crate::measure::{self, Subject, rows};
use crate::price::PriceSheet;
use crate::run::ready::Ready;
use crate::run::story::{AtLength, Recorder};
use crate::run_dir::partition::Partition;
use crate::run_dir::read::RunData;
use crate::run_dir::write::{Landed, Shard, lines, write_whole};
use crate::run_dir::{
    CellState, Manifest, ManifestCell, ManifestInput, ManifestSession, Stories, digests, redact,
};
use crate::scenario::{Scenario, SessionSource, twin_of};
use crate::secrets;
use crate::strategy::Registry;
use crate::summarize::live::Live;
use crate::summarize::own::Summarizers;
use crate::summarize::{Ask, Stopped};
use crate::token::Counter;
use crate::trace::Trace;
use crate::unit::Tokens;

/// What is to be run.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The suite, for its name, seeds, modes and summarizers.
    pub suite: Suite,
    /// Its scenarios, resolved.
    pub scenarios: Vec<Scenario>,
    /// Its configurations, resolved.
    pub configurations: Vec<Configuration>,
    /// What the command line asked for, as words, for the manifest.
    pub command: String,
    /// Only cells whose id holds this text are driven.
    pub filter: Option<String>,
    /// The orders of stages that its orderings stand for.
    pub orders: Vec<OrderedStages>,
    /// The points that its grids stand for.
    pub grids: Vec<GridPoints>,
}

impl Plan {
    /// A suite on its scenarios, every pipeline looked up in the registry.
    ///
    /// # Errors
    ///
    /// [`Error::Unknown`] or [`Error::Invalid`] where a pipeline is not known or not sound.
    pub fn new(
        registry: &Registry,
        suite: Suite,
        scenarios: Vec<Scenario>,
        command: String,
    ) -> Result<Plan> {
        Ok(Plan {
            configurations: matrix::configurations(registry, &suite)?,
            orders: matrix::orders(registry, &suite)?,
            grids: matrix::grids(registry, &suite)?,
            suite,
            scenarios,
            command,
            filter: None,
        })
    }

    /// The sessions in order: every scenario under every seed; a transcript once.
    pub fn sessions(&self) -> Vec<(&Scenario, u64)> {
        let mut sessions = Vec::new();
        for scenario in &self.scenarios {
            match scenario.source {
                SessionSource::Transcript(_) => sessions.push((scenario, 0)),
                SessionSource::Synth(_) => {
                    let seeds = self.suite.seeds_of(scenario).iter();
                    sessions.extend(seeds.map(|seed| (scenario, *seed)));
                }
            }
        }
        sessions
    }

    /// The cells of a session.
    pub fn cells(&self, scenario: &Scenario, turns: u32, seed: u64) -> Vec<CellSpec> {
        let all = matrix::cells(&self.suite, &self.configurations, scenario, turns, seed);
        let wanted = |cell: &CellSpec| {
            self.filter.as_ref().is_none_or(|filter| cell.key.cell.contains(filter.as_str()))
        };
        all.into_iter().filter(wanted).collect()
    }

    /// Digests of everything that determines the figures, before any cell is driven.
    fn inputs(&self) -> Result<Manifest> {
        let input = |name: &str, digest| ManifestInput { name: name.to_owned(), digest };
        let sheet = PriceSheet::embedded();
        let mut summarizers = vec![self.suite.summarizer];
        summarizers.extend(&self.suite.brackets);
        let pipelines = self.configurations.iter().map(|one| &one.pipeline);
        Ok(Manifest {
            schema: crate::row::SCHEMA,
            tool: tool(),
            command: self.command.clone(),
            suite: format!("{} ({})", self.suite.name, matrix::digest(&self.suite)),
            tokenizer: Counter::REFERENCE.tokenizer.name().to_owned(),
            prices: input(sheet.name(), sheet.digest().clone()),
            scenarios: self.scenarios.iter().map(|s| input(&s.name, s.digest())).collect(),
            pipelines: self
                .configurations
                .iter()
                .map(|c| input(&format!("{}@{}", c.pipeline.name, c.variant), c.pipeline.digest()))
                .collect(),
            aliases: self.aliases(),
            orders: self.orders.clone(),
            grids: self.grids.clone(),
            references: pipelines
                .clone()
                .filter_map(|one| Some((one.name.clone(), one.reference.clone()?)))
                .collect(),
            fidelity: pipelines.map(|one| (one.name.clone(), one.fidelity)).collect(),
            sessions: Vec::new(),
            summarizers: summarizers.iter().map(ToString::to_string).collect(),
            faults: self.suite.faults.iter().map(ToString::to_string).collect(),
            offline: self.suite.summarizer.name != SummarizerName::Http,
            live: None,
            stories: Stories::First,
            redacted: false,
            part: None,
            metrics: measure::table::versions(),
            cells: Vec::new(),
        })
    }
}

impl Plan {
    /// By the name of a pipeline that was not driven under it: the name under which it
    /// was.
    fn aliases(&self) -> BTreeMap<String, String> {
        let mut aliases = BTreeMap::new();
        for configuration in &self.configurations {
            let names = configuration.aliases.iter().cloned();
            aliases.extend(names.map(|alias| (alias, configuration.name())));
        }
        aliases
    }
}

/// Version of the tool, as manifests name it.
pub fn tool() -> String {
    format!("proctor {}", env!("CARGO_PKG_VERSION"))
}

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

fn drive_all(plan: &Plan, options: &Options, progress: &dyn Progress) -> Result<Outcome> {
    let inputs = Manifest {
        stories: options.stories,
        redacted: options.redact,
        part: partition::described(plan, options.partition),
        live: options.live.as_ref().map(|live| live.terms().clone()),
        ..plan.inputs()?
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
    let threads = live::threads(options);
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|error| Error::invalid("--jobs", error.to_string()))?;
    let done: BTreeSet<String> = shard.landed()?.into_iter().map(|place| place.cell).collect();
    let mut manifest = inputs;
    let slices = slices(plan, options.partition);
    progress.begin(partition::cells_of(plan, &slices), done.len());
    let mut order = Vec::new();
    let mut waiting: Vec<Ready> = Vec::new();
    for slice in slices {
        let (scenario, seed) = (slice.scenario, slice.seed);
        live::check_not_stopped(options)?;
        progress.session(&format!("{} seed {seed}", scenario.name));
        let prepared = pool.install(|| prepare(plan, scenario, seed))?;
        frozen::hold_session(&plan.suite, &prepared.manifest)?;
        manifest.sessions.push(recorded(&prepared, options));
        if let Some(warning) = secrets_in(scenario, &prepared, options) {
            progress.warn(&warning);
        }
        let cells = slice.of(plan.cells(scenario, prepared.session.turns, seed));
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
        write_whole(&options.out, digests::MATRIX, &partition::whole(plan).bytes())?;
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
    if resume || !out.join("shards").join("inputs.json").exists() {
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
    if out.join("shards").join("inputs.json").exists() {
        same_inputs(out, inputs)?;
        return Shard::open(out);
    }
    let shard = Shard::open(out)?;
    write_whole(&out.join("shards"), "inputs.json", &finalise::json(inputs))?;
    Ok(shard)
}

/// Whether a directory was begun with these inputs.
fn same_inputs(out: &Path, inputs: &Manifest) -> Result<()> {
    let recorded = out.join("shards").join("inputs.json");
    let found = std::fs::read(&recorded).map_err(|source| Error::io("read", &recorded, source))?;
    if found == finalise::json(inputs) {
        return Ok(());
    }
    Err(Error::WrongRun { path: out.to_owned(), difference: difference(&found, inputs) })
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

/// The first key in which a recorded manifest differs.
fn difference(found: &[u8], inputs: &Manifest) -> String {
    let found: BTreeMap<String, serde_json::Value> =
        serde_json::from_slice(found).unwrap_or_default();
    let wanted = serde_json::to_value(inputs).unwrap_or_default();
    let keys = wanted.as_object().into_iter().flat_map(|object| object.iter());
    let differing = keys.into_iter().find(|(key, value)| found.get(*key) != Some(*value));
    differing.map_or_else(
        || "its inputs cannot be read".to_owned(),
        |(key, _)| format!("its `{key}` are not the same"),
    )
}

/// A session that is being driven.
#[derive(Clone, Copy)]
struct Of<'a> {
    plan: &'a Plan,
    scenario: &'a Scenario,
    seed: u64,
    prepared: &'a Prepared,
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
    sheet: &'a PriceSheet,
) -> Cell<'a> {
    let configuration = &plan.configurations[spec.configuration];
    Cell {
        session: &prepared.session,
        pipeline: &configuration.pipeline,
        limits: limits(scenario, configuration),
        mode: spec.mode,
        ask,
        memo,
        sheet,
        replicate: spec.key.replicate,
        probes: plan.suite.probes && spec.is_probed(&plan.suite),
    }
}

/// Drives one cell into a shard line. A panic is a defect of ours: the cell fails
/// as a row, the run goes on.
///
/// # Errors
///
/// [`Stopped`] where the summarizer will not answer any more: the cell must not land.
fn land(spec: &CellSpec, cell: Cell, of: Of) -> Result<Landed, Stopped> {
    let started = Instant::now();
    let driven = catch_unwind(AssertUnwindSafe(|| {
        let (trace, story) = match has_story(spec, of) {
            true => told(spec, cell, of)?,
            false => (drive(cell)?, None),
        };
        let tables = tables(spec, &cell, of.scenario, cell.sheet, &trace);
        let json = serde_json::value::to_raw_value(&trace.without_tables());
        Ok((tables, json.unwrap_or_else(|_| RawValue::NULL.to_owned()), story))
    }));
    let (failed, tables, trace, story) = match driven {
        Ok(driven) => {
            let (tables, trace, story) = driven?;
            (None, tables, trace, story)
        }
        Err(panic) => {
            let message = panic
                .downcast_ref::<String>()
                .map(String::as_str)
                .or_else(|| panic.downcast_ref::<&str>().copied())
                .unwrap_or("no message");
            // A panic may quote the text that it stumbled over.
            let message =
                if of.options.redact { redact::text(message) } else { message.to_owned() };
            let failed = Some(format!("internal error: {message}"));
            (failed, BTreeMap::new(), RawValue::NULL.to_owned(), None)
        }
    };
    let wall_ms = started.elapsed().as_millis() as u64;
    Ok(Landed { key: spec.key.clone(), failed, tables, trace, story, wall_ms })
}

/// Drives a cell and tells its story. The words of synthesized sessions are nobody's and
/// are never hidden.
fn told(spec: &CellSpec, cell: Cell, of: Of) -> Result<(Trace, Option<Box<RawValue>>), Stopped> {
    let mut recorder = Recorder::new(cell.session, cell.pipeline, AtLength::Nothing);
    let trace = drive_observed(cell, &mut recorder)?;
    let mut story = recorder.finish(&spec.key, cell.limits, &trace).story;
    if of.options.redact && matches!(of.scenario.source, SessionSource::Transcript(_)) {
        story = redact::story(story);
    }
    Ok((trace, serde_json::value::to_raw_value(&story).ok()))
}

fn tables(
    spec: &CellSpec,
    cell: &Cell,
    scenario: &Scenario,
    sheet: &PriceSheet,
    trace: &Trace,
) -> BTreeMap<String, String> {
    let id = &spec.key.cell;
    let subject = Subject {
        trace,
        session: cell.session,
        pipeline: cell.pipeline,
        limits: cell.limits,
        base_window: scenario.window,
        sheet,
    };
    let measured = measure::measure(&subject);
    let mut tables = BTreeMap::new();
    let mut put = |name: &str, text: String| tables.insert(name.to_owned(), text);
    put("measurements", finalise::measurement_line(&spec.key, "done", "", &measured));
    put("floor", lines(&rows::floor_rows(id, &subject)));
    put("composition", lines(&rows::composition_rows(id, &subject)));
    put("steps", lines(&rows::step_rows(id, &subject)));
    put("compactions", lines(&rows::compaction_rows(id, &subject)));
    put("triggers", lines(&rows::trigger_rows(id, &subject)));
    put("survival", lines(&measure::survival::rows(id, &subject)));
    put("facts", lines(&rows::fact_rows(id, &subject)));
    tables
}
