//! The trigger audit: how often each stage was due, fired and declined, and why.

use super::prelude::*;
use crate::frame::{Scope, Setting, Stage, Subject};

/// The modes that have columns of their own where they were driven.
const MODES: [&str; 2] = ["deployed", "forced"];
const NOT_DRIVEN: &str = "not driven in this mode";

type Row<'a> = (&'a str, &'a Stage);

/// `None` where the run counted no triggers.
pub fn parts(figures: &Figures) -> Result<Option<Parts>> {
    let driven = |mode: &&str| figures.shown().any(|config| config.mode == *mode);
    let modes: Vec<&str> = MODES.into_iter().filter(driven).collect();
    let rows = stages(figures, &modes);
    if rows.is_empty() {
        return Ok(None);
    }
    let names = [
        text("Configuration", |(configuration, _): &Row| Cell::code(*configuration)),
        text("Stage", |(_, stage): &Row| Cell::code(stage.to_string())),
    ];
    let counts = modes.iter().flat_map(|mode| of_mode(figures, mode));
    let table = Table::of("When stages act", &rows, names.into_iter().chain(counts));
    Ok(Some(Parts::default().table("triggers", table)))
}

fn of_mode<'a>(figures: &'a Figures, mode: &'a str) -> [Field<'a, Row<'a>>; 5] {
    let found = move |(configuration, stage): &Row, metric| -> Figure {
        let setting = Setting {
            configuration: (*configuration).to_owned(),
            mode: mode.to_owned(),
            summarizer: figures.main.to_owned(),
        };
        let subject =
            Subject { stage: Some((*stage).clone()), ..Subject::new(Scope::Stage, setting) };
        figures.derived(&subject, metric).unwrap_or_default()
    };
    let count = |title, metric| {
        figure(format!("{mode}: {title}"), move |row: &Row| {
            Cell::number(found(row, metric).value, number::count, NOT_DRIVEN)
        })
    };
    let utilization = move |row: &Row| {
        let is_driven = found(row, MetricId::TriggerDeclined).value.is_some();
        let why = if is_driven { "it never fired" } else { NOT_DRIVEN };
        Cell::number(found(row, MetricId::TriggerUtilization).value, number::share, why)
    };
    [
        count("due", MetricId::TriggerDue),
        count("fired", MetricId::TriggerFired),
        count("declined", MetricId::TriggerDeclined),
        text(format!("{mode}: main reasons"), move |row| {
            Cell::text(found(row, MetricId::TriggerDeclined).basis.to_string())
        }),
        figure(format!("{mode}: utilization (median)"), utilization),
    ]
}

/// The stages of the shown configurations, in order.
fn stages<'b>(figures: &'b Figures, modes: &[&str]) -> Vec<Row<'b>> {
    let mut by_setting: BTreeMap<&Setting, Vec<&Stage>> = BTreeMap::new();
    let due = figures.run.derived.iter().filter(|row| row.metric == MetricId::TriggerDue);
    for row in due.filter(|row| row.subject.scope == Scope::Stage) {
        by_setting.entry(&row.subject.setting).or_default().extend(&row.subject.stage);
    }
    let configs = figures.shown().filter(|config| modes.contains(&config.mode.as_str()));
    each_once(configs.flat_map(|config| {
        let own = by_setting.get(&config.setting(figures.main)).into_iter().flatten();
        own.map(|stage| (config.configuration.as_str(), *stage))
    }))
}
