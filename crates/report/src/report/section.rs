//! What a section of a report is made of.

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

/// A section: its anchor, heading, template and builder.
pub struct Entry {
    /// Its anchor, and the name of its template.
    pub id: &'static str,
    /// Its heading.
    pub title: &'static str,
    /// The text of its template.
    pub template: &'static str,
    /// What fills the template.
    pub build: Build,
    /// Whether only the page shows it.
    pub only_page: bool,
}
