//! The run directory: everything a run leaves behind (docs/reading-a-run.md lists the files). Those
//! of the identity set, which `digests.txt` names, are the same bytes for the same binary and
//! inputs.

pub(crate) mod cells;
pub(crate) mod datapackage;
pub mod digests;
pub(crate) mod host;
pub(crate) mod inputs;
pub(crate) mod layout;
pub mod manifest;
pub mod partition;
pub mod read;
pub mod redact;
pub(crate) mod shard;
pub mod story;
pub mod tables;
pub mod write;

pub use crate::frame::CellState;
pub use manifest::{Manifest, ManifestCell, ManifestInput, ManifestSession, Stories};

/// What strategies that are programs were asked, as digests, and answered; where there are any.
pub const EXCHANGES: &str = "exchanges.jsonl.gz";

#[cfg(test)]
mod tests;
