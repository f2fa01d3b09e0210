//! Reports, charts and sites of Proctor, rendered from what a run left behind.

pub mod chart;
pub mod report;
pub mod site;

use proctor_core::{apply, error, ident, number, pipeline, sanitize, trace, truth, unit};
use proctor_eval::{
    compare, frame, history, matrix, measure, question, row, run_dir, scenario, stats,
};

use proctor_strategies as strategy;
