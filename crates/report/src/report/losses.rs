//! Where facts were lost.

use super::pictures;
use super::prelude::*;
use crate::number::{count, tokens};

/// Why a configuration can lose nothing and recall nothing.
const NOTHING_TAKEN: &str = "no compaction took a fact; needs after the early end of its sessions \
                             are not met all the same, so its recall may be 0 %";

/// Facts lost by cause, as chart and table.
pub fn parts(figures: &Figures) -> Result<Option<Parts>> {
    let configs = figures.shown_but_control();
    let losses: Vec<Losses> = configs.map(|config| (config, lost(figures, config))).collect();
    let parts = Parts::default().table("losses", table(figures, &losses));
    Ok(Some(pictures::kinds::losses(figures, &losses, parts)?))
}

/// A configuration with its facts lost, causes in the order of [`LOSS_CAUSES`].
type Losses<'b> = (&'b Config, [u64; 5]);

fn lost(figures: &Figures, config: &Config) -> [u64; 5] {
    let mut sum = [0; 5];
    for row in figures.cells(config).iter().flat_map(|cell| figures.frame.compactions_of(cell)) {
        let facts = [
            row.lost_dropped,
            row.lost_unseen,
            row.lost_omitted,
            row.lost_resummarized,
            row.lost_inverted,
        ];
        for (sum, facts) in sum.iter_mut().zip(facts) {
            *sum += u64::from(facts);
        }
    }
    sum
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
