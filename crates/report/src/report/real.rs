//! Synthetic sessions beside recorded ones, as far as a run directory tells their shapes.

use std::collections::BTreeMap;
use std::path::Path;

use super::document::{Block, Prose};
use super::figures::{Figures, Subject};
use super::pictures::block;
use crate::chart::{ShapeChart, ShapeRow, Spread, shapes_side_by_side};
use crate::error::Result;
use crate::row::StepRow;
use crate::run_dir::ManifestSession;
use crate::run_dir::read::steps_of;
use crate::stats;
use crate::trace::Share;

/// What the steps of a control tell of its session.
const PANELS: [(&str, &str); 6] = [
    ("User messages of a turn", "tokens"),
    ("Answers of the agent", "tokens, calls included"),
    ("Tool results of a step", "tokens"),
    ("Model calls per turn", "count"),
    ("Turns", "tokens"),
    ("Growth between calls", "tokens"),
];
/// Rows of either source.
const MOST: usize = 12;

/// The shapes of the run's sessions side by side, or why they are not there.
pub fn shapes(figures: &Figures, dir: &Path) -> Result<Block> {
    let sessions = &figures.run.manifest.sessions;
    let (recorded, synthetic): (Vec<&ManifestSession>, Vec<&ManifestSession>) =
        sessions.iter().partition(|session| !session.path.is_empty());
    if recorded.is_empty() || synthetic.is_empty() {
        let which = if recorded.is_empty() { "synthesized" } else { "recorded" };
        return Ok(Block::Prose(
            Prose::new(format!(
                "No chart of synthetic sessions beside recorded ones here: all sessions of this \
                 run are {which}. "
            ))
            .code("proctor shape default TRANSCRIPT --chart shapes.svg")
            .then(" draws it from transcripts of your own."),
        ));
    }
    // One session of a scenario is enough: seeds differ little in shape.
    let mut once: Vec<&ManifestSession> = Vec::new();
    for group in [&recorded, &synthetic] {
        let mut kept = 0;
        for session in group {
            if kept < MOST && !once.iter().any(|other| other.scenario == session.scenario) {
                once.push(session);
                kept += 1;
            }
        }
    }
    let rows = rows(figures, dir, &once)?;
    let told = rows.len();
    let title = "Shapes of the run's sessions: synthetic beside recorded".to_owned();
    let drawn = shapes_side_by_side(&ShapeChart { title, panels: PANELS, rows })?;
    let caption = format!(
        "Read off the steps of the control without a window, one session of each scenario ({told} \
         drawn of {}): medians with the range from the 10th to the 90th percentile.",
        sessions.len()
    );
    Ok(block("shapes", &caption, drawn, "no control without a window was driven"))
}

fn rows(figures: &Figures, dir: &Path, sessions: &[&ManifestSession]) -> Result<Vec<ShapeRow>> {
    let control = figures.subjects.iter().find(|subject| Subject::is_control(subject));
    let cell = |session: &ManifestSession| {
        let cells = figures.cells(control?, figures.main).into_iter();
        let mut own = cells
            .filter(|row| (&row.key.scenario, row.key.seed) == (&session.scenario, session.seed));
        own.next().map(|row| row.key.cell.clone())
    };
    let wanted = sessions.iter().filter_map(|session| cell(session)).collect();
    let steps = steps_of(dir, &wanted)?;
    let row = |session: &&ManifestSession| {
        let steps = steps.get(&cell(session)?)?;
        Some(ShapeRow {
            name: session.scenario.clone(),
            recorded: !session.path.is_empty(),
            pooled: false,
            ranges: ranges(steps)?,
        })
    };
    Ok(sessions.iter().filter_map(row).collect())
}

/// The shape of a session from the steps of a view that nothing was taken from.
fn ranges(steps: &[StepRow]) -> Option<[Spread; 6]> {
    let mut by_turn: BTreeMap<u32, [f64; 3]> = BTreeMap::new();
    let (mut answers, mut results, mut growth) = (Vec::new(), Vec::new(), Vec::new());
    let mut before = [0, 0, 0];
    for step in steps {
        let share = |share: Share| step.shares[share as usize];
        let now = [share(Share::User), share(Share::Tool), step.kept].map(|tokens| tokens.0);
        let new = [0, 1, 2].map(|at: usize| now[at].saturating_sub(before[at]) as f64);
        before = now;
        let turn = by_turn.entry(step.turn).or_default();
        turn[0] += new[0];
        turn[1] += 1.0;
        turn[2] += new[2];
        answers.push(step.output.as_f64());
        growth.push(new[2]);
        results.extend((new[1] > 0.0).then_some(new[1]));
    }
    let of_turns = |part: usize| by_turn.values().map(|turn| turn[part]).collect::<Vec<f64>>();
    let spread = |values: &[f64]| {
        let at = |share| stats::quantile(values, share);
        Some(Spread { low: at(0.1)?, middle: at(0.5)?, high: at(0.9)? })
    };
    // A session without tools has no results to speak of.
    let results = spread(&results).unwrap_or_default();
    Some([
        spread(&of_turns(0))?,
        spread(&answers)?,
        results,
        spread(&of_turns(1))?,
        spread(&of_turns(2))?,
        spread(&growth)?,
    ])
}
