//! Tables with a row for each configuration, and their columns.

use super::completion;
use super::figure::Write;
use super::figures::{Config, Figures};
use super::table::{Cell, Field, Table, figure, text};
use crate::measure::MetricId;

/// The footnote of a mean over sessions of which some ended early.
const CUT_SHORT: &str = "up to where its sessions ended";

#[derive(Clone, Copy)]
enum Show {
    Mean,
    Estimate,
    /// Its mean, marked where sessions ended early.
    UpToTheEnd,
    Sessions,
}

#[derive(Clone, Copy)]
pub struct MetricColumn {
    title: &'static str,
    pub metric: MetricId,
    write: Write,
    show: Show,
    /// Why it may be empty, where the figure's own reason is not to be given.
    why: Option<&'static str>,
}

pub const fn mean(title: &'static str, metric: MetricId, write: Write) -> MetricColumn {
    MetricColumn { title, metric, write, show: Show::Mean, why: None }
}

pub const fn estimate(title: &'static str, metric: MetricId, write: Write) -> MetricColumn {
    MetricColumn { show: Show::Estimate, ..mean(title, metric, write) }
}

pub const fn up_to_the_end(title: &'static str, metric: MetricId, write: Write) -> MetricColumn {
    MetricColumn { show: Show::UpToTheEnd, ..mean(title, metric, write) }
}

pub const fn sessions(title: &'static str, metric: MetricId) -> MetricColumn {
    MetricColumn { show: Show::Sessions, ..mean(title, metric, crate::number::count) }
}

impl MetricColumn {
    /// The same with a reason why it may be empty.
    pub const fn or(self, why: &'static str) -> MetricColumn {
        MetricColumn { why: Some(why), ..self }
    }

    pub fn of<'a>(self, figures: &'a Figures) -> Field<'a, Config> {
        figure(self.title, move |config| self.cell(figures, config))
    }

    pub fn cell(self, figures: &Figures, config: &Config) -> Cell {
        let found = figures.figure(config, self.metric);
        if let (None, Some(why)) = (found.value, self.why) {
            return Cell::undefined(why);
        }
        match self.show {
            Show::Mean => Cell::figure(&found, self.write),
            Show::Estimate => Cell::estimate(&found, self.write),
            Show::Sessions if found.value.is_none() => Cell::undefined(""),
            Show::Sessions => Cell::count(found.n as usize),
            Show::UpToTheEnd => {
                let cell = Cell::figure(&found, self.write);
                let is_marked = cell.note.is_none() && completion::ended_early(figures, config);
                if is_marked { cell.noted(CUT_SHORT) } else { cell }
            }
        }
    }
}

pub fn configuration<'a>() -> Field<'a, Config> {
    text("Configuration", |config: &Config| Cell::code(config.name()))
}

pub fn completed<'a>(figures: &'a Figures) -> Field<'a, Config> {
    text("Sessions completed", move |config| completion::cell(figures, config))
}

/// The sessions completed, the metrics and the least n; without configurations of no figure.
pub fn table<'b>(
    figures: &'b Figures,
    caption: &str,
    configs: impl Iterator<Item = &'b Config>,
    columns: &[MetricColumn],
) -> Table {
    let least_n = |config: &Config| {
        let found = columns.iter().map(|column| figures.figure(config, column.metric));
        found.filter(|figure| figure.value.is_some()).map(|figure| figure.n as usize).min()
    };
    let metrics = columns.iter().map(|column| column.of(figures));
    let n = figure("Least n", |config| least_n(config).map_or_else(Cell::default, Cell::count));
    let fields = [configuration(), completed(figures)].into_iter().chain(metrics).chain([n]);
    Table::of(caption, configs.filter(|config| least_n(config).is_some()), fields)
}
