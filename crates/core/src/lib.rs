//! The mechanism of Proctor: what a compaction strategy sees and may propose, the one
//! place that applies it, and the driver that replays a session through it.
//!
//! A strategy is a function from a view to a plan. Here one acts on a session of four
//! messages: a user's, a call, its result, a user's.
//!
//! ```
//! use proctor_core::plan::{Decision, Layout, Plan, Slot};
//! use proctor_core::strategy::{PlanContext, Strategy};
//! use proctor_core::testkit::scene;
//! use proctor_core::view::View;
//!
//! /// Keeps the newest entry alone.
//! #[derive(Debug)]
//! struct KeepLast;
//!
//! impl Strategy for KeepLast {
//!     fn plan(&self, view: &View, _: &PlanContext) -> Decision {
//!         let newest = view.entries().iter().rev().take(1);
//!         let slots = newest.map(|entry| Slot::Keep(entry.id)).collect();
//!         Decision::Plan(Plan::mechanical(Layout::Whole(slots)))
//!     }
//! }
//!
//! let mut scene = scene("uctu");
//! scene.act(&KeepLast, None).expect("it acts");
//! assert_eq!(scene.contents(), ["u3"]);
//! ```
//!
//! Modules stand in reading order; each layer uses only those above it in this list, and
//! the mechanism never sees the truth. A test of the workspace holds it.

// Vocabulary.
pub mod bounds;
pub mod config;
pub mod error;
pub mod ident;
mod memo;
pub mod number;
mod parallel;
mod prelude;
pub mod record;
pub mod sanitize;
pub mod unit;

// The log.
pub mod log;
pub mod token;

// The mechanism.
pub mod answer;
pub mod apply;
mod archive;
pub mod overlay;
pub mod pipeline;
pub mod plan;
pub mod pressure;
pub mod strategy;
pub mod summarize;
pub mod view;

// The truth, and the experiment.
mod cache;
pub mod drive;
pub mod price;
pub mod testkit;
pub mod trace;
pub mod truth;
pub mod watch;

/// The rows of a table of `cases.toml`.
#[cfg(test)]
fn cases<T: serde::de::DeserializeOwned>(table: &str) -> Vec<T> {
    testkit::cases(include_str!("cases.toml"), table)
}
