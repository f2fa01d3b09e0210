//! The report: a page that answers the question first and shows the figures after.
//!
//! It reads a run directory and drives nothing. What it says is laid out once as a
//! `document` and written twice: as Markdown beside PNG charts, and as one HTML
//! file that needs nothing else and loads nothing; its own script sorts and filters
//! tables and shows cells step by step. All that stems from a run is hostile text to both.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::run_dir::read::RunData;

mod answer;
mod banks;
mod brackets;
mod by_scenario;
mod cells;
mod choice;
mod completion;
mod composition;
mod configurations;
mod costs;
mod document;
mod faults;
mod figures;
mod floors;
mod glossary;
mod html;
mod knowledge;
mod latency;
mod markdown;
mod memory;
mod number;
mod page;
mod pictures;
mod points;
mod questions;
mod rules;
mod standing;
mod survival;
mod sweep;
mod triggers;
mod verdicts;

use document::{Block, Chart, Document, Section};
use figures::Figures;
use pictures::Pictures;

/// What [`write()`] wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportFiles {
    /// `report.md`, which shows the PNG charts.
    pub markdown: PathBuf,
    /// `report.html`, which holds its charts.
    pub html: PathBuf,
    /// Pages of single cells, whose stories `report.html` has no room for.
    pub cells: Vec<PathBuf>,
    /// The charts, each as SVG and as PNG.
    pub charts: Vec<PathBuf>,
}

/// Writes the report of a run into its directory, in place of an earlier one.
///
/// # Errors
///
/// Those of [`RunData::load`], and [`Error::Io`] where a file cannot be written.
pub fn write(dir: &Path) -> Result<ReportFiles> {
    write_with(dir, Options::default())
}

/// What of a report is a matter of choice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Whether pipelines of fidelity `inferred` are ranked among the others.
    pub include_inferred: bool,
    /// Whether the page stands alone: stories that it has no room for are left out and
    /// get no pages of their own.
    pub alone: bool,
}

/// As [`write()`], as chosen.
///
/// # Errors
///
/// Those of [`write()`].
pub fn write_with(dir: &Path, options: Options) -> Result<ReportFiles> {
    let run = RunData::load(dir)?;
    let figures = Figures::of(&run, options.include_inferred);
    let document = compose(&figures, dir)?;
    let folder = dir.join("charts");
    clear(&folder)?;
    let mut charts = Vec::new();
    for chart in document.charts() {
        for (suffix, bytes) in [("svg", chart.svg.as_bytes()), ("png", &chart.png)] {
            charts.push(store(folder.join(format!("{}.{suffix}", chart.name)), bytes)?);
        }
    }
    let pages = page::write(dir, &document, &figures, options.alone)?;
    Ok(ReportFiles {
        markdown: store(dir.join("report.md"), markdown::render(&document).as_bytes())?,
        html: pages.html,
        cells: pages.cells,
        charts,
    })
}

fn compose(figures: &Figures, dir: &Path) -> Result<Document> {
    let pictures = Pictures::of(figures);
    let mut sections: Vec<Section> = vec![
        with_charts(verdicts::section(figures), vec![pictures.recall()?]),
        configurations::section(figures),
        with_charts(retention(), retained(figures, &pictures, dir)?),
        knowledge::bounds(figures),
        knowledge::stale(figures),
        knowledge::summaries(figures),
        brackets::section(figures),
        banks::section(figures),
        costs::section(figures)?,
        latency::section(figures)?,
        floors::section(figures, vec![pictures.floor()?, pictures.curve()?]),
        with_charts(context(), pictures.context(dir)?),
        cells::controls(figures),
        cells::loss_section(figures, vec![pictures.losses()?]),
        cells::unfinished(figures),
        cells::sessions(figures),
        cells::limits(figures),
        glossary::section(),
        cells::provenance(figures),
    ];
    if let Some(section) = faults::section(figures) {
        let place = sections.iter().position(|one| one.id == "brackets");
        sections.insert(place.map_or(0, |place| place + 1), section);
    }
    let place = sections.iter().position(|section| section.id == "brackets").unwrap_or(0);
    sections.splice(place..place, questions::section(figures, dir)?);
    let place = sections.iter().position(|section| section.id == "floor").unwrap_or(0);
    let further = [points::section(figures)?, triggers::section(figures)];
    sections.splice(place..place, further.into_iter().flatten());
    let place = sections.iter().position(|section| section.id == "retention").unwrap_or(0);
    sections.splice(place..place, by_scenario::section(figures));
    let place = sections.iter().position(|section| section.id == "summaries").unwrap_or(0);
    sections.splice(place..place, knowledge::archive(figures));
    // A suite is recorded with its digest, which provenance shows.
    let suite = &figures.run.manifest.suite;
    let suite = suite.split_once(" (").map_or(suite.as_str(), |(name, _)| name);
    let title = format!("Compaction test: {}", document::printable(suite));
    Ok(Document { title, answer: answer::answer(figures), sections })
}

fn retention() -> Section {
    Section { id: "retention", title: "What is still known", blocks: Vec::new() }
}

/// By kind, by age and by summarizers gone through.
fn retained(figures: &Figures, pictures: &Pictures, dir: &Path) -> Result<Vec<Block>> {
    let mut charts = vec![pictures.retention()?];
    charts.extend(survival::charts(figures, dir)?);
    Ok(charts)
}

fn context() -> Section {
    let says = "What each configuration sent at every step of one session (the first seed): the \
                saw is compaction at work, and where its lower edge rises, the floor does. The \
                first of these sessions is shown a second time by what the context is made of.";
    let blocks = vec![Block::Prose(document::Prose::new(says))];
    Section { id: "context", title: "Context over steps", blocks }
}

fn with_charts(mut section: Section, charts: Vec<Block>) -> Section {
    section.blocks.extend(charts);
    section
}

impl Document {
    fn charts(&self) -> impl Iterator<Item = &Chart> {
        let blocks = self.sections.iter().flat_map(|section| &section.blocks);
        blocks.filter_map(|block| match block {
            Block::Chart(chart) => Some(chart),
            _ => None,
        })
    }
}

/// Makes the folder, or takes out the charts of an earlier report: one that is left
/// out now must not stay behind.
fn clear(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).map_err(|source| Error::io("create", folder, source))?;
    let listed = fs::read_dir(folder).map_err(|source| Error::io("read", folder, source))?;
    for entry in listed {
        let path = entry.map_err(|source| Error::io("read", folder, source))?.path();
        if path.extension().is_some_and(|suffix| suffix == "svg" || suffix == "png") {
            fs::remove_file(&path).map_err(|source| Error::io("remove", &path, source))?;
        }
    }
    Ok(())
}

fn store(path: PathBuf, bytes: &[u8]) -> Result<PathBuf> {
    fs::write(&path, bytes).map_err(|source| Error::io("write", &path, source))?;
    Ok(path)
}
