//! Every cell of the run, one by one: in the page alone, where it can be filtered.

use super::super::document::{Block, Cell, Document, Prose, Section, Table, Tone};
use super::super::figures::Figures;
use super::super::number;
use crate::frame::MeasuredCell;
use crate::measure::MetricId;
use crate::run_dir::CellState;
use crate::trace::Ending;

/// Adds the section behind the one on cells that ended early.
pub fn extend(document: &mut Document, figures: &Figures) {
    let before = document.sections.iter().position(|section| section.id == "cells");
    let place = before.map_or(document.sections.len(), |place| place + 1);
    document.sections.insert(place, section(figures));
}

/// A metric of a cell as a column: heading, metric, and how its figure is written.
type Column = (&'static str, MetricId, fn(f64) -> String);

const COLUMNS: [Column; 4] = [
    ("#Mean prompt (tokens)", MetricId::TokensMeanPrompt, number::tokens),
    ("#Dollars", MetricId::CostUsd, number::dollars),
    ("#Recall at need", MetricId::RecallAtNeed, number::share),
    ("#Compactions", MetricId::CompactionsCount, number::count),
];

fn section(figures: &Figures) -> Section {
    let mut columns = vec!["Cell", "Summarizer", "Ended by"];
    columns.extend(COLUMNS.map(|(title, _, _)| title));
    let mut table = Table::new("Every cell", &columns);
    for cell in &figures.run.manifest.cells {
        let row = figures.cell(&cell.key.cell);
        let mut fields = vec![Cell::code(&cell.key.cell), Cell::text(&cell.key.summarizer)];
        fields.push(end(&cell.state, row));
        for (_, metric, write) in COLUMNS {
            let value = row.and_then(|row| row.number(metric));
            fields.push(match value {
                Some(value) => Cell::text(write(value)),
                None => table.undefined(""),
            });
        }
        table.rows.push(fields);
    }
    let says = "One row for each cell: a session in a configuration under a summarizer.";
    let blocks = vec![Block::Prose(Prose::new(says)), Block::Table(table)];
    Section { id: "every-cell", title: "Every cell", blocks }
}

fn end(state: &CellState, row: Option<&MeasuredCell>) -> Cell {
    match state {
        CellState::Failed(_) => Cell::text("failed").toned(Tone::Bad),
        CellState::Excluded(_) => Cell::text("excluded").toned(Tone::Faint),
        CellState::Done => {
            let ending = row.and_then(MeasuredCell::ended_by);
            let tone = if ending == Some(Ending::Completed) { Tone::Plain } else { Tone::Bad };
            Cell::text(ending.map_or("not said", Ending::name)).toned(tone)
        }
    }
}
