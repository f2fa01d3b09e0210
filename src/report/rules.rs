//! Rules that compactions broke, and what breaking them means.

use std::collections::BTreeMap;

use super::completion::is_complete;
use super::document::{Cell, Prose, Table, Tone};
use super::figures::{Figures, Subject};
use super::number;
use crate::apply::Rule;

/// How often a configuration broke a rule.
struct Broken<'a> {
    rule: &'a str,
    times: f64,
    /// Sessions in which it was broken, and of these the ones that came to their end.
    sessions: usize,
    completed: usize,
}

/// Rules broken under the main summarizer, those that a provider refuses first; `None`
/// where rules were not checked.
fn broken<'a>(figures: &Figures<'a>, subject: &Subject) -> Option<Vec<Broken<'a>>> {
    let mut found: BTreeMap<&str, Broken> = BTreeMap::new();
    let mut checked = false;
    for row in figures.cells(subject, figures.main) {
        for id in row.values.keys() {
            let Some(rule) = id.strip_prefix("violations.") else { continue };
            let Some(times) = row.number(id) else { continue };
            checked = true;
            if times > 0.0 {
                let nothing = Broken { rule, times: 0.0, sessions: 0, completed: 0 };
                let one = found.entry(rule).or_insert(nothing);
                one.times += times;
                one.sessions += 1;
                one.completed += usize::from(is_complete(row));
            }
        }
    }
    let mut found: Vec<Broken> = found.into_values().collect();
    found.sort_by_key(|one| !is_refused(one.rule));
    checked.then_some(found)
}

/// Whether a provider that pairs calls and results by id refuses the next request.
fn is_refused(rule: &str) -> bool {
    Rule::ALL.into_iter().any(|known| known.name() == rule && known.breaks_strict_wire())
}

/// Each broken rule with its count; red where a provider would refuse.
pub fn cell(figures: &Figures, table: &mut Table, subject: &Subject) -> Cell {
    let Some(broken) = broken(figures, subject) else {
        return table.undefined("rules were not checked in this run");
    };
    if broken.is_empty() {
        return Cell::text("none");
    }
    let tone = if is_refused(broken[0].rule) { Tone::Bad } else { Tone::Plain };
    let told = broken.iter().map(|one| format!("{} {}", one.rule, number::count(one.times)));
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
             scenario whose wire is strict ends the session. The others are recorded and break \
             nothing here: ",
        )
        .code(Rule::Grew.name())
        .then(" costs tokens, ")
        .code(Rule::FirstMessageRole.name())
        .then(" is refused by such providers alone as ask for a user's message first.")
}

/// The broken rules of a configuration in a sentence.
pub fn sentence(figures: &Figures, subject: &Subject) -> Prose {
    let Some(broken) = broken(figures, subject) else {
        return Prose::new("Whether it broke rules was not checked.");
    };
    if broken.is_empty() {
        return Prose::new("It broke no rule of well-formed requests.");
    }
    let all = figures.cells(subject, figures.main).len();
    let mut says = Prose::new("It broke ");
    for (place, one) in broken.iter().enumerate() {
        says = says.then(if place == 0 { "" } else { ", " }).code(one.rule).then(format!(
            " {} times in {} of {all} sessions",
            number::count(one.times),
            one.sessions
        ));
    }
    let refused: Vec<&Broken> = broken.iter().filter(|one| is_refused(one.rule)).collect();
    if refused.is_empty() {
        return says.then("; a provider that pairs calls and results by id refuses none of these.");
    }
    let names: Vec<&str> = refused.iter().map(|one| one.rule).collect();
    says = says
        .then("; ")
        .strong("a provider that pairs calls and results by id refuses such a request")
        .then(" (")
        .names(&names);
    // A strict wire would have ended them there.
    match refused.iter().map(|one| one.completed).max() {
        Some(went_on @ 1..) => says.then(format!(
            "); {went_on} such sessions went on here, where the wire only records it."
        )),
        _ => says.then(")."),
    }
}
