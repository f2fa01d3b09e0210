//! Strategies that are programs of their own, in any language: the protocol that they speak
//! (`docs/protocol.md`), their processes and what these may use, and the record of their answers.
//!
//! A pipeline names one as `strategy.external = { command = ["python3", "mine.py"] }`.

// What a process needs, where none is started.
#![cfg_attr(not(unix), allow(dead_code))]

pub mod align;
#[cfg(unix)]
mod channel;
pub mod command;
#[cfg_attr(not(all(feature = "serve", unix)), path = "door/absent.rs")]
mod door;
mod exchange;
mod external;
pub mod mirror;
mod prelude;
mod process;
pub mod protocol;
pub mod quotes;
pub mod record;
mod seat;
mod shape;

pub use external::External;

use proctor_core::{bounds, error, ident, log, plan, pressure, strategy, summarize, unit, view};
