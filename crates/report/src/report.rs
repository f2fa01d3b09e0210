//! The report: a page that answers the question first and shows the figures after.
//!
//! It reads a run directory and drives nothing. A section is a builder, which gathers values,
//! tables and charts, and a template, which holds its prose. All text of a run is hostile.

use crate::prelude::*;

mod adversaries;
mod answer;
mod brackets;
mod by_scenario;
mod cells;
mod choice;
mod columns;
mod completion;
mod composition;
mod configurations;
mod context;
mod costs;
mod curve;
mod document;
mod faults;
mod figure;
mod figures;
pub(crate) mod files;
mod fixed_share;
mod floors;
mod knowledge;
mod latency;
mod losses;
pub(crate) mod page;
mod points;
mod prelude;
mod questions;
mod rules;
mod survival;
pub(crate) mod table;
pub(crate) mod template;
mod triggers;
mod verdicts;

use document::{Document, Section};
use figures::Figures;
use files::{clear, store};
use template::{Parts, Templates};

/// A section: its anchor, which is also the name of its template, its heading and its builder.
struct Entry {
    id: &'static str,
    title: &'static str,
    template: &'static str,
    build: fn(&Figures) -> Result<Option<Parts>>,
}

macro_rules! template {
    ($id:literal) => {
        include_str!(concat!("report/templates/", $id, ".md"))
    };
}

macro_rules! sections {
    ($($id:literal, $title:literal, $build:path;)*) => {
        /// The sections in reading order.
        const SECTIONS: &[Entry] = &[
            $(Entry { id: $id, title: $title, template: template!($id), build: $build }),*
        ];
    };
}

sections! {
    "verdicts", "Verdicts", verdicts::parts;
    "configurations", "Configurations", configurations::parts;
    "scenarios", "By scenario", by_scenario::parts;
    "fixed-share", "Fixed prompt: where the ranking turns", fixed_share::parts;
    "retention", "What is still known", survival::parts;
    "bounds", "Bounds: what choosing alone could reach", knowledge::bounds;
    "stale", "Old values: carried or dropped", knowledge::stale;
    "archive", "Recalled from an archive", knowledge::archive;
    "summaries", "What summaries are like", knowledge::summaries;
    "questions", "Questions: what a reader knows from the compacted view", questions::parts;
    "brackets", "Brackets: recall at need by summarizer", brackets::parts;
    "faults", "Faults: what becomes of an agent whose summarizer fails", faults::parts;
    "banks", "Phrase banks: the same sessions in other words", knowledge::banks;
    "costs", "What it saves and what it costs", costs::parts;
    "latency", "When it fires and how long it takes", latency::parts;
    "sweeps", "Sweeps", points::parts;
    "triggers", "Triggers: when stages act", triggers::parts;
    "floor", "Floor", floors::parts;
    "context", "Context over steps", context::parts;
    "controls", "Controls", cells::controls;
    "adversaries", "Controls that must lose", adversaries::parts;
    "losses", "Where facts were lost", losses::parts;
    "cells", "Cells that failed, were excluded or ended early", cells::unfinished;
    "every-cell", "Every cell", cells::every_cell;
    "sessions", "Sessions", cells::sessions;
    "limits", "Limits", cells::limits;
    "glossary", "Glossary", cells::glossary;
    "provenance", "Provenance", cells::provenance;
}

/// Templates that are no section: the opening, and what several templates share.
const SHARED: [(&str, &str); 3] = [
    ("answer", template!("answer")),
    ("floor-verdicts", template!("floor-verdicts")),
    ("pieces", template!("pieces")),
];

/// What [`write()`] wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportFiles {
    /// `report.md`, which shows the PNG charts.
    pub markdown: PathBuf,
    /// `report.html`, which holds its charts.
    pub html: PathBuf,
    /// The charts, each as SVG and as PNG.
    pub charts: Vec<PathBuf>,
}

/// Writes the report of a run into its directory, in place of an earlier one.
///
/// The errors of [`RunData::load`], and [`Error::Io`] where a
/// file cannot be written.
pub fn write(dir: &Path) -> Result<ReportFiles> {
    write_ranking(dir, false)
}

/// As [`write()`], with pipelines of fidelity `inferred` ranked among the others where they are
/// to be.
pub fn write_ranking(dir: &Path, ranks_inferred: bool) -> Result<ReportFiles> {
    let run = RunData::load(dir)?;
    let mut figures = Figures::new(&run, dir, ranks_inferred);
    figures.representatives = choice::representatives(&figures);
    let document = compose(&figures)?;
    let folder = dir.join("charts");
    clear(&folder, &["svg", "png"], |_| false)?;
    let mut charts = Vec::new();
    for chart in document.charts() {
        for (suffix, bytes) in [("svg", chart.svg.as_bytes()), ("png", &chart.png)] {
            let path = folder.join(format!("{}.{suffix}", chart.name));
            store(&path, bytes)?;
            charts.push(path);
        }
    }
    let (markdown, html) = (dir.join("report.md"), dir.join("report.html"));
    store(&markdown, page::markdown(&document)?.as_bytes())?;
    store(&html, page::html(dir, &document)?.as_bytes())?;
    Ok(ReportFiles { markdown, html, charts })
}

fn compose(figures: &Figures) -> Result<Document> {
    let texts = SECTIONS.iter().map(|entry| (entry.id, entry.template));
    let templates = Templates::new(texts.chain(SHARED))?;
    let mut sections = Vec::new();
    for entry in SECTIONS {
        let Some(parts) = (entry.build)(figures)? else { continue };
        sections.push(Section {
            id: entry.id,
            title: entry.title,
            blocks: templates.blocks(entry.id, &parts)?,
        });
    }
    let suite = suite_name(&figures.run.manifest.suite);
    let title = format!("Compaction test: {}", sanitize::line(suite));
    let answer = templates.blocks("answer", &answer::parts(figures))?;
    Ok(Document { title, answer, sections })
}

/// A suite is recorded as `NAME (DIGEST)`.
pub(crate) fn suite_name(suite: &str) -> &str {
    suite.split_once(" (").map_or(suite, |(name, _)| name)
}
