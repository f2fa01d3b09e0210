//! Summarizers that need no network.

pub mod adversary;
pub mod extractive;
pub mod omit;
pub mod sentence;
pub mod simple;

pub use proctor_core::summarize::*;
