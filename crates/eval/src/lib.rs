//! Suites, runs, figures, statistics, comparisons and gates of Proctor, in reading order.

mod prelude;

// L3: the experiment.
pub mod matrix;
pub mod perfect;
pub mod scenario;
pub mod simulated;

// L4: measurement.
pub mod measure;
pub mod row;
pub use proctor_stats as stats;

// L5: the record.
pub mod derive;
pub mod frame;
pub mod run;
pub mod run_dir;
pub mod secrets;

// L6: evidence.
pub mod audit;
pub mod compare;
pub mod fit;
pub mod gate;
pub mod history;
pub mod merge;
pub mod question;
pub mod tune;
pub mod verify;

#[cfg(test)]
use proctor_core::testkit;
use proctor_core::{
    answer, apply, bounds, config, drive, error, ident, log, number, pipeline, pressure, price,
    record, sanitize, token, trace, truth, unit, view, watch, words,
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
    pub use proctor_strategies::summarize::{adversary, extractive, omit, sentence, simple};
}
