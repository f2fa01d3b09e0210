//! Rules that compactions broke, and what breaking them means.

use super::prelude::*;
use crate::apply::Rule;

/// How often a configuration broke each rule, fatal ones first; `None` where unchecked.
fn broken(figures: &Figures, config: &Config) -> Option<Vec<(Rule, f64)>> {
    let broken = Rule::ALL.into_iter().filter_map(|rule| {
        let cells = figures.cells(config).iter();
        let counts = cells.filter_map(|row| row.number(MetricId::violations(rule)));
        Some((rule, counts.reduce(|all, own| all + own)?))
    });
    let mut broken: Vec<(Rule, f64)> = broken.collect();
    let checked = !broken.is_empty();
    broken.retain(|(_, times)| *times > 0.0);
    broken.sort_by_key(|(rule, _)| (!rule.is_fatal(), rule.name()));
    checked.then_some(broken)
}

fn is_fatal(broken: &[(Rule, f64)]) -> bool {
    broken.iter().any(|(rule, _)| rule.is_fatal())
}

/// Each broken rule with its count; red where one of them is fatal.
pub fn cell(figures: &Figures, config: &Config) -> Cell {
    let Some(broken) = broken(figures, config) else {
        return Cell::undefined("rules were not checked in this run");
    };
    if broken.is_empty() {
        return Cell::text("none");
    }
    let counts =
        broken.iter().map(|(rule, times)| format!("{} {}", rule.name(), number::count(*times)));
    let tone = if is_fatal(&broken) { Tone::Bad } else { Tone::Plain };
    Cell::text(counts.collect::<Vec<_>>().join(", ")).toned(tone)
}

/// Good where none was broken, bad where a fatal one was; plain where most providers accept all,
/// or rules were not checked.
pub fn severity(figures: &Figures, config: &Config) -> Tone {
    match broken(figures, config) {
        Some(broken) if broken.is_empty() => Tone::Good,
        Some(broken) if is_fatal(&broken) => Tone::Bad,
        Some(_) | None => Tone::Plain,
    }
}

/// What a configuration broke, and where a compaction took the request being worked on.
pub fn conduct(figures: &Figures, config: &Config) -> Value {
    let cells = figures.cells(config);
    let broken = broken(figures, config);
    let checked = broken.is_some();
    let broken = broken.into_iter().flatten().map(|(rule, _)| {
        let sessions = sessions(cells, MetricId::violations(rule));
        context! { rule => rule.name(), sessions }
    });
    let broken: Vec<Value> = broken.collect();
    context! { checked, broken, absorbed => sessions(cells, MetricId::FloorGoalsAbsorbed) }
}

/// Sessions in which a figure is above zero, of all and by scenario; `None` where none is.
fn sessions(cells: &[&MeasuredCell], metric: MetricId) -> Option<Value> {
    let own = cells.iter().filter(|row| row.number(metric) > Some(0.0));
    let groups = grouped(own.map(|row| (row.key.scenario.as_str(), ())));
    let found: usize = groups.iter().map(|(_, own)| own.len()).sum();
    let named =
        groups.iter().map(|(scenario, own)| context! { scenario => *scenario, count => own.len() });
    let scenarios: Vec<Value> = named.collect();
    (found > 0).then(|| context! { found, all => cells.len(), scenarios })
}

/// Which of the rules that these configurations broke have consequences beyond this run.
pub fn consequences(figures: &Figures, configs: &[&Config]) -> Value {
    let broken = configs.iter().filter_map(|config| broken(figures, config)).flatten();
    let broken: Vec<Rule> = broken.map(|(rule, _)| rule).collect();
    let name = |rule: Rule| broken.contains(&rule).then_some(rule.name());
    let strict = Rule::ALL.into_iter().filter(|rule| rule.breaks_strict_wire());
    context! {
        refused => strict.filter_map(name).collect::<Vec<_>>(),
        hidden => name(Rule::FreshResultHidden),
        first_role => name(Rule::FirstMessageRole),
        split_pair => name(Rule::SplitPair),
    }
}

pub fn legend(parts: Parts) -> Parts {
    let refused = Rule::ALL.into_iter().filter(|rule| rule.breaks_strict_wire());
    parts
        .value("refused", refused.map(Rule::name).collect::<Vec<_>>())
        .value("hidden", Rule::FreshResultHidden.name())
        .value("first_role", Rule::FirstMessageRole.name())
        .value("split_pair", Rule::SplitPair.name())
        .value("grew", Rule::Grew.name())
}
