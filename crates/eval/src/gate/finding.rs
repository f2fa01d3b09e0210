//! What a gate finds, in a form that is published: `proctor schema gate`.

use std::cmp::Reverse;

use schemars::JsonSchema;

use super::baseline::Group;
use super::changes::Change;
use super::detail::{Acceptance, Blame, Detail, Place};
use super::moved::MovedFacts;
use super::policy::{Policy, Response, Rule};
use super::verdict::Verdict;
use crate::compare::Stretch;
use crate::drive::Mode;
use crate::error::ExitCode;
use crate::measure::{Metric, MetricId};
use crate::prelude::*;
use crate::unit::nine;

pub(super) const JUDGEMENT_FORMAT: u32 = 3;

/// The outcome of a gate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Judgement {
    /// Version of this format.
    pub format: u32,
    /// The worst verdict among the findings that count.
    pub verdict: Verdict,
    /// Whether what would fail the gate was let through: undecided findings, or
    /// configurations without a baseline, that the policy only warns of.
    pub warned: bool,
    /// What an undecided finding leads to.
    pub undecided: Response,
    /// What a configuration leads to that the baseline does not hold.
    pub no_baseline: Response,
    /// Exit code of the process: 0 for what passes and for what is only warned of.
    pub exit_code: u8,
    /// The policy.
    pub policy: Named,
    /// The run that is judged.
    pub run: JudgedRun,
    /// What it is compared with; absent where there is nothing.
    pub baseline: Option<JudgedRun>,
    /// Findings that count, by verdict.
    pub counts: BTreeMap<String, usize>,
    /// Everything that was found, the worst first.
    pub findings: Vec<Finding>,
    /// What was left out, and why.
    pub notes: Vec<String>,
    /// The keys that the candidate's file changes, where both sides are pipelines.
    pub changed: Vec<Change>,
    /// The facts that the change won and lost, where both sides are pipelines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub facts: Option<MovedFacts>,
    /// These undone one by one, where that was asked for.
    pub blame: Option<Blame>,
    /// The losses that the candidate's file accepts, with what came of each.
    pub accepts: Vec<Acceptance>,
    /// What to do next: commands that can be run as they stand.
    pub next: Vec<String>,
}

/// A name with the digest of what it stands for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Named {
    /// The name.
    pub name: String,
    /// The digest.
    pub digest: String,
}

/// A run, by where its figures come from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JudgedRun {
    /// Suite with its digest; empty where the run was not finished.
    pub suite: String,
    /// Digest of the manifest; empty where the run was not finished.
    pub run: String,
    /// Version of `proctor`.
    pub tool: String,
    /// Who blessed it, when and why; absent where nobody did.
    pub blessed: Option<String>,
}

/// What asks for a finding.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// What holds whatever the policy says: the run is whole, both sides measured the
    /// same thing, no session ends earlier.
    #[default]
    Always,
    /// A hard rule.
    Hard,
    /// A soft rule.
    Soft,
}

/// One rule, metric and configuration; over all scenarios, or on one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Finding {
    /// The rule's name; for what always holds `complete-run`, `same-inputs`, `baseline`
    /// or `completion-first`.
    pub rule: String,
    /// What asks for it.
    pub kind: Kind,
    /// What is said.
    pub verdict: Verdict,
    /// Whether it counts for the whole; what does not is shown.
    pub counts: bool,
    /// Metric, unit and which way is better; absent of the run as a whole.
    #[schemars(with = "Option<String>")]
    pub metric: Option<MetricId>,
    pub(super) unit: Option<String>,
    pub(super) better: Option<String>,
    /// Configuration; absent of the run as a whole.
    pub configuration: Option<String>,
    /// Mode.
    pub mode: Option<String>,
    /// Summarizer; absent for the run's main one.
    pub summarizer: Option<String>,
    /// The scenario; absent where it is about all of them.
    pub scenario: Option<String>,
    /// Sessions behind it.
    pub n: usize,
    /// Mean over these sessions; of a hard rule over cells the figure that is farthest out.
    pub baseline: Option<f64>,
    /// The candidate's.
    pub candidate: Option<f64>,
    /// Mean of candidate − baseline.
    pub difference: Option<f64>,
    /// Its interval: each end is a one-sided test at the family's level.
    pub low: Option<f64>,
    pub(super) high: Option<f64>,
    /// Loss that does not matter, in the metric's unit.
    pub margin: Option<f64>,
    /// Bounds of a hard rule.
    pub at_most: Option<f64>,
    pub(super) at_least: Option<f64>,
    /// What was drawn: of the interval, of each p and of what would be found.
    pub unit_drawn: Option<String>,
    /// Chance of what was seen if nothing differs, and that after Holm's procedure over the family.
    pub(super) p: Option<f64>,
    pub(super) p_holm: Option<f64>,
    /// The same if the loss is within the margin (after Holm), and if it is beyond.
    pub(super) p_beyond: Option<f64>,
    pub(super) p_not_worse: Option<f64>,
    /// Whether a loss of some size is shown.
    pub is_loss: bool,
    /// The family and its level.
    pub family: Option<String>,
    pub(super) level: Option<f64>,
    /// Least loss that these sessions would show beyond the margin with a power of 0.9, at Holm's
    /// strictest step.
    pub detectable: Option<f64>,
    /// Sessions that would decide if the mean stays as it is, where it is undecided and some
    /// number would do.
    pub sessions_needed: Option<usize>,
    /// How the verdict came about, in a sentence.
    pub reason: String,
    /// Cells behind a verdict that does not pass, the first ten.
    pub cells: Vec<String>,
    /// How many there are.
    pub cell_count: usize,
    /// Where the cause can be changed: a pipeline file, or the rule in the policy.
    pub place: Option<Place>,
    /// Whether the pipeline's file accepts the loss, so that it passes.
    pub accepted: bool,
    /// Where the loss is largest, and one case of it.
    pub detail: Option<Detail>,
    /// Over which summarizers the order of recall holds; absent of other figures, of what is
    /// undecided and where both sides were not driven on the axis of summarizers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stretch: Option<Stretch>,
}

const MOST_CELLS: usize = 10;

impl Finding {
    /// Its metric, or its rule where it is about none.
    pub fn about(&self) -> &str {
        self.metric.map(MetricId::name).unwrap_or(&self.rule)
    }

    pub(super) fn always(rule: &str, verdict: Verdict, reason: String) -> Finding {
        Finding { rule: rule.to_owned(), verdict, counts: true, reason, ..Finding::default() }
    }

    /// Of a rule over a metric of a configuration, over all scenarios or on one.
    pub(super) fn of_rule(
        (rule, kind): (&Rule, Kind),
        group: Group,
        metric: &Metric,
        scenario: Option<&str>,
    ) -> Finding {
        Finding {
            kind,
            metric: Some(metric.id),
            unit: Some(metric.unit.to_owned()),
            better: Some(metric.better.name().to_owned()),
            scenario: scenario.map(str::to_owned),
            ..Finding::always(&rule.name, Verdict::default(), String::new()).about_group(group)
        }
    }

    pub(super) fn about_group(mut self, (configuration, mode, summarizer): Group) -> Finding {
        self.configuration = Some(configuration.to_owned());
        self.mode = Some(mode.to_owned());
        self.summarizer = Some(summarizer.to_owned()).filter(|name| !name.is_empty());
        self
    }

    /// Sets its verdict; on a single scenario the policy says whether that counts.
    pub(super) fn decide(&mut self, verdict: Verdict, reason: String, policy: &Policy) {
        (self.verdict, self.reason) = (verdict, reason);
        self.counts = self.scenario.is_none() || policy.per_scenario.counts(verdict);
    }

    /// What fails before what passes, the worst first; then in the order of the policy's rules.
    fn order(&self) -> impl Ord + use<> {
        (self.verdict.passes() || !self.counts, Reverse(self.verdict), self.kind)
    }

    /// Figures as every file has them: nine significant digits.
    fn round(&mut self) {
        let figures = [
            &mut self.baseline,
            &mut self.candidate,
            &mut self.difference,
            &mut self.low,
            &mut self.high,
            &mut self.margin,
            &mut self.p,
            &mut self.p_holm,
            &mut self.p_beyond,
            &mut self.p_not_worse,
            &mut self.detectable,
        ];
        for figure in figures {
            *figure = figure.filter(|value| value.is_finite()).map(nine);
        }
    }

    pub(super) fn with_cells(mut self, cells: impl IntoIterator<Item = String>) -> Finding {
        let cells: Vec<String> = cells.into_iter().collect();
        self.cell_count = cells.len();
        self.cells = cells.into_iter().take(MOST_CELLS).collect();
        self
    }

    /// Configuration with its mode and summarizer where these are not the usual ones.
    pub fn subject(&self) -> String {
        let subject = self.configuration.as_deref().unwrap_or("the run");
        let mode = self.mode.as_deref().filter(|mode| *mode != Mode::Deployed.name());
        let beside: Vec<&str> = mode.into_iter().chain(self.summarizer.as_deref()).collect();
        match beside.is_empty() {
            true => subject.to_owned(),
            false => format!("{subject} ({})", beside.join(", ")),
        }
    }

    /// Whether it is about the same rule, metric, configuration and scenario.
    pub fn is_same(&self, other: &Finding) -> bool {
        let names = |one: &Finding| {
            (one.rule.clone(), one.metric, one.subject(), one.scenario.clone(), one.kind)
        };
        names(self) == names(other)
    }

    /// Whether it shows that something became better.
    pub fn is_gain(&self) -> bool {
        self.verdict == Verdict::Improvement
    }

    /// Whether it fails the gate or would, were it not for the policy.
    pub fn fails(&self) -> bool {
        self.counts && !self.verdict.passes()
    }
}

impl Judgement {
    /// The exit code, with codes of their own for a pass without any difference and an improvement.
    pub fn strict_exit_code(&self) -> u8 {
        if self.verdict.passes() { self.verdict.code() } else { self.exit_code }
    }

    /// Names the file in which the configuration can be changed, in place of the policy.
    pub fn locate(&mut self, configuration: &str, place: &Place) {
        let own = |one: &&mut Finding| one.configuration.as_deref() == Some(configuration);
        self.findings.iter_mut().filter(own).for_each(|one| one.place = Some(place.clone()));
    }

    /// What a verdict that does not pass leads to.
    pub(super) fn response(&self, verdict: Verdict) -> Response {
        match verdict {
            Verdict::Undecided => self.undecided,
            Verdict::NoBaseline => self.no_baseline,
            _ => Response::Fail,
        }
    }

    /// Sets the order of findings, their counts, the verdict and its exit code.
    pub(super) fn settle(&mut self) {
        self.findings.iter_mut().for_each(Finding::round);
        self.findings.sort_by_cached_key(Finding::order);
        self.counts.clear();
        let counting: Vec<&Finding> = self.findings.iter().filter(|one| one.counts).collect();
        for finding in &counting {
            *self.counts.entry(finding.verdict.key()).or_default() += 1;
        }
        let failing = || counting.iter().map(|one| one.verdict).filter(|one| !one.passes());
        let is_blocking = |verdict: &Verdict| self.response(*verdict) == Response::Fail;
        let blocking = failing().filter(is_blocking).max();
        let is_identical =
            |one: &&Finding| one.verdict == Verdict::PassIdentical || one.kind == Kind::Hard;
        // A guard that stays open does not count, and yet something differs.
        let pooled = || self.findings.iter().filter(|one| one.counts || one.scenario.is_none());
        let gains = counting.iter().any(|one| one.verdict == Verdict::Improvement);
        let compared = self.findings.iter().any(|one| one.kind == Kind::Soft);
        // What only warns may stand before what fails; the whole is what fails.
        let verdict = match blocking.or_else(|| failing().max()) {
            Some(worst) => worst,
            None if gains && !pooled().any(|one| one.is_loss) => Verdict::Improvement,
            None if compared && pooled().all(|one| is_identical(&one)) => Verdict::PassIdentical,
            None => Verdict::Pass,
        };
        self.warned = blocking.is_none() && !verdict.passes();
        self.exit_code = blocking.map_or(ExitCode::OK, Verdict::code);
        self.verdict = verdict;
    }
}
