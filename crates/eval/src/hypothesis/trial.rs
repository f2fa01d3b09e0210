//! Configurations that no suite holds, tried on the suite's sessions.

use std::sync::Arc;

use rayon::prelude::*;

use super::{Driven, Laboratory};
use crate::drive::{Limits, Mode, Session};
use crate::error::Result;
use crate::measure::{self, Measurement, Subject};
use crate::pipeline::Pipeline;
use crate::scenario::{Admits, Wire};
use crate::summarize::Ask;
use crate::trace::Trace;
use crate::unit::Tokens;

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

/// A provider of text alone with this window and this longest answer.
pub(super) fn provider(window: u64, max_output: u64) -> Limits {
    Limits {
        window: Tokens(window),
        max_output: Tokens(max_output),
        admits: Admits::Prompt,
        wire: Wire::Text,
        cut_off_every: 0,
    }
}
