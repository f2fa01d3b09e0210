//! The controls of a run: a windowless `none` knows everything.

use crate::measure::MetricId;
use std::collections::BTreeMap;

use crate::derive::{Index, MeasuredCell, row};
use crate::row::{DerivedRow, optional};
use crate::stats;

const NO_CONTROL: &str = "no windowless control was driven";
const NO_DEMANDS: &str = "the session has no ranked demands";

/// What each session's control knows and invents.
pub(super) fn rows(index: &Index) -> Vec<DerivedRow> {
    let mut rows = Vec::new();
    for session in index.sessions() {
        let control = index.controls.get(&session).copied();
        let name = format!("{}/{}", session.0, session.1);
        let subject = control.map_or(name.as_str(), |control| &control.key.cell);
        rows.push(row("cell", subject, MetricId::ControlRecall, recall(control), ""));
        let decoys = control.and_then(|control| control.number(MetricId::DecoysSeen));
        let decoys = decoys.ok_or_else(|| NO_CONTROL.to_owned());
        rows.push(row("cell", subject, MetricId::ControlDecoys, decoys, ""));
    }
    rows.extend(brackets(index));
    rows
}

/// From the least that a summary can know to the most.
const ORDER: [&str; 3] = ["null", "extractive", "perfect"];

/// Whether knowing more helps, scenario by scenario: where it does not, what is
/// measured is not what the summaries say. Over the steps reached: summaries that say
/// more also fill the window sooner, and a session that ends early misses what is left
/// whatever it knew.
fn brackets(index: &Index) -> Vec<DerivedRow> {
    let mut scenarios: BTreeMap<&str, [Vec<f64>; 3]> = BTreeMap::new();
    for cell in &index.cells {
        let asks = cell.number(MetricId::TokensSummarizer).is_some_and(|tokens| tokens > 0.0);
        let place = ORDER.iter().position(|name| *name == cell.key.summarizer);
        let (Some(place), true) = (place, asks && !cell.is_twin()) else { continue };
        let known = scenarios.entry(&cell.key.scenario).or_default();
        known[place].extend(cell.number(MetricId::RecallAtNeedReached));
    }
    let complete = scenarios.into_iter().filter_map(|(scenario, known)| {
        let [null, extractive, perfect] = known.map(|values| stats::mean(&values));
        Some((scenario, [null?, extractive?, perfect?]))
    });
    complete.map(|(scenario, means)| order(scenario, means)).collect()
}

fn order(scenario: &str, [null, extractive, perfect]: [f64; 3]) -> DerivedRow {
    let holds = null <= extractive && extractive <= perfect;
    let told = [null, extractive, perfect].map(|mean| optional(Some(mean)));
    DerivedRow {
        value: if holds { "holds" } else { "fails" }.to_owned(),
        n: 1,
        reason: format!("null {}, extractive {}, perfect {}", told[0], told[1], told[2]),
        ..row("scenario", scenario, MetricId::ControlBrackets, Err(String::new()), "")
    }
}

fn recall(control: Option<&MeasuredCell>) -> Result<f64, String> {
    let control = control.ok_or(NO_CONTROL)?;
    Ok(control.number(MetricId::RecallAll).ok_or(NO_DEMANDS)?)
}

/// Whether every control holds: recall exactly 1 (or no demands to recall), no
/// decoys, and a control for every session.
///
/// # Errors
///
/// A sentence for each that does not.
pub fn controls_hold(rows: &[DerivedRow]) -> Result<(), Vec<String>> {
    let faults: Vec<String> = rows.iter().filter_map(fault).collect();
    if faults.is_empty() { Ok(()) } else { Err(faults) }
}

fn fault(row: &DerivedRow) -> Option<String> {
    let expected = match row.metric {
        MetricId::ControlRecall => "1",
        MetricId::ControlDecoys => "0",
        _ => return None,
    };
    let DerivedRow { subject, metric, value, reason, .. } = row;
    if value == expected || reason == NO_DEMANDS {
        return None;
    }
    let found = if value.is_empty() { reason } else { value };
    Some(format!("`{subject}`: {metric} must be {expected}: {found}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::derive::derive;
    use crate::derive::sample::{Sample, cell};

    fn held(sample: &Sample) -> Result<(), Vec<String>> {
        controls_hold(&derive(sample.record()))
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
            (["0.1", "0.4", "0.4"], "holds"),
            (["0.5", "0.4", "0.9"], "fails"),
            (["0.1", "0.9", "0.8"], "fails"),
        ] {
            let under = ORDER.into_iter().zip(recalls).map(|(summarizer, recall)| {
                let cell = cell("forge", "windowed").with(MetricId::TokensSummarizer, "7");
                cell.summarizer(summarizer).with(MetricId::RecallAtNeedReached, recall)
            });
            let rows = derive(Sample::of(under.collect()).record());
            let row = rows.iter().find(|row| row.metric == MetricId::ControlBrackets);
            assert_eq!(row.map(|row| row.value.as_str()), Some(expected), "{recalls:?}");
        }
    }

    #[test]
    fn a_session_without_a_control_does_not_hold() {
        let sample = Sample::of(vec![cell("truncate", "windowed")]);
        let faults = held(&sample).expect_err("no control");
        assert!(faults[0].contains("no windowless control"), "{faults:?}");
    }
}
