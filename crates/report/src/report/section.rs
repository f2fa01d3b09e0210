//! What a section of a report is made from.

use std::path::Path;

use super::figures::Figures;
use super::template::Parts;
use crate::error::Result;

/// What sections are built from.
pub struct Context<'a> {
    /// The run's figures.
    pub figures: &'a Figures<'a>,
    /// The run directory, for tables that are not held in memory.
    pub dir: &'a Path,
}

/// Gathers what a section shows; `None` where the run has nothing for it.
pub type Build = fn(&Context) -> Result<Option<Parts>>;
