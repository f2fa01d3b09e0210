//! Everything that is tested from outside, in one binary: it is linked once.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod banks;
#[path = "page/browser.rs"]
mod browser;
mod charts;
mod cli;
mod compare;
mod controls;
mod differential;
mod extraction;
#[path = "report/fixture.rs"]
mod fixture;
mod floors;
mod forge_head;
mod frozen;
mod gate;
mod hardened;
#[path = "cli/harness.rs"]
mod harness;
mod import;
#[cfg(feature = "live")]
mod live;
mod measure;
mod mutations;
mod nightly;
mod page;
mod planted;
mod properties;
mod questions;
mod reference;
mod report;
mod scenarios;
mod shapes;
mod stats;
mod strata_in_python;
mod tutorials;
mod verify;
mod walls;
mod wording;
