//! Hard rules: bounds that figures keep, whatever they were before.

use std::collections::{BTreeMap, BTreeSet};

use super::always::{Group, about, group};
use super::baseline::{Baseline, Row, takes};
use super::counts;
use super::finding::{Finding, Kind};
use super::policy::{Demand, Hard, Of, Policy, Rule};
use super::verdict::Verdict;
use crate::measure::table::Metric;
use crate::number::short;
use crate::stats;

/// All findings of all hard rules.
pub(super) fn findings(candidate: &Baseline, policy: &Policy) -> Vec<Finding> {
    let mut findings = Vec::new();
    for rule in &policy.rules {
        let Demand::Hard(hard) = &rule.demand else { continue };
        let mut groups: BTreeMap<Group, Vec<&Row>> = BTreeMap::new();
        for row in candidate.rows.iter().filter(|row| takes(rule, row)) {
            groups.entry(group(row)).or_default().push(row);
        }
        for (of, rows) in &groups {
            for metric in rule.metrics() {
                findings.extend(of_metric((rule, hard), metric, of, rows, policy));
            }
        }
    }
    findings
}

fn of_metric(
    (rule, hard): (&Rule, &Hard),
    metric: &Metric,
    of: &Group,
    rows: &[&Row],
    policy: &Policy,
) -> Vec<Finding> {
    let measured: Vec<(&Row, f64)> =
        rows.iter().filter_map(|row| Some((*row, row.figure(metric.id)?))).collect();
    let mut findings = Vec::new();
    let mut put = |scenario: Option<&str>, cells: &[(&Row, f64)]| {
        let Some(mut finding) = judged(rule, hard, metric, cells) else { return };
        about(&mut finding, of);
        finding.scenario = scenario.map(str::to_owned);
        finding.counts = scenario.is_none() || counts(finding.verdict, policy);
        findings.push(finding);
    };
    put(None, &measured);
    let scenarios: BTreeSet<&str> = measured.iter().map(|(row, _)| &*row.scenario).collect();
    if scenarios.len() > 1 {
        for scenario in scenarios {
            let own = measured.iter().filter(|(row, _)| row.scenario == scenario);
            put(Some(scenario), &own.copied().collect::<Vec<_>>());
        }
    }
    findings
}

/// How far a figure lies outside its bounds; 0 where it keeps them.
fn outside(hard: &Hard, value: f64) -> f64 {
    let above = hard.at_most.map_or(0.0, |bound| value - bound);
    let below = hard.at_least.map_or(0.0, |bound| bound - value);
    above.max(below).max(0.0)
}

/// How near a figure comes to leaving its bounds.
fn nearness(hard: &Hard, value: f64) -> f64 {
    let above = hard.at_most.map_or(f64::NEG_INFINITY, |bound| value - bound);
    above.max(hard.at_least.map_or(f64::NEG_INFINITY, |bound| bound - value))
}

fn judged(rule: &Rule, hard: &Hard, metric: &Metric, cells: &[(&Row, f64)]) -> Option<Finding> {
    let mut sessions: BTreeMap<(&str, u64), Vec<f64>> = BTreeMap::new();
    for (row, value) in cells {
        sessions.entry((&row.scenario, row.seed)).or_default().push(*value);
    }
    let means: Vec<f64> = sessions.values().filter_map(|values| stats::mean(values)).collect();
    let farthest = cells.iter().map(|(_, value)| *value);
    let value = match hard.of {
        Of::Mean => stats::mean(&means)?,
        Of::Cell => {
            farthest.max_by(|one, two| nearness(hard, *one).total_cmp(&nearness(hard, *two)))?
        }
    };
    let bounds = bounds(hard);
    let mut broken: Vec<(&Row, f64)> =
        cells.iter().copied().filter(|(_, value)| outside(hard, *value) > 0.0).collect();
    broken.sort_by(|one, two| outside(hard, two.1).total_cmp(&outside(hard, one.1)));
    let holds = outside(hard, value) == 0.0;
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
    let mut finding = Finding::new(&rule.name, Kind::Hard, verdict, reason);
    finding.metric = Some(metric.id);
    finding.unit = Some(metric.unit.to_owned());
    finding.better = Some(metric.better.name().to_owned());
    finding.n = sessions.len();
    finding.candidate = Some(value);
    (finding.at_most, finding.at_least) = (hard.at_most, hard.at_least);
    if holds {
        return Some(finding);
    }
    let cell = |(row, value): &(&Row, f64)| format!("{} ({})", row.told(), short(*value));
    Some(finding.with_cells(broken.iter().map(cell)))
}

/// The bounds in words.
fn bounds(hard: &Hard) -> String {
    let most = hard.at_most.map(|bound| format!("at most {}", short(bound)));
    let least = hard.at_least.map(|bound| format!("at least {}", short(bound)));
    let both: Vec<String> = least.into_iter().chain(most).collect();
    both.join(" and ")
}
