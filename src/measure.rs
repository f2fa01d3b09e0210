//! Not yet written.

pub mod cache;
pub mod floor;
pub mod price;
