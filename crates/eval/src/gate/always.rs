//! What holds whatever a policy says: whole runs, the same inputs, no session that ends earlier.

use std::cmp::Ordering;
use std::collections::BTreeSet;

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

/// All cells that have a partner: whether they come farther than it, with its steps.
pub(super) struct Fallen<'a>(Vec<(&'a Row, Ordering, f64)>);

impl<'a> Fallen<'a> {
    pub(super) fn of(baseline: &Baseline, candidate: &'a Baseline) -> Fallen<'a> {
        let before = baseline.by_place();
        let met = |row: &'a Row| {
            let own = before.get(&row.place())?;
            let (steps, had) = (row.steps(), own.steps());
            let way = if (own.completed() && !row.completed()) || steps < had {
                Ordering::Less
            } else if row.completed() && !own.completed() || steps > had {
                Ordering::Greater
            } else {
                Ordering::Equal
            };
            Some((row, way, had))
        };
        Fallen(candidate.rows.iter().filter_map(met).collect())
    }

    /// Cells of the group that end earlier, sessions that come farther, and all of its cells, on
    /// one scenario or on all.
    pub(super) fn count(&self, group: Group, scenario: Option<&str>) -> (usize, usize, usize) {
        let meant = |row: &Row| scenario.is_none_or(|name| name == row.scenario);
        let cells = self.0.iter().filter(|(row, ..)| row.group() == group && meant(row));
        let of = |wanted: Ordering| cells.clone().filter(move |(_, way, _)| *way == wanted);
        let risen = of(Ordering::Greater).map(|(row, ..)| (row.scenario.as_str(), row.seed));
        let risen: BTreeSet<(&str, u64)> = risen.collect();
        (of(Ordering::Less).count(), risen.len(), cells.clone().count())
    }

    pub(super) fn findings(&self) -> Vec<Finding> {
        let groups: BTreeSet<Group> = self.0.iter().map(|(row, ..)| row.group()).collect();
        groups.into_iter().filter_map(|group| self.finding(group)).collect()
    }

    fn finding(&self, group: Group) -> Option<Finding> {
        let (fell, risen, n) = self.count(group, None);
        let finding = |verdict, reason| {
            let finding = Finding::always("completion-first", verdict, reason).about_group(group);
            Finding { n, ..finding }
        };
        if fell > 0 {
            let reason = format!("{fell} of {n} sessions end earlier than they did");
            let fallen = self.0.iter().filter(|(_, way, _)| *way == Ordering::Less);
            let own = fallen.filter(|(row, ..)| row.group() == group);
            let name = |(row, _, had): &(&Row, Ordering, f64)| {
                format!("{} ({} of {had} steps)", row.name(), row.steps())
            };
            return Some(finding(Verdict::CompletionFell, reason).with_cells(own.map(name)));
        }
        // Where sessions come farther and none ends earlier: better by the sign test, once
        // there are enough of them.
        let p = f64::powi(2.0, 1 - i32::try_from(risen).unwrap_or(i32::MAX));
        let verdict = if p <= LEVEL { Verdict::Improvement } else { Verdict::Pass };
        let reason = format!("{risen} of {n} sessions come farther than they did");
        (risen > 0).then(|| Finding { p: Some(p), ..finding(verdict, reason) })
    }
}
