//! The trigger audit: how often each stage was due, fired and declined, and why.

use super::document::{Block, Cell, Prose, Section, Table};
use super::figures::{Figure, Figures, Subject};
use super::number;
use crate::frame::{self, Setting, Stage};
use crate::measure::MetricId;

/// The modes that have columns of their own where they were driven.
const MODES: [&str; 2] = ["deployed", "forced"];

/// `None` where the run counted no triggers.
pub fn section(figures: &Figures) -> Option<Section> {
    let driven = |mode: &str| figures.unswept().any(|subject| subject.mode == mode);
    let modes: Vec<&str> = MODES.into_iter().filter(|mode| driven(mode)).collect();
    let mut titles = vec!["Configuration".to_owned(), "Stage".to_owned()];
    for mode in &modes {
        titles.push(format!("#{mode}: due"));
        titles.push(format!("#{mode}: fired"));
        titles.push(format!("#{mode}: declined"));
        titles.push(format!("{mode}: main reasons"));
        titles.push(format!("#{mode}: utilization (median)"));
    }
    let titles: Vec<&str> = titles.iter().map(String::as_str).collect();
    let mut table = Table::new("When stages act", &titles);
    let mut known: Vec<(&str, Stage)> = Vec::new();
    for subject in figures.unswept().filter(|subject| modes.contains(&subject.mode.as_str())) {
        for stage in stages(figures, subject) {
            let one = (subject.configuration.as_str(), stage);
            if !known.contains(&one) {
                known.push(one);
            }
        }
    }
    for (configuration, stage) in &known {
        let mut row = vec![Cell::code(*configuration), Cell::code(stage.to_string())];
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
                 (trigger); the moments themselves in triggers.parquet.";
    let blocks = vec![Block::Prose(Prose::new(intro)), Block::Table(table)];
    Some(Section { id: "triggers", title: "Triggers: when stages act", blocks })
}

/// The stages of a configuration, in order.
fn stages(figures: &Figures, subject: &Subject) -> Vec<Stage> {
    let own = subject.setting(figures.main);
    let rows = figures.run.derived.iter().filter(|row| row.metric == MetricId::TriggerDue);
    rows.filter_map(|row| match &row.subject {
        frame::Subject::Stage { setting, stage } if *setting == own => Some(stage.clone()),
        _ => None,
    })
    .collect()
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
    let subject = frame::Subject::Stage { setting, stage: stage.clone() };
    let figure = |metric| figures.derived(&subject, metric).unwrap_or_default();
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
        count(table, &declined),
        Cell::text(declined.reason.clone()),
        table.figure(utilization.value.map(number::share).ok_or(why)),
    ]
}
