//! The tables of a run directory: Parquet where a cell has several rows, else CSV.

mod lines;
mod packed;
mod plain;

pub use crate::run_dir::write::{open_text, packed_text, whole_text};
pub use lines::{LineReader, LineWriter, Rows, write_table};

use crate::frame::{Derived, MeasuredCell};
use crate::record::{Column, Field, Line, columns};
use crate::row::{
    CompactionRow, CompositionRow, CurveRow, FactRow, FloorRow, StepRow, SurvivalRow, TriggerRow,
};
pub(crate) use lines::ByCell;

/// The table with a row for each cell.
pub const MEASUREMENTS: &str = "measurements.csv";
pub(crate) const FLOOR: &str = "floor.parquet";
pub(crate) const COMPOSITIONS: &str = "composition.parquet";
pub(crate) const STEPS: &str = "steps.parquet";
pub(crate) const COMPACTIONS: &str = "compactions.parquet";
pub(crate) const TRIGGERS: &str = "triggers.parquet";
pub(crate) const FACTS: &str = "facts.parquet";
pub(crate) const SURVIVAL: &str = "survival.parquet";
/// Figures that need several cells.
pub const DERIVED: &str = "derived.csv";
/// Recall against tokens.
pub const CURVE: &str = "curve.csv";
/// What cells did and no table holds: a line for each.
pub const TRACES: &str = "traces.jsonl.gz";

/// A table as its description needs it.
#[derive(Clone, Debug)]
pub struct TableInfo {
    /// Its file in a run directory.
    pub file: &'static str,
    /// What its rows are.
    pub meaning: &'static str,
    /// Its columns.
    pub columns: Vec<Column>,
}

/// Records as the lines of their table.
pub fn lines_of<R: Field>(rows: &[R]) -> Vec<Line> {
    let mut lines = vec![Line::default(); rows.len()];
    rows.iter().zip(&mut lines).for_each(|(row, line)| row.write(line));
    lines
}

/// The tables with rows of single cells.
pub(crate) fn of_cells() -> Vec<TableInfo> {
    let info = |file, meaning, columns| TableInfo { file, meaning, columns };
    vec![
        info(FLOOR, "One row for each round of each floor probe.", columns::<FloorRow>()),
        info(
            COMPOSITIONS,
            "What views were made of at the checkpoints and at the end: one row for each share.",
            columns::<CompositionRow>(),
        ),
        info(STEPS, "One row for each model call.", columns::<StepRow>()),
        info(
            COMPACTIONS,
            "One row for each plan of a strategy and what became of it.",
            columns::<CompactionRow>(),
        ),
        info(
            TRIGGERS,
            "How often each stage was due on each occasion, by what came of it.",
            columns::<TriggerRow>(),
        ),
        info(
            FACTS,
            "One row for each demand for a fact and what the prompt held of it.",
            columns::<FactRow>(),
        ),
        info(
            SURVIVAL,
            "Facts still known, by age, by summaries gone through and over the session.",
            columns::<SurvivalRow>(),
        ),
        info(
            MEASUREMENTS,
            "One row for each cell: its axes, its state and every metric.",
            columns::<MeasuredCell>(),
        ),
    ]
}

/// The tables of a run directory.
pub fn infos() -> Vec<TableInfo> {
    let derived = "Figures that need several cells: savings against the control, growth of the \
                   floor, figures pooled over sessions.";
    let curve = "Recall against tokens: each configuration's point, with bounds.";
    let mut infos = of_cells();
    infos.rotate_right(1);
    let shared = [(DERIVED, derived, columns::<Derived>()), (CURVE, curve, columns::<CurveRow>())];
    let shared = shared.map(|(file, meaning, columns)| TableInfo { file, meaning, columns });
    infos.splice(1..1, shared);
    infos
}

#[cfg(test)]
mod tests;
