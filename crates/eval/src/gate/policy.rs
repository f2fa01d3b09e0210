//! The policy: which figures may not become worse, by how much, and what must hold.

mod file;

use std::collections::BTreeMap;
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use super::pattern::Pattern;
use super::verdict::Verdict;
use crate::error::{Error, Result};
use crate::ident::Digest;
use crate::measure::{Metric, MetricId};

/// Chance of a false finding in a family, where it says nothing else.
pub const LEVEL: f64 = 0.05;

const EMBEDDED: &str = include_str!("../../../../scenarios/gates.toml");

/// Rules over metrics, and what their verdicts lead to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Policy {
    /// Name in judgements.
    pub name: String,
    /// What it is for.
    pub about: String,
    /// Digest of its text.
    pub digest: Digest,
    /// The file it was read from; `None` for the one that the binary carries.
    pub file: Option<String>,
    /// What an inconclusive finding leads to.
    pub inconclusive: Response,
    /// What a configuration leads to that the baseline does not hold.
    pub no_baseline: Response,
    /// Which verdicts on single scenarios count.
    pub per_scenario: PerScenario,
    /// Families of tests by name, with the chance of a false finding in each.
    pub families: BTreeMap<String, f64>,
    /// The rules in their order.
    pub rules: Vec<Rule>,
    /// Its whole text, to draw the place of an error.
    #[serde(skip)]
    text: String,
}

/// Whether something fails a gate or is only said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Response {
    /// It fails the gate.
    #[default]
    Fail,
    /// The gate passes, and says so loudly.
    Warn,
}

/// Which verdicts on single scenarios count for the whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PerScenario {
    /// None: they are shown.
    Show,
    /// Those that something became worse, or that an invariant is broken.
    #[default]
    Regressions,
    /// All; `n too small` counts as inconclusive.
    All,
}

impl PerScenario {
    /// Whether a verdict on a single scenario counts.
    pub(super) fn counts(self, verdict: Verdict) -> bool {
        match self {
            PerScenario::Show => false,
            PerScenario::Regressions => {
                matches!(verdict, Verdict::Regression | Verdict::InvariantViolated)
            }
            PerScenario::All => true,
        }
    }
}

/// A rule over one metric or several.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rule {
    /// Its name in findings.
    pub name: String,
    /// Line of its name in the policy, from 1.
    pub line: usize,
    /// Metrics.
    pub metrics: Vec<MetricId>,
    /// Configurations that it is about.
    pub configurations: Vec<Pattern>,
    /// Of these, the ones that it is not about.
    pub except: Vec<Pattern>,
    /// Scenarios that it is about.
    pub scenarios: Vec<Pattern>,
    /// Mode.
    pub mode: String,
    /// Summarizer; the run's main one where none is named.
    pub summarizer: Option<String>,
    /// Whether it may find nothing to judge in a run.
    pub may_match_nothing: bool,
    /// What it demands.
    pub demand: Demand,
    /// Where its name stands in the policy's text.
    #[serde(skip)]
    span: std::ops::Range<usize>,
}

/// What a rule demands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Demand {
    /// Relative: the candidate is not worse than the baseline by more than a margin.
    Soft(Soft),
    /// Absolute: figures keep a bound, whatever they were.
    Hard(Hard),
}

/// A demand on the difference from the baseline.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Soft {
    /// Loss that does not matter, in the metric's unit.
    pub margin: Option<f64>,
    /// That, as a share of the baseline's mean; the larger of both counts.
    pub margin_relative: Option<f64>,
    /// The family over which Holm's procedure runs.
    pub family: String,
}

impl Soft {
    /// The margin beside a baseline with this mean.
    pub fn margin_at(&self, mean: f64) -> f64 {
        let relative = self.margin_relative.map_or(0.0, |share| share * mean.abs());
        self.margin.unwrap_or(0.0).max(relative)
    }
}

/// A demand on the figures themselves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hard {
    /// No figure is above.
    pub at_most: Option<f64>,
    /// No figure is below.
    pub at_least: Option<f64>,
    /// What keeps the bounds.
    pub of: Of,
}

/// What keeps a bound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Of {
    /// Every cell.
    #[default]
    Cell,
    /// The mean over sessions.
    Mean,
}

impl Policy {
    /// The policy that the binary carries (`scenarios/gates.toml`).
    pub fn embedded() -> Result<Policy> {
        let mut policy = Policy::parse("embedded:gates.toml", EMBEDDED)?;
        policy.file = None;
        Ok(policy)
    }

    /// Reads a policy file; without one, the policy that the binary carries.
    pub fn load(path: Option<&Path>) -> Result<Policy> {
        let Some(path) = path else { return Policy::embedded() };
        let text =
            std::fs::read_to_string(path).map_err(|source| Error::io("read", path, source))?;
        Policy::parse(&path.display().to_string(), &text)
    }

    /// Parses and checks a policy.
    ///
    /// # Errors
    ///
    /// [`Error::Toml`], drawn at the key or value that is wrong: an unknown metric with
    /// its nearest name, a soft rule over a metric that has no better or worse, a rule
    /// without margin or bound, a family that no rule names.
    pub fn parse(file: &str, text: &str) -> Result<Policy> {
        file::parse(file, text)
    }

    /// Every metric that a rule names.
    pub fn metrics(&self) -> impl Iterator<Item = MetricId> + '_ {
        self.rules.iter().flat_map(|rule| rule.metrics.iter().copied())
    }

    /// The level of a family.
    pub fn level(&self, family: &str) -> f64 {
        self.families.get(family).copied().unwrap_or(LEVEL)
    }

    /// An error drawn at a rule's name.
    pub(super) fn at_rule(&self, rule: &Rule, says: String, hint: Option<String>) -> Error {
        Error::Toml {
            what: file::WHAT,
            file: self.file.clone().unwrap_or_else(|| "embedded:gates.toml".to_owned()),
            text: self.text.clone(),
            span: rule.span.clone(),
            rule: says,
            hint,
        }
    }
}

impl Rule {
    /// Whether it is about the configuration.
    pub fn takes_configuration(&self, name: &str) -> bool {
        self.configurations.iter().any(|pattern| pattern.matches_configuration(name))
            && !self.except.iter().any(|pattern| pattern.matches(name))
    }

    /// Whether it is about the scenario.
    pub fn takes_scenario(&self, name: &str) -> bool {
        self.scenarios.iter().any(|pattern| pattern.matches(name))
    }

    /// Its metrics in the metric table.
    pub fn metrics(&self) -> impl Iterator<Item = &'static Metric> {
        self.metrics.iter().map(|id| id.metric())
    }
}
