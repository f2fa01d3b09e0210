//! Where hypotheses get their cells: driven once, kept in memory, asked for by name.
//!
//! Only what the suite `hypotheses` names can be had, so that `proctor run hypotheses`
//! writes the rows of every cell that a verdict rests on.

use proctor::measure::MetricId;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use rayon::prelude::*;

use proctor::answer::Memo;
use proctor::drive::{Cell, Limits, Mode, Session, drive};
use proctor::error::{Error, Result};
use proctor::ident::{Seed, nearest};
use proctor::matrix::{self, CellSpec, Suite, Summarizer};
use proctor::measure::{self, Measurement, Subject};
use proctor::pipeline::Pipeline;
use proctor::price::PriceSheet;
use proctor::run::{Plan, limits, prepare};
use proctor::scenario::Scenario;
use proctor::summarize::Ask;
use proctor::trace::Trace;
use proctor::unit::Tokens;

/// Name of the suite that says what may be driven.
pub const SUITE: &str = "hypotheses";

/// A driven cell.
pub struct Driven {
    /// What it did.
    pub trace: Trace,
    /// The session that was replayed.
    pub session: Arc<Session>,
    /// The configuration.
    pub pipeline: Pipeline,
    /// What the model admitted.
    pub limits: Limits,
    /// The session's seed.
    pub seed: u64,
    base_window: Tokens,
    measured: OnceLock<Measurement>,
}

impl Driven {
    /// A figure of the metric table; `None` where it is undefined. Measured when first
    /// asked for.
    pub fn figure(&self, metric: MetricId) -> Option<f64> {
        self.measured().number(metric)
    }

    /// All figures of the metric table.
    pub fn measured(&self) -> &Measurement {
        self.measured.get_or_init(|| {
            measure::measure(&Subject {
                trace: &self.trace,
                session: &self.session,
                pipeline: &self.pipeline,
                limits: self.limits,
                base_window: self.base_window,
                sheet: &PriceSheet::embedded(),
            })
        })
    }
}

/// What was made already, by key.
type Shelf<K, T> = Mutex<BTreeMap<K, Arc<T>>>;

/// Drives the cells of the suite as they are asked for.
pub struct Laboratory {
    plan: Plan,
    sheet: PriceSheet,
    sessions: Shelf<(String, u64), Session>,
    memos: Mutex<BTreeMap<(String, u64, Summarizer), Arc<Memo>>>,
    cells: Shelf<String, Driven>,
    told: Box<dyn Fn(&str) + Sync>,
}

impl Laboratory {
    /// The embedded suite, nothing driven yet. `told` is given the id of every cell that
    /// is about to be driven.
    ///
    /// # Errors
    ///
    /// Where the suite or what it names does not parse.
    pub fn open(told: Box<dyn Fn(&str) + Sync>) -> Result<Laboratory> {
        let suite = Suite::embedded(SUITE)
            .unwrap_or_else(|| Err(Error::invalid(SUITE, "the suite does not ship")))?;
        let scenarios = suite.scenarios.iter().map(|name| Scenario::embedded(name));
        let scenarios = scenarios.collect::<Result<Vec<_>>>()?;
        Ok(Laboratory {
            plan: Plan::new(proctor::strategy::shipped(), suite, scenarios, String::new())?,
            sheet: PriceSheet::embedded(),
            sessions: Mutex::default(),
            memos: Mutex::default(),
            cells: Mutex::default(),
            told,
        })
    }

    /// The summarizers of the suite, the one that most verdicts rest on first.
    pub fn summarizers(&self) -> Vec<Summarizer> {
        let suite = &self.plan.suite;
        [suite.summarizer].into_iter().chain(suite.brackets.iter().copied()).collect()
    }

    /// The seeds of the suite.
    pub fn seeds(&self) -> &[u64] {
        &self.plan.suite.seeds
    }

    /// Prices and rates by which everything is driven.
    pub fn sheet(&self) -> &PriceSheet {
        &self.sheet
    }

    /// A configuration of the suite on a scenario, as deployed, under the suite's main
    /// summarizer: one cell per seed, in the order of the seeds. A configuration without a
    /// window is named `NAME@windowless`.
    ///
    /// # Errors
    ///
    /// Where the suite does not name it.
    pub fn cells(&self, scenario: &str, configuration: &str) -> Result<Vec<Arc<Driven>>> {
        self.cells_under(scenario, configuration, Mode::Deployed, self.plan.suite.summarizer)
    }

    /// As [`Laboratory::cells`], in a mode and under a summarizer. The suite drives
    /// interventions under its main summarizer alone.
    ///
    /// # Errors
    ///
    /// Where the suite does not name it.
    pub fn cells_under(
        &self,
        scenario: &str,
        configuration: &str,
        mode: Mode,
        summarizer: Summarizer,
    ) -> Result<Vec<Arc<Driven>>> {
        let scenario = self.scenario(scenario)?;
        let number = self.configuration(configuration)?;
        let wanted = |spec: &CellSpec| {
            spec.configuration == number && spec.mode == mode && spec.summarizer == summarizer
        };
        let one = |seed: u64| {
            let session = self.session(scenario, seed)?;
            let specs = self.plan.cells(scenario, session.turns, seed);
            let spec = specs.into_iter().find(wanted).ok_or_else(|| {
                let (mode, summarizer) = (mode.name(), summarizer);
                Error::invalid(
                    format!("suite `{SUITE}`"),
                    format!(
                        "`{configuration}` in mode {mode} under `{summarizer}` is none of its cells"
                    ),
                )
            })?;
            self.cell(scenario, &session, &spec, seed)
        };
        self.plan.suite.seeds.par_iter().map(|seed| one(*seed)).collect()
    }

    fn scenario(&self, name: &str) -> Result<&Scenario> {
        let all = &self.plan.scenarios;
        all.iter().find(|scenario| scenario.name == name).ok_or_else(|| {
            not_in_suite("scenario", name, all.iter().map(|scenario| scenario.name.as_str()))
        })
    }

    fn configuration(&self, name: &str) -> Result<usize> {
        let names: Vec<String> =
            self.plan.configurations.iter().map(matrix::Configuration::name).collect();
        let place = names.iter().position(|known| known == name);
        place.ok_or_else(|| not_in_suite("configuration", name, names.iter().map(String::as_str)))
    }

    fn session(&self, scenario: &Scenario, seed: u64) -> Result<Arc<Session>> {
        let key = (scenario.name.clone(), seed);
        once(&self.sessions, key, || Ok(prepare(&self.plan, scenario, seed)?.session))
    }

    fn cell(
        &self,
        scenario: &Scenario,
        session: &Arc<Session>,
        spec: &CellSpec,
        seed: u64,
    ) -> Result<Arc<Driven>> {
        once(&self.cells, spec.key.cell.clone(), || {
            (self.told)(&spec.key.cell);
            let configuration = &self.plan.configurations[spec.configuration];
            let limits = limits(scenario, configuration);
            let ask = spec.summarizer.build(&session.book.truth, Seed(seed));
            let memo = self.memo(scenario, seed, spec.summarizer);
            let trace = drive(Cell {
                session,
                pipeline: &configuration.pipeline,
                limits,
                mode: spec.mode,
                ask: &*ask,
                memo: &memo,
                sheet: &self.sheet,
                replicate: spec.key.replicate,
                probes: self.plan.suite.probes && spec.is_probed(&self.plan.suite),
            })?;
            Ok(Driven {
                trace,
                session: Arc::clone(session),
                pipeline: configuration.pipeline.clone(),
                limits,
                seed,
                base_window: scenario.window,
                measured: OnceLock::new(),
            })
        })
    }

    /// The answers that cells of one session under one summarizer share.
    fn memo(&self, scenario: &Scenario, seed: u64, summarizer: Summarizer) -> Arc<Memo> {
        let mut memos = self.memos.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(memos.entry((scenario.name.clone(), seed, summarizer)).or_default())
    }

    /// Drives a session that no suite holds (see [`super::constructed`]) as deployed.
    pub fn drive(
        &self,
        session: &Session,
        pipeline: &Pipeline,
        limits: Limits,
        ask: &dyn Ask,
    ) -> Trace {
        self.drive_in(session, pipeline, limits, Mode::Deployed, ask)
    }

    /// As [`Laboratory::drive`], in a mode.
    pub fn drive_in(
        &self,
        session: &Session,
        pipeline: &Pipeline,
        limits: Limits,
        mode: Mode,
        ask: &dyn Ask,
    ) -> Trace {
        let (memo, sheet) = (Memo::default(), &self.sheet);
        let (replicate, probes) = (0, false);
        drive(Cell { session, pipeline, limits, mode, ask, memo: &memo, sheet, replicate, probes })
            .expect("offline summarizers never stop")
    }
}

/// Makes a value unless it is there. Nothing is locked meanwhile: who waits for a lock on a
/// thread of the pool may be the one who would have to make the value. Two who want the
/// same at once both make it, and get the same.
fn once<K: Ord, T>(
    shelf: &Shelf<K, T>,
    key: K,
    make: impl FnOnce() -> Result<T>,
) -> Result<Arc<T>> {
    let open = || shelf.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(made) = open().get(&key) {
        return Ok(Arc::clone(made));
    }
    let made = Arc::new(make()?);
    Ok(Arc::clone(open().entry(key).or_insert(made)))
}

fn not_in_suite<'a>(
    what: &'static str,
    name: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> Error {
    let near = nearest(name, known).map(|near| format!("; did you mean `{near}`?"));
    let hint = format!("the suite `{SUITE}` does not name it{}", near.unwrap_or_default());
    Error::Unknown { what, name: name.to_owned(), hint: Some(hint) }
}
