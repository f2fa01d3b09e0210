//! The history: what every night measured ([`store`]), and what of it is a change ([`findings`]).

mod acknowledged;
pub mod change;
pub mod chart;
mod finding;
pub mod gather;
pub mod kept;
pub mod mark;
pub mod night;
pub mod parameters;
mod search;
pub mod series;
pub mod store;

pub use acknowledged::Acknowledged;
pub use finding::{Finding, State};
pub use gather::gather;
pub use night::{Day, Figure, GateFinding, GateNote, Group, Night, SCHEMA};
pub use search::findings;
pub use series::{Key, Point, Series, assemble};
pub use store::{Added, History};
