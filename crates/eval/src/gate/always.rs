//! What holds whatever a policy says: the run is whole, both sides measured the same
//! thing, and no session ends earlier than it did.

use crate::measure::MetricId;
use std::collections::{BTreeMap, BTreeSet};

use super::baseline::{Baseline, Inputs, Place as RowPlace, Row, takes};
use super::finding::{Finding, Kind};
use super::policy::Policy;
use super::verdict::Verdict;

use crate::run_dir::CellState;
use crate::run_dir::read::RunData;

/// A configuration under one mode and summarizer (empty for the main one).
pub(super) type Group = (String, String, String);

pub(super) fn group(row: &Row) -> Group {
    (row.configuration.clone(), row.mode.clone(), row.summarizer.clone())
}

/// Names the configuration of a finding.
pub(super) fn about(finding: &mut Finding, (configuration, mode, summarizer): &Group) {
    finding.configuration = Some(configuration.clone());
    finding.mode = Some(mode.clone());
    finding.summarizer = Some(summarizer.clone()).filter(|name| !name.is_empty());
}

/// Cells that failed, and cells of the baseline that the run does not have.
pub(super) fn complete(
    baseline: Option<&Baseline>,
    run: &RunData,
    candidate: &Baseline,
    policy: &Policy,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut put = |reason: String, cells: Vec<String>| {
        let finding = Finding::new("complete-run", Kind::Always, Verdict::IncompleteRun, reason);
        findings.push(finding.with_cells(cells));
    };
    let failed = run.manifest.cells.iter().filter_map(|cell| match &cell.state {
        CellState::Failed(error) => Some((cell.key.cell.clone(), error)),
        CellState::Done | CellState::Excluded(_) => None,
    });
    let failed: Vec<(String, &String)> = failed.collect();
    if let Some((_, error)) = failed.first() {
        let all = run.manifest.cells.len();
        let reason = format!("{} of {all} cells failed, the first with: {error}", failed.len());
        put(reason, failed.into_iter().map(|(cell, _)| cell).collect());
    }
    if run.manifest.part.is_some() {
        let reason = "it is a part of a run: `proctor merge` joins the parts".to_owned();
        put(reason, Vec::new());
    }
    let there: BTreeSet<RowPlace> = candidate.rows.iter().map(Row::place).collect();
    let wanted = baseline.iter().flat_map(|baseline| &baseline.rows);
    let gated = wanted.filter(|row| policy.rules.iter().any(|rule| takes(rule, row)));
    let missing: Vec<String> =
        gated.filter(|row| !there.contains(&row.place())).map(Row::told).collect();
    if !missing.is_empty() {
        let reason = format!("{} cells of the baseline are not in the run", missing.len());
        put(reason, missing);
    }
    findings
}

/// There is nothing to compare with.
pub(super) fn no_baseline(reason: &str) -> Finding {
    Finding::new("baseline", Kind::Always, Verdict::NoBaseline, reason.to_owned())
}

/// Metrics that cannot be compared.
#[derive(Clone, Debug, Default)]
pub(super) struct Void {
    /// All, or all but completion where only the tokens differ.
    everything: bool,
    but_completion: bool,
    metrics: BTreeSet<MetricId>,
}

impl Void {
    pub(super) fn holds(&self, metric: MetricId) -> bool {
        self.everything
            || (self.but_completion && metric != MetricId::Completion)
            || self.metrics.contains(&metric)
    }
}

/// In what the inputs of both sides differ, each by its name, and which metrics that
/// leaves without a comparison.
pub(super) fn incompatible(
    baseline: &Baseline,
    candidate: &Baseline,
    policy: &Policy,
) -> (Vec<Finding>, Void) {
    let (ours, theirs) = (&baseline.inputs, &candidate.inputs);
    let (mut findings, mut void) = (Vec::new(), Void::default());
    let mut put = |what: String| {
        let finding = Finding::new("same-inputs", Kind::Always, Verdict::Incompatible, what);
        findings.push(finding);
    };
    if ours.schema != theirs.schema {
        put(format!("schema of the run directory: {} against {}", ours.schema, theirs.schema));
        void.everything = true;
    }
    if ours.tokenizer != theirs.tokenizer {
        put(format!("tokenizer: `{}` against `{}`", ours.tokenizer, theirs.tokenizer));
        void.but_completion = true;
    }
    if ours.summarizer != theirs.summarizer {
        put(format!("summarizer: `{}` against `{}`", ours.summarizer, theirs.summarizer));
        void.everything = true;
    }
    for what in sessions(ours, theirs) {
        put(what);
        void.everything = true;
    }
    let gated: BTreeSet<MetricId> =
        policy.rules.iter().flat_map(|rule| rule.metrics.iter().copied()).collect();
    if ours.prices.digest != theirs.prices.digest {
        let priced: Vec<MetricId> = gated.iter().copied().filter(|id| id.is_priced()).collect();
        if !priced.is_empty() {
            let (one, two) = (&ours.prices, &theirs.prices);
            let (one, two) = ((&one.name, &one.digest), (&two.name, &two.digest));
            put(format!("price sheet: `{}` ({}) against `{}` ({})", one.0, one.1, two.0, two.1));
            void.metrics.extend(priced);
        }
    }
    for (id, version) in &theirs.metrics {
        if let Some(own) = ours.metrics.get(id).filter(|own| *own != version) {
            put(format!("metric version of `{id}`: {own} against {version}"));
            void.metrics.insert(*id);
        }
    }
    (findings, void)
}

/// Scenarios and sessions that say something else under the same name.
fn sessions(ours: &Inputs, theirs: &Inputs) -> Vec<String> {
    let mut found = Vec::new();
    for scenario in &theirs.scenarios {
        let own = ours.scenarios.iter().find(|own| own.name == scenario.name);
        if let Some(own) = own.filter(|own| own.digest != scenario.digest) {
            let (one, two) = (&own.digest, &scenario.digest);
            found.push(format!("scenario digest of `{}`: {one} against {two}", scenario.name));
        }
    }
    for session in &theirs.sessions {
        let same =
            |own: &&super::Session| own.scenario == session.scenario && own.seed == session.seed;
        let Some(own) = ours.sessions.iter().find(same) else { continue };
        let part = match (own.log != session.log, own.truth != session.truth) {
            (true, true) => "log and truth differ",
            (true, false) => "the log differs",
            (false, true) => "the truth differs",
            (false, false) => continue,
        };
        let name = format!("`{}` seed {}", session.scenario, session.seed);
        found.push(format!("session digest of {name}: {part}"));
    }
    found
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
        let before: BTreeMap<RowPlace, &Row> =
            baseline.rows.iter().map(|row| (row.place(), row)).collect();
        let mut fallen = Fallen::default();
        for row in &candidate.rows {
            let Some(own) = before.get(&row.place()) else { continue };
            let cells = fallen.cells.entry(group(row)).or_default();
            *cells.entry(row.scenario.clone()).or_default() += 1;
            let fell = (own.completed() && !row.completed()) || row.steps() < own.steps();
            if !fell && (row.completed() && !own.completed() || row.steps() > own.steps()) {
                let session = (row.scenario.clone(), row.seed);
                fallen.risen.entry(group(row)).or_default().insert(session);
            }
            if fell {
                let (steps, had) = (row.steps(), own.steps());
                let told = format!("{} ({steps} of {had} steps)", row.told());
                let cell = (row.scenario.clone(), told);
                fallen.groups.entry(group(row)).or_default().push(cell);
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

    pub(super) fn findings(&self) -> Vec<Finding> {
        let mut findings = self.worse();
        findings.extend(self.better());
        findings
    }

    /// Where sessions come farther and none ends earlier: better by the sign test, once
    /// there are enough of them.
    fn better(&self) -> impl Iterator<Item = Finding> + '_ {
        let risen = self.risen.keys().filter(|of| !self.groups.contains_key(*of));
        risen.map(|of| {
            let (risen, (_, all)) = (self.risen(of, None), self.count(of, None));
            let p = f64::powi(2.0, 1 - i32::try_from(risen).unwrap_or(i32::MAX));
            let verdict = if p <= LEVEL { Verdict::Improvement } else { Verdict::Pass };
            let reason = format!("{risen} of {all} sessions come farther than they did");
            let mut finding = Finding::new("completion-first", Kind::Always, verdict, reason);
            about(&mut finding, of);
            (finding.n, finding.p) = (all, Some(p));
            finding.test = Some("sign".to_owned());
            finding
        })
    }

    fn worse(&self) -> Vec<Finding> {
        let finding = |(of, cells): (&Group, &Vec<(String, String)>)| {
            let (_, all) = self.count(of, None);
            let reason = format!("{} of {all} sessions end earlier than they did", cells.len());
            let verdict = Verdict::CompletionFell;
            let mut finding = Finding::new("completion-first", Kind::Always, verdict, reason);
            about(&mut finding, of);
            finding.n = all;
            finding.with_cells(cells.iter().map(|(_, told)| told.clone()))
        };
        self.groups.iter().map(finding).collect()
    }
}
