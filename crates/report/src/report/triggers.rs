//! The trigger audit: how often each stage was due, fired and declined, and why.

use super::prelude::*;
use crate::frame::{Scope, Setting, Stage, Subject};

/// The modes that have columns of their own where they were driven.
const MODES: [&str; 3] = ["deployed", "as-recorded", "forced"];
const NOT_DRIVEN: &str = "not driven in this mode";

/// `None` where the run counted no triggers.
pub fn parts(figures: &Figures) -> Result<Option<Parts>> {
    let driven = |mode: &&str| figures.shown().any(|config| config.mode == *mode);
    let modes: Vec<&str> = MODES.into_iter().filter(driven).collect();
    let stages = stages(figures, &modes);
    if stages.is_empty() {
        return Ok(None);
    }
    let rows = stages.into_iter().map(|(configuration, stage)| {
        let names = [Cell::code(configuration), Cell::code(stage.to_string())];
        let counts = modes.iter().flat_map(|mode| of_mode(figures, (configuration, stage), mode));
        names.into_iter().chain(counts).collect()
    });
    let titles = modes.iter().map(|mode| {
        format!(
            "|#{mode}: due|#{mode}: fired|#{mode}: declined|{mode}: main reasons|\
             #{mode}: utilization (median)"
        )
    });
    let titles = format!("Configuration|Stage{}", titles.collect::<String>());
    let table = Table::of("When stages act", titles.split('|'), rows);
    Ok(Some(Parts::default().table("triggers", table)))
}

fn of_mode(figures: &Figures, (configuration, stage): (&str, &Stage), mode: &str) -> [Cell; 5] {
    let setting = Setting {
        configuration: configuration.to_owned(),
        mode: mode.to_owned(),
        summarizer: figures.main.to_owned(),
    };
    let subject = Subject { stage: Some(stage.clone()), ..Subject::new(Scope::Stage, setting) };
    let found = |metric| figures.derived(&subject, metric).unwrap_or_default();
    let count = |metric| Cell::number(found(metric).value, number::count, NOT_DRIVEN);
    let declined = found(MetricId::TriggerDeclined);
    let why = if declined.value.is_some() { "it never fired" } else { NOT_DRIVEN };
    [
        count(MetricId::TriggerDue),
        count(MetricId::TriggerFired),
        count(MetricId::TriggerDeclined),
        Cell::text(declined.basis.to_string()),
        Cell::number(found(MetricId::TriggerUtilization).value, number::share, why),
    ]
}

/// The stages of the shown configurations, in order.
fn stages<'b>(figures: &'b Figures, modes: &[&str]) -> Vec<(&'b str, &'b Stage)> {
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
