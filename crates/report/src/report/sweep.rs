//! Plain cutting at fixed sizes, and the strategies beside it.

use super::completion;
use super::document::{Cell, Table, figure, text};
use super::figures::{Config, Figures};
use super::metric_table::up_to_the_end;
use super::template::Parts;
use crate::measure::MetricId;
use crate::number::{points, share, tokens};

/// The swept limits, where there are any, and what each configuration adds to them.
pub fn parts(figures: &Figures, parts: Parts) -> Parts {
    let is_swept = figures.configs.iter().any(Config::is_swept);
    let none = || Table::new("", []);
    parts
        .table("sweep", if is_swept { sweep(figures) } else { none() })
        .table("beside", if is_swept { beside(figures) } else { none() })
}

fn sweep(figures: &Figures) -> Table {
    let columns = [
        text("Configuration"),
        text("Sessions completed"),
        figure("Mean prompt (tokens)"),
        figure("Recall at need [95 %]"),
        figure("n"),
    ];
    let mut table = Table::new("Swept limits", columns);
    for config in figures.configs.iter().filter(|config| config.is_swept()) {
        let recall = figures.figure(config, MetricId::RecallAtNeed);
        let row = vec![
            Cell::code(config.name()),
            completion::cell(figures, &mut table, config),
            up_to_the_end(figures, &mut table, config, MetricId::TokensMeanPrompt, tokens),
            table.estimate(&recall, share),
            match recall.value {
                Some(_) => Cell::count(recall.n as usize),
                None => table.undefined(""),
            },
        ];
        table.rows.push(row);
    }
    table
}

/// Configurations beside truncation at the same mean prompt; no rows where the run did not
/// compare them.
fn beside(figures: &Figures) -> Table {
    let columns = [
        text("Configuration"),
        text("Sessions completed"),
        figure("Truncation's recall"),
        figure("Recall beside it (points)"),
        figure("n, of all"),
    ];
    let mut table = Table::new("Beside truncation at the same mean prompt", columns);
    let others = figures.shown_but_control().filter(|config| config.pipeline != "truncate");
    let mut compared = false;
    for config in others {
        let equal = figures.figure(config, MetricId::SavingsTruncateEqual);
        let truncate = figures.figure(config, MetricId::SavingsTruncateRecall);
        compared |= equal.value.is_some();
        let known = if equal.value.is_some() { equal.n } else { 0 };
        let count = Cell::count(known as usize);
        let row = vec![
            Cell::code(config.name()),
            completion::cell(figures, &mut table, config),
            table.figure(&truncate, share),
            table.figure(&equal, points),
            Cell { text: format!("{known} of {}", figures.cells(config).len()), ..count },
        ];
        table.rows.push(row);
    }
    if !compared {
        table.rows.clear();
    }
    table
}
