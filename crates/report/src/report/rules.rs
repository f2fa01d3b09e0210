//! Rules that compactions broke, and what breaking them means.

use crate::measure::MetricId;
use std::collections::BTreeMap;

use super::document::{Cell, Prose, Table, Tone};
use super::figures::{Figures, Subject};
use super::number;
use crate::apply::Rule;
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
        return table.undefined("rules were not checked in this run");
    };
    if broken.is_empty() {
        return Cell::text("none");
    }
    let tone = if broken[0].rule.breaks_strict_wire() { Tone::Bad } else { Tone::Plain };
    let told = broken.iter().map(|one| format!("{} {}", one.rule.name(), number::count(one.times)));
    Cell::text(told.collect::<Vec<_>>().join(", ")).toned(tone)
}

/// What the counts mean and which of them break anything.
pub fn legend() -> Prose {
    let refused = Rule::ALL.into_iter().filter(|rule| rule.breaks_strict_wire());
    let refused: Vec<&str> = refused.map(Rule::name).collect();
    Prose::new("Of the rules that deployed compactions broke, how often. Red are those that break a request: ")
        .names(&refused)
        .then(
            ", at which a provider that pairs calls and results by id refuses it, and at which a \
             scenario whose wire is strict ends the session. The others are recorded and end no \
             session here, which is not to say that every provider takes them: ",
        )
        .code(Rule::FirstMessageRole.name())
        .then(" is refused by such as ask for a user's message first, ")
        .code(Rule::SplitPair.name())
        .then(" by such as ask for results directly behind their calls; ")
        .code(Rule::Grew.name())
        .then(" costs tokens.")
}

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
        }
    }
    let says = format!("{} of {} sessions", found.len(), cells.len());
    if found.len() == cells.len() {
        return says;
    }
    if scenarios.len() > SCENARIOS {
        return format!("{says} (of {} scenarios)", scenarios.len());
    }
    let named = scenarios.iter().map(|(name, count)| format!("{count} of {name}"));
    format!("{says} ({})", named.collect::<Vec<_>>().join(", "))
}

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
        .collect();
    let mut says = Prose::default();
    if !refused.is_empty() {
        says = says
            .then(" ")
            .strong("A provider that pairs calls and results by id refuses a request with")
            .then(" ")
            .names(&refused)
            .then(
                ": there such a session ends at the first of them, and what is told of its rest \
                 here, recall and all, would not be.",
            );
    }
    let particular = PARTICULAR.into_iter().filter(|(rule, _)| every.contains(&rule.name()));
    for (rule, who) in particular {
        says = says.then(" ").code(rule.name()).then(format!(" is refused by such as {who}."));
    }
    says
}

/// Rules that some providers hold and no wire here: what these ask for.
const PARTICULAR: [(Rule, &str); 2] = [
    (Rule::FirstMessageRole, "ask for a user's message first"),
    (Rule::SplitPair, "ask for results directly behind their calls"),
];
