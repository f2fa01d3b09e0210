//! The history: what every night measured ([`store`]), and what of it is a change ([`findings`]).

pub mod change;
pub mod drift;
mod finding;
pub mod gather;
pub mod mark;
pub mod night;
mod search;
pub mod series;
pub mod step;
pub mod store;

pub use finding::{Finding, Kind};
pub use gather::gather;
pub use night::{Day, Figure, GateFinding, GateNote, Group, Night, SCHEMA};
pub use search::findings;
pub use series::{Key, Point, Series, assemble};
pub use store::{Added, History};
