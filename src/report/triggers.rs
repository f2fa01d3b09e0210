//! The trigger audit: how often each stage was due, fired and declined, and why.

use super::Context;
use super::document::{Cell, Column, Table, figure, text};
use super::figures::{Figure, Figures};
use super::template::Parts;
use crate::error::Result;
use crate::measure::MetricId;
use crate::number;

/// The modes that have columns of their own where they were driven.
const MODES: [&str; 2] = ["deployed", "forced"];
const NOT_DRIVEN: &str = "not driven in this mode";

/// `None` where the run counted no triggers.
pub fn parts(context: &Context) -> Result<Option<Parts>> {
    let figures = context.figures;
    let driven = |mode: &str| figures.shown().any(|config| config.mode == mode);
    let modes: Vec<&str> = MODES.into_iter().filter(|mode| driven(mode)).collect();
    let columns = [text("Configuration"), text("Stage")].into_iter();
    let columns = columns.chain(modes.iter().flat_map(|mode| of_mode(mode)));
    let mut table = Table::new("When stages act", columns);
    for (configuration, stage) in stages(figures, &modes) {
        let mut row = vec![Cell::code(configuration), Cell::code(stage)];
        for mode in &modes {
            row.extend(cells(figures, &mut table, (configuration, mode, stage)));
        }
        table.rows.push(row);
    }
    let has = !table.rows.is_empty();
    Ok(has.then(|| Parts::default().table("triggers", table)))
}

fn of_mode(mode: &str) -> [Column; 5] {
    [
        figure(format!("{mode}: due")),
        figure(format!("{mode}: fired")),
        figure(format!("{mode}: declined")),
        text(format!("{mode}: main reasons")),
        figure(format!("{mode}: utilization (median)")),
    ]
}

/// The stages of the shown configurations as derived rows name them, in order.
fn stages<'b>(figures: &'b Figures, modes: &[&str]) -> Vec<(&'b str, &'b str)> {
    let due = figures.run.derived.iter();
    let due: Vec<&str> = due
        .filter(|row| row.scope == "stage" && row.metric == MetricId::TriggerDue)
        .map(|row| row.subject.as_str())
        .collect();
    let mut known = Vec::new();
    for config in figures.shown().filter(|config| modes.contains(&config.mode.as_str())) {
        let own = format!("{}/{}/{}/", config.configuration, config.mode, figures.main);
        for stage in due.iter().filter_map(|subject| subject.strip_prefix(&own)) {
            let one = (config.configuration.as_str(), stage);
            if !known.contains(&one) {
                known.push(one);
            }
        }
    }
    known
}

fn cells(
    figures: &Figures,
    table: &mut Table,
    (configuration, mode, stage): (&str, &str, &str),
) -> [Cell; 5] {
    let subject = format!("{configuration}/{mode}/{}/{stage}", figures.main);
    let found = |metric| figures.derived("stage", &subject, metric).unwrap_or_default();
    let count =
        |table: &mut Table, figure: &Figure| table.number(figure.value, number::count, NOT_DRIVEN);
    let declined = found(MetricId::TriggerDeclined);
    let why = if declined.value.is_none() { NOT_DRIVEN } else { "it never fired" };
    [
        count(table, &found(MetricId::TriggerDue)),
        count(table, &found(MetricId::TriggerFired)),
        count(table, &declined),
        Cell::text(declined.reason.clone()),
        table.number(found(MetricId::TriggerUtilization).value, number::share, why),
    ]
}
