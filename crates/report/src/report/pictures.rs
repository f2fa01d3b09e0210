//! Charts of a report, from the rows of a run.

pub mod context;
pub mod floor;
pub mod recall;

use super::prelude::*;
use crate::run_dir::ManifestSession;

fn sessions_of<'a>(figures: &Figures<'a>, families: &[&str]) -> Vec<&'a ManifestSession> {
    let cells = figures.run.manifest.cells.iter().map(|cell| &cell.key);
    let scenarios: BTreeSet<&str> = cells
        .filter(|key| families.contains(&key.family.as_str()))
        .map(|key| key.scenario.as_str())
        .collect();
    let sessions = figures.run.manifest.sessions.iter();
    sessions.filter(|session| scenarios.contains(session.scenario.as_str())).collect()
}

/// A configuration's cell of a session under the main summarizer.
fn cell_of<'a>(
    figures: &Figures<'a>,
    config: &Config,
    session: &ManifestSession,
) -> Option<&'a MeasuredCell> {
    let mut cells = figures.cells(config).iter();
    let own =
        |row: &&&MeasuredCell| row.key.scenario == session.scenario && row.key.seed == session.seed;
    cells.find(own).copied()
}
