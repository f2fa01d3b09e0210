//! Soft rules: no figure becomes worse than it was by more than a margin.

use crate::measure::MetricId;
use std::collections::{BTreeMap, BTreeSet};

use super::always::{Fallen, Group, Void, about, group};
use super::baseline::{Baseline, Place, Row, takes};
use super::counts;
use super::decide::{Decision, Evidence};
use super::finding::{Finding, Kind};
use super::policy::{Demand, Policy, Rule, Soft};
use super::verdict::Verdict;
use crate::compare::{LEAST_SESSIONS, Paired, Pairing, Pooling};
use crate::ident::Seed;
use crate::measure::table::{Direction, Metric};
use crate::stats;
use crate::stats::multiplicity::holm;
use crate::stats::paired::standard_deviation;
use crate::stats::resample::{Interval, Resampling};

/// Resamples of every interval.
const RESAMPLES: u32 = 5_000;

/// What is compared.
#[derive(Clone, Copy)]
pub(super) struct Sides<'a> {
    pub(super) baseline: &'a Baseline,
    pub(super) candidate: &'a Baseline,
    pub(super) fallen: &'a Fallen,
    pub(super) void: &'a Void,
}

/// A finding on its way: what it rests on, before the whole family is known.
struct Trial {
    finding: Finding,
    /// Absent where there is nothing to test: the finding is as it is.
    evidence: Option<Evidence>,
    family: String,
}

/// All findings of all soft rules.
pub(super) fn findings(sides: &Sides, policy: &Policy, notes: &mut Vec<String>) -> Vec<Finding> {
    let before: BTreeMap<Place, &Row> =
        sides.baseline.rows.iter().map(|row| (row.place(), row)).collect();
    let known: BTreeSet<Group> = sides.baseline.rows.iter().map(group).collect();
    let mut trials = Vec::new();
    let (mut void, mut alone) = (BTreeSet::new(), BTreeSet::new());
    for rule in &policy.rules {
        let Demand::Soft(soft) = &rule.demand else { continue };
        let mut groups: BTreeMap<Group, Vec<&Row>> = BTreeMap::new();
        for row in sides.candidate.rows.iter().filter(|row| takes(rule, row)) {
            groups.entry(group(row)).or_default().push(row);
        }
        for (of, rows) in &groups {
            let partners: Vec<(&Row, &Row)> =
                rows.iter().filter_map(|row| Some((*before.get(&row.place())?, *row))).collect();
            let is_known = known.contains(of);
            let without = rows.iter().filter(|row| is_known && !before.contains_key(&row.place()));
            alone.extend(without.map(|row| row.told()));
            for metric in rule.metrics() {
                if sides.void.holds(metric.id) {
                    void.insert(metric.id);
                    continue;
                }
                let of = Of { rule, soft, metric, group: of };
                trials.extend(of.trials(sides, rows, &partners, policy));
            }
        }
    }
    if !void.is_empty() {
        let list: Vec<&str> = void.into_iter().map(MetricId::name).collect();
        notes.push(format!("not compared, because inputs differ: {}", list.join(", ")));
    }
    if !alone.is_empty() {
        let rule = "are of sessions that the baseline does not hold, and are not judged";
        notes.push(format!("{} cells {rule}", alone.len()));
    }
    concluded(trials, policy, notes)
}

/// A rule over one metric of one configuration.
#[derive(Clone, Copy)]
struct Of<'a> {
    rule: &'a Rule,
    soft: &'a Soft,
    metric: &'static Metric,
    group: &'a Group,
}

impl Of<'_> {
    /// One trial over all scenarios, and one on each where there are several.
    fn trials(
        &self,
        sides: &Sides,
        rows: &[&Row],
        partners: &[(&Row, &Row)],
        policy: &Policy,
    ) -> Vec<Trial> {
        let id = self.metric.id;
        let measured = rows.iter().any(|row| row.figures.contains_key(&id))
            || partners.iter().any(|(own, _)| own.figures.contains_key(&id));
        if !measured {
            return Vec::new();
        }
        let is_held = sides.baseline.inputs.metrics.contains_key(&id);
        if partners.is_empty() || !is_held {
            let what = if is_held { "this configuration" } else { "this metric" };
            let reason = format!("the baseline does not hold {what}");
            let mut finding = self.finding(Verdict::NoBaseline, reason, None);
            finding.n = rows.len();
            return vec![Trial { finding, evidence: None, family: String::new() }];
        }
        let scenarios: BTreeSet<&str> =
            partners.iter().map(|(_, row)| row.scenario.as_str()).collect();
        let each = scenarios.iter().copied().map(Some).filter(|_| scenarios.len() > 1);
        let wanted = [None].into_iter().chain(each);
        wanted.map(|scenario| self.trial(sides, partners, scenario, policy)).collect()
    }

    fn finding(&self, verdict: Verdict, reason: String, scenario: Option<&str>) -> Finding {
        let mut finding = Finding::new(&self.rule.name, Kind::Soft, verdict, reason);
        about(&mut finding, self.group);
        finding.metric = Some(self.metric.id);
        finding.unit = Some(self.metric.unit.to_owned());
        finding.better = Some(self.metric.better.name().to_owned());
        finding.scenario = scenario.map(str::to_owned);
        finding
    }

    fn trial(
        &self,
        sides: &Sides,
        partners: &[(&Row, &Row)],
        scenario: Option<&str>,
        policy: &Policy,
    ) -> Trial {
        let own = partners.iter().filter(|(_, row)| scenario.is_none_or(|s| s == row.scenario));
        let (mut paired, mut missing) = self.paired(own.clone().copied(), false);
        let (fell, all) = sides.fallen.count(self.group, scenario);
        let risen = sides.fallen.risen(self.group, scenario);
        // Too few are left only because the candidate brings more to their end.
        let outgrown =
            risen > 0 && all >= LEAST_SESSIONS && paired.differences().len() < LEAST_SESSIONS;
        if outgrown && self.counts_what_is_not_reached() {
            (paired, missing) = self.paired(own.copied(), true);
        }
        let level = policy.level(&self.soft.family);
        let mut finding = self.finding(Verdict::Inconclusive, String::new(), scenario);
        let seed = self.seed(scenario.unwrap_or(""));
        let evidence = self.evidence(&paired, missing, level, seed, &mut finding);
        let family = match scenario {
            None => self.soft.family.clone(),
            Some(_) => format!("{}, by scenario", self.soft.family),
        };
        (finding.family, finding.level) = (Some(family.clone()), Some(level));
        if fell > 0 {
            let reason = format!("not judged: {fell} of {all} sessions end earlier");
            (finding.verdict, finding.reason) = (Verdict::CompletionFell, reason);
            finding.counts = scenario.is_none() || counts(finding.verdict, policy);
            return Trial { finding, evidence: None, family };
        }
        if outgrown && !self.counts_what_is_not_reached() {
            finding.reason = format!("not judged: {risen} of {all} sessions come farther");
            finding.counts = false;
            return Trial { finding, evidence: None, family };
        }
        Trial { finding, evidence: Some(evidence), family }
    }

    /// Whether a session that ends early is charged with what it did not reach: then the
    /// figures of sessions of any length can be compared.
    fn counts_what_is_not_reached(&self) -> bool {
        self.metric.id == MetricId::RecallAtNeed
    }

    /// The figure of both sides in the sessions that both took equally far, and how many
    /// cells lack a figure that the baseline has. How far sessions come is itself
    /// compared in all, as is on demand what has sense at any length.
    fn paired<'a>(
        &self,
        partners: impl Iterator<Item = (&'a Row, &'a Row)>,
        of_any_length: bool,
    ) -> (Paired<'a>, usize) {
        let about_completion = self.metric.id.is_completion();
        let (mut pairing, mut missing) = (Pairing::default(), 0);
        for (own, row) in partners {
            if !about_completion && !of_any_length && own.steps() != row.steps() {
                continue;
            }
            let values = (own.figure(self.metric.id), row.figure(self.metric.id));
            missing += usize::from(values.0.is_some() && values.1.is_none());
            pairing.put((&row.scenario, row.seed), values);
        }
        (pairing.finish(), missing)
    }

    /// Draws come from names alone.
    fn seed(&self, scenario: &str) -> Seed {
        let (configuration, mode, summarizer) = self.group;
        let names = [configuration, mode, summarizer, self.metric.name, scenario];
        Seed(0).derive(&["gate"]).derive(&names)
    }

    fn evidence(
        &self,
        paired: &Paired,
        missing: usize,
        level: f64,
        seed: Seed,
        finding: &mut Finding,
    ) -> Evidence {
        let differences = paired.differences();
        let resampling = Resampling { seed, resamples: RESAMPLES, level: 1.0 - level };
        let identical = differences.iter().all(|difference| *difference == 0.0);
        let is_enough = differences.len() >= LEAST_SESSIONS && !identical;
        let interval =
            is_enough.then(|| paired.interval(Pooling::Stratified, resampling).0).flatten();
        let turn = if self.metric.better == Direction::Lower { -1.0 } else { 1.0 };
        finding.n = differences.len();
        finding.baseline = stats::mean(paired.baseline());
        finding.candidate = stats::mean(paired.candidate());
        finding.difference = stats::mean(differences);
        (finding.low, finding.high) = (interval.map(|one| one.low), interval.map(|one| one.high));
        let margin = self.soft.margin_at(finding.baseline.unwrap_or(0.0));
        finding.margin = Some(margin);
        if is_enough {
            let (test, p) = paired.test(seed);
            (finding.test, finding.p) = (Some(test.to_owned()), p);
        }
        Evidence {
            sessions: differences.len(),
            missing,
            identical,
            gain: turn * finding.difference.unwrap_or(0.0),
            interval: interval.map(|one| match turn < 0.0 {
                true => Interval { low: -one.high, high: -one.low },
                false => one,
            }),
            deviation: standard_deviation(differences).unwrap_or(f64::NAN),
            p_holm: None,
            level,
            tests: 1,
            margin,
        }
    }
}

/// Holm's procedure over each family, then the verdicts, which rest on it. Sessions
/// without any difference can find nothing whatever their signs, so they are no test of
/// the family (Tarone, "A Modified Bonferroni Method for Discrete Data", 1990).
fn concluded(trials: Vec<Trial>, policy: &Policy, notes: &mut Vec<String>) -> Vec<Finding> {
    let mut families: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for trial in trials.iter().filter(|trial| trial.evidence.is_some()) {
        let tests = families.entry(&trial.family).or_default();
        tests.extend(trial.finding.p);
    }
    let sizes: BTreeMap<String, usize> =
        families.iter().map(|(name, tests)| ((*name).to_owned(), tests.len())).collect();
    let mut adjusted: BTreeMap<String, std::vec::IntoIter<f64>> = families
        .iter()
        .map(|(name, tests)| ((*name).to_owned(), holm(tests).unwrap_or_default().into_iter()))
        .collect();
    for (family, tests) in sizes.iter().filter(|(_, tests)| **tests > 0) {
        notes.push(format!("Holm's procedure over {tests} tests of the family `{family}`"));
    }
    let conclude = |trial: Trial| {
        let Trial { mut finding, evidence, family } = trial;
        let Some(evidence) = evidence else { return finding };
        finding.p_holm = finding.p.and_then(|_| adjusted.get_mut(&family)?.next());
        let tests = sizes.get(&family).copied().unwrap_or(0).max(1);
        let evidence = Evidence { p_holm: finding.p_holm, tests, ..evidence };
        finding.detectable = evidence.detectable();
        let Decision { verdict, reason, needed } = evidence.decision();
        (finding.verdict, finding.reason, finding.sessions_needed) = (verdict, reason, needed);
        finding.counts = finding.scenario.is_none() || counts(verdict, policy);
        finding
    };
    trials.into_iter().map(conclude).collect()
}
