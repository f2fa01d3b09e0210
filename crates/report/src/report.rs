//! The report: a page that answers the question first and shows the figures after.
//!
//! It reads a run directory and drives nothing. A section is a builder, which gathers values,
//! tables and charts, and a template, which holds its prose. All text of a run is hostile.

use rayon::prelude::*;

use crate::matrix::Asks;
use crate::prelude::*;

mod adversaries;
mod answer;
mod apart;
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
mod forgetting;
mod knowledge;
mod latency;
mod losses;
mod orders;
pub(crate) mod page;
mod points;
mod prelude;
mod questions;
mod rules;
mod standing;
mod stretch;
mod survival;
pub(crate) mod table;
pub(crate) mod template;
mod triggers;
mod tuned;
mod verdicts;

use document::{Chart, Document, Section};
use figures::Figures;
use files::{clear, store};
use table::Table;
use template::{Parts, Templates};
pub use tuned::front_of;

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
    "orders", "Does the order of stages matter?", orders::parts;
    "verdicts", "All figures of each configuration", verdicts::parts;
    "configurations", "What each configuration does", configurations::parts;
    "scenarios", "By scenario", by_scenario::parts;
    "fixed-share", "By the share of a fixed prompt", fixed_share::parts;
    "curve", "Recall against tokens", verdicts::curve;
    "bounds", "What choosing alone could reach", knowledge::bounds;
    "brackets", "Under other summarizers", brackets::parts;
    "retention", "What is still known", survival::parts;
    "losses", "Where facts were lost", losses::parts;
    "stale", "Old values", knowledge::stale;
    "archive", "Recalled from an archive", knowledge::archive;
    "summaries", "What summaries are like", knowledge::summaries;
    "questions", "What a reader knows from the view", questions::parts;
    "banks", "In other words", knowledge::banks;
    "faults", "Summarizers that fail", faults::parts;
    "costs", "Savings and dollars", costs::parts;
    "forgetting", "What forgetting costs", forgetting::parts;
    "latency", "When it fires and how long it takes", latency::parts;
    "sweeps", "Sweeps", points::parts;
    "triggers", "When stages act", triggers::parts;
    "floor", "Floor", floors::parts;
    "context", "Context over steps", context::parts;
    "controls", "Controls", cells::controls;
    "adversaries", "Controls that must lose", adversaries::parts;
    "cells", "Cells that failed or ended early", cells::unfinished;
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

/// Rows of the longest table that fits on a printed page.
const LONGEST: usize = 40;

/// What [`write()`] wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportFiles {
    /// `report.md`, which shows the PNG charts.
    pub markdown: PathBuf,
    /// `report.html`, which holds its charts.
    pub html: PathBuf,
    /// The charts, each as SVG, PNG and PDF.
    pub charts: Vec<PathBuf>,
    /// The answer to the suite's question, in a sentence.
    pub answer: String,
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
    let (document, stories) = rayon::join(|| document(dir, ranks_inferred), || page::stories(dir));
    let (document, stories) = (document?, stories?);
    let folder = dir.join("charts");
    fn of_chart(chart: &Chart) -> [(String, &[u8]); 3] {
        let (svg, png, pdf) = (chart.svg.as_bytes(), &chart.png[..], &chart.pdf[..]);
        let files = [("svg", svg), ("png", png), ("pdf", pdf)];
        files.map(|(suffix, bytes)| (format!("{}.{suffix}", chart.name), bytes))
    }
    let files: BTreeMap<String, &[u8]> = document.charts().flat_map(of_chart).collect();
    clear(&folder, &files.keys().cloned().collect())?;
    let mut charts = Vec::new();
    for (name, bytes) in &files {
        let path = folder.join(name);
        store(&path, bytes)?;
        charts.push(path);
    }
    let (markdown, html) = (dir.join("report.md"), dir.join("report.html"));
    store(&markdown, page::markdown(&document)?.as_bytes())?;
    store(&html, page::html(&document, &stories)?.as_bytes())?;
    Ok(ReportFiles { markdown, html, charts, answer: document.sentence() })
}

/// Tables of a run's report as LaTeX: those of these names (the anchors of the page), or all but
/// the longest, which are there to be looked things up in.
///
/// The errors of [`RunData::load`], and [`Error::Unknown`] for a name that no table has.
pub fn latex(dir: &Path, names: &[String], ranks_inferred: bool) -> Result<String> {
    let document = document(dir, ranks_inferred)?;
    let known: Vec<&str> = document.tables().map(|table| table.id.as_str()).collect();
    if let Some(wrong) = names.iter().find(|name| !known.contains(&name.as_str())) {
        let hint = format!("tables of this run: {}", known.join(", "));
        return Err(Error::unknown("table", wrong, Some(hint)));
    }
    let wanted = |table: &&Table| match names.is_empty() {
        true => !table.folded && table.rows.len() <= LONGEST,
        false => names.contains(&table.id),
    };
    page::latex(&document, &document.tables().filter(wanted).collect::<Vec<_>>())
}

fn document(dir: &Path, ranks_inferred: bool) -> Result<Document> {
    let run = RunData::load(dir)?;
    let mut figures = Figures::new(&run, dir, ranks_inferred);
    figures.representatives = choice::representatives(&figures);
    let order: Vec<String> = standing::all(&figures).iter().map(|one| one.config.name()).collect();
    figures.arrange(&order);
    compose(&figures)
}

fn compose(figures: &Figures) -> Result<Document> {
    let texts = SECTIONS.iter().map(|entry| (entry.id, entry.template));
    let templates = Templates::new(texts.chain(SHARED))?;
    let mut sections = Vec::new();
    let built: Vec<Result<Option<Parts>>> =
        SECTIONS.par_iter().map(|entry| (entry.build)(figures)).collect();
    for (entry, parts) in SECTIONS.iter().zip(built) {
        let Some(parts) = parts? else { continue };
        let mut blocks = templates.blocks(entry.id, &parts)?;
        document::number(entry.id, &mut blocks);
        let is_open = entry.id == opened(figures.run.manifest.asks);
        sections.push(Section { id: entry.id, title: entry.title, is_open, blocks });
    }
    let suite = suite_name(&figures.run.manifest.suite);
    let title = format!("Compaction test: {}", sanitize::line(suite));
    let mut answer = templates.blocks("answer", &answer::parts(figures)?)?;
    document::number("answer", &mut answer);
    Ok(Document { title, answer, sections })
}

/// The section that says most of the question, which the page opens.
fn opened(asks: Asks) -> &'static str {
    match asks {
        Asks::Strategy => "scenarios",
        Asks::Order => "orders",
        Asks::Floor => "floor",
        Asks::Faults => "faults",
        Asks::Session => "losses",
    }
}

/// A suite is recorded as `NAME (DIGEST)`.
pub(crate) fn suite_name(suite: &str) -> &str {
    suite.split_once(" (").map_or(suite, |(name, _)| name)
}
