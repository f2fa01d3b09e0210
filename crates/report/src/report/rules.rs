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

/// The broken rules with their counts: fatal ones, and the others.
pub fn cells(figures: &Figures, config: &Config) -> [Cell; 2] {
    let Some(broken) = broken(figures, config) else {
        return [0, 1].map(|_| Cell::undefined("rules were not checked in this run"));
    };
    [true, false].map(|fatal| {
        let own = broken.iter().filter(|(rule, _)| rule.is_fatal() == fatal);
        let counts = own.map(|(rule, times)| format!("{} {}", rule.name(), number::count(*times)));
        let counts: Vec<String> = counts.collect();
        let tone = if fatal && !counts.is_empty() { Tone::Bad } else { Tone::Plain };
        let text = if counts.is_empty() { "none".to_owned() } else { counts.join(", ") };
        Cell::text(text).toned(tone)
    })
}

/// What every rule that some shown configuration broke means.
pub fn meanings(figures: &Figures) -> Vec<String> {
    let broken = figures.shown().filter_map(|config| broken(figures, config)).flatten();
    let rules: BTreeSet<Rule> = broken.map(|(rule, _)| rule).collect();
    rules.into_iter().map(meaning).collect()
}

/// What becomes of a configuration's requests, by the worst rule that it broke.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Requests {
    Unchecked,
    /// Every provider takes them.
    Valid,
    /// Some providers refuse them: a user's message must come first, or results right behind calls.
    SomeRefuse(Rule),
    /// Results of tools left before they were read, in so many sessions of all.
    Hide(Rule, [usize; 2]),
    /// Providers that pair calls and results by id refuse them, in so many sessions of all.
    Refused(Rule, [usize; 2]),
}

impl Requests {
    pub fn is_fatal(&self) -> bool {
        matches!(self, Requests::Hide(..) | Requests::Refused(..))
    }

    pub fn cell(&self) -> Cell {
        let bad = |what: &str, rule: Rule, [found, all]: [usize; 2]| {
            Cell::text(format!("{what} {found}/{all}")).toned(Tone::Bad).noted(meaning(rule))
        };
        match self {
            Requests::Unchecked => Cell::undefined("rules were not checked in this run"),
            Requests::Valid => Cell::text("valid"),
            Requests::SomeRefuse(rule) => Cell::text("some refuse").noted(meaning(*rule)),
            Requests::Hide(rule, counts) => bad("hide results", *rule, *counts),
            Requests::Refused(rule, counts) => bad("refused", *rule, *counts),
        }
    }
}

/// What breaking a rule means to a provider or to the agent.
fn meaning(rule: Rule) -> String {
    let means = match rule {
        Rule::OrphanResult | Rule::OrphanCall | Rule::DuplicateResult => {
            "providers that pair calls and results by id refuse the request"
        }
        Rule::FreshResultHidden => {
            "a tool result left before the agent read it; a real agent would call again"
        }
        Rule::FirstMessageRole => "some providers ask for a user's message first",
        Rule::SplitPair => "some providers ask for results right after their calls",
        Rule::Grew => "the view grew, which costs tokens",
        Rule::SystemChanged => "the system message changed",
        Rule::OrderChanged => "kept entries changed places",
        Rule::EmptySummary => "a summary has no words",
        Rule::TurnSplit => "a turn was taken apart, which the strategy says it never does",
    };
    format!("{}: {means}", rule.name())
}

/// By the worst rule that it broke in some session.
pub fn requests(figures: &Figures, config: &Config) -> Requests {
    let Some(broken) = broken(figures, config) else { return Requests::Unchecked };
    let cells = figures.cells(config).iter();
    let counts = |rule: Rule| {
        let broke = |row: &&&MeasuredCell| row.number(MetricId::violations(rule)) > Some(0.0);
        [cells.clone().filter(broke).count(), cells.len()]
    };
    let worst = |is: fn(Rule) -> bool| {
        let rules = broken.iter().map(|(rule, _)| *rule).filter(|rule| is(*rule));
        rules.max_by_key(|rule| counts(*rule))
    };
    if let Some(rule) = worst(Rule::breaks_strict_wire) {
        return Requests::Refused(rule, counts(rule));
    }
    if let Some(rule) = worst(Rule::is_fatal) {
        return Requests::Hide(rule, counts(rule));
    }
    worst(Rule::is_refused_by_some).map_or(Requests::Valid, Requests::SomeRefuse)
}
