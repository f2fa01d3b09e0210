//! What holds whatever a policy says: whole runs, the same inputs, no session that ends earlier.

use std::collections::{BTreeMap, BTreeSet};

use super::baseline::{Baseline, Group, Row, takes};
use super::finding::Finding;
use super::policy::Policy;
use super::verdict::Verdict;
use crate::run_dir::CellState;
use crate::run_dir::read::RunData;

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

/// Chance of calling it better that sessions come farther, were either as likely.
const LEVEL: f64 = 0.05;

/// Sessions that end earlier than they did, and those that come farther.
#[derive(Default)]
pub(super) struct Fallen<'a> {
    /// Scenario and words of every cell that ends earlier.
    fell: BTreeMap<Group<'a>, Vec<(&'a str, String)>>,
    /// Scenario and seed of every session that comes farther in some cell.
    risen: BTreeMap<Group<'a>, BTreeSet<(&'a str, u64)>>,
    /// The scenarios of all cells that have a partner.
    cells: BTreeMap<Group<'a>, Vec<&'a str>>,
}

impl<'a> Fallen<'a> {
    pub(super) fn of(baseline: &Baseline, candidate: &'a Baseline) -> Fallen<'a> {
        let before = baseline.by_place();
        let mut fallen = Fallen::default();
        for row in &candidate.rows {
            let Some(own) = before.get(&row.place()) else { continue };
            let (group, scenario) = (row.group(), row.scenario.as_str());
            fallen.cells.entry(group).or_default().push(scenario);
            let (steps, had) = (row.steps(), own.steps());
            if (own.completed() && !row.completed()) || steps < had {
                let name = format!("{} ({steps} of {had} steps)", row.name());
                fallen.fell.entry(group).or_default().push((scenario, name));
            } else if row.completed() && !own.completed() || steps > had {
                fallen.risen.entry(group).or_default().insert((scenario, row.seed));
            }
        }
        fallen
    }

    /// Cells of the group that end earlier, sessions that come farther, and all of its cells, on
    /// one scenario or on all.
    pub(super) fn count(&self, group: Group, scenario: Option<&str>) -> (usize, usize, usize) {
        let meant = |own: &str| scenario.is_none_or(|name| name == own);
        let fell = self.fell.get(&group).into_iter().flatten().filter(|(own, _)| meant(own));
        let risen = self.risen.get(&group).into_iter().flatten().filter(|(own, _)| meant(own));
        let all = self.cells.get(&group).into_iter().flatten().filter(|own| meant(own));
        (fell.count(), risen.count(), all.count())
    }

    pub(super) fn findings(&self) -> Vec<Finding> {
        let finding = |of: Group, verdict, reason, n| {
            let finding = Finding::always("completion-first", verdict, reason).about_group(of);
            Finding { n, ..finding }
        };
        let worse = self.fell.iter().map(|(of, cells)| {
            let (fell, _, all) = self.count(*of, None);
            let reason = format!("{fell} of {all} sessions end earlier than they did");
            finding(*of, Verdict::CompletionFell, reason, all)
                .with_cells(cells.iter().map(|(_, name)| name.clone()))
        });
        // Where sessions come farther and none ends earlier: better by the sign test, once
        // there are enough of them.
        let risen = self.risen.keys().filter(|of| !self.fell.contains_key(*of));
        let better = risen.map(|of| {
            let (_, risen, all) = self.count(*of, None);
            let p = f64::powi(2.0, 1 - i32::try_from(risen).unwrap_or(i32::MAX));
            let verdict = if p <= LEVEL { Verdict::Improvement } else { Verdict::Pass };
            let reason = format!("{risen} of {all} sessions come farther than they did");
            let (p, test) = (Some(p), Some("sign".to_owned()));
            Finding { p, test, ..finding(*of, verdict, reason, all) }
        });
        worse.chain(better).collect()
    }
}
