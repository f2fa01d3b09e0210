//! Soft rules: no figure becomes worse than it was by more than a margin. Hard rules: bounds that
//! figures keep, whatever they were before, or those that they kept before (`held.rs`).

use super::always::Fallen;
use super::axis;
use super::baseline::{Baseline, Group, Row, pools};
use super::finding::{Finding, Kind};
use super::policy::{Demand, Hard, Of as Bound, Policy, Rule, Soft};
use super::verdict::Verdict;
use crate::compare::{
    Difference, Differing, Evidence, LEAST_SESSIONS, Pair, Paired, Shown, Stretch, adjust,
};
use crate::measure::{Metric, MetricId};
use crate::number::short;
use crate::prelude::*;
use crate::stats;
use crate::stats::estimate::Unit;

#[derive(Clone, Copy)]
pub(super) struct Sides<'a> {
    pub(super) baseline: &'a Baseline,
    pub(super) candidate: &'a Baseline,
    pub(super) fallen: &'a Fallen<'a>,
    pub(super) differences: &'a [Difference],
}

impl Sides<'_> {
    /// No figure is judged of sessions that are in part others.
    pub(super) fn is_void(&self, metric: MetricId) -> bool {
        self.differences.iter().any(|one| {
            let is_other = matches!(one.what, Differing::Scenario(_) | Differing::Session(..));
            is_other || one.what.touches(metric)
        })
    }
}

/// A finding, with its evidence and the cells that lack the figure where there is a test to make.
type Trial = (Finding, Option<(Evidence, usize)>);

pub(super) fn soft(sides: Sides, policy: &Policy, notes: &mut Vec<String>) -> Vec<Finding> {
    let before = sides.baseline.by_place();
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
                if sides.is_void(metric.id) {
                    void.insert(metric.id);
                    continue;
                }
                let of = Of { rule, soft, metric, group, sides, policy };
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
    concluded(trials, policy)
}

type Partners<'a> = (&'a Row, &'a Row);

#[derive(Clone, Copy)]
struct Of<'a> {
    rule: &'a Rule,
    soft: &'a Soft,
    metric: &'static Metric,
    group: Group<'a>,
    sides: Sides<'a>,
    policy: &'a Policy,
}

impl Of<'_> {
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
            return vec![(finding, None)];
        }
        let pools = pools(partners.iter().map(|(_, row)| *row)).into_iter();
        pools.map(|scenario| self.trial(partners, scenario)).collect()
    }

    fn finding(&self, scenario: Option<&str>) -> Finding {
        Finding::of_rule((self.rule, Kind::Soft), self.group, self.metric, scenario)
    }

    fn trial(&self, partners: &[Partners], scenario: Option<&str>) -> Trial {
        let own = partners.iter().filter(|(_, row)| scenario.is_none_or(|s| s == row.scenario));
        let (paired, missing) = self.paired(own.copied());
        let reach = self.sides.fallen.reach(self.group, scenario);
        let (fell, farther, all) = (reach.fell(), reach.farther, reach.all);
        // Too few are left only because the candidate brings more to their end.
        let outgrown =
            farther > 0 && all >= LEAST_SESSIONS && paired.differences.len() < LEAST_SESSIONS;
        let mut finding = self.finding(scenario);
        let evidence = self.evidence(&paired, &mut finding);
        finding.family = Some(match scenario {
            None => self.soft.family.clone(),
            Some(_) => format!("{}, by scenario", self.soft.family),
        });
        if fell > 0 {
            let reason = format!("not judged: {fell} of {all} sessions end earlier");
            finding.decide(Verdict::CompletionFell, reason, self.policy);
            return (finding, None);
        }
        if outgrown {
            finding.reason = format!("not judged: {farther} of {all} sessions come farther");
            finding.counts = false;
            return (finding, None);
        }
        if scenario.is_none() && self.metric.id == MetricId::RecallAtNeed {
            finding.stretch = self.stretch();
        }
        (finding, Some((evidence, missing)))
    }

    /// Of what is judged under the main summarizer; none where a rule names another.
    fn stretch(&self) -> Option<Stretch> {
        let (configuration, mode, summarizer) = self.group;
        let sides = [&*self.sides.candidate.axis, &*self.sides.baseline.axis];
        let level = self.policy.level(&self.soft.family);
        let stretch = || axis::stretch(sides, (configuration, mode), level);
        summarizer.is_empty().then(stretch).flatten()
    }

    /// The figure in the sessions that both took equally far, and how many cells lack one that the
    /// baseline has. How far sessions come is compared in all, and so is recall at need, which is
    /// charged with what was not reached.
    fn paired<'a>(&self, partners: impl Iterator<Item = Partners<'a>>) -> (Paired<'a>, usize) {
        let id = self.metric.id;
        let counts_all = id.is_completion() || id == MetricId::RecallAtNeed;
        let pairs: Vec<Pair> = partners
            .filter(|(own, row)| counts_all || own.steps() == row.steps())
            .map(|(own, row)| {
                let values = (own.figure(id), row.figure(id));
                ((row.scenario.as_str(), row.seed), values)
            })
            .collect();
        let missing = pairs.iter().filter(|(_, (own, new))| own.is_some() && new.is_none()).count();
        (Paired::of(pairs), missing)
    }

    fn evidence(&self, paired: &Paired, finding: &mut Finding) -> Evidence {
        let (differences, level) = (&paired.differences, self.policy.level(&self.soft.family));
        finding.n = differences.len();
        finding.baseline = stats::mean(&paired.baseline);
        finding.candidate = stats::mean(&paired.candidate);
        finding.difference = stats::mean(differences);
        let margin = self.soft.margin_at(finding.baseline.unwrap_or(0.0));
        (finding.margin, finding.level) = (Some(margin), Some(level));
        let terms = (margin, level);
        let evidence = Evidence::of(paired, self.metric.better, Unit::WithinScenarios, terms);
        finding.unit_drawn = evidence.estimate.map(|one| one.unit.name().to_owned());
        let interval = evidence.difference(self.metric.better);
        let interval = interval.filter(|_| evidence.alone.is_some());
        (finding.low, finding.high) = interval.map(|one| (one.low, one.high)).unzip();
        evidence
    }
}

/// Holm's procedure over each family, then the verdicts. Sessions without any difference are no
/// test of the family (Tarone, "A Modified Bonferroni Method for Discrete Data", 1990).
fn concluded(mut trials: Vec<Trial>, policy: &Policy) -> Vec<Finding> {
    let mut families: BTreeMap<Option<String>, Vec<&mut Evidence>> = BTreeMap::new();
    for (finding, trial) in &mut trials {
        if let Some((evidence, _)) = trial {
            families.entry(finding.family.clone()).or_default().push(evidence);
        }
    }
    families.into_values().for_each(|mut members| adjust(&mut members));
    let conclude = |(mut finding, evidence): Trial| {
        let Some((evidence, missing)) = evidence else { return finding };
        finding.p = evidence.alone.map(|chances| chances.equal);
        finding.p_holm = evidence.adjusted.map(|chances| chances.equal);
        finding.p_beyond = evidence.adjusted.map(|chances| chances.within);
        finding.p_not_worse = evidence.alone.map(|chances| chances.beyond);
        finding.detectable = evidence.detectable();
        finding.is_loss = evidence.shown(false).is_loss();
        let Decision { verdict, reason, needed } = decision(&evidence, missing);
        finding.sessions_needed = needed;
        finding.stretch.take_if(|_| verdict == Verdict::Undecided);
        finding.decide(verdict, reason, policy);
        let guards =
            policy.rules.iter().any(|rule| rule.name == finding.rule && rule.may_stay_open);
        // A guard speaks of losses: neither what stays open nor a gain of one of many kinds counts.
        let is_loss = !matches!(verdict, Verdict::Undecided | Verdict::Improvement);
        finding.counts &= is_loss || !guards;
        finding
    };
    trials.into_iter().map(conclude).collect()
}

#[derive(Clone, Debug, PartialEq)]
struct Decision {
    verdict: Verdict,
    reason: String,
    needed: Option<usize>,
}

/// What the evidence is worth; `missing` cells lack a figure that the baseline has.
fn decision(evidence: &Evidence, missing: usize) -> Decision {
    let decided = |verdict, reason: String| Decision { verdict, reason, needed: None };
    let open = |reason: String| decided(Verdict::Undecided, reason);
    let few = |reason: String| Decision { needed: evidence.needed(), ..open(reason) };
    let sessions = evidence.sessions;
    if sessions == 0 {
        return open("no session has the figure on both sides".to_owned());
    }
    let (size, margin) = (short(evidence.gain.abs()), short(evidence.margin));
    let shown = evidence.shown(false);
    if missing > 0 && shown != Shown::WorseBeyond {
        return open(format!("{missing} cells lack a figure that the baseline has"));
    }
    match shown {
        Shown::Identical => {
            decided(Verdict::PassIdentical, format!("no difference in any of {sessions} sessions"))
        }
        Shown::TooFew => few(format!("n too small: {sessions} of {LEAST_SESSIONS} sessions")),
        Shown::WorseBeyond => {
            decided(Verdict::Regression, format!("worse by {size}, beyond the margin of {margin}"))
        }
        Shown::Better => decided(Verdict::Improvement, format!("better by {size}")),
        Shown::WorseWithin => {
            decided(Verdict::Pass, format!("worse by {size}, within the margin of {margin}"))
        }
        Shown::NotWorse => {
            decided(Verdict::Pass, format!("not worse by more than the margin of {margin}"))
        }
        Shown::Worse => few(format!("worse by {size}; it may be more than the margin of {margin}")),
        Shown::Nothing => few(format!("a loss of more than {margin} is not excluded")),
    }
}

pub(super) fn hard(candidate: &Baseline, policy: &Policy) -> Vec<Finding> {
    let mut findings = Vec::new();
    for rule in &policy.rules {
        let Demand::Hard(hard) = &rule.demand else { continue };
        for (group, rows) in candidate.ruled(rule) {
            for metric in rule.metrics() {
                let measured: Vec<Measured> =
                    rows.iter().filter_map(|row| Some((*row, row.figure(metric.id)?))).collect();
                for scenario in pools(measured.iter().map(|(row, _)| *row)) {
                    let finding = Finding::of_rule((rule, Kind::Hard), group, metric, scenario);
                    let own = |row: &Row| scenario.is_none_or(|name| name == row.scenario);
                    let cells = measured.iter().copied().filter(|(row, _)| own(row));
                    findings.extend(bounded(finding, hard, &cells.collect::<Vec<_>>(), policy));
                }
            }
        }
    }
    findings
}

type Measured<'a> = (&'a Row, f64);

/// How far a figure lies outside its bounds; below 0 how near it comes to leaving them.
fn outside(hard: &Hard, value: f64) -> f64 {
    let above = hard.at_most.map_or(f64::NEG_INFINITY, |bound| value - bound);
    above.max(hard.at_least.map_or(f64::NEG_INFINITY, |bound| bound - value))
}

/// The finding with what the cells say; `None` where none has the figure.
fn bounded(
    mut finding: Finding,
    hard: &Hard,
    cells: &[Measured],
    policy: &Policy,
) -> Option<Finding> {
    let mut sessions: BTreeMap<(&str, u64), Vec<f64>> = BTreeMap::new();
    for (row, value) in cells {
        sessions.entry((&row.scenario, row.seed)).or_default().push(*value);
    }
    let means: Vec<f64> = sessions.values().filter_map(|values| stats::mean(values)).collect();
    let order = |one: f64, two: f64| outside(hard, one).total_cmp(&outside(hard, two));
    let figures = cells.iter().map(|(_, value)| *value);
    let value = match hard.of {
        Bound::Mean => stats::mean(&means)?,
        Bound::Cell => figures.max_by(|one, two| order(*one, *two))?,
    };
    let bounds = bounds(hard);
    let mut broken: Vec<Measured> =
        cells.iter().copied().filter(|(_, value)| outside(hard, *value) > 0.0).collect();
    broken.sort_by(|one, two| order(two.1, one.1));
    let holds = outside(hard, value) <= 0.0;
    let (shown, all) = (short(value), cells.len());
    let reason = match (hard.of, holds) {
        (Bound::Mean, true) => format!("the mean {shown} is {bounds}"),
        (Bound::Mean, false) => format!("the mean {shown} is not {bounds}"),
        (Bound::Cell, true) => format!("all {all} cells are {bounds}, the nearest {shown}"),
        (Bound::Cell, false) => {
            format!("{} of {all} cells are not {bounds}, the farthest {shown}", broken.len())
        }
    };
    let verdict = if holds { Verdict::Pass } else { Verdict::InvariantViolated };
    finding.decide(verdict, reason, policy);
    (finding.n, finding.candidate) = (sessions.len(), Some(value));
    (finding.at_most, finding.at_least) = (hard.at_most, hard.at_least);
    let cell = |(row, value): &Measured| format!("{} ({})", row.name(), short(*value));
    let named = if holds { &[] } else { &broken[..] };
    Some(finding.with_cells(named.iter().map(cell)))
}

fn bounds(hard: &Hard) -> String {
    let most = hard.at_most.map(|bound| format!("at most {}", short(bound)));
    let least = hard.at_least.map(|bound| format!("at least {}", short(bound)));
    let both: Vec<String> = least.into_iter().chain(most).collect();
    both.join(" and ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_verdict_has_its_evidence() {
        use Verdict::{Improvement, Pass, PassIdentical, Regression, Undecided};
        for (gain, noise, missing, verdict, says) in [
            (0.0, 0.01, 0, Pass, "not worse by more than the margin of 0.05"),
            (0.0, 0.0, 0, PassIdentical, "any of 12 sessions"),
            (-0.2, 0.01, 0, Regression, "worse by 0.2, beyond the margin of 0.05"),
            // A loss of the same size everywhere.
            (-0.2, 0.0, 0, Regression, "worse by 0.2"),
            (0.2, 0.01, 0, Improvement, "better by 0.2"),
            // A loss within the margin passes and is said, a gain needs no margin.
            (-0.03, 0.01, 0, Pass, "worse by 0.03, within the margin"),
            (0.04, 0.01, 0, Improvement, "better by 0.04"),
            // A loss of about the margin is neither.
            (-0.05, 0.01, 0, Undecided, "may be more than the margin of 0.05"),
            (-0.2, 1.0, 0, Undecided, "a loss of more than 0.05 is not excluded"),
            (0.0, 0.2, 0, Undecided, "is not excluded"),
            // A figure that is gone cannot be said to be as good.
            (0.2, 0.01, 1, Undecided, "lack a figure"),
            (0.0, 0.0, 1, Undecided, "lack"),
            (-0.2, 0.01, 1, Regression, "worse"),
        ] {
            let decision = decision(&Evidence::seen(gain, noise), missing);
            assert_eq!(decision.verdict, verdict, "{gain} {noise}: {}", decision.reason);
            assert!(decision.reason.contains(says), "{} has no `{says}`", decision.reason);
        }
        let few = Evidence { sessions: 7, alone: None, ..Evidence::seen(-0.2, 0.01) };
        assert!(decision(&few, 0).reason.contains("n too small: 7 of 8"));
        let none = Evidence { sessions: 0, ..Evidence::seen(0.0, 0.0) };
        assert!(decision(&none, 0).reason.contains("on both sides"));
    }

    #[test]
    fn what_is_open_says_how_many_sessions_would_decide() {
        let needed = decision(&Evidence::seen(0.0, 0.2), 0).needed.expect("some number would do");
        assert!(needed > 12 && needed < 300, "{needed}");
    }
}
