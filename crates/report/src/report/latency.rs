//! When compactions fire, and how long the agent waits for them.

use crate::measure::MetricId;
use std::collections::BTreeMap;

use super::choice::{ROWS, choose};
use super::document::{Block, Cell, Prose, Section, Table};
use super::figures::{Figures, Subject};
use super::number;
use super::pictures::block;
use super::verdicts::completed;
use crate::chart::{
    LatencyChart, LatencyRow, PressureChart, PressureRow, blocking_by_firing,
    pressure_when_compacting,
};
use crate::error::Result;
use crate::frame::{Firing, firings};
use crate::stats;

/// The source's target: ADR-0014, success metrics.
const TARGET_SECONDS: f64 = 5.0;

/// Pressure and waiting, a row of firings for each configuration.
pub fn section(figures: &Figures) -> Result<Section> {
    let intro = Prose::new(
        "A firing is all rounds of one stage on one occasion: what the agent waits for. How full \
         the window is when it fires tells what is left for a large message that comes next; how \
         long it takes is modelled from the rates of the price sheet ",
    )
    .code(&figures.run.manifest.prices.name)
    .then(
        " (prefill, cached prefill, generation), so seconds say as much about the rates as about \
         the strategy. The charts are of single firings; the table has what they come to over a \
         session, where many short ones can be more than a few long ones.",
    );
    let firings = firings(&figures.run.compactions);
    let mut all: ByCell = BTreeMap::new();
    for firing in &firings {
        all.entry(firing.cell).or_default().push(firing);
    }
    let blocks = vec![Block::Prose(intro), pressure(figures, &all)?, waiting(figures, &all)?];
    let blocks = blocks.into_iter().chain(by_session(figures)).collect();
    Ok(Section { id: "latency", title: "When it fires and how long it takes", blocks })
}

/// The firings of each cell.
type ByCell<'a> = BTreeMap<&'a str, Vec<&'a Firing<'a>>>;

/// The firings of a configuration under the main summarizer, over its sessions.
fn own<'a>(figures: &Figures, all: &ByCell<'a>, subject: &Subject) -> Vec<&'a Firing<'a>> {
    let cells = figures.cells(subject, figures.main).into_iter();
    cells.filter_map(|row| all.get(row.key.cell.as_str())).flatten().copied().collect()
}

fn pressure(figures: &Figures, all: &ByCell) -> Result<Block> {
    let of = |subject: &Subject| -> Vec<&Firing> {
        let mut firings = own(figures, all, subject);
        firings.retain(|firing| firing.changed && firing.utilization.is_some());
        firings
    };
    let fired = figures.unswept().filter(|subject| !of(subject).is_empty()).collect();
    let choice = choose(figures, fired, ROWS);
    let rows = choice.drawn.iter().map(|subject| {
        let firings = of(subject);
        let triggers: Vec<f64> = firings.iter().filter_map(|firing| firing.trigger).collect();
        PressureRow {
            configuration: subject.name(),
            utilization: firings.iter().filter_map(|firing| firing.utilization).collect(),
            trigger: stats::median(&triggers),
        }
    });
    let title = "How full the window is when compaction fires".to_owned();
    let data = PressureChart { title, rows: rows.collect() };
    let caption = format!(
        "The view over the usable window at every firing that changed it: n counts those of all \
         stages over all sessions, also of stages that ask no summarizer. The trigger is where the \
         stage's own pressure is just met, as its own counter read it, median over the firings \
         that read one; stages that go by age or count fire without.{}",
        choice.left_out
    );
    let why_not = "nothing fired in a window";
    Ok(block("pressure", &caption, pressure_when_compacting(&data)?, why_not))
}

/// What the waits of a session come to: many short ones can be more than a few long ones.
fn by_session(figures: &Figures) -> Option<Block> {
    let columns = ["Configuration", "#Seconds a session [95 %]", "#n", "Sessions completed"];
    let mut table = Table::new("Waiting for compactions over a whole session", &columns);
    for subject in figures.unswept().filter(|subject| !subject.is_control()) {
        let seconds = |milliseconds: f64| number::count(milliseconds / 1_000.0);
        let total = figures.figure(subject, MetricId::LatencyTotal);
        let Ok(written) = total.write_with_interval(seconds) else { continue };
        let row = vec![
            Cell::code(subject.name()),
            Cell::text(written),
            Cell::text(total.n.to_string()),
            completed(figures, &mut table, subject),
        ];
        table.rows.push(row);
    }
    (!table.rows.is_empty()).then_some(Block::Table(table))
}

fn waiting(figures: &Figures, all: &ByCell) -> Result<Block> {
    let of = |subject: &Subject| -> Vec<f64> {
        let billed = own(figures, all, subject).into_iter().filter(|firing| firing.billed);
        billed.map(|firing| firing.blocking / 1_000.0).collect()
    };
    let waited = figures.unswept().filter(|subject| !of(subject).is_empty()).collect();
    let choice = choose(figures, waited, ROWS);
    let rows = choice
        .drawn
        .iter()
        .map(|subject| LatencyRow { configuration: subject.name(), seconds: of(subject) });
    let title = "How long the agent waits for a compaction".to_owned();
    let data = LatencyChart { title, target: TARGET_SECONDS, rows: rows.collect() };
    let caption = format!(
        "Modelled seconds of every firing that asked a summarizer: n counts these alone, over all \
         sessions. ADR-0014 wants \
         summarization within 5 seconds for typical scenarios.{}",
        choice.left_out
    );
    Ok(block("latency", &caption, blocking_by_firing(&data)?, "no compaction asked a summarizer"))
}
