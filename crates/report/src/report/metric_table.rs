//! Tables with a row for each configuration and a column for each metric.

use super::completion;
use super::document::{Cell, Column, Table, figure, text};
use super::figures::{Config, Figure, Figures, Write};
use crate::measure::MetricId;

/// How a figure is shown.
#[derive(Clone, Copy)]
enum Show {
    /// The mean.
    Mean,
    /// The mean with its interval.
    Estimate,
    /// The mean, marked where sessions ended early.
    UpToTheEnd,
}

/// A column of one metric.
#[derive(Clone, Copy)]
pub struct MetricColumn {
    title: &'static str,
    metric: MetricId,
    write: Write,
    show: Show,
    /// Why it may be empty, where the figure's own reason is not to be given.
    why: Option<&'static str>,
}

impl MetricColumn {
    /// A column of means.
    pub const fn mean(title: &'static str, metric: MetricId, write: Write) -> MetricColumn {
        MetricColumn { title, metric, write, show: Show::Mean, why: None }
    }

    /// A column of means with intervals.
    pub const fn estimate(title: &'static str, metric: MetricId, write: Write) -> MetricColumn {
        MetricColumn { show: Show::Estimate, ..MetricColumn::mean(title, metric, write) }
    }

    /// A column of means that are marked where sessions ended early.
    pub const fn up_to_the_end(
        title: &'static str,
        metric: MetricId,
        write: Write,
    ) -> MetricColumn {
        MetricColumn { show: Show::UpToTheEnd, ..MetricColumn::mean(title, metric, write) }
    }

    /// The same with a reason why it may be empty.
    pub const fn or(self, why: &'static str) -> MetricColumn {
        MetricColumn { why: Some(why), ..self }
    }

    /// Its heading.
    pub fn column(&self) -> Column {
        figure(self.title)
    }

    /// The field of a configuration.
    pub fn cell(&self, figures: &Figures, table: &mut Table, config: &Config) -> Cell {
        self.shown(figures, table, config, &figures.figure(config, self.metric))
    }

    fn shown(&self, figures: &Figures, table: &mut Table, config: &Config, found: &Figure) -> Cell {
        if let (None, Some(why)) = (found.value, self.why) {
            return table.undefined(why);
        }
        match self.show {
            Show::Mean => table.figure(found, self.write),
            Show::Estimate => table.estimate(found, self.write),
            Show::UpToTheEnd => {
                let cell = table.figure(found, self.write);
                completion::cut_short(figures, table, config, cell)
            }
        }
    }
}

/// The mean of a metric up to the end of sessions, as a field.
pub fn up_to_the_end(
    figures: &Figures,
    table: &mut Table,
    config: &Config,
    metric: MetricId,
    write: Write,
) -> Cell {
    MetricColumn::up_to_the_end("", metric, write).cell(figures, table, config)
}

/// A table with the sessions completed, the metrics, and the least number of sessions behind
/// them. Configurations without any of the figures are left out.
pub fn table<'b>(
    figures: &'b Figures,
    caption: &str,
    configs: impl Iterator<Item = &'b Config>,
    columns: &[MetricColumn],
) -> Table {
    let titles = [text("Configuration"), text("Sessions completed")].into_iter();
    let titles = titles.chain(columns.iter().map(MetricColumn::column));
    let mut table = Table::new(caption, titles.chain([figure("Least n")]));
    for config in configs {
        let found: Vec<Figure> =
            columns.iter().map(|column| figures.figure(config, column.metric)).collect();
        let known = found.iter().filter(|figure| figure.value.is_some());
        let Some(n) = known.map(|figure| figure.n).min() else { continue };
        let mut row =
            vec![Cell::code(config.name()), completion::cell(figures, &mut table, config)];
        for (column, figure) in columns.iter().zip(&found) {
            row.push(column.shown(figures, &mut table, config, figure));
        }
        row.push(Cell::count(n as usize));
        table.rows.push(row);
    }
    table
}
