//! The tables of a run directory: Parquet where a cell has several rows, else CSV.

mod lines;
mod packed;
mod plain;

pub use crate::run_dir::write::{open_text, packed_text, whole_text};
pub use lines::{LineReader, LineWriter, rows, rows_of, write_table};

use std::sync::LazyLock;

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

fn info<R: Field>(file: &'static str, meaning: &'static str) -> TableInfo {
    TableInfo { file, meaning, columns: columns::<R>() }
}

/// The tables with rows of single cells.
pub(crate) fn of_cells() -> &'static [TableInfo] {
    static INFOS: LazyLock<Vec<TableInfo>> = LazyLock::new(|| {
        vec![
            info::<FloorRow>(FLOOR, "One row for each round of each floor probe."),
            info::<CompositionRow>(
                COMPOSITIONS,
                "What views were made of at the checkpoints and at the end: one row for each share.",
            ),
            info::<StepRow>(STEPS, "One row for each model call."),
            info::<CompactionRow>(
                COMPACTIONS,
                "One row for each plan of a strategy and what became of it.",
            ),
            info::<TriggerRow>(
                TRIGGERS,
                "How often each stage was due on each occasion, by what came of it.",
            ),
            info::<FactRow>(
                FACTS,
                "One row for each demand for a fact and what the prompt held of it.",
            ),
            info::<SurvivalRow>(
                SURVIVAL,
                "Facts still known, by age, by summaries gone through and over the session.",
            ),
            info::<MeasuredCell>(
                MEASUREMENTS,
                "One row for each cell: its axes, its state and every metric.",
            ),
        ]
    });
    &INFOS
}

/// The tables of a run directory.
pub fn infos() -> Vec<TableInfo> {
    let derived = "Figures that need several cells: savings against the control, growth of the \
                   floor, figures pooled over sessions.";
    let curve = "Recall against tokens: each configuration's point, with bounds.";
    let mut infos = of_cells().to_vec();
    infos.rotate_right(1);
    infos.splice(1..1, [info::<Derived>(DERIVED, derived), info::<CurveRow>(CURVE, curve)]);
    infos
}

#[cfg(test)]
mod tests;
