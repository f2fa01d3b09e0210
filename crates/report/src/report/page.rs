//! The page: the report as HTML, with tables that sort and cells to look into.
//!
//! One file that loads nothing. Its policy (`Content-Security-Policy`) names its own
//! style and script by digest and forbids all else, so text of a run that slipped
//! past escaping would still not run. Stories of cells are embedded as data up to a
//! budget; the others become pages of their own under `cells/`. Without its script
//! the page is complete but for the cell explorer.

mod data;
mod downsample;
mod story;

use std::fs;
use std::path::{Path, PathBuf};

use super::document::{Block, Document};
use super::figures::Figures;
use super::html;
use crate::error::{Error, Result};

/// What was written.
pub(super) struct Pages {
    /// `report.html`.
    pub html: PathBuf,
    /// `cells/NNNN.html`: cells whose stories the report has no room for.
    pub cells: Vec<PathBuf>,
}

/// Writes the page and, unless it is to stand alone, the pages of cells beside it.
///
/// # Errors
///
/// [`Error::Line`] where a story cannot be read, [`Error::Io`] where a page cannot be
/// written.
pub(super) fn write(
    dir: &Path,
    document: &Document,
    figures: &Figures,
    alone: bool,
) -> Result<Pages> {
    let folder = dir.join("cells");
    clear(&folder)?;
    let mut cells = Vec::new();
    let kept = story::list(dir, figures)?;
    let embedded = data::gather(&kept, alone, |kept, data| {
        fs::create_dir_all(&folder).map_err(|source| Error::io("create", &folder, source))?;
        let title = format!("{}: {}", kept.head.configuration, kept.head.cell);
        let path = folder.join(format!("{}.html", kept.name));
        cells.push(store(path, &html::cell(&title, &data)?)?);
        Ok(())
    })?;
    let page = html::render(&with_details_apart(document), &embedded)?;
    Ok(Pages { html: store(dir.join("report.html"), &page)?, cells })
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

/// Takes out the cell pages of an earlier report, and the folder where it is empty then.
fn clear(folder: &Path) -> Result<()> {
    if !folder.exists() {
        return Ok(());
    }
    let listed = fs::read_dir(folder).map_err(|source| Error::io("read", folder, source))?;
    let mut others = false;
    for entry in listed {
        let path = entry.map_err(|source| Error::io("read", folder, source))?.path();
        if path.extension().is_some_and(|suffix| suffix == "html") {
            fs::remove_file(&path).map_err(|source| Error::io("remove", &path, source))?;
        } else {
            others = true;
        }
    }
    if others {
        return Ok(());
    }
    fs::remove_dir(folder).map_err(|source| Error::io("remove", folder, source))
}

fn store(path: PathBuf, page: &str) -> Result<PathBuf> {
    fs::write(&path, page).map_err(|source| Error::io("write", &path, source))?;
    Ok(path)
}
