//! Proctor: the standard compaction test for agent context.
//!
//! Long multi-goal agent sessions are replayed through every configuration of
//! every compaction strategy, and three things are measured: can the context keep
//! shrinking (floor), what does it cost (tokens, cache, latency, money), what does
//! it still know (artifacts, constraints, dead ends, the user's direction).
//!
//! ```no_run
//! use proctor::matrix::Suite;
//! use proctor::run::{self, Options, Plan, Silent};
//! use proctor::scenario::Scenario;
//! use proctor::strategy::shipped;
//!
//! let suite = "name = 'mine'\nabout = ''\nscenarios = ['pocket']\nseeds = [1, 2]\n\
//!              pipelines = ['full-replace', 'forge-adr']\nwindowless = ['none']";
//! let suite = Suite::parse("mine.toml", suite)?;
//! let plan = Plan::new(shipped(), suite, vec![Scenario::embedded("pocket")?], "mine".to_owned())?;
//! run::run(&plan, &Options::new("reports/mine"), &Silent)?;
//! proctor::report::write("reports/mine".as_ref())?;
//! # Ok::<(), proctor::error::Error>(())
//! ```
//!
//! This package is the command line. What it is made of are the members of its
//! workspace, here under one name; `ARCHITECTURE.md` draws the map.

pub use proctor_core::{
    answer, apply, bounds, config, drive, error, ident, log, number, overlay, pipeline, plan,
    pressure, price, record, sanitize, testkit, token, trace, truth, unit, view, watch, words,
};
pub use proctor_eval::{
    audit, compare, derive, fit, frame, gate, history, matrix, measure, merge, perfect, question,
    row, run, run_dir, scenario, secrets, simulated, stats, tune, verify,
};
pub use proctor_report::{chart, report, site};
pub use proctor_sessions::{extract, import, synth};

/// Strategies: the trait, the registry, and those that ship.
pub mod strategy {
    pub use proctor_core::strategy::*;
    pub use proctor_strategies::*;
}

/// Summarizers: the trait, those that ship, and those that ask a language model.
pub mod summarize {
    pub use proctor_core::summarize::*;
    pub use proctor_live::{cassette, live};
    pub use proctor_strategies::summarize::{adversary, extractive, omit, sentence, simple};
}

pub mod cli;
