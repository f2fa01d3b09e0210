//! Reports, charts and sites of Proctor, rendered from what a run left behind.
//!
//! [`report::write`] renders the report of a run directory, [`site::render`] the site of a
//! history, and [`chart`] draws figures of any origin:
//!
//! ```
//! use proctor_report::chart::{Bar, BarChart, Chart, LOST_FACTS};
//!
//! let bar = Bar {
//!     configuration: "truncate".to_owned(),
//!     parts: [12.0, 0.0, 0.0, 0.0, 0.0],
//!     ..Bar::default()
//! };
//! let chart = BarChart { title: "Facts lost".to_owned(), of: &LOST_FACTS, bars: vec![bar] };
//! let drawn = chart.draw()?.expect("a fact was lost");
//! assert!(drawn.svg.starts_with("<svg"));
//! # Ok::<(), proctor_core::error::Error>(())
//! ```

pub mod chart;
pub mod report;
pub mod site;

use proctor_core::{apply, error, ident, number, pipeline, sanitize, trace, truth, unit};
use proctor_eval::{
    compare, frame, history, matrix, measure, question, row, run_dir, scenario, stats,
};

use proctor_strategies as strategy;
