//! What the fields of tables say of a configuration, and the tables that are all of means.

use serde::Deserialize;

use super::completion;
use super::figure::{Figure, Write};
use super::figures::{Config, Figures};
use super::table::{Cell, Table};
use crate::config;
use crate::prelude::*;

/// The footnote of a mean over sessions of which some ended early.
const CUT_SHORT: &str = "up to where its sessions ended";

pub fn mean(figures: &Figures, config: &Config, metric: MetricId) -> Cell {
    Cell::figure(&figures.figure(config, metric), write_of(metric))
}

pub fn estimate(figures: &Figures, config: &Config, metric: MetricId) -> Cell {
    Cell::estimate(&figures.figure(config, metric), write_of(metric))
}

/// The mean, marked where sessions ended early.
pub fn up_to_the_end(figures: &Figures, config: &Config, metric: MetricId) -> Cell {
    let cell = mean(figures, config, metric);
    let is_marked = cell.note.is_none() && completion::ended_early(figures, config);
    if is_marked { cell.noted(CUT_SHORT) } else { cell }
}

pub fn sessions(figures: &Figures, config: &Config, metric: MetricId) -> Cell {
    let found = figures.figure(config, metric);
    found.value.map_or_else(|| Cell::undefined(""), |_| Cell::count(found.n as usize))
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

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MetricTable {
    caption: String,
    columns: Vec<MetricColumn>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MetricColumn {
    title: String,
    metric: MetricId,
    /// Why a field may be empty.
    why: String,
}

/// A table of `tables.toml`: its metrics and the least n, without
/// configurations of no figure.
pub fn table<'b>(
    figures: &Figures,
    name: &str,
    configs: impl Iterator<Item = &'b Config>,
) -> Result<Table> {
    let texts = include_str!("../../assets/tables.toml");
    let mut tables: BTreeMap<String, MetricTable> =
        config::parse("tables", "embedded:tables.toml", texts)?;
    let Some(MetricTable { caption, columns }) = tables.remove(name) else {
        return Err(Error::invalid("tables.toml", format!("it has no table `{name}`")));
    };
    let rows = configs.filter_map(|config| {
        let found = columns.iter().map(|column| figures.figure(config, column.metric));
        let found: Vec<Figure> = found.collect();
        let known = found.iter().filter(|figure| figure.value.is_some());
        let least_n = known.map(|figure| figure.n as usize).min()?;
        let cells = columns.iter().zip(&found).map(|(column, figure)| match figure.value {
            Some(_) => Cell::estimate(figure, write_of(column.metric)),
            None => Cell::undefined(&column.why),
        });
        let first = [Cell::code(config.name())];
        Some(first.into_iter().chain(cells).chain([Cell::count(least_n)]).collect())
    });
    let titles: Vec<&str> = columns.iter().map(|column| column.title.as_str()).collect();
    let titles = format!("Configuration|#{}|#Least n", titles.join("|#"));
    Ok(Table::of(caption, titles.split('|'), rows))
}
