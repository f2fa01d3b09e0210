//! The run directory: everything a run leaves behind, and all that later verbs read.
//!
//! ```text
//! RUN/manifest.json       what was run: inputs, digests, versions, cells       identity
//!     measurements.csv    one row per cell: key, status, every metric          identity
//!     derived.csv         figures that need several cells                      identity
//!     floor.csv           floor-probe rounds                                   identity
//!     composition.csv     what views were made of                              identity
//!     steps.csv           every model call                                     identity
//!     compactions.csv     every plan                                           identity
//!     triggers.csv        every stage on every occasion, by what came of it    identity
//!     facts.csv           every demand                                         identity
//!     survival.csv        facts known by age, generation and turn              identity
//!     curve.csv           recall against tokens, with the front and bounds     identity
//!     traces.jsonl        one trace per cell, whole                            identity
//!     stories/NNNN.json   what single cells did, in words                      identity
//!     host.json           machine, wall times, jobs                            not
//!     shards/             finished cells as they landed, until finalisation    not
//!     report.md, report.html, charts/                                          made by `report`
//! ```
//!
//! Files of the identity set are the same bytes for the same binary and inputs,
//! whatever the number of jobs, kills and resumes.

pub mod blocks;
pub mod digests;
pub mod manifest;
pub mod partition;
pub mod read;
pub mod redact;
pub mod story;
pub mod write;

pub use crate::frame::CellState;
pub use manifest::{Manifest, ManifestCell, ManifestInput, ManifestSession, Stories};
