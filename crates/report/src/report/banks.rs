//! The two phrase banks: how much of recall depends on the wording of the sessions.

use super::document::{Cell, Table, figure, text};
use super::figures::Figures;
use super::section::Context;
use super::template::Parts;
use crate::error::Result;
use crate::measure::MetricId;
use crate::number::{points, share};

/// Recall of the sessions that are told in both banks, by configuration.
pub fn parts(context: &Context) -> Result<Option<Parts>> {
    let figures = context.figures;
    Ok(Some(Parts::default().value("main", figures.main).table("banks", table(figures))))
}

fn table(figures: &Figures) -> Table {
    let titles = ["Bank A", "Bank B", "Gap", "Gap under perfect", "n"].map(figure);
    let columns = std::iter::once(text("Configuration")).chain(titles);
    let mut table = Table::new("Recall at need by phrase bank", columns);
    for config in figures.shown_but_control() {
        let main = |metric| figures.of_both_banks(config, figures.main, metric);
        let gap = main(MetricId::BankGap);
        if gap.value.is_none() {
            continue;
        }
        let mut row = vec![Cell::code(config.name())];
        for metric in [MetricId::BankA, MetricId::BankB] {
            row.push(table.figure(&main(metric), share));
        }
        row.push(table.estimate(&gap, points));
        let perfect = figures.of_both_banks(config, "perfect", MetricId::BankGap);
        row.push(match perfect.value {
            Some(_) => table.estimate(&perfect, points),
            None => table.undefined("not driven"),
        });
        row.push(Cell::count(gap.n as usize));
        table.rows.push(row);
    }
    table
}
