//! The trigger audit: how often each stage was due, fired and declined, and why.

<<<<<<< HEAD
use super::Context;
use super::document::{Cell, Column, Table, figure, text};
use super::figures::{Figure, Figures};
use super::template::Parts;
use crate::error::Result;
use crate::number;
=======
use super::document::{Block, Cell, Prose, Section, Table};
use super::figures::{Figure, Figures, Subject};
use super::number;
use crate::measure::MetricId;
>>>>>>> frame

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
<<<<<<< HEAD
    known
=======
    for (configuration, stage) in &known {
        let mut row = vec![Cell::code(*configuration), Cell::code(stage)];
        for mode in &modes {
            let cells = cells(figures, &mut table, (configuration, mode, stage));
            row.extend(cells);
        }
        table.rows.push(row);
    }
    if table.rows.is_empty() {
        return None;
    }
    let intro = "How often an occasion of each stage came, over all sessions; how often it then \
                 proposed a plan, and how often it was asked and declined, with the reasons. What \
                 is neither fired nor declined was below its limit. A firing counts here whether or \
                 not its plan changed the view or asked a summarizer. Utilization is the prompt over \
                 the usable window when the first round of a firing began, earlier stages of the \
                 same pass having acted already. By occasion, and in other modes, in derived.csv \
                 (trigger); the moments themselves in triggers.csv.";
    let blocks = vec![Block::Prose(Prose::new(intro)), Block::Table(table)];
    Some(Section { id: "triggers", title: "Triggers: when stages act", blocks })
}

/// The stages of a configuration as derived rows name them, in order.
fn stages(figures: &Figures, subject: &Subject) -> Vec<String> {
    let own = format!("{}/{}/{}/", subject.configuration, subject.mode, figures.main);
    let rows = figures.run.derived.iter();
    let rows = rows.filter(|row| row.scope == "stage" && row.metric == MetricId::TriggerDue);
    rows.filter_map(|row| row.subject.strip_prefix(&own)).map(str::to_owned).collect()
>>>>>>> frame
}

fn cells(
    figures: &Figures,
    table: &mut Table,
    (configuration, mode, stage): (&str, &str, &str),
) -> [Cell; 5] {
    let subject = format!("{configuration}/{mode}/{}/{stage}", figures.main);
<<<<<<< HEAD
    let found = |metric| figures.derived("stage", &subject, metric).unwrap_or_default();
    let count =
        |table: &mut Table, figure: &Figure| table.number(figure.value, number::count, NOT_DRIVEN);
    let declined = found(MetricId::TriggerDeclined);
    let why = if declined.value.is_none() { NOT_DRIVEN } else { "it never fired" };
    [
        count(table, &found(MetricId::TriggerDue)),
        count(table, &found(MetricId::TriggerFired)),
=======
    let figure = |metric| figures.derived("stage", &subject, metric).unwrap_or_default();
    let count = |table: &mut Table, figure: &Figure| match figure.value {
        Some(value) => Cell::text(number::count(value)),
        None => table.undefined("not driven in this mode"),
    };
    let declined = figure(MetricId::TriggerDeclined);
    let utilization = figure(MetricId::TriggerUtilization);
    let why = if declined.value.is_none() { "not driven in this mode" } else { "it never fired" };
    [
        count(table, &figure(MetricId::TriggerDue)),
        count(table, &figure(MetricId::TriggerFired)),
>>>>>>> frame
        count(table, &declined),
        Cell::text(declined.reason.clone()),
        table.number(found(MetricId::TriggerUtilization).value, number::share, why),
    ]
}
