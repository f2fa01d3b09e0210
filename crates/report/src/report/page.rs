//! The page: the report as HTML, with tables that sort and cells to look into.
//!
//! One file that loads nothing. Its policy (`Content-Security-Policy`) names its own
//! style and script by digest and forbids all else, so text of a run that slipped
//! past escaping would still not run. Stories of cells are embedded as packed data, up to
//! a budget. Without its script the page is complete but for the cell explorer.

mod data;
mod downsample;

use std::path::{Path, PathBuf};

use super::document::{Block, Document};
use super::html;
use crate::error::{Error, Result};

/// Writes the page, `report.html`.
///
/// # Errors
///
/// [`Error::Line`] where a story cannot be read, [`Error::Io`] where the page cannot be
/// written.
pub(super) fn write(dir: &Path, document: &Document) -> Result<PathBuf> {
    let page = html::render(&with_details_apart(document), &data::gather(dir)?)?;
    let path = dir.join("report.html");
    std::fs::write(&path, page).map_err(|source| Error::io("write", &path, source))?;
    Ok(path)
}

/// The document with every table that has columns of detail parted in two: what a screen has
/// room for, and the rest below it.
fn with_details_apart(document: &Document) -> Document {
    let mut document = document.clone();
    for section in &mut document.sections {
        let blocks = std::mem::take(&mut section.blocks).into_iter();
        section.blocks = blocks.flat_map(parted).collect();
    }
    document
}

fn parted(block: Block) -> Vec<Block> {
    let Block::Table(table) = block else { return vec![block] };
    if !table.columns.iter().any(|column| column.detail) {
        return vec![Block::Table(table)];
    }
    let main = table.part(table.caption.clone(), |_, column| !column.detail);
    let caption = format!("{}: details", table.caption);
    let details = table.part(caption, |place, column| place == 0 || column.detail);
    vec![Block::Table(main), Block::Table(details)]
}
