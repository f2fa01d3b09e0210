//! Suites, runs, figures, statistics, comparisons and gates of Proctor.
//!
//! A suite names scenarios, pipelines and seeds. A run drives all that it stands for into a
//! directory, and everything else reads the directory:
//!
//! ```no_run
//! use proctor_core::error::Result;
//! use proctor_eval::matrix::Suite;
//! use proctor_eval::measure::MetricId;
//! use proctor_eval::run::{self, Options, Plan, Progress};
//! use proctor_eval::run_dir::read::RunData;
//! use proctor_eval::scenario::Scenario;
//! use proctor_strategies::shipped;
//!
//! fn recall_of_truncation(progress: &dyn Progress) -> Result<()> {
//!     let suite = r#"
//!         name = "small"
//!         about = "Dropping the oldest, beside the whole history."
//!         scenarios = ["smoke"]
//!         pipelines = ["truncate"]
//!         windowless = ["none"]
//!         seeds = [1, 2]
//!     "#;
//!     let suite = Suite::parse("small.toml", suite)?;
//!     let plan = Plan::new(shipped(), suite, vec![Scenario::embedded("smoke")?], String::new())?;
//!     run::run(&plan, &Options::new("small-run"), progress)?;
//!     for cell in RunData::load("small-run".as_ref())?.frame().cells() {
//!         println!("{}: {:?}", cell.key.cell, cell.number(MetricId::RecallAtNeed));
//!     }
//!     Ok(())
//! }
//! ```
//!
//! Modules stand in reading order; each layer uses only those above it in this list.

// L3: the experiment.
pub mod matrix;
pub mod perfect;
pub mod scenario;

// L4: measurement.
pub mod measure;
pub mod row;
pub mod stats;

// L5: the record.
pub mod derive;
pub mod frame;
pub mod run;
pub mod run_dir;
pub mod secrets;

// L6: evidence.
pub mod compare;
pub mod gate;
pub mod history;
pub mod merge;
pub mod question;
pub mod verify;

#[cfg(test)]
use proctor_core::testkit;
use proctor_core::{
    answer, apply, config, drive, error, ident, log, number, pipeline, pressure, price, record,
    sanitize, token, trace, truth, unit, view, watch, words,
};
use proctor_sessions::{extract, import, synth};

mod strategy {
    pub use proctor_core::strategy::*;
    #[cfg(test)]
    pub use proctor_strategies::*;
}

mod summarize {
    pub use proctor_core::summarize::*;
    pub use proctor_live::{cassette, live};
    pub use proctor_strategies::summarize::{extractive, omit, sentence, simple};
}
