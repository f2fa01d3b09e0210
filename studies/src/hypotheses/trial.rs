//! Configurations that no suite holds, tried on the suite's sessions.

use std::sync::Arc;

use rayon::prelude::*;

use super::{Driven, Laboratory};
use proctor::drive::{Limits, Mode, Session};
use proctor::error::Result;
use proctor::measure::{self, Measurement, Subject};
use proctor::pipeline::Pipeline;
use proctor::summarize::Ask;
use proctor::trace::Trace;

/// What a configuration did on a session.
pub(super) struct Trial {
    /// All of it.
    pub(super) trace: Trace,
    /// The figures of the metric table.
    pub(super) measured: Measurement,
}

/// Tries a configuration as deployed.
pub(super) fn tried(
    lab: &Laboratory,
    session: &Session,
    pipeline: &Pipeline,
    limits: Limits,
    ask: &dyn Ask,
) -> Trial {
    let trace = lab.drive_in(session, pipeline, limits, Mode::Deployed, ask);
    let (base_window, sheet) = (limits.window, lab.sheet());
    let subject = Subject { trace: &trace, session, pipeline, limits, base_window, sheet };
    let measured = measure::measure(&subject);
    Trial { trace, measured }
}

/// The windowless control of a scenario: one cell per seed.
pub(super) fn controls(lab: &Laboratory, scenario: &str) -> Result<Vec<Arc<Driven>>> {
    lab.cells(scenario, "none@windowless")
}

/// One value for the session of each of these cells.
pub(super) fn for_each<T: Send>(
    cells: &[Arc<Driven>],
    value: impl Fn(&Driven) -> T + Sync,
) -> Vec<T> {
    cells.par_iter().map(|cell| value(cell)).collect()
}

/// The pipeline with one of its stages alone.
pub(super) fn only(pipeline: &Pipeline, stage: usize) -> Pipeline {
    let stages = pipeline.stages.get(stage).cloned().into_iter().collect();
    Pipeline { stages, ..pipeline.clone() }
}
