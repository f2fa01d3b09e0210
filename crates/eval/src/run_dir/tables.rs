//! The tables of a run directory: Parquet where a cell has several rows, else CSV. Rows are written
//! and read one at a time.

mod lines;
mod measured;
mod packed;
mod plain;
mod text;

pub use lines::{LineReader, LineWriter, Rows, write_table};
pub use text::{open_text, packed_text, whole_text};

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::frame::{Derived, MeasuredCell};
use crate::record::{Column, Field, Line, columns};
use crate::row::{
    CompactionRow, CompositionRow, CurveRow, FactRow, FloorRow, StepRow, SurvivalRow, TriggerRow,
};
use lines::ByCell;

/// The table with a row for each cell.
pub const MEASUREMENTS: &str = "measurements.csv";
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

/// Declares the tables that hold rows of single cells.
macro_rules! cell_tables {
    ($($(#[doc = $doc:literal])+ $table:ident: $row:ty = $file:literal,)+) => {
        /// The rows of one cell, table by table.
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
        pub struct CellRows {
            $( $(#[doc = $doc])+ pub $table: Vec<$row>, )+
        }

        impl CellRows {
            /// The lines of every table, by its file.
            pub fn lines(&self) -> Vec<(&'static str, Vec<Line>)> {
                vec![$( ($file, lines_of(&self.$table)), )+]
            }
        }

        /// The tables of [`CellRows`], open for reading cell by cell.
        pub(crate) struct CellReaders {
            $( $table: ByCell, )+
        }

        impl CellReaders {
            pub(crate) fn open(dir: &Path) -> Result<CellReaders> {
                Ok(CellReaders { $( $table: ByCell::open::<$row>(dir, $file)?, )+ })
            }

            /// The rows of the next cell in the order of the run.
            pub(crate) fn take(&mut self, cell: &str) -> Result<CellRows> {
                Ok(CellRows { $( $table: self.$table.take(cell)?, )+ })
            }

            /// No table may go on behind the last cell.
            pub(crate) fn finish(self) -> Result<()> {
                $( self.$table.finish()?; )+
                Ok(())
            }
        }

        /// The tables of single cells, described.
        fn cell_table_infos() -> Vec<TableInfo> {
            vec![$( TableInfo {
                file: $file,
                meaning: concat!($($doc),+),
                columns: columns::<$row>(),
            }, )+]
        }
    };
}

cell_tables! {
    /// One row for each round of each floor probe.
    floor: FloorRow = "floor.parquet",
    /// What views were made of at the checkpoints and at the end: one row for each share.
    composition: CompositionRow = "composition.parquet",
    /// One row for each model call.
    steps: StepRow = "steps.parquet",
    /// One row for each plan of a strategy and what became of it.
    compactions: CompactionRow = "compactions.parquet",
    /// How often each stage was due on each occasion, by what came of it.
    triggers: TriggerRow = "triggers.parquet",
    /// One row for each demand for a fact and what the prompt held of it.
    facts: FactRow = "facts.parquet",
    /// Facts still known, by age, by summaries gone through and over the session.
    survival: SurvivalRow = "survival.parquet",
}

/// The tables of a run directory.
pub fn infos() -> Vec<TableInfo> {
    let measured = "One row for each cell: its axes, its state and every metric.";
    let derived = "Figures that need several cells: savings against the control, growth of the \
                   floor, figures pooled over sessions.";
    let curve = "Recall against tokens: each configuration's point, with bounds.";
    let info = |file, meaning, columns| TableInfo { file, meaning, columns };
    let mut infos = vec![
        info(MEASUREMENTS, measured, columns::<MeasuredCell>()),
        info(DERIVED, derived, columns::<Derived>()),
        info(CURVE, curve, columns::<CurveRow>()),
    ];
    infos.extend(cell_table_infos());
    infos
}

#[cfg(test)]
mod tests;
