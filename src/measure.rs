//! Not yet written.

pub mod floor;
