//! The compaction strategies and offline summarizers that ship with Proctor.
//!
//! One file a family; each says in its doc comment what its source does, where documents
//! and code disagree, and which of its parameters are keep-rules (they hold under the
//! floor probe) and which are pressure (they do not).

pub mod alternatives;
pub mod codex;
mod declare;
pub mod forge;
pub mod forge_g2;
pub mod forge_head;
pub mod full_replace;
pub mod goat;
pub mod mask;
pub mod rebatch;
pub mod recall;
pub mod roadmap;
mod shipped;
pub mod summarize;
pub mod truncate;

pub(crate) use declare::parameters;
pub use shipped::{pipeline, shipped};

#[cfg(test)]
use proctor_core::{answer, drive, price, testkit, trace, truth};
use proctor_core::{
    apply, error, ident, log, pipeline, plan, pressure, strategy, token, unit, view,
};
#[cfg(test)]
use proctor_eval::{measure, scenario};
