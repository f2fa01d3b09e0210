//! Reports, charts and sites of Proctor, rendered from what a run left behind.
//!
//! [`report::write`] renders the report of a run directory, [`site::render`] the site of a
//! history.

/// The charts of reports; open to the tests from outside, no interface.
#[doc(hidden)]
pub mod chart;
mod prelude;
pub mod report;
pub mod site;

use proctor_core::{
    apply, config, drive, error, ident, number, pipeline, sanitize, trace, truth, unit,
};
use proctor_eval::{
    audit, compare, derive, frame, gate, history, matrix, measure, question, row, run_dir,
    scenario, stats, tune,
};

use proctor_strategies as strategy;
