//! When compactions fire, and how long the agent waits for them.

use super::prelude::*;
use crate::measure::{self, firings};
use crate::row::CompactionRow;

type Firing<'a> = measure::Firing<'a, CompactionRow>;

/// The firings of each cell.
type ByCell<'a> = BTreeMap<&'a str, Vec<&'a Firing<'a>>>;

/// Pressure and waiting, a row of firings for each configuration.
pub fn parts(figures: &Figures) -> Result<Option<Parts>> {
    let firings = firings(&figures.run.compactions);
    let mut all: ByCell = BTreeMap::new();
    for firing in &firings {
        all.entry(&firing.first.cell).or_default().push(firing);
    }
    let parts = Parts::default().value("prices", &figures.run.manifest.prices.name);
    let parts = waiting(figures, &all, pressure(figures, &all, parts)?)?;
    Ok(Some(parts.table("by_session", by_session(figures))))
}

/// The firings of a configuration under the main summarizer, over its sessions.
fn own<'a>(figures: &Figures, all: &ByCell<'a>, config: &Config) -> Vec<&'a Firing<'a>> {
    let cells = figures.cells(config).iter();
    cells.filter_map(|row| all.get(row.key.cell.as_str())).flatten().copied().collect()
}

fn pressure(figures: &Figures, all: &ByCell, parts: Parts) -> Result<Parts> {
    let of = |config: &Config| -> Vec<&Firing> {
        let mut firings = own(figures, all, config);
        firings.retain(|firing| firing.changed() && firing.first.utilization.is_some());
        firings
    };
    let fired = figures.shown().filter(|config| !of(config).is_empty()).collect();
    let choice = choose(figures, fired, ROWS);
    let rows = choice.drawn.iter().map(|config| {
        let firings = of(config);
        let triggers: Vec<f64> = firings.iter().filter_map(|firing| firing.first.trigger).collect();
        StripRow {
            configuration: config.name(),
            values: firings.iter().filter_map(|firing| firing.first.utilization).collect(),
            trigger: stats::median(&triggers),
        }
    });
    let title = "How full the window is when compaction fires".to_owned();
    let data = StripChart { title, of: Firings::Pressure, rows: rows.collect() };
    Ok(parts.chart("pressure", "pressure", data.draw()?).value("pressure_choice", choice.left_out))
}

fn waiting(figures: &Figures, all: &ByCell, parts: Parts) -> Result<Parts> {
    let of = |config: &Config| -> Vec<f64> {
        let billed = own(figures, all, config).into_iter().filter(|firing| firing.was_waited_for());
        billed.map(|firing| firing.blocking().0 as f64 / 1_000.0).collect()
    };
    let waited = figures.shown().filter(|config| !of(config).is_empty()).collect();
    let choice = choose(figures, waited, ROWS);
    let rows = choice.drawn.iter().map(|config| StripRow {
        configuration: config.name(),
        values: of(config),
        trigger: None,
    });
    let title = "How long the agent waits for a compaction".to_owned();
    let data = StripChart { title, of: Firings::Waits, rows: rows.collect() };
    Ok(parts.chart("latency", "latency", data.draw()?).value("latency_choice", choice.left_out))
}

/// The waits of a session added up: many short ones can be more than a few long ones.
fn by_session(figures: &Figures) -> Table {
    let total = MetricId::LatencyTotal;
    let fields = [
        configuration(),
        estimate("Seconds a session [95 %]", total, number::seconds).of(figures),
        sessions("n", total).of(figures),
        completed(figures),
    ];
    let waited = |config: &&Config| figures.figure(config, total).value.is_some();
    let configs = figures.shown_but_control().filter(waited);
    Table::of("Waiting for compactions over a whole session", configs, fields)
}
