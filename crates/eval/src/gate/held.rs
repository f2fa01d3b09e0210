//! Hard rules beside the baseline: what a configuration did not do, it does not begin to do. They
//! name no configuration, so they hold for a user's own too.

use super::baseline::{Group, Row};
use super::finding::{Finding, Kind};
use super::policy::{Demand, Policy};
use super::rules::Sides;
use super::verdict::Verdict;
use crate::measure::Metric;
use crate::number::{count, share, short};
use crate::prelude::*;
use crate::stats;

/// A cell with its figure.
struct Cell<'a> {
    row: &'a Row,
    value: f64,
    /// The figure of the same session in the baseline, as often a step where this one comes farther.
    before: Option<f64>,
}

impl<'a> Cell<'a> {
    fn of(row: &'a Row, partner: Option<&&Row>, metric: &Metric) -> Option<Cell<'a>> {
        let value = row.figure(metric.id)?;
        // Multiplied before it is divided, or equal rates would differ in the last digit.
        let farther = |own: &Row, figure: f64| match own.steps() {
            steps if steps > 0.0 => figure * row.steps().max(steps) / steps,
            _ => figure,
        };
        let before = partner.and_then(|own| Some(farther(own, own.figure(metric.id)?)));
        Some(Cell { row, value, before })
    }

    fn is_higher(&self) -> bool {
        self.value > self.before.unwrap_or(0.0)
    }
}

pub(super) fn held(sides: Sides, policy: &Policy) -> Vec<Finding> {
    let before = sides.baseline.by_place();
    let known: BTreeSet<Group> = sides.baseline.rows.iter().map(Row::group).collect();
    let mut findings = Vec::new();
    for rule in &policy.rules {
        let Demand::Held(rise) = rule.demand else { continue };
        for (group, rows) in sides.candidate.ruled(rule) {
            for metric in rule.metrics().filter(|metric| !sides.is_void(metric.id)) {
                let cell = |row| Cell::of(row, before.get(&row.place()), metric);
                let cells: Vec<Cell> = rows.iter().copied().filter_map(cell).collect();
                let values: Vec<f64> = cells.iter().map(|cell| cell.value).collect();
                let Some(mean) = stats::mean(&values) else { continue };
                let mut finding = Finding::of_rule((rule, Kind::Hard), group, metric, None);
                (finding.n, finding.candidate) = (cells.len(), Some(mean));
                let has_metric = sides.baseline.inputs.metrics.contains_key(&metric.id);
                findings.push(match (known.contains(&group), has_metric) {
                    (false, _) => alone(finding, &cells, policy),
                    (true, true) => beside(finding, &cells, rise, policy),
                    (true, false) => {
                        let reason = "the baseline does not hold this metric".to_owned();
                        finding.decide(Verdict::NoBaseline, reason, policy);
                        finding
                    }
                });
            }
        }
    }
    findings
}

/// A configuration that the baseline does not hold, such as one's own: nothing excuses it.
fn alone(mut finding: Finding, cells: &[Cell], policy: &Policy) -> Finding {
    finding.at_most = Some(0.0);
    let (higher, mean) = (higher(cells), short(finding.candidate.unwrap_or(0.0)));
    let rule = "the baseline does not hold this configuration, which is held to 0";
    let reason = format!("{rule}: above it in {higher}; the mean is {mean}");
    decided(finding, cells.iter().any(Cell::is_higher), reason, cells, policy)
}

fn beside(mut finding: Finding, cells: &[Cell], rise: f64, policy: &Policy) -> Finding {
    let before: Vec<f64> = cells.iter().filter_map(|cell| cell.before).collect();
    let did = before.iter().filter(|before| **before > 0.0).count();
    let (all, own) = (before.len(), stats::mean(&before).unwrap_or(0.0));
    let partnered = cells.iter().filter(|cell| cell.before.is_some()).map(|cell| cell.value);
    let is = stats::mean(&partnered.collect::<Vec<f64>>()).unwrap_or(0.0);
    (finding.baseline, finding.candidate) = (Some(own), Some(is));
    let means = format!("the mean was {} and is {}", short(own), short(is));
    if 2 * did <= all {
        let reason = format!("higher than before in {}; {means}", higher(cells));
        return decided(finding, cells.iter().any(Cell::is_higher), reason, cells, policy);
    }
    let most = own * (1.0 + rise);
    finding.at_most = Some(most);
    let (breaks, rise) = (is > most, share(rise));
    let than = if breaks { "more than" } else { "not more than" };
    let reason = format!("above 0 in {did} of {all} cells before; {means}, {than} {rise} higher");
    decided(finding, breaks, reason, cells, policy)
}

/// In how many cells it is higher than it was, and the highest figure of these.
fn higher(cells: &[Cell]) -> String {
    let higher = || cells.iter().filter(|cell| cell.is_higher());
    match higher().count() {
        0 => format!("none of {} cells", cells.len()),
        number => {
            let most = higher().map(|cell| cell.value).fold(0.0, f64::max);
            format!("{number} of {} cells, up to {}", cells.len(), count(most))
        }
    }
}

fn decided(
    mut finding: Finding,
    breaks: bool,
    reason: String,
    cells: &[Cell],
    policy: &Policy,
) -> Finding {
    let verdict = if breaks { Verdict::InvariantViolated } else { Verdict::Pass };
    finding.decide(verdict, reason, policy);
    let higher = cells.iter().filter(|cell| breaks && cell.is_higher());
    finding.with_cells(higher.map(|cell| format!("{} ({})", cell.row.name(), count(cell.value))))
}
