//! A run that leaves no directory: its cells are driven and measured as those of any run, and their
//! figures are all that is kept.

use std::sync::Arc;

use rayon::prelude::*;

use crate::prelude::*;
use crate::run::cell::{Ready, figures_of};
use crate::run::{Options, Plan, Progress, SESSIONS_AT_ONCE, live, prepare, programs, ready};
use crate::run_dir::read::RunData;
use crate::run_dir::write::invalid_at;
use crate::scenario::Scenario;
use proctor_external::record::Record;

/// Drives a plan and keeps the figures of its cells. No file is written, and figures that need a
/// partner are not derived.
pub fn measured(plan: &Plan, options: &Options, progress: &dyn Progress) -> Result<RunData> {
    let plan = &*live::addressed(plan, options)?;
    programs::check(plan, options)?;
    let record = || programs::are_in(plan).then(|| Arc::new(Record::in_memory()));
    let exchanges = options.exchanges.clone().or_else(record);
    let options = &Options { exchanges, ..options.clone() };
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(live::threads(options))
        .build()
        .map_err(invalid_at("--jobs"))?;
    pool.install(|| drive_all(plan, options, progress))
}

fn drive_all(plan: &Plan, options: &Options, progress: &dyn Progress) -> Result<RunData> {
    let mut manifest = plan.manifest(options);
    let mut measurements = Vec::new();
    let sessions = plan.sessions();
    let cells = sessions.iter().map(|(scenario, seed)| plan.cells(scenario, 0, *seed).len());
    progress.begin(cells.sum(), 0);
    for sessions in sessions.chunks(SESSIONS_AT_ONCE) {
        for (scenario, seed) in sessions {
            progress.session(&format!("{} seed {seed}", scenario.name));
        }
        let made = |(scenario, seed): &(&Scenario, u64)| {
            prepare::ready(plan, scenario, *seed, options.sessions.as_ref())
        };
        let made: Vec<_> = sessions.par_iter().map(made).collect();
        let mut waiting = Vec::new();
        for ((scenario, seed), prepared) in sessions.iter().zip(made) {
            let (scenario, seed, prepared) = (*scenario, *seed, prepared?);
            manifest.sessions.push(prepared.manifest.clone());
            let open = plan.cells(scenario, prepared.session.turns, seed);
            waiting.push(Ready { plan, options, scenario, seed, prepared, open });
        }
        measurements.extend(ready::each_cell(&waiting, |one, spec, cell| {
            let measured = figures_of(spec, cell, one);
            progress.cell(&spec.key.cell);
            measured
        })?);
    }
    Ok(RunData::of_figures(manifest, measurements))
}
