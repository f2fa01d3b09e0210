//! Hard rules: bounds that figures keep, whatever they were before.

use std::collections::BTreeMap;

use super::baseline::{Baseline, Row, pools};
use super::finding::{Finding, Kind};
use super::policy::{Demand, Hard, Of, Policy};
use super::verdict::Verdict;
use crate::number::short;
use crate::stats;

pub(super) fn findings(candidate: &Baseline, policy: &Policy) -> Vec<Finding> {
    let mut findings = Vec::new();
    for rule in &policy.rules {
        let Demand::Hard(hard) = &rule.demand else { continue };
        for (group, rows) in candidate.ruled(rule) {
            for metric in rule.metrics() {
                let measured: Vec<Measured> =
                    rows.iter().filter_map(|row| Some((*row, row.figure(metric.id)?))).collect();
                for scenario in pools(measured.iter().map(|(row, _)| *row)) {
                    let finding = Finding::of_rule((rule, Kind::Hard), group, metric, scenario);
                    let own = |row: &Row| scenario.is_none_or(|name| name == row.scenario);
                    let cells = measured.iter().copied().filter(|(row, _)| own(row));
                    findings.extend(decided(finding, hard, &cells.collect::<Vec<_>>(), policy));
                }
            }
        }
    }
    findings
}

type Measured<'a> = (&'a Row, f64);

/// How far a figure lies outside its bounds; below 0 how near it comes to leaving them.
fn outside(hard: &Hard, value: f64) -> f64 {
    let above = hard.at_most.map_or(f64::NEG_INFINITY, |bound| value - bound);
    above.max(hard.at_least.map_or(f64::NEG_INFINITY, |bound| bound - value))
}

/// The finding with what the cells say; `None` where none has the figure.
fn decided(
    mut finding: Finding,
    hard: &Hard,
    cells: &[Measured],
    policy: &Policy,
) -> Option<Finding> {
    let mut sessions: BTreeMap<(&str, u64), Vec<f64>> = BTreeMap::new();
    for (row, value) in cells {
        sessions.entry((&row.scenario, row.seed)).or_default().push(*value);
    }
    let means: Vec<f64> = sessions.values().filter_map(|values| stats::mean(values)).collect();
    let order = |one: f64, two: f64| outside(hard, one).total_cmp(&outside(hard, two));
    let figures = cells.iter().map(|(_, value)| *value);
    let value = match hard.of {
        Of::Mean => stats::mean(&means)?,
        Of::Cell => figures.max_by(|one, two| order(*one, *two))?,
    };
    let bounds = bounds(hard);
    let mut broken: Vec<Measured> =
        cells.iter().copied().filter(|(_, value)| outside(hard, *value) > 0.0).collect();
    broken.sort_by(|one, two| order(two.1, one.1));
    let holds = outside(hard, value) <= 0.0;
    let (shown, all) = (short(value), cells.len());
    let reason = match (hard.of, holds) {
        (Of::Mean, true) => format!("the mean {shown} is {bounds}"),
        (Of::Mean, false) => format!("the mean {shown} is not {bounds}"),
        (Of::Cell, true) => format!("all {all} cells are {bounds}, the nearest {shown}"),
        (Of::Cell, false) => {
            format!("{} of {all} cells are not {bounds}, the farthest {shown}", broken.len())
        }
    };
    let verdict = if holds { Verdict::Pass } else { Verdict::InvariantViolated };
    finding.decide(verdict, reason, policy);
    (finding.n, finding.candidate) = (sessions.len(), Some(value));
    (finding.at_most, finding.at_least) = (hard.at_most, hard.at_least);
    let cell = |(row, value): &Measured| format!("{} ({})", row.name(), short(*value));
    let named = if holds { &[] } else { &broken[..] };
    Some(finding.with_cells(named.iter().map(cell)))
}

fn bounds(hard: &Hard) -> String {
    let most = hard.at_most.map(|bound| format!("at most {}", short(bound)));
    let least = hard.at_least.map(|bound| format!("at least {}", short(bound)));
    let both: Vec<String> = least.into_iter().chain(most).collect();
    both.join(" and ")
}
