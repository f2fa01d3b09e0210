//! Charts of a report, from the rows of a run.

pub mod context;
pub mod floor;
pub mod kinds;
pub mod recall;

use std::collections::BTreeSet;

<<<<<<< HEAD
use super::figures::{Config, Figures};
=======
use super::document::{Block, Chart, Prose};
use super::figures::{Figures, Subject};
use crate::chart::Rendered;
use crate::frame::MeasuredCell;
>>>>>>> frame
use crate::run_dir::ManifestSession;

/// The sessions of some families.
fn sessions_of<'a>(figures: &Figures<'a>, families: &[&str]) -> Vec<&'a ManifestSession> {
    let cells = figures.run.manifest.cells.iter().map(|cell| &cell.key);
    let scenarios: BTreeSet<&str> = cells
        .filter(|key| families.contains(&key.family.as_str()))
        .map(|key| key.scenario.as_str())
        .collect();
    let sessions = figures.run.manifest.sessions.iter();
    sessions.filter(|session| scenarios.contains(session.scenario.as_str())).collect()
}

<<<<<<< HEAD
/// A configuration's cell of a session under the main summarizer.
fn cell_of<'a>(
    figures: &Figures<'a>,
    config: &Config,
    session: &ManifestSession,
) -> Option<&'a MeasuredCell> {
    let mut cells = figures.cells(config).iter();
    let own = |row: &&&MeasuredCell| {
        row.key.scenario == session.scenario && row.key.seed == session.seed
    };
    cells.find(own).copied()
=======
impl<'a> Pictures<'a> {
    /// From these figures.
    pub fn of(figures: &'a Figures<'a>) -> Pictures<'a> {
        Pictures { figures }
    }

    fn sessions_of(&self, families: &[&str]) -> Vec<&ManifestSession> {
        let cells = self.figures.run.manifest.cells.iter().map(|cell| &cell.key);
        let scenarios: BTreeSet<&str> = cells
            .filter(|key| families.contains(&key.family.as_str()))
            .map(|key| key.scenario.as_str())
            .collect();
        let sessions = self.figures.run.manifest.sessions.iter();
        sessions.filter(|session| scenarios.contains(session.scenario.as_str())).collect()
    }

    fn cell_of(&self, subject: &Subject, scenario: &str, seed: u64) -> Option<&MeasuredCell> {
        let cells = self.figures.cells(subject, self.figures.main).into_iter();
        let mut own = cells.filter(|row| row.key.scenario == scenario && row.key.seed == seed);
        own.next()
    }
}

/// A chart, or why there is none.
pub(super) fn block(name: &str, caption: &str, drawn: Option<Rendered>, why_not: &str) -> Block {
    match drawn {
        Some(drawn) => Block::Chart(Chart {
            name: name.to_owned(),
            caption: caption.to_owned(),
            svg: drawn.svg,
            width: drawn.width,
            png: drawn.png,
        }),
        None => Block::Prose(Prose::new(format!("No chart here: {why_not}."))),
    }
>>>>>>> frame
}
