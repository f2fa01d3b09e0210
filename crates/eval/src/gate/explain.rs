//! What stands behind findings that do not pass: where the loss is largest, and one case of it,
//! taken from the tables of both runs and from one cell that is driven again.

mod case;
mod facts;
mod needs;

use super::baseline::Baseline;
use super::detail::{BrokenRule, Detail, EarlyEnd, Moved};
use super::finding::{Finding, Judgement, Kind};
use super::render::pressing;
use super::verdict::Verdict;
use super::words;
use crate::frame::MeasuredCell;
use crate::measure::MetricId;
use crate::prelude::*;
use crate::run_dir::read::RunData;
use crate::strategy::Registry;
pub use facts::moved_facts;
use needs::{Need, Needs};

/// A configuration under one mode and summarizer (empty for the main one).
type Group<'a> = (&'a str, &'a str, &'a str);

/// Where the runs of both sides lie.
#[derive(Clone, Copy, Debug)]
pub struct Directories<'a> {
    /// The baseline's run directory; `None` where its figures are all there is.
    pub baseline: Option<&'a Path>,
    /// The candidate's.
    pub candidate: &'a Path,
    /// What the configuration was called before, and is called now, where both differ.
    pub renamed: Option<(&'a str, &'a str)>,
}

/// Findings that are explained at most.
const MOST: usize = 3;

/// Puts into the worst findings that do not pass what stands behind them. What cannot be told
/// becomes a note: the verdict does not depend on it.
pub fn explain(
    judgement: &mut Judgement,
    registry: &Registry,
    (baseline, run): (&Baseline, &RunData),
    directories: Directories,
) {
    let told = pressing(judgement).into_iter().map(|(finding, _)| finding.clone());
    let told: Vec<Finding> = told.filter(|one| one.verdict != Verdict::Undecided).collect();
    let told = &told[..told.len().min(MOST)];
    let wants_facts = told.iter().any(|one| one.metric.is_some_and(needs::rests_on_facts));
    let needs = match directories.baseline.filter(|_| wants_facts) {
        Some(before) => Needs::read(before, directories, &told.iter().map(group).collect()),
        None => Ok(Needs::default()),
    };
    let needs = needs.unwrap_or_else(|error| {
        judgement.notes.push(format!("the facts of both runs cannot be compared: {error}"));
        Needs::default()
    });
    if wants_facts && directories.baseline.is_none() {
        let rule = "the baseline is a file of figures: which fact it knew that is lost here can be \
                    told only beside its run directory (`--baseline DIR`)";
        judgement.notes.push(rule.to_owned());
    }
    let mut has_fact = false;
    for finding in told {
        let mut detail = Detail {
            scenario: worst_scenario(judgement, finding),
            session: worst_session(finding, baseline, run),
            end: early_end(finding, run),
            broken: broken_rule(finding, run),
            ..Detail::default()
        };
        let own = needs.of(finding);
        detail.kind = worst_kind(&own);
        if !has_fact && let Some(need) = chosen(&own, &detail) {
            has_fact = true;
            match case::told(registry, directories.candidate, need) {
                Ok(fact) => detail.fact = Some(fact),
                Err(error) => judgement.notes.push(format!("no single fact can be told: {error}")),
            }
        }
        let same = |one: &&mut Finding| one.is_same(finding);
        if let Some(own) = judgement.findings.iter_mut().find(same) {
            own.detail = Some(detail);
        }
    }
}

/// The scenario with the largest loss, where there are several.
fn worst_scenario(judgement: &Judgement, of: &Finding) -> Option<Moved> {
    let metric = of.metric.filter(|_| of.scenario.is_none())?;
    let own = judgement.findings.iter().filter(|one| {
        one.scenario.is_some()
            && one.is_same(&Finding { scenario: one.scenario.clone(), ..of.clone() })
    });
    let moved = own.filter_map(|one| {
        let (baseline, candidate) = (one.baseline?, one.candidate?);
        let name = one.scenario.clone()?;
        let is_worse = words::is_worse(metric, baseline, candidate);
        is_worse.then_some(Moved { name, baseline, candidate, n: one.n })
    });
    let moved: Vec<Moved> = moved.collect();
    largest(moved)
}

fn largest(moved: Vec<Moved>) -> Option<Moved> {
    let size = |one: &Moved| (one.candidate - one.baseline).abs();
    moved.into_iter().rev().max_by(|one, two| size(one).total_cmp(&size(two)))
}

/// Fewest needs of a kind that say something of it.
const LEAST_NEEDS: usize = 5;

/// The session with the largest loss.
fn worst_session(finding: &Finding, baseline: &Baseline, run: &RunData) -> Option<Moved> {
    let metric = finding.metric?;
    let rows = baseline.rows.iter().filter(|row| row.group() == group(finding));
    let before: BTreeMap<_, f64> = rows
        .filter_map(|row| {
            Some(((row.scenario.as_str(), row.seed, row.place().5), row.figure(metric)?))
        })
        .collect();
    let frame = run.frame();
    let moved = cells(finding, run).filter_map(|cell| {
        let key = &cell.key;
        let baseline = *before.get(&(key.scenario.as_str(), key.seed, key.replicate))?;
        let candidate = frame.figure(cell, metric)?;
        let is_worse = words::is_worse(metric, baseline, candidate);
        is_worse.then(|| Moved { name: key.cell.clone(), baseline, candidate, n: 1 })
    });
    largest(moved.collect())
}

/// The kind of fact of which the most needs are missed that were met.
fn worst_kind(needs: &[&Need]) -> Option<Moved> {
    let mut kinds: BTreeMap<&str, (usize, usize, usize)> = BTreeMap::new();
    for need in needs {
        let (before, after, all) = kinds.entry(need.kind()).or_default();
        *before += usize::from(need.was_known());
        *after += usize::from(need.is_known());
        *all += 1;
    }
    // A figure of one kind says it already.
    if kinds.len() < 2 {
        return None;
    }
    let share = |count: usize, all: usize| count as f64 / all as f64;
    let moved =
        kinds.into_iter().filter(|(_, (before, after, all))| before > after && *all >= LEAST_NEEDS);
    let moved = moved.map(|(name, (before, after, all))| Moved {
        name: name.to_owned(),
        baseline: share(before, all),
        candidate: share(after, all),
        n: all,
    });
    largest(moved.collect())
}

/// A need that was met and is missed: of the worst scenario and kind where there is one, of a loss
/// that can be shown, and the first of these.
fn chosen<'a>(needs: &[&'a Need], detail: &Detail) -> Option<&'a Need> {
    let is_elsewhere =
        |part: &Option<Moved>, name: &str| part.as_ref().is_some_and(|part| part.name != name);
    let lost = needs.iter().filter(|need| need.was_known() && !need.is_known());
    let order = |need: &&&Need| {
        (
            need.after.lost_by.is_none(),
            is_elsewhere(&detail.scenario, &need.key.scenario),
            is_elsewhere(&detail.kind, need.kind()),
            need.key.scenario.clone(),
            need.key.seed,
            need.after.step,
            need.after.demand,
        )
    };
    lost.min_by_key(order).copied()
}

/// The cells of a finding's group, in the order of the run.
fn cells<'a>(finding: &'a Finding, run: &'a RunData) -> impl Iterator<Item = &'a MeasuredCell> {
    let main = run.manifest.main_summarizer();
    run.measurements.iter().filter(move |cell| {
        let key = &cell.key;
        let summarizer = if key.summarizer == main { "" } else { key.summarizer.as_str() };
        group(finding) == (key.configuration().as_str(), key.mode.as_str(), summarizer)
            && finding.scenario.as_ref().is_none_or(|name| *name == key.scenario)
    })
}

/// What a finding is about, as rows of a baseline name it.
fn group(finding: &Finding) -> Group<'_> {
    (
        finding.configuration.as_deref().unwrap_or_default(),
        finding.mode.as_deref().unwrap_or_default(),
        finding.summarizer.as_deref().unwrap_or_default(),
    )
}

/// The session that ends earliest, of those that a finding names.
fn early_end(finding: &Finding, run: &RunData) -> Option<EarlyEnd> {
    if finding.verdict != Verdict::CompletionFell {
        return None;
    }
    let ended = cells(finding, run).filter(|cell| !cell.completed());
    let cell = ended.min_by(|one, two| one.steps_reached().total_cmp(&two.steps_reached()))?;
    let ending = cell.figures.ended_by();
    Some(EarlyEnd {
        cell: cell.key.cell.clone(),
        reached: cell.steps_reached() as u32,
        steps: cell.number(MetricId::StepsTotal).unwrap_or_default() as u32,
        ended_by: ending.map_or("", |ending| ending.name()).to_owned(),
        how: ending.map_or("", |ending| ending.told()).to_owned(),
    })
}

/// The first compaction that broke the rule that a finding counts.
fn broken_rule(finding: &Finding, run: &RunData) -> Option<BrokenRule> {
    let metric = finding.metric.filter(|_| finding.kind == Kind::Hard)?;
    let rule = metric.name().strip_prefix("violations.")?;
    let own: BTreeSet<&str> = cells(finding, run)
        .filter(|cell| cell.number(metric).is_some_and(|count| count > 0.0))
        .map(|cell| cell.key.cell.as_str())
        .collect();
    let breaks = |violations: &str| violations.split(';').any(|one| one.trim().starts_with(rule));
    let row = run
        .compactions
        .iter()
        .find(|row| own.contains(row.cell.as_str()) && breaks(&row.violations))?;
    Some(BrokenRule {
        cell: row.cell.clone(),
        rule: rule.to_owned(),
        compaction: row.number,
        step: row.step,
        stage: row.stage.clone(),
    })
}
