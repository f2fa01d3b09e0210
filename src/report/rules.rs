//! Rules that compactions broke, and what breaking them means.

<<<<<<< HEAD
use serde::Serialize;
=======
use crate::measure::MetricId;
use std::collections::BTreeMap;
>>>>>>> frame

use super::document::{Cell, Table, Tone};
use super::figures::{Config, Figures};
use super::template::Parts;
use crate::apply::Rule;
<<<<<<< HEAD
use crate::number;
use crate::frame::MeasuredCell;

/// Scenarios with a broken rule that are named one by one.
const NAMED: usize = 3;

/// How often a configuration broke each rule under the main summarizer, those first at which
/// a strict provider refuses the request; `None` where rules were not checked.
fn broken(figures: &Figures, config: &Config) -> Option<Vec<(Rule, f64)>> {
    let mut found = Vec::new();
    let mut checked = false;
    for rule in Rule::ALL {
        let counts = figures.cells(config).iter().filter_map(|row| row.number(MetricId::violations(rule)));
        let counts: Vec<f64> = counts.collect();
        checked |= !counts.is_empty();
        let times: f64 = counts.iter().sum();
        if times > 0.0 {
            found.push((rule, times));
        }
    }
    found.sort_by_key(|(rule, _)| (!rule.breaks_strict_wire(), rule.name()));
    checked.then_some(found)
}

/// Each broken rule with its count; red where a strict provider would refuse the request.
pub fn cell(figures: &Figures, table: &mut Table, config: &Config) -> Cell {
    let Some(broken) = broken(figures, config) else {
=======
use crate::frame::MeasuredCell;

/// How often a configuration broke a rule.
struct Broken {
    rule: Rule,
    times: f64,
}

/// Rules broken under the main summarizer, those that a provider refuses first; `None`
/// where rules were not checked.
fn broken(figures: &Figures, subject: &Subject) -> Option<Vec<Broken>> {
    let mut found: BTreeMap<&str, Broken> = BTreeMap::new();
    let mut checked = false;
    for row in figures.cells(subject, figures.main) {
        for rule in Rule::ALL {
            let Some(times) = row.number(MetricId::violations(rule)) else { continue };
            checked = true;
            if times > 0.0 {
                found.entry(rule.name()).or_insert(Broken { rule, times: 0.0 }).times += times;
            }
        }
    }
    let mut found: Vec<Broken> = found.into_values().collect();
    found.sort_by_key(|one| !one.rule.breaks_strict_wire());
    checked.then_some(found)
}

/// Each broken rule with its count; red where a provider would refuse.
pub fn cell(figures: &Figures, table: &mut Table, subject: &Subject) -> Cell {
    let Some(broken) = broken(figures, subject) else {
>>>>>>> frame
        return table.undefined("rules were not checked in this run");
    };
    if broken.is_empty() {
        return Cell::text("none");
    }
<<<<<<< HEAD
    let is_refused = broken.iter().any(|(rule, _)| rule.breaks_strict_wire());
    let counts =
        broken.iter().map(|(rule, times)| format!("{} {}", rule.name(), number::count(*times)));
    let tone = if is_refused { Tone::Bad } else { Tone::Plain };
    Cell::text(counts.collect::<Vec<_>>().join(", ")).toned(tone)
=======
    let tone = if broken[0].rule.breaks_strict_wire() { Tone::Bad } else { Tone::Plain };
    let told = broken.iter().map(|one| format!("{} {}", one.rule.name(), number::count(one.times)));
    Cell::text(told.collect::<Vec<_>>().join(", ")).toned(tone)
>>>>>>> frame
}

/// Severity of the rules that a configuration broke.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// None was broken.
    Clean,
    /// Most providers accept the requests, or rules were not checked.
    Tolerated,
    /// A provider that pairs calls and results by id refuses a request.
    Refused,
}

<<<<<<< HEAD
/// How severe what a configuration broke is.
pub fn severity(figures: &Figures, config: &Config) -> Severity {
    match broken(figures, config) {
        Some(broken) if broken.is_empty() => Severity::Clean,
        Some(broken) if broken.iter().any(|(rule, _)| rule.breaks_strict_wire()) => {
            Severity::Refused
        }
        _ => Severity::Tolerated,
    }
}

/// What a configuration broke, with the sessions in which it did.
#[derive(Serialize)]
pub struct Conduct {
    checked: bool,
    broken: Vec<BrokenRule>,
    /// Sessions in which a compaction took the request being worked on.
    absorbed: Option<Sessions>,
}

#[derive(Serialize)]
struct BrokenRule {
    rule: &'static str,
    sessions: Sessions,
}

/// Sessions of a configuration in which something happened.
#[derive(Serialize)]
struct Sessions {
    found: usize,
    all: usize,
    /// How many of each scenario, where that is not all and they are few.
    named: Vec<(usize, String)>,
    /// How many scenarios they are of, where these are too many to be named.
    scenarios: usize,
}

/// The conduct of a configuration.
pub fn conduct(figures: &Figures, config: &Config) -> Conduct {
    let cells = figures.cells(config);
    let broken = broken(figures, config);
    let absorbed = sessions(cells, MetricId::FloorGoalsAbsorbed);
    Conduct {
        checked: broken.is_some(),
        broken: broken
            .into_iter()
            .flatten()
            .map(|(rule, _)| BrokenRule {
                rule: rule.name(),
                sessions: sessions(cells, MetricId::violations(rule)),
            })
            .collect(),
        absorbed: (absorbed.found > 0).then_some(absorbed),
    }
}

/// Sessions in which a figure is above zero.
fn sessions(cells: &[&MeasuredCell], metric: MetricId) -> Sessions {
    let found = cells.iter().filter(|row| row.number(metric) > Some(0.0));
    let mut named: Vec<(usize, String)> = Vec::new();
    for row in found {
        match named.iter_mut().find(|(_, name)| *name == row.key.scenario) {
            Some((count, _)) => *count += 1,
            None => named.push((1, row.key.scenario.clone())),
=======
/// The broken rules of a configuration with the sessions in which it broke them, and the
/// sessions in which it absorbed a live goal, as the end of a sentence.
pub fn told(figures: &Figures, subject: &Subject) -> Prose {
    let cells = figures.cells(subject, figures.main);
    let Some(broken) = broken(figures, subject) else {
        return Prose::new("rules were not checked").followed_by(absorbed(&cells));
    };
    if broken.is_empty() {
        return Prose::new("no rule").followed_by(absorbed(&cells));
    }
    let mut says = Prose::default();
    for (place, one) in broken.iter().enumerate() {
        says = says
            .then(if place == 0 { "" } else { ", " })
            .code(one.rule.name())
            .then(format!(" in {}", sessions(&cells, MetricId::violations(one.rule))));
    }
    says.followed_by(absorbed(&cells))
}

/// In how many sessions a compaction took the request being worked on.
fn absorbed(cells: &[&MeasuredCell]) -> Prose {
    let metric = MetricId::FloorGoalsAbsorbed;
    match cells.iter().any(|row| is_above_zero(row, metric)) {
        true => Prose::new(", and ")
            .strong("took the request being worked on")
            .then(format!(" in {}", sessions(cells, metric))),
        false => Prose::default(),
    }
}

fn is_above_zero(row: &MeasuredCell, metric: MetricId) -> bool {
    row.number(metric).is_some_and(|value| value > 0.0)
}

/// Sessions in which a figure is above zero, with their scenarios where these do not tell
/// themselves: `6 of 15 sessions (3 of multi-goal-arcs, 3 of dead-end-returns)`.
fn sessions(cells: &[&MeasuredCell], metric: MetricId) -> String {
    let mut scenarios: Vec<(&str, usize)> = Vec::new();
    let found: Vec<&&MeasuredCell> =
        cells.iter().filter(|row| is_above_zero(row, metric)).collect();
    for row in &found {
        match scenarios.iter_mut().find(|(name, _)| *name == row.key.scenario) {
            Some((_, count)) => *count += 1,
            None => scenarios.push((&row.key.scenario, 1)),
>>>>>>> frame
        }
    }
    let found = named.iter().map(|(count, _)| count).sum();
    let is_part = found < cells.len();
    let many = named.len() > NAMED;
    Sessions {
        found,
        all: cells.len(),
        scenarios: if is_part && many { named.len() } else { 0 },
        named: if is_part && !many { named } else { Vec::new() },
    }
}

<<<<<<< HEAD
/// Which of the rules that these configurations broke providers refuse.
#[derive(Serialize)]
pub struct Consequences {
    /// Refused by providers that pair calls and results by id.
    refused: Vec<&'static str>,
    /// Refused by providers that ask for a user's message first.
    first_role: Option<&'static str>,
    /// Refused by providers that ask for results directly behind their calls.
    split_pair: Option<&'static str>,
}

/// Who refuses requests that break what these configurations broke.
pub fn consequences(figures: &Figures, configs: &[&Config]) -> Consequences {
    let every: Vec<Rule> = configs
        .iter()
        .filter_map(|config| broken(figures, config))
        .flatten()
        .map(|(rule, _)| rule)
=======
/// Scenarios that are named one by one of those with a broken rule.
const SCENARIOS: usize = 3;

/// Whether a provider that pairs calls and results by id would refuse some request that a
/// configuration's compactions led to.
pub fn is_refused_somewhere(figures: &Figures, subject: &Subject) -> bool {
    broken(figures, subject)
        .is_some_and(|broken| broken.iter().any(|one| one.rule.breaks_strict_wire()))
}

/// How grave what a configuration broke is: nothing, what few or none refuse, what many do.
pub fn gravity(figures: &Figures, subject: &Subject) -> u8 {
    match broken(figures, subject) {
        Some(broken) if broken.is_empty() => 0,
        Some(broken) if broken.iter().any(|one| one.rule.breaks_strict_wire()) => 2,
        _ => 1,
    }
}

/// Who refuses requests that break what these configurations broke.
pub fn consequences(figures: &Figures, subjects: &[&Subject]) -> Prose {
    let every = subjects.iter().filter_map(|subject| broken(figures, subject)).flatten();
    let every: Vec<&str> = every.map(|one| one.rule.name()).collect();
    let refused: Vec<&str> = Rule::ALL
        .into_iter()
        .filter(|rule| rule.breaks_strict_wire() && every.contains(&rule.name()))
        .map(Rule::name)
>>>>>>> frame
        .collect();
    let broken = |rule: &Rule| every.contains(rule);
    let name = |rule: Rule| broken(&rule).then_some(rule.name());
    let refused = Rule::ALL.into_iter().filter(|rule| rule.breaks_strict_wire() && broken(rule));
    Consequences {
        refused: refused.map(Rule::name).collect(),
        first_role: name(Rule::FirstMessageRole),
        split_pair: name(Rule::SplitPair),
    }
}

/// The names that the legend of the verdict table needs.
pub fn legend(parts: Parts) -> Parts {
    let refused = Rule::ALL.into_iter().filter(|rule| rule.breaks_strict_wire());
    parts
        .value("refused", refused.map(Rule::name).collect::<Vec<_>>())
        .value("first_role", Rule::FirstMessageRole.name())
        .value("split_pair", Rule::SplitPair.name())
        .value("grew", Rule::Grew.name())
}
