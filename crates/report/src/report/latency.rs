//! When compactions fire, and how long the agent waits for them.

use super::prelude::*;
use crate::measure::{Firing, firings};
use crate::row::CompactionRow;

pub fn parts(figures: &Figures) -> Result<Option<Parts>> {
    let firings = firings(&figures.run.compactions);
    let mut by_cell: BTreeMap<&str, Vec<&Firing<CompactionRow>>> = BTreeMap::new();
    for firing in &firings {
        by_cell.entry(&firing.first.cell).or_default().push(firing);
    }
    let of = |config: &Config| {
        let cells = figures.cells(config).iter();
        cells.filter_map(|row| by_cell.get(row.key.cell.as_str())).flatten().copied()
    };
    let pressure = |config: &Config| {
        let fired = of(config).filter(|firing| firing.changed()).map(|firing| firing.first);
        let fired: Vec<_> = fired.filter(|first| first.utilization.is_some()).collect();
        let triggers: Vec<f64> = fired.iter().filter_map(|first| first.trigger).collect();
        StripRow {
            configuration: config.name(),
            values: fired.iter().filter_map(|first| first.utilization).collect(),
            trigger: stats::median(&triggers),
        }
    };
    let waits = |config: &Config| {
        let billed = of(config).filter(|firing| firing.was_waited_for());
        let values = billed.map(|firing| firing.blocking().0 as f64 / 1_000.0).collect();
        StripRow { configuration: config.name(), values, trigger: None }
    };
    let (pressed, pressure_choice) = strip(figures, Firings::Pressure, pressure);
    let (waited, latency_choice) = strip(figures, Firings::Waits, waits);
    let parts = Parts::default()
        .value("prices", &figures.run.manifest.prices.name)
        .value("pressure_choice", pressure_choice)
        .value("latency_choice", latency_choice)
        .table("by_session", by_session(figures));
    let pressed = pressed.draw("How full the window is when compaction fires")?;
    let waited = waited.draw("How long the agent waits for a compaction")?;
    Ok(Some(parts.chart("pressure", "pressure", pressed).chart("latency", "latency", waited)))
}

/// The rows of configurations with firings.
fn strip(
    figures: &Figures,
    of: Firings,
    row: impl Fn(&Config) -> StripRow,
) -> (StripChart, LeftOut) {
    let fired = figures.shown().filter(|config| !row(config).values.is_empty()).collect();
    let choice = choose(figures, fired, ROWS);
    let rows = choice.drawn.into_iter().map(row).collect();
    (StripChart { of, rows }, choice.left_out)
}

/// The waits of a session added up: many short ones can be more than a few long ones.
fn by_session(figures: &Figures) -> Table {
    let total = MetricId::LatencyTotal;
    let waited =
        figures.shown_but_control().filter(|config| figures.value(config, total).is_some());
    let rows = waited.map(|config| {
        let (wait, n) = (estimate(figures, config, total), sessions(figures, config, total));
        vec![Cell::code(config.name()), wait, n, completion::cell(figures, config)]
    });
    let titles = ["Configuration", "#Seconds a session", "#n", "Sessions completed"];
    Table::of("Waiting for compactions over a whole session", titles, rows)
}
