//! Sessions made ready, and their cells side by side.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

use rayon::prelude::*;

use crate::answer::Memo;
use crate::drive::Cell;
use crate::error::{Error, Result};
use crate::ident::Seed;
use crate::matrix::{CellSpec, Summarizer, SummarizerName};
use crate::price::PriceSheet;
use crate::run::{Of, Options, Plan, Prepared, Progress, land, limits, live};
use crate::run_dir::write::Shard;
use crate::scenario::Scenario;
use crate::summarize::Ask;

/// A session made ready, with the cells that have not landed.
pub(super) struct Ready<'a> {
    pub(super) scenario: &'a Scenario,
    pub(super) seed: u64,
    pub(super) prepared: Prepared,
    pub(super) open: Vec<CellSpec>,
}

/// The summarizers of a session, each with what it has answered.
type Desks = BTreeMap<Summarizer, (Box<dyn Ask + Send>, Memo)>;

impl Ready<'_> {
    fn desks(&self, options: &Options) -> Desks {
        let truth = &self.prepared.session.book.truth;
        let desk = |one: Summarizer| {
            let ask = match (&options.live, one.name) {
                (Some(live), SummarizerName::Http) => {
                    one.around(live::summarizer(live), Seed(self.seed))
                }
                _ => one.build(truth, Seed(self.seed)),
            };
            (one, (ask, Memo::default()))
        };
        let summarizers: BTreeSet<Summarizer> =
            self.open.iter().map(|cell| cell.summarizer).collect();
        summarizers.into_iter().map(desk).collect()
    }
}

/// Drives the open cells of sessions side by side.
pub(super) fn drive_ready(
    plan: &Plan,
    options: &Options,
    ready: &[Ready],
    shard: &Shard,
    progress: &dyn Progress,
) -> Result<()> {
    let desks: Vec<Desks> = ready.iter().map(|one| one.desks(options)).collect();
    let cells: Vec<(&Ready, &Desks, &CellSpec)> = ready
        .iter()
        .zip(&desks)
        .flat_map(|(one, desks)| one.open.iter().map(move |spec| (one, desks, spec)))
        .collect();
    let sheet = PriceSheet::embedded();
    let broken: Mutex<Option<Error>> = Mutex::new(None);
    // One by one: a thread that waits for a model must not keep other cells waiting.
    cells.par_iter().with_max_len(1).for_each(|(one, desks, spec)| {
        let stop = || broken.lock().map(|broken| broken.is_some()).unwrap_or(true);
        if stop() || live::go_on(options).is_err() {
            return;
        }
        let Ready { scenario, seed, prepared, .. } = one;
        let of = Of { plan, scenario, seed: *seed, prepared, options };
        let (ask, memo) = &desks[&spec.summarizer];
        let configuration = &of.plan.configurations[spec.configuration];
        let cell = Cell {
            session: &of.prepared.session,
            pipeline: &configuration.pipeline,
            limits: limits(of.scenario, configuration),
            mode: spec.mode,
            ask: &**ask,
            memo,
            sheet: &sheet,
            replicate: spec.key.replicate,
            probes: of.plan.suite.probes && spec.is_probed(&of.plan.suite),
        };
        let landed = land(spec, cell, of);
        if live::go_on(options).is_err() {
            return;
        }
        if let Err(error) = live::note_calls(options).and_then(|()| shard.land(&landed))
            && let Ok(mut broken) = broken.lock()
        {
            broken.get_or_insert(error);
            return;
        }
        progress.cell(&spec.key.cell);
    });
    broken.into_inner().unwrap_or_default().map_or_else(|| live::go_on(options), Err)
}
