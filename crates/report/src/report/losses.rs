//! Where facts were lost.

use std::collections::BTreeMap;

use super::columns::up_to_the_end;
use super::completion::ended_early;
use super::figures::{Config, Figures};
use super::pictures;
use super::section::Context;
use super::table::{Cell, Table, figure, text};
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

/// A configuration with its facts lost, causes in the order of [`LOSS_CAUSES`].
type Losses<'b> = (&'b Config, [u64; 5]);

/// Facts lost by configuration under the main summarizer.
fn by_config<'b>(figures: &'b Figures) -> Vec<Losses<'b>> {
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

fn table(figures: &Figures, losses: &[Losses]) -> Table {
    let causes = LOSS_CAUSES.into_iter().enumerate().map(|(place, cause)| {
        figure(cause, move |(_, lost): &Losses| Cell::number(Some(lost[place] as f64), count, ""))
    });
    let all = |(config, lost): &Losses| {
        let all: u64 = lost.iter().sum();
        let cell = Cell::number(Some(all as f64), count, "");
        let is_marked = all == 0 && ended_early(figures, config);
        if is_marked { cell.noted(NOTHING_TAKEN) } else { cell }
    };
    let mean = |title, metric, write| {
        let column = up_to_the_end(title, metric, write);
        figure(title, move |(config, _): &Losses| column.cell(figures, config))
    };
    let first = text("Configuration", |(config, _): &Losses| Cell::code(config.name()));
    let last = [
        figure("All", all),
        mean("Unrecoverable", MetricId::CostUnrecoverable, count),
        mean("Re-acquired (tokens)", MetricId::CostReacquire, tokens),
    ];
    Table::of("Facts lost by cause", losses, [first].into_iter().chain(causes).chain(last))
}
