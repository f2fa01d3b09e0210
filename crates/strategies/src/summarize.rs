//! Summarizers that need no network.

pub mod extractive;
pub mod omit;
pub mod simple;

pub use proctor_core::summarize::*;
