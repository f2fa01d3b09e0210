//! The controls of a run: a windowless `none` knows everything.

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

/// A sentence for each session without a control, or with one that forgets or invents.
pub fn controls_hold(rows: &[Derived]) -> Result<(), Vec<String>> {
    let faults: Vec<String> = rows.iter().filter_map(fault).collect();
    if faults.is_empty() { Ok(()) } else { Err(faults) }
}

fn fault(row: &Derived) -> Option<String> {
    let expected = match row.metric {
        MetricId::ControlRecall => 1.0,
        MetricId::ControlDecoys => 0.0,
        _ => return None,
    };
    let Derived { subject, metric, value, basis, .. } = row;
    if *value == Some(Value::Number(expected)) || *basis == Basis::NoDemands {
        return None;
    }
    let found = value.map_or_else(|| basis.to_string(), |value| value.to_string());
    Some(format!("`{subject}`: {metric} must be {expected}: {found}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::derive::sample::{Sample, cell, row};

    fn held(sample: &Sample) -> Result<(), Vec<String>> {
        controls_hold(&sample.derive())
    }

    #[test]
    fn a_control_must_know_everything_and_invent_nothing() {
        for (recall, decoys, faults) in
            [("1", "0", 0), ("0.99", "0", 1), ("1", "2", 1), ("0", "1", 2), ("", "0", 0)]
        {
            let control = cell("none", "windowless")
                .with(MetricId::RecallAll, recall)
                .with(MetricId::DecoysSeen, decoys);
            let sample = Sample::of(vec![control]);
            let found = held(&sample).err().map_or(0, |faults| faults.len());
            assert_eq!(found, faults, "{recall} and {decoys}");
        }
    }

    #[test]
    fn knowing_more_must_help_on_every_scenario() {
        for (recalls, expected) in [
            (["0.1", "0.4", "0.4"], Check::Holds),
            (["0.5", "0.4", "0.9"], Check::Fails),
            (["0.1", "0.9", "0.8"], Check::Fails),
        ] {
            let under = DECISIVE.into_iter().zip(recalls).map(|(summarizer, recall)| {
                let cell = cell("forge", "windowed").with(MetricId::TokensSummarizer, "7");
                cell.summarizer(summarizer.name()).with(MetricId::RecallAtNeedReached, recall)
            });
            let rows = Sample::of(under.collect()).derive();
            let row = row(&rows, "scenario", MetricId::ControlBrackets);
            assert_eq!(row.as_word(), Some(Word::Check(expected)), "{recalls:?}");
        }
    }

    #[test]
    fn a_session_without_a_control_does_not_hold() {
        let sample = Sample::of(vec![cell("truncate", "windowed")]);
        let faults = held(&sample).expect_err("no control");
        assert!(faults[0].contains("no windowless control"), "{faults:?}");
    }
}
