//! Proctor: the standard compaction test for agent context.
//!
//! Long multi-goal agent sessions are replayed through every configuration of
//! every compaction strategy, and three things are measured: can the context keep
//! shrinking (floor), what does it cost (tokens, cache, latency, money), what does
//! it still know (artifacts, constraints, dead ends, the user's direction).
//!
//! Modules stand in reading order; each layer uses only those above it in this
//! list, and the mechanism never sees the truth. `ARCHITECTURE.md` draws the map;
//! a test holds it.

// L0: vocabulary.
pub mod config;
pub mod error;
pub mod ident;
pub mod number;
pub mod sanitize;
pub mod unit;

// L1: the log.
pub mod log;
pub mod token;

// L2, the mechanism: what a strategy sees and may propose, and the one place that applies it.
pub mod answer;
pub mod apply;
pub mod archive;
pub mod overlay;
pub mod pipeline;
pub mod plan;
pub mod pressure;
pub mod strategy;
pub mod summarize;
pub mod view;

// L2, the truth: what a session knows and will need.
pub mod extract;
pub mod import;
pub mod synth;
pub mod truth;

// L3: the experiment.
pub mod cache;
pub mod drive;
pub mod matrix;
pub mod perfect;
pub mod price;
pub mod scenario;
pub mod trace;
pub mod watch;

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

// L7: pictures.
pub mod chart;
pub mod report;
pub mod site;

pub mod cli;
