//! The history: what every night measured, and what of it is a change.
//!
//! One file a night, written once and never changed ([`store`]); two histories are
//! joined by copying their files together. From it come series ([`series`]), the nights
//! at which a level shifted for good or began to drift ([`findings`]), and with them which
//! of these for the worse still hold, and what the last night has that the one before
//! it had not ([`change`]).

pub mod change;
mod discovery;
pub mod drift;
mod finding;
pub mod gather;
pub mod mark;
pub mod night;
mod search;
pub mod series;
mod standing;
pub mod step;
pub mod store;

pub use finding::{Finding, Kind};
pub use gather::gather;
pub use night::{Day, Figure, GateFinding, GateNote, Group, Night, SCHEMA};
pub use search::findings;
pub use series::{Key, Point, Series, assemble};
pub use store::{Added, History};
