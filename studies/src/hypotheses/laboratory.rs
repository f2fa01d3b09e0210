//! Where hypotheses get their cells: driven once, kept in memory, asked for by name. Only what
//! the suite `hypotheses` names can be had, so that `proctor run hypotheses` writes the rows of
//! every cell that a verdict rests on.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use proctor_core::answer::Memo;
use proctor_core::drive::{Cell, Limits, Mode, Session, drive};
use proctor_core::error::{Error, Result};
use proctor_core::ident::Seed;
use proctor_core::pipeline::Pipeline;
use proctor_core::price::PriceSheet;
use proctor_core::summarize::Ask;
use proctor_core::testkit::with_cell;
use proctor_core::trace::Trace;
use proctor_core::unit::Tokens;
use proctor_eval::matrix::{CellSpec, Suite, Summarizer};
use proctor_eval::measure::{self, Measurement, MetricId, Subject};
use proctor_eval::run::{Plan, limits, prepare};
use proctor_eval::scenario::Scenario;
use proctor_strategies::shipped;
use rayon::prelude::*;

const SUITE: &str = "hypotheses";

/// A driven cell of the session with this seed.
pub struct Driven {
    pub trace: Trace,
    pub session: Arc<Session>,
    pub seed: u64,
    pub limits: Limits,
    pipeline: Pipeline,
    base_window: Tokens,
    measured: OnceLock<Measurement>,
}

impl Driven {
    /// A figure, measured when first asked for; `None` where it is undefined.
    pub fn figure(&self, metric: MetricId) -> Option<f64> {
        let measured = self.measured.get_or_init(|| {
            measure::measure(&Subject {
                trace: &self.trace,
                session: &self.session,
                pipeline: &self.pipeline,
                limits: self.limits,
                base_window: self.base_window,
                sheet: &PriceSheet::embedded(),
            })
        });
        measured.number(metric)
    }

    /// Its session under another pipeline, within other limits.
    pub fn tried(&self, pipeline: &Pipeline, limits: Limits, ask: &dyn Ask) -> Driven {
        Driven {
            trace: trace_of(&self.session, pipeline, limits, ask),
            session: Arc::clone(&self.session),
            seed: self.seed,
            limits,
            pipeline: pipeline.clone(),
            base_window: limits.window,
            measured: OnceLock::new(),
        }
    }
}

/// What was made already, by key.
type Shelf<K, T> = Mutex<BTreeMap<K, Arc<T>>>;

pub struct Laboratory {
    plan: Plan,
    sheet: PriceSheet,
    sessions: Shelf<(String, u64), Session>,
    memos: Shelf<(String, u64, Summarizer), Memo>,
    cells: Shelf<String, Driven>,
    progress: fn(&str),
}

impl Laboratory {
    /// Nothing driven yet; `progress` is given the id of every cell that is about to be.
    pub fn open(progress: fn(&str)) -> Result<Laboratory> {
        let suite = Suite::embedded(SUITE)
            .unwrap_or_else(|| Err(Error::invalid(SUITE, "the suite does not ship")))?;
        let scenarios = suite.scenarios.iter().map(|name| Scenario::embedded(name));
        let scenarios = scenarios.collect::<Result<Vec<_>>>()?;
        Ok(Laboratory {
            plan: Plan::new(shipped(), suite, scenarios, String::new())?,
            sheet: PriceSheet::embedded(),
            sessions: Mutex::default(),
            memos: Mutex::default(),
            cells: Mutex::default(),
            progress,
        })
    }

    pub fn suite(&self) -> &Suite {
        &self.plan.suite
    }

    /// A configuration of the suite on a scenario, as deployed, under the suite's main
    /// summarizer: one cell per seed. One without a window is named `NAME@windowless`.
    pub fn cells(&self, scenario: &str, configuration: &str) -> Result<Vec<Arc<Driven>>> {
        self.cells_under(scenario, configuration, self.plan.suite.summarizer)
    }

    /// The windowless control of a scenario: one cell per seed.
    pub fn controls(&self, scenario: &str) -> Result<Vec<Arc<Driven>>> {
        self.cells(scenario, "none@windowless")
    }

    /// As [`Laboratory::cells`], under another summarizer.
    pub fn cells_under(
        &self,
        scenario: &str,
        configuration: &str,
        summarizer: Summarizer,
    ) -> Result<Vec<Arc<Driven>>> {
        let scenario = self.plan.scenarios.iter().find(|known| known.name == scenario);
        let number = self.plan.configurations.iter().position(|own| own.name() == configuration);
        let none = || {
            let rule = format!("`{configuration}` under `{summarizer}` is none of its cells");
            Error::invalid(format!("suite `{SUITE}`"), rule)
        };
        let (scenario, number) = scenario.zip(number).ok_or_else(none)?;
        let wanted = |spec: &CellSpec| {
            (spec.configuration, spec.mode, spec.summarizer) == (number, Mode::Deployed, summarizer)
        };
        let of_seed = |seed: u64| {
            let key = (scenario.name.clone(), seed);
            let prepared = || Ok(Arc::new(prepare(&self.plan, scenario, seed)?.session));
            let session = once(&self.sessions, key, prepared)?;
            let specs = self.plan.cells(scenario, session.turns, seed);
            let spec = specs.into_iter().find(wanted).ok_or_else(none)?;
            self.cell(scenario, &session, &spec, seed)
        };
        self.plan.suite.seeds.par_iter().map(|seed| of_seed(*seed)).collect()
    }

    fn cell(
        &self,
        scenario: &Scenario,
        session: &Arc<Session>,
        spec: &CellSpec,
        seed: u64,
    ) -> Result<Arc<Driven>> {
        once(&self.cells, spec.key.cell.clone(), || {
            (self.progress)(&format!("  {}", spec.key.cell));
            let configuration = &self.plan.configurations[spec.configuration];
            let (pipeline, limits) = (&configuration.pipeline, limits(scenario, configuration));
            // Cells of one session under one summarizer share their answers.
            let key = (scenario.name.clone(), seed, spec.summarizer);
            let memo = once(&self.memos, key, || Ok(Arc::default()))?;
            let (mode, sheet, replicate) = (spec.mode, &self.sheet, spec.key.replicate);
            let (memo, probes) = (&*memo, false);
            let ask = &*spec.summarizer.build(session, Seed(seed), &self.plan.suite.fitted);
            let cell = Cell {
                session,
                pipeline,
                limits,
                mode,
                ask,
                memo,
                sheet,
                replicate,
                probes,
                exchanges: None,
            };
            Ok(Arc::new(Driven {
                trace: drive(cell)?,
                session: Arc::clone(session),
                seed,
                limits,
                pipeline: pipeline.clone(),
                base_window: scenario.window,
                measured: OnceLock::new(),
            }))
        })
    }
}

/// Drives a session that no suite holds (see [`super::constructed`]).
pub fn trace_of(session: &Session, pipeline: &Pipeline, limits: Limits, ask: &dyn Ask) -> Trace {
    with_cell(session, pipeline, limits, ask, drive)
}

/// Makes a value unless it is there. The lock is not held meanwhile, which could deadlock the
/// thread pool: concurrent callers may make the same value twice.
fn once<K: Ord, T>(
    shelf: &Shelf<K, T>,
    key: K,
    make: impl FnOnce() -> Result<Arc<T>>,
) -> Result<Arc<T>> {
    let open = || shelf.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(made) = open().get(&key) {
        return Ok(Arc::clone(made));
    }
    let made = make()?;
    Ok(Arc::clone(open().entry(key).or_insert(made)))
}
