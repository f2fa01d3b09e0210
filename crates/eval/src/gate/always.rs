//! What holds whatever a policy says: the run is whole, both sides measured the same
//! thing, and no session ends earlier than it did.

use std::collections::{BTreeMap, BTreeSet};

use super::baseline::{Baseline, Group, Place, Row, takes};
use super::finding::Finding;
use super::policy::Policy;
use super::verdict::Verdict;
use crate::compare::{Difference, Differing};
use crate::measure::MetricId;
use crate::run_dir::CellState;
use crate::run_dir::read::RunData;

/// A run, or a side of it, that is not whole.
pub(super) fn incomplete(reason: String) -> Finding {
    Finding::always("complete-run", Verdict::IncompleteRun, reason)
}

/// Cells that failed, and cells of the baseline that the run does not have.
pub(super) fn complete(
    baseline: Option<&Baseline>,
    run: &RunData,
    candidate: &Baseline,
    policy: &Policy,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    let failed = run.manifest.cells.iter().filter_map(|cell| match &cell.state {
        CellState::Failed(error) => Some((cell.key.cell.clone(), error)),
        CellState::Done | CellState::Excluded(_) => None,
    });
    let failed: Vec<(String, &String)> = failed.collect();
    if let Some((_, error)) = failed.first() {
        let all = run.manifest.cells.len();
        let reason = format!("{} of {all} cells failed, the first with: {error}", failed.len());
        findings.push(incomplete(reason).with_cells(failed.into_iter().map(|(cell, _)| cell)));
    }
    if run.manifest.part.is_some() {
        let reason = "it is a part of a run: `proctor merge` joins the parts";
        findings.push(incomplete(reason.to_owned()));
    }
    let there = candidate.by_place();
    let wanted = baseline.iter().flat_map(|baseline| &baseline.rows);
    let gated = wanted.filter(|row| policy.rules.iter().any(|rule| takes(rule, row)));
    let missing = gated.filter(|row| !there.contains_key(&row.place()));
    let missing: Vec<String> = missing.map(Row::name).collect();
    if !missing.is_empty() {
        let reason = format!("{} cells of the baseline are not in the run", missing.len());
        findings.push(incomplete(reason).with_cells(missing));
    }
    findings
}

/// In what the inputs of both sides differ; prices only where a rule rests on them.
pub(super) fn differences(
    baseline: &Baseline,
    candidate: &Baseline,
    policy: &Policy,
) -> Vec<Difference> {
    let mut found = baseline.inputs.differences(&candidate.inputs);
    let is_priced = policy.metrics().any(MetricId::is_priced);
    found.retain(|one| is_priced || one.what != Differing::Prices);
    found
}

/// Whether differences leave a metric without a comparison: a gate judges no figure of
/// sessions that are in part others.
pub(super) fn is_void(differences: &[Difference], metric: MetricId) -> bool {
    differences.iter().any(|one| {
        one.what.touches(metric)
            || matches!(one.what, Differing::Scenario(_) | Differing::Session(..))
    })
}

/// Chance of calling it better that sessions come farther, were either as likely.
const LEVEL: f64 = 0.05;

/// Sessions that end earlier than they did, and those that come farther.
#[derive(Clone, Debug, Default)]
pub(super) struct Fallen {
    /// Scenario and words of every cell that ends earlier.
    groups: BTreeMap<Group, Vec<(String, String)>>,
    /// Scenario and seed of every session that comes farther in some cell.
    risen: BTreeMap<Group, BTreeSet<(String, u64)>>,
    /// All cells that have a partner, by scenario.
    cells: BTreeMap<Group, BTreeMap<String, usize>>,
}

impl Fallen {
    pub(super) fn of(baseline: &Baseline, candidate: &Baseline) -> Fallen {
        let before: BTreeMap<Place, &Row> = baseline.by_place();
        let mut fallen = Fallen::default();
        for row in &candidate.rows {
            let Some(own) = before.get(&row.place()) else { continue };
            let cells = fallen.cells.entry(row.group()).or_default();
            *cells.entry(row.scenario.clone()).or_default() += 1;
            let (steps, had) = (row.steps(), own.steps());
            if (own.completed() && !row.completed()) || steps < had {
                let name = format!("{} ({steps} of {had} steps)", row.name());
                let cell = (row.scenario.clone(), name);
                fallen.groups.entry(row.group()).or_default().push(cell);
            } else if row.completed() && !own.completed() || steps > had {
                let session = (row.scenario.clone(), row.seed);
                fallen.risen.entry(row.group()).or_default().insert(session);
            }
        }
        fallen
    }

    /// Cells of the group that end earlier, on one scenario or on all, and all of its
    /// cells there.
    pub(super) fn count(&self, group: &Group, scenario: Option<&str>) -> (usize, usize) {
        let meant = |own: &String| scenario.is_none_or(|name| name == own);
        let fell = self.groups.get(group).into_iter().flatten();
        let all = self.cells.get(group).into_iter().flatten();
        let all = all.filter(|(own, _)| meant(own)).map(|(_, count)| count);
        (fell.filter(|(own, _)| meant(own)).count(), all.sum())
    }

    /// Sessions of the group that come farther, on one scenario or on all.
    pub(super) fn risen(&self, group: &Group, scenario: Option<&str>) -> usize {
        let risen = self.risen.get(group).into_iter().flatten();
        risen.filter(|(own, _)| scenario.is_none_or(|name| name == own)).count()
    }

    /// What both say of completion.
    pub(super) fn findings(&self) -> Vec<Finding> {
        let finding = |of: &Group, verdict, reason| {
            let mut finding = Finding::always("completion-first", verdict, reason).about_group(of);
            finding.n = self.count(of, None).1;
            finding
        };
        let worse = self.groups.iter().map(|(of, cells)| {
            let (fell, (_, all)) = (cells.len(), self.count(of, None));
            let reason = format!("{fell} of {all} sessions end earlier than they did");
            finding(of, Verdict::CompletionFell, reason)
                .with_cells(cells.iter().map(|(_, name)| name.clone()))
        });
        // Where sessions come farther and none ends earlier: better by the sign test, once
        // there are enough of them.
        let risen = self.risen.keys().filter(|of| !self.groups.contains_key(*of));
        let better = risen.map(|of| {
            let (risen, (_, all)) = (self.risen(of, None), self.count(of, None));
            let p = f64::powi(2.0, 1 - i32::try_from(risen).unwrap_or(i32::MAX));
            let verdict = if p <= LEVEL { Verdict::Improvement } else { Verdict::Pass };
            let reason = format!("{risen} of {all} sessions come farther than they did");
            let (p, test) = (Some(p), Some("sign".to_owned()));
            Finding { p, test, ..finding(of, verdict, reason) }
        });
        worse.chain(better).collect()
    }
}
