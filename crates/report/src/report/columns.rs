//! Tables with a row for each configuration, and their columns.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;

use super::completion;
use super::figure::Write;
use super::figures::{Config, Figures};
use super::table::{Cell, Field, Table, figure, text};
use crate::config;
use crate::error::{Error, Result};
use crate::measure::MetricId;
use crate::number;

/// The footnote of a mean over sessions of which some ended early.
const CUT_SHORT: &str = "up to where its sessions ended";

#[derive(Clone, Copy, Default)]
enum Show {
    Mean,
    #[default]
    Estimate,
    /// Its mean, marked where sessions ended early.
    UpToTheEnd,
    Sessions,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MetricColumn {
    title: Cow<'static, str>,
    pub metric: MetricId,
    #[serde(skip)]
    show: Show,
    /// Why it may be empty, where the figure's own reason is not to be given.
    why: Option<String>,
}

const fn column(title: &'static str, metric: MetricId, show: Show) -> MetricColumn {
    MetricColumn { title: Cow::Borrowed(title), metric, show, why: None }
}

pub const fn mean(title: &'static str, metric: MetricId) -> MetricColumn {
    column(title, metric, Show::Mean)
}

pub const fn estimate(title: &'static str, metric: MetricId) -> MetricColumn {
    column(title, metric, Show::Estimate)
}

pub const fn up_to_the_end(title: &'static str, metric: MetricId) -> MetricColumn {
    column(title, metric, Show::UpToTheEnd)
}

pub const fn sessions(title: &'static str, metric: MetricId) -> MetricColumn {
    column(title, metric, Show::Sessions)
}

fn write_of(metric: MetricId) -> Write {
    match (metric, metric.metric().unit) {
        // Differences of shares.
        (MetricId::Regret | MetricId::SavingsTruncateEqual, _) => number::points,
        (_, "share") => number::share,
        (_, "tokens") => number::tokens,
        (_, "dollars") => number::dollars,
        (_, "milliseconds") => number::seconds,
        _ => number::count,
    }
}

impl MetricColumn {
    pub fn of<'a>(self, figures: &'a Figures) -> Field<'a, Config> {
        figure(self.title.clone(), move |config| self.cell(figures, config))
    }

    pub fn cell(&self, figures: &Figures, config: &Config) -> Cell {
        let found = figures.figure(config, self.metric);
        if let (None, Some(why)) = (found.value, &self.why) {
            return Cell::undefined(why);
        }
        let write = write_of(self.metric);
        match self.show {
            Show::Mean => Cell::figure(&found, write),
            Show::Estimate => Cell::estimate(&found, write),
            Show::Sessions if found.value.is_none() => Cell::undefined(""),
            Show::Sessions => Cell::count(found.n as usize),
            Show::UpToTheEnd => {
                let cell = Cell::figure(&found, write);
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

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MetricTable {
    caption: String,
    columns: Vec<MetricColumn>,
}

/// A table of `tables.toml`: the sessions completed, its metrics and the least n, without
/// configurations of no figure.
pub fn table<'b>(
    figures: &'b Figures,
    name: &str,
    configs: impl Iterator<Item = &'b Config>,
) -> Result<Table> {
    let texts = include_str!("../../assets/tables.toml");
    let mut tables: BTreeMap<String, MetricTable> =
        config::parse("tables", "embedded:tables.toml", texts)?;
    let Some(MetricTable { caption, columns }) = tables.remove(name) else {
        return Err(Error::invalid("tables.toml", format!("it has no table `{name}`")));
    };
    let metrics: Vec<MetricId> = columns.iter().map(|column| column.metric).collect();
    let least_n = |config: &Config| {
        let found = metrics.iter().map(|metric| figures.figure(config, *metric));
        found.filter(|figure| figure.value.is_some()).map(|figure| figure.n as usize).min()
    };
    let n = figure("Least n", |config| least_n(config).map_or_else(Cell::default, Cell::count));
    let columns = columns.into_iter().map(|column| column.of(figures));
    let fields = [configuration(), completed(figures)].into_iter().chain(columns).chain([n]);
    Ok(Table::of(caption, configs.filter(|config| least_n(config).is_some()), fields))
}
