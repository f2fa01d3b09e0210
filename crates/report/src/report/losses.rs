//! Where facts were lost.

use std::collections::BTreeMap;

use super::completion::ended_early;
use super::document::{Cell, Table, figure, text};
use super::figures::{Config, Figures};
use super::metric_table::MetricColumn;
use super::pictures;
use super::section::Context;
use super::template::Parts;
use crate::chart::LOSS_CAUSES;
use crate::error::Result;
use crate::measure::MetricId;
use crate::number::{count, tokens};

/// Why a configuration can lose nothing and recall nothing.
const NOTHING_TAKEN: &str = "no compaction took a fact; needs after the early end of its sessions \
                             are not met all the same, so its recall may be 0 %";

/// Facts lost by cause, as chart and table.
pub fn parts(context: &Context) -> Result<Option<Parts>> {
    let figures = context.figures;
    let losses = by_config(figures);
    let parts = Parts::default().table("losses", table(figures, &losses));
    Ok(Some(pictures::kinds::losses(figures, &losses, parts)?))
}

/// Facts lost by configuration under the main summarizer, causes in the order of
/// [`LOSS_CAUSES`].
fn by_config<'b>(figures: &'b Figures) -> Vec<(&'b Config, [u64; 5])> {
    let mut by_cell: BTreeMap<&str, [u64; 5]> = BTreeMap::new();
    for row in &figures.run.compactions {
        let lost = [
            row.lost_dropped,
            row.lost_unseen,
            row.lost_omitted,
            row.lost_resummarized,
            row.lost_inverted,
        ];
        add(by_cell.entry(row.cell.as_str()).or_default(), lost.map(u64::from));
    }
    let of = |config: &'b Config| {
        let mut sum = [0; 5];
        let cells = figures.cells(config).iter();
        for lost in cells.filter_map(|cell| by_cell.get(cell.key.cell.as_str())) {
            add(&mut sum, *lost);
        }
        (config, sum)
    };
    figures.shown_but_control().map(of).collect()
}

fn add(sum: &mut [u64; 5], lost: [u64; 5]) {
    for (sum, lost) in sum.iter_mut().zip(lost) {
        *sum += lost;
    }
}

fn table(figures: &Figures, losses: &[(&Config, [u64; 5])]) -> Table {
    let means = [
        MetricColumn::up_to_the_end("Unrecoverable", MetricId::CostUnrecoverable, count),
        MetricColumn::up_to_the_end("Re-acquired (tokens)", MetricId::CostReacquire, tokens),
    ];
    let mut columns = vec![text("Configuration")];
    columns.extend(LOSS_CAUSES.map(figure));
    columns.push(figure("All"));
    columns.extend(means.iter().map(MetricColumn::column));
    let mut table = Table::new("Facts lost by cause", columns);
    for (config, lost) in losses {
        let mut row = vec![Cell::code(config.name())];
        row.extend(lost.iter().map(|facts| Cell::number(*facts as f64, count)));
        let all: u64 = lost.iter().sum();
        let cell = Cell::number(all as f64, count);
        row.push(match all == 0 && ended_early(figures, config) {
            true => cell.noted(table.note(NOTHING_TAKEN)),
            false => cell,
        });
        row.extend(means.iter().map(|column| column.cell(figures, &mut table, config)));
        table.rows.push(row);
    }
    table
}
