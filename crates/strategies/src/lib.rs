//! The compaction strategies and offline summarizers that ship with Proctor.
//!
//! One file a family; each says in its doc comment what its source does, where documents
//! and code disagree, and which of its parameters are keep-rules (they hold under the
//! floor probe) and which are pressure (they do not).
//!
//! A pipeline by its name, driven over a session of 120 messages by hand:
//!
//! ```
//! use proctor_core::drive::{Limits, Session, drive};
//! use proctor_core::testkit::{scene, with_cell};
//! use proctor_core::truth::Truth;
//! use proctor_core::unit::Tokens;
//! use proctor_strategies::summarize::simple::Lead;
//!
//! let pipeline = proctor_strategies::pipeline("forge-adr")?;
//! let session = Session::new(scene(&"uct".repeat(40)).log, Truth::default(), []);
//! let limits = Limits::new(Tokens(8_000), Tokens(500));
//! let trace = with_cell(&session, &pipeline, limits, &Lead::default(), drive);
//! assert!(!trace.compactions.is_empty());
//! # Ok::<(), proctor_core::error::Error>(())
//! ```

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
mod slots;
pub mod summarize;
pub mod truncate;

pub(crate) use declare::{none_is_zero, parameters};
pub use shipped::{pipeline, shipped};

#[cfg(test)]
use proctor_core::{answer, drive, price, testkit, trace, truth};
use proctor_core::{
    apply, error, ident, log, pipeline, plan, pressure, strategy, token, unit, view,
};
#[cfg(test)]
use proctor_eval::{measure, scenario};
