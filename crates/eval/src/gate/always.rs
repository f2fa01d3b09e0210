//! What holds whatever a policy says: whole runs, the same inputs, no session that ends earlier.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use super::baseline::{Baseline, Group, Row, takes};
use super::finding::Finding;
use super::policy::Policy;
use super::verdict::Verdict;
use crate::compare::{Evidence, Paired, Shown, adjust};
use crate::matrix::Summarizer;
use crate::measure::Direction;
use crate::run_dir::CellState;
use crate::run_dir::read::RunData;
use crate::stats::estimate::Unit;

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
        CellState::Failed(error) | CellState::Unanswered(error) => {
            Some((cell.key.cell.clone(), error))
        }
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

/// How far the sessions of a configuration come beside the baseline's.
pub(super) struct Reach<'a> {
    /// Cells that end earlier than they did, with the steps that they had.
    fallen: Vec<(&'a Row, f64)>,
    /// Sessions that come farther than they did.
    pub(super) farther: usize,
    /// Cells that have a partner.
    pub(super) all: usize,
    level: f64,
    /// What is shown of the share that ends earlier; `None` where chance has no part in it.
    shown: Option<Shown>,
}

impl<'a> Reach<'a> {
    fn of(cells: &[(&'a Row, Ordering, f64)], noise: Option<f64>, level: f64) -> Reach<'a> {
        let fallen = cells.iter().filter(|(_, way, _)| *way == Ordering::Less);
        let farther: BTreeSet<(&str, u64)> = cells
            .iter()
            .filter(|(_, way, _)| *way == Ordering::Greater)
            .map(|(row, ..)| (row.scenario.as_str(), row.seed))
            .collect();
        let shown = |margin: f64| {
            let paired = Paired::of(cells.iter().map(|(row, way, _)| {
                let sides = match way {
                    Ordering::Less => (1.0, 0.0),
                    Ordering::Equal => (1.0, 1.0),
                    Ordering::Greater => (0.0, 1.0),
                };
                ((row.scenario.as_str(), row.seed), (Some(sides.0), Some(sides.1)))
            }));
            let terms = (margin, level);
            let mut evidence = Evidence::of(&paired, Direction::Higher, Unit::Sessions, terms);
            adjust(&mut [&mut evidence]);
            evidence.shown(false)
        };
        Reach {
            fallen: fallen.map(|(row, _, had)| (*row, *had)).collect(),
            farther: farther.len(),
            all: cells.len(),
            shown: noise.map(shown),
            level,
        }
    }

    /// Cells that end earlier, where that is more than chance: then no other figure is judged.
    pub(super) fn fell(&self) -> usize {
        let is_chance = self.shown.is_some_and(|shown| shown != Shown::WorseBeyond);
        if is_chance { 0 } else { self.fallen.len() }
    }

    fn finding(&self, group: Group) -> Option<Finding> {
        let (fell, farther, n) = (self.fallen.len(), self.farther, self.all);
        let earlier = format!("{fell} of {n} sessions end earlier than they did");
        let come = format!("{farther} of {n} sessions come farther than they did");
        // By the sign test, where none ends earlier.
        let p = f64::powi(2.0, 1 - i32::try_from(farther).unwrap_or(i32::MAX));
        let (verdict, reason) = match self.shown {
            _ if fell == 0 && farther == 0 => return None,
            _ if self.fell() > 0 => (Verdict::CompletionFell, earlier),
            None if p <= self.level => (Verdict::Improvement, come),
            None => (Verdict::Pass, come),
            Some(shown) => {
                let verdict = match shown {
                    Shown::Better => Verdict::Improvement,
                    Shown::NotWorse | Shown::WorseWithin | Shown::Identical => Verdict::Pass,
                    _ => Verdict::Undecided,
                };
                (
                    verdict,
                    format!("{earlier} and {farther} come farther; the summarizer draws lots"),
                )
            }
        };
        let finding = Finding::always("completion-first", verdict, reason).about_group(group);
        let finding = Finding { n, p: Some(p).filter(|_| fell == 0), ..finding };
        let name =
            |(row, had): &(&Row, f64)| format!("{} ({} of {had} steps)", row.name(), row.steps());
        Some(finding.with_cells(self.fallen.iter().map(name)))
    }
}

/// All cells that have a partner: whether they come farther than it, with its steps.
pub(super) struct Fallen<'a> {
    cells: Vec<(&'a Row, Ordering, f64)>,
    /// The run's main summarizer.
    summarizer: &'a str,
    /// The share of sessions that chance may end earlier.
    chance: f64,
    level: f64,
}

impl<'a> Fallen<'a> {
    pub(super) fn of(baseline: &Baseline, candidate: &'a Baseline, policy: &Policy) -> Fallen<'a> {
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
        Fallen {
            cells: candidate.rows.iter().filter_map(met).collect(),
            summarizer: &candidate.inputs.summarizer,
            chance: policy.chance_of_early_ends,
            level: policy.level("completion"),
        }
    }

    /// How far the group's sessions come, on one scenario or on all. Where the summarizer draws lots
    /// some end earlier by chance; where it does not, each that does is the change's doing.
    pub(super) fn reach(&self, group: Group, scenario: Option<&str>) -> Reach<'a> {
        let meant = |row: &Row| scenario.is_none_or(|name| name == row.scenario);
        let own = |(row, ..): &&(&'a Row, Ordering, f64)| row.group() == group && meant(row);
        let cells: Vec<_> = self.cells.iter().filter(own).copied().collect();
        let (.., named) = group;
        let name = if named.is_empty() { self.summarizer } else { named };
        Reach::of(&cells, Summarizer::draws_lots(name).then_some(self.chance), self.level)
    }

    pub(super) fn findings(&self) -> Vec<Finding> {
        let groups: BTreeSet<Group> = self.cells.iter().map(|(row, ..)| row.group()).collect();
        groups.into_iter().filter_map(|group| self.reach(group, None).finding(group)).collect()
    }
}
