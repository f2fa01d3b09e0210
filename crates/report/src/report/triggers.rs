//! The trigger audit: how often each stage was due, fired and declined, and why.

use std::collections::BTreeMap;

use super::document::{Cell, Column, Table, figure, text};
use super::figures::{Figure, Figures};
use super::section::Context;
use super::template::Parts;
use crate::error::Result;
use crate::frame::{Scope, Setting, Stage, Subject};
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
        let mut row = vec![Cell::code(configuration), Cell::code(stage.to_string())];
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

/// The stages of the shown configurations, in order.
fn stages<'b>(figures: &'b Figures, modes: &[&str]) -> Vec<(&'b str, &'b Stage)> {
    let mut by_setting: BTreeMap<&Setting, Vec<&Stage>> = BTreeMap::new();
    let due = figures.run.derived.iter().filter(|row| row.metric == MetricId::TriggerDue);
    for row in due.filter(|row| row.subject.scope == Scope::Stage) {
        by_setting.entry(&row.subject.setting).or_default().extend(&row.subject.stage);
    }
    let mut known = Vec::new();
    for config in figures.shown().filter(|config| modes.contains(&config.mode.as_str())) {
        let own = by_setting.get(&config.setting(figures.main));
        for stage in own.into_iter().flatten() {
            let one = (config.configuration.as_str(), *stage);
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
    (configuration, mode, stage): (&str, &str, &Stage),
) -> [Cell; 5] {
    let setting = Setting {
        configuration: configuration.to_owned(),
        mode: mode.to_owned(),
        summarizer: figures.main.to_owned(),
    };
    let subject = Subject { stage: Some(stage.clone()), ..Subject::new(Scope::Stage, setting) };
    let found = |metric| figures.derived(&subject, metric).unwrap_or_default();
    let count =
        |table: &mut Table, figure: &Figure| table.number(figure.value, number::count, NOT_DRIVEN);
    let declined = found(MetricId::TriggerDeclined);
    let why = if declined.value.is_none() { NOT_DRIVEN } else { "it never fired" };
    [
        count(table, &found(MetricId::TriggerDue)),
        count(table, &found(MetricId::TriggerFired)),
        count(table, &declined),
        Cell::text(declined.basis.to_string()),
        table.number(found(MetricId::TriggerUtilization).value, number::share, why),
    ]
}
