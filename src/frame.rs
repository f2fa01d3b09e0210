//! The frame: the results of a run, typed, as everything after the record reads them.

mod cell;
mod firing;

pub use cell::{CellState, MeasuredCell, Session};
