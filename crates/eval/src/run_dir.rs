//! The run directory: everything a run leaves behind, and all that later verbs read.
//!
//! ```text
//! RUN/manifest.json         what was run: digests, versions, cells               identity
//!     inputs.json           the suite, scenarios, pipelines, prices, prompts     identity
//!     datapackage.json      every table and column, described                    identity
//!     measurements.csv      one row per cell: key, status, every metric          identity
//!     derived.csv           figures that need several cells                      identity
//!     curve.csv             recall against tokens, with the front and bounds     identity
//!     floor.parquet          floor-probe rounds                                   identity
//!     composition.parquet    what views were made of                              identity
//!     steps.parquet          every model call                                     identity
//!     compactions.parquet    every plan                                           identity
//!     triggers.parquet       every stage on every occasion, by what came of it    identity
//!     facts.parquet          every demand                                         identity
//!     survival.parquet       facts known by age, generation and turn              identity
//!     traces.jsonl.gz       what a cell did and no table holds                   identity
//!     stories/NNNN.json.gz  what single cells did, in words                      identity
//!     digests.txt           size and SHA-256 of these files                      not
//!     host.json             machine, binary, wall times                          not
//!     shards/               finished cells as they landed, until finalisation    not
//!     report.md, report.html, charts/                                            made by `report`
//! ```
//!
//! Files of the identity set are the same bytes for the same binary and inputs,
//! whatever the number of jobs, kills and resumes.

pub mod cells;
pub mod datapackage;
pub mod digests;
pub mod host;
pub mod inputs;
pub(crate) mod layout;
pub mod manifest;
pub mod partition;
pub mod read;
pub mod redact;
pub mod shard;
pub mod story;
pub mod tables;
pub mod write;

pub use crate::frame::CellState;
pub use manifest::{Manifest, ManifestCell, ManifestInput, ManifestSession, Stories};
