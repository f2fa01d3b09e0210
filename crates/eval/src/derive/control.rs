//! The controls of a run: a windowless `none` knows everything, and no adversary wins.

use std::collections::BTreeMap;

use crate::derive::brackets::DECISIVE;
use crate::frame::{Basis, Derived, Frame, MeasuredCell, Scope, Session, Setting, Subject};
use crate::matrix::SummarizerName;
use crate::measure::{Check, MetricId, Value, Word};
use crate::stats;

pub(super) fn rows(frame: &Frame) -> Vec<Derived> {
    let mut rows = Vec::new();
    for session in frame.sessions() {
        let control = frame.control(session);
        let subject = || subject(session, control);
        let recall = recall(control);
        rows.push(Derived::single(subject(), MetricId::ControlRecall, recall, Basis::Direct));
        let decoys = control.and_then(|control| control.number(MetricId::DecoysSeen));
        let decoys = decoys.ok_or(Basis::NoControl);
        rows.push(Derived::single(subject(), MetricId::ControlDecoys, decoys, Basis::Direct));
    }
    rows.extend(brackets(frame));
    rows
}

fn subject((scenario, seed): Session, control: Option<&MeasuredCell>) -> Subject {
    match control {
        Some(control) => Subject::cell(&control.key),
        None => Subject {
            seed: Some(seed),
            ..Subject::on(scenario, Scope::Session, Setting::default())
        },
    }
}

/// Whether knowing more helps, scenario by scenario, over the steps reached.
fn brackets(frame: &Frame) -> Vec<Derived> {
    let mut scenarios: BTreeMap<&str, [Vec<f64>; 3]> = BTreeMap::new();
    for cell in frame.cells() {
        let asks = cell.number(MetricId::TokensSummarizer).is_some_and(|tokens| tokens > 0.0);
        let place = DECISIVE.iter().position(|one| one.name() == cell.key.summarizer);
        let (Some(place), true) = (place, asks && !cell.is_twin()) else { continue };
        let known = scenarios.entry(&cell.key.scenario).or_default();
        known[place].extend(cell.number(MetricId::RecallAtNeedReached));
    }
    let complete = scenarios.into_iter().filter_map(|(scenario, known)| {
        let [least, middle, most] = known.map(|values| stats::mean(&values));
        Some((scenario, [least?, middle?, most?]))
    });
    complete.map(|(scenario, means)| order(scenario, means)).collect()
}

fn order(scenario: &str, means: [f64; 3]) -> Derived {
    let holds = means.is_sorted();
    let word = Word::Check(if holds { Check::Holds } else { Check::Fails });
    let names = DECISIVE.map(SummarizerName::name);
    let basis = Basis::by_summarizer(names.into_iter().zip(means));
    let subject = Subject::on(scenario, Scope::Scenario, Setting::default());
    Derived::word(subject, MetricId::ControlBrackets, word, 1, basis)
}

fn recall(control: Option<&MeasuredCell>) -> Result<f64, Basis> {
    let control = control.ok_or(Basis::NoControl)?;
    control.number(MetricId::RecallAll).ok_or(Basis::NoDemands)
}

/// A sentence for each session whose control forgets or invents, and for each adversary that does
/// not lose. Where none was driven, there is none to fail.
pub fn controls_hold(rows: &[Derived]) -> Result<(), Vec<String>> {
    let faults: Vec<String> = rows.iter().filter_map(fault).collect();
    if faults.is_empty() { Ok(()) } else { Err(faults) }
}

fn fault(row: &Derived) -> Option<String> {
    let expected = match row.metric {
        MetricId::ControlRecall => Value::Number(1.0),
        MetricId::ControlDecoys => Value::Number(0.0),
        MetricId::ControlAdversary => Value::Word(Word::Check(Check::Holds)),
        _ => return None,
    };
    let Derived { subject, metric, value, basis, .. } = row;
    let absent = [Basis::NoDemands, Basis::NoControl, Basis::WithoutChance].contains(basis);
    if *value == Some(expected) || absent {
        return None;
    }
    if *metric == MetricId::ControlAdversary {
        return Some(format!("`{subject}` must lose: {basis}"));
    }
    let found = value.map_or_else(|| basis.to_string(), |value| value.to_string());
    Some(format!("`{subject}`: {metric} must be {expected}: {found}"))
}
