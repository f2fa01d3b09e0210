//! Rules that compactions broke, and what breaking them means.

use serde::Serialize;

use super::document::{Cell, Table, Tone};
use super::figures::{Config, Figures};
use super::template::Parts;
use crate::apply::Rule;
use crate::frame::MeasuredCell;
use crate::measure::MetricId;
use crate::number;

/// Scenarios with a broken rule that are named one by one.
const NAMED: usize = 3;

/// How often a configuration broke each rule under the main summarizer, those first at which
/// a strict provider refuses the request; `None` where rules were not checked.
fn broken(figures: &Figures, config: &Config) -> Option<Vec<(Rule, f64)>> {
    let mut found = Vec::new();
    let mut checked = false;
    for rule in Rule::ALL {
        let counts =
            figures.cells(config).iter().filter_map(|row| row.number(MetricId::violations(rule)));
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
        return table.undefined("rules were not checked in this run");
    };
    if broken.is_empty() {
        return Cell::text("none");
    }
    let is_refused = broken.iter().any(|(rule, _)| rule.breaks_strict_wire());
    let counts =
        broken.iter().map(|(rule, times)| format!("{} {}", rule.name(), number::count(*times)));
    let tone = if is_refused { Tone::Bad } else { Tone::Plain };
    Cell::text(counts.collect::<Vec<_>>().join(", ")).toned(tone)
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
