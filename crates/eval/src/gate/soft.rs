//! Soft rules: no figure becomes worse than it was by more than a margin.

use std::collections::{BTreeMap, BTreeSet};

use super::always::{Fallen, is_void};
use super::baseline::{Baseline, Group, Place, Row};
use super::decide::{Decision, decision};
use super::finding::{Finding, Kind};
use super::policy::{Demand, Policy, Rule, Soft};
use super::verdict::Verdict;
use crate::compare::{Difference, Evidence, LEAST_SESSIONS, Paired, Pairing, Pooling};
use crate::ident::Seed;
use crate::measure::{Metric, MetricId};
use crate::stats;
use crate::stats::multiplicity::holm;
use crate::stats::resample::Resampling;

/// Resamples of every interval.
const RESAMPLES: u32 = 5_000;

/// What is compared.
#[derive(Clone, Copy)]
pub(super) struct Sides<'a> {
    pub(super) baseline: &'a Baseline,
    pub(super) candidate: &'a Baseline,
    pub(super) fallen: &'a Fallen,
    pub(super) differences: &'a [Difference],
}

/// A finding on its way: what it rests on, before the whole family is known.
struct Trial {
    finding: Finding,
    /// With the cells that lack the figure; absent where there is nothing to test: the
    /// finding is as it is.
    evidence: Option<(Evidence, usize)>,
    family: String,
}

/// All findings of all soft rules.
pub(super) fn findings(sides: Sides, policy: &Policy, notes: &mut Vec<String>) -> Vec<Finding> {
    let before: BTreeMap<Place, &Row> = sides.baseline.by_place();
    let known: BTreeSet<Group> = sides.baseline.rows.iter().map(Row::group).collect();
    let mut trials = Vec::new();
    let (mut void, mut alone) = (BTreeSet::new(), BTreeSet::new());
    for rule in &policy.rules {
        let Demand::Soft(soft) = &rule.demand else { continue };
        for (group, rows) in sides.candidate.ruled(rule) {
            let partners: Vec<Partners> =
                rows.iter().filter_map(|row| Some((*before.get(&row.place())?, *row))).collect();
            if known.contains(&group) {
                let without = rows.iter().filter(|row| !before.contains_key(&row.place()));
                alone.extend(without.map(|row| row.place()));
            }
            for metric in rule.metrics() {
                if is_void(sides.differences, metric.id) {
                    void.insert(metric.id);
                    continue;
                }
                let of = Of { rule, soft, metric, group: &group, sides, policy };
                trials.extend(of.trials(&rows, &partners));
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

/// A row of the baseline and the candidate's of the same place.
type Partners<'a> = (&'a Row, &'a Row);

/// A rule over one metric of one configuration.
#[derive(Clone, Copy)]
struct Of<'a> {
    rule: &'a Rule,
    soft: &'a Soft,
    metric: &'static Metric,
    group: &'a Group,
    sides: Sides<'a>,
    policy: &'a Policy,
}

impl Of<'_> {
    /// One trial over all scenarios, and one on each where there are several.
    fn trials(&self, rows: &[&Row], partners: &[Partners]) -> Vec<Trial> {
        let id = self.metric.id;
        let measured = rows.iter().any(|row| row.figures.contains_key(&id))
            || partners.iter().any(|(own, _)| own.figures.contains_key(&id));
        if !measured {
            return Vec::new();
        }
        let is_held = self.sides.baseline.inputs.metrics.contains_key(&id);
        if partners.is_empty() || !is_held {
            let what = if is_held { "this configuration" } else { "this metric" };
            let reason = format!("the baseline does not hold {what}");
            let mut finding = self.finding(None);
            finding.decide(Verdict::NoBaseline, reason, self.policy);
            finding.n = rows.len();
            return vec![Trial { finding, evidence: None, family: String::new() }];
        }
        let scenarios: BTreeSet<&str> =
            partners.iter().map(|(_, row)| row.scenario.as_str()).collect();
        let each = scenarios.iter().copied().map(Some).filter(|_| scenarios.len() > 1);
        [None].into_iter().chain(each).map(|scenario| self.trial(partners, scenario)).collect()
    }

    fn finding(&self, scenario: Option<&str>) -> Finding {
        Finding::of_rule((self.rule, Kind::Soft), self.group, self.metric, scenario)
    }

    fn trial(&self, partners: &[Partners], scenario: Option<&str>) -> Trial {
        let own = partners.iter().filter(|(_, row)| scenario.is_none_or(|s| s == row.scenario));
        let (mut paired, mut missing) = self.paired(own.clone().copied(), false);
        let fallen = self.sides.fallen;
        let (fell, all) = fallen.count(self.group, scenario);
        let risen = fallen.risen(self.group, scenario);
        // Too few are left only because the candidate brings more to their end.
        let outgrown =
            risen > 0 && all >= LEAST_SESSIONS && paired.differences.len() < LEAST_SESSIONS;
        // A session that ends early is charged with what it did not reach: then the figures
        // of sessions of any length can be compared.
        let counts_what_is_not_reached = self.metric.id == MetricId::RecallAtNeed;
        if outgrown && counts_what_is_not_reached {
            (paired, missing) = self.paired(own.copied(), true);
        }
        let mut finding = self.finding(scenario);
        let evidence = self.evidence(&paired, &mut finding);
        let family = match scenario {
            None => self.soft.family.clone(),
            Some(_) => format!("{}, by scenario", self.soft.family),
        };
        finding.family = Some(family.clone());
        if fell > 0 {
            let reason = format!("not judged: {fell} of {all} sessions end earlier");
            finding.decide(Verdict::CompletionFell, reason, self.policy);
            return Trial { finding, evidence: None, family };
        }
        if outgrown && !counts_what_is_not_reached {
            finding.reason = format!("not judged: {risen} of {all} sessions come farther");
            finding.counts = false;
            return Trial { finding, evidence: None, family };
        }
        Trial { finding, evidence: Some((evidence, missing)), family }
    }

    /// The figure of both sides in the sessions that both took equally far, and how many
    /// cells lack a figure that the baseline has. How far sessions come is itself
    /// compared in all, as is on demand what has sense at any length.
    fn paired<'a>(
        &self,
        partners: impl Iterator<Item = Partners<'a>>,
        of_any_length: bool,
    ) -> (Paired<'a>, usize) {
        let compares_all = of_any_length || self.metric.id.is_completion();
        let (mut pairing, mut missing) = (Pairing::default(), 0);
        for (own, row) in partners.filter(|(own, row)| compares_all || own.steps() == row.steps()) {
            let values = (own.figure(self.metric.id), row.figure(self.metric.id));
            missing += usize::from(values.0.is_some() && values.1.is_none());
            pairing.put((&row.scenario, row.seed), values);
        }
        (pairing.finish(), missing)
    }

    /// What a pairing is worth, noted in the finding.
    fn evidence(&self, paired: &Paired, finding: &mut Finding) -> Evidence {
        let (differences, level) = (&paired.differences, self.policy.level(&self.soft.family));
        finding.n = differences.len();
        finding.baseline = stats::mean(&paired.baseline);
        finding.candidate = stats::mean(&paired.candidate);
        finding.difference = stats::mean(differences);
        let margin = self.soft.margin_at(finding.baseline.unwrap_or(0.0));
        (finding.margin, finding.level) = (Some(margin), Some(level));
        let mut interval = None;
        let differs = differences.iter().any(|difference| *difference != 0.0);
        if differs && differences.len() >= LEAST_SESSIONS {
            // Draws come from names alone.
            let Group { configuration, mode, summarizer } = self.group;
            let scenario = finding.scenario.as_deref().unwrap_or("");
            let names = [configuration, mode, summarizer, self.metric.name, scenario];
            let seed = Seed(0).derive(&["gate"]).derive(&names);
            let resampling = Resampling { seed, resamples: RESAMPLES, level: 1.0 - level };
            interval = paired.interval(Pooling::Stratified, resampling).0;
            let (test, p) = paired.test(seed);
            (finding.test, finding.p) = (Some(test.to_owned()), p);
        }
        (finding.low, finding.high) = interval.map(|one| (one.low, one.high)).unzip();
        Evidence::of(paired, self.metric.better, interval, (margin, level))
    }
}

/// Holm's procedure over each family, then the verdicts, which rest on it. Sessions
/// without any difference can find nothing whatever their signs, so they are no test of
/// the family (Tarone, "A Modified Bonferroni Method for Discrete Data", 1990).
fn concluded(trials: Vec<Trial>, policy: &Policy, notes: &mut Vec<String>) -> Vec<Finding> {
    let mut families: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for trial in trials.iter().filter(|trial| trial.evidence.is_some()) {
        families.entry(trial.family.clone()).or_default().extend(trial.finding.p);
    }
    for (family, tests) in families.iter().filter(|(_, tests)| !tests.is_empty()) {
        let tests = tests.len();
        notes.push(format!("Holm's procedure over {tests} tests of the family `{family}`"));
    }
    let adjusted = |tests: &Vec<f64>| holm(tests).unwrap_or_default().into_iter();
    let mut adjusted: BTreeMap<&String, _> =
        families.iter().map(|(family, tests)| (family, adjusted(tests))).collect();
    let conclude = |trial: Trial| {
        let Trial { mut finding, evidence, family } = trial;
        let Some((evidence, missing)) = evidence else { return finding };
        finding.p_holm = finding.p.and_then(|_| adjusted.get_mut(&family)?.next());
        let tests = families.get(&family).map_or(0, Vec::len).max(1);
        let evidence = Evidence { p_holm: finding.p_holm, tests, ..evidence };
        finding.detectable = evidence.detectable();
        let Decision { verdict, reason, needed } = decision(&evidence, missing);
        finding.sessions_needed = needed;
        finding.decide(verdict, reason, policy);
        finding
    };
    trials.into_iter().map(conclude).collect()
}
