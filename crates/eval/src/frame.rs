//! The frame: the results of a run, typed and indexed.

mod basis;
mod cell;
mod derived;
mod subject;
mod summarized;

use std::collections::BTreeMap;

use crate::measure::MetricId;
use crate::measure::floor::Warmup;
use crate::row::{CellKey, CompactionRow, FloorRow, floors};
use crate::unit::Tokens;

pub use basis::{Basis, Defeat};
pub use cell::{CellState, MeasuredCell, Session};
pub use derived::Derived;
pub use subject::{Scope, Setting, Stage, Subject};
pub use summarized::Summarized;

/// The cells and rows of a run, with what is looked up again and again.
#[derive(Clone, Debug, Default)]
pub struct Frame<'a> {
    cells: Vec<&'a MeasuredCell>,
    adversaries: Vec<&'a MeasuredCell>,
    sessions: BTreeMap<Session<'a>, SessionIndex<'a>>,
    floor: BTreeMap<&'a str, Vec<&'a FloorRow>>,
    compactions: BTreeMap<&'a str, Vec<&'a CompactionRow>>,
    derived: BTreeMap<(&'a Subject, MetricId), &'a Derived>,
    of_cells: BTreeMap<(&'a str, MetricId), &'a Derived>,
}

#[derive(Clone, Debug, Default)]
struct SessionIndex<'a> {
    /// The controls of the open replay, and of the closed loop.
    open: Vec<&'a MeasuredCell>,
    closed: Vec<&'a MeasuredCell>,
    cells: Vec<&'a MeasuredCell>,
    /// The last checkpoint that a completed cell was probed at.
    furthest: Option<u32>,
    /// Mean prompt and recall of all needs of `truncate` at fixed limits, completed, by mean prompt.
    swept: Vec<(f64, f64)>,
}

impl<'a> Frame<'a> {
    /// Indexes cells with their rows and with what was derived from them.
    pub fn new(
        cells: &'a [MeasuredCell],
        floor: &'a [FloorRow],
        compactions: &'a [CompactionRow],
        derived: &'a [Derived],
    ) -> Frame<'a> {
        let mut sorted: Vec<&MeasuredCell> = cells.iter().collect();
        sorted.sort_by(|one, other| one.key.cell.cmp(&other.key.cell));
        let (adversaries, cells) = sorted.into_iter().partition(|cell| cell.key.is_adversary());
        let mut frame = Frame { cells, adversaries, ..Frame::default() };
        for row in floor {
            frame.floor.entry(&row.cell).or_default().push(row);
        }
        for row in compactions {
            frame.compactions.entry(&row.cell).or_default().push(row);
        }
        for row in derived {
            frame.derived.insert((&row.subject, row.metric), row);
            if let Some(cell) = row.subject.cell_id() {
                frame.of_cells.insert((cell, row.metric), row);
            }
        }
        frame.index_sessions();
        frame
    }

    fn index_sessions(&mut self) {
        let mut sessions: BTreeMap<Session<'a>, SessionIndex<'a>> = BTreeMap::new();
        for cell in &self.cells {
            let session = sessions.entry(cell.session()).or_default();
            if cell.key.is_control() {
                let controls =
                    if cell.key.is_closed() { &mut session.closed } else { &mut session.open };
                controls.push(cell);
            }
            session.cells.push(cell);
            if cell.completed() {
                session.furthest = session.furthest.max(self.last_checkpoint(cell));
                session.swept.extend(swept_point(cell));
            }
        }
        for session in sessions.values_mut() {
            session
                .swept
                .sort_by(|one, other| one.0.total_cmp(&other.0).then(other.1.total_cmp(&one.1)));
            // Of equally large prompts the one that knows more stands for truncation.
            session.swept.dedup_by_key(|point| point.0);
        }
        self.sessions = sessions;
    }

    /// All cells in the order of their ids, adversaries apart: whatever ranks, pairs or pools
    /// cells reads these.
    pub fn cells(&self) -> &[&'a MeasuredCell] {
        &self.cells
    }

    /// The cells of adversaries and of the chance beside them, in the order of their ids.
    pub fn adversaries(&self) -> &[&'a MeasuredCell] {
        &self.adversaries
    }

    /// A cell of either sort, by its id.
    pub fn cell(&self, id: &str) -> Option<&'a MeasuredCell> {
        let found = |cells: &[&'a MeasuredCell]| {
            let place = cells.binary_search_by(|cell| cell.key.cell.as_str().cmp(id));
            place.ok().map(|place| cells[place])
        };
        found(&self.cells).or_else(|| found(&self.adversaries))
    }

    /// All sessions.
    pub fn sessions(&self) -> impl Iterator<Item = Session<'a>> + '_ {
        self.sessions.keys().copied()
    }

    /// The windowless `none` of a session.
    pub fn control(&self, session: Session<'_>) -> Option<&'a MeasuredCell> {
        self.sessions.get(&session)?.open.first().copied()
    }

    /// The control that a cell is measured by: where its agent acts on what it has lost, so does that
    /// of the control.
    pub fn control_of(&self, cell: &MeasuredCell) -> Option<&'a MeasuredCell> {
        if !cell.key.is_closed() {
            return self.control(cell.session());
        }
        let closed = &self.sessions.get(&cell.session())?.closed;
        closed.iter().find(|control| control.key.mode == cell.key.mode).copied()
    }

    /// The cells of the same session and axes under this pipeline and summarizer, any window.
    pub(crate) fn partners<'b>(
        &'b self,
        of: &'b CellKey,
        pipeline: &'b str,
        summarizer: &'b str,
    ) -> impl Iterator<Item = &'b MeasuredCell> {
        let session = self.sessions.get(&(of.scenario.as_str(), of.seed));
        let cells = session.into_iter().flat_map(|session| session.cells.iter().copied());
        cells.filter(move |MeasuredCell { key, .. }| {
            (key.pipeline.as_str(), key.summarizer.as_str()) == (pipeline, summarizer)
                && (&key.variant, &key.mode) == (&of.variant, &of.mode)
                && key.replicate == of.replicate
        })
    }

    /// Mean prompt and recall of all needs of the session's completed `truncate` cells at fixed
    /// limits.
    pub fn swept<'b>(&'b self, session: Session<'b>) -> &'b [(f64, f64)] {
        self.sessions.get(&session).map_or(&[], |index| index.swept.as_slice())
    }

    /// Whether a cell completed, or was probed as often as one of its session that did.
    pub fn reached_last_checkpoint(&self, cell: &MeasuredCell) -> bool {
        let furthest = self.sessions.get(&cell.session()).and_then(|index| index.furthest);
        cell.completed() || (furthest.is_some() && self.last_checkpoint(cell) == furthest)
    }

    fn last_checkpoint(&self, cell: &MeasuredCell) -> Option<u32> {
        self.floor_of(cell).iter().map(|row| row.checkpoint).max()
    }

    /// The floor-probe rounds of a cell.
    pub fn floor_of(&self, cell: &MeasuredCell) -> &[&'a FloorRow] {
        self.floor.get(cell.key.cell.as_str()).map_or(&[], Vec::as_slice)
    }

    /// Turn and tokens of a cell's floor after one pass, at its checkpoints behind the warm-up.
    pub fn settled_floor(&self, cell: &MeasuredCell) -> Vec<(f64, f64)> {
        let warmup = Warmup::of(self.compactions_of(cell).iter().copied(), Tokens(cell.key.window));
        let floors = floors(self.floor_of(cell)).into_iter();
        let settled =
            floors.filter(|(untouched, _)| warmup.is_over(untouched.step, untouched.tokens));
        settled.map(|(_, floor)| (f64::from(floor.turn), floor.tokens.as_f64())).collect()
    }

    /// The plans of a cell.
    pub fn compactions_of(&self, cell: &MeasuredCell) -> &[&'a CompactionRow] {
        self.compactions.get(cell.key.cell.as_str()).map_or(&[], Vec::as_slice)
    }

    /// A derived figure.
    pub fn derived(&self, subject: &Subject, metric: MetricId) -> Option<&'a Derived> {
        self.derived.get(&(subject, metric)).copied()
    }

    /// A derived figure of one cell, by its id.
    pub fn of_cell(&self, cell: &str, metric: MetricId) -> Option<&'a Derived> {
        self.of_cells.get(&(cell, metric)).copied()
    }

    /// A figure of a cell as comparisons read it: measured, or derived. A derived figure of a
    /// session that ended early is over other steps than its partner's: `None`.
    pub fn figure(&self, cell: &MeasuredCell, metric: MetricId) -> Option<f64> {
        let derived = || self.of_cell(&cell.key.cell, metric).and_then(Derived::as_number);
        cell.number(metric).or_else(|| derived().filter(|_| cell.completed()))
    }
}

fn swept_point(cell: &MeasuredCell) -> Option<(f64, f64)> {
    let is_swept = cell.key.pipeline == "truncate" && cell.key.is_swept();
    let point =
        || Some((cell.number(MetricId::TokensMeanPrompt)?, cell.number(MetricId::RecallAll)?));
    if is_swept { point() } else { None }
}

#[cfg(test)]
mod tests;
