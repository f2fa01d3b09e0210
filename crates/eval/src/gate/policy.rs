//! The policy: which figures may not become worse, by how much, and what must hold.

mod file;

use std::ops::Range;

use schemars::JsonSchema;

use super::verdict::Verdict;
use crate::config;
use crate::drive::Mode;
use crate::measure::{Metric, MetricId};
use crate::prelude::*;

const LEVEL: f64 = 0.05;

const EMBEDDED: &str = include_str!("../../scenarios/gates.toml");

/// Rules over metrics, and what their verdicts lead to.
#[derive(Clone, Debug, PartialEq)]
pub struct Policy {
    /// Name in judgements.
    pub name: String,
    /// Digest of its text.
    pub digest: Digest,
    /// The file it was read from; `None` for the one that the binary carries.
    pub(super) file: Option<String>,
    /// What an undecided finding leads to.
    pub undecided: Response,
    /// What a configuration leads to that the baseline does not hold.
    pub(super) no_baseline: Response,
    pub(super) per_scenario: PerScenario,
    /// Share of sessions that may end earlier where the summarizer draws lots.
    pub(super) chance_of_early_ends: f64,
    /// Families of tests by name, with the chance of a false finding in each.
    families: BTreeMap<String, f64>,
    /// The part of each level that is spent here: 1, unless there are several looks.
    pub(super) spends: f64,
    /// The rules in their order.
    pub rules: Vec<Rule>,
    /// Its whole text, to draw the place of an error.
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

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum PerScenario {
    Show,
    /// Those that something became worse, or that an invariant is broken.
    #[default]
    Regressions,
    /// All; `n too small` counts as undecided.
    All,
}

impl PerScenario {
    pub(super) fn counts(self, verdict: Verdict) -> bool {
        let is_worse = matches!(verdict, Verdict::Regression | Verdict::InvariantViolated);
        self == PerScenario::All || self == PerScenario::Regressions && is_worse
    }
}

/// A pattern over names: `*` stands for any text, `?` for one character.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub(super) struct Pattern(pub(super) String);

impl Pattern {
    fn matches(&self, name: &str) -> bool {
        let letters = |text: &str| text.chars().collect::<Vec<char>>();
        stands_for(&letters(&self.0), &letters(name))
    }

    /// Whether it stands for the configuration. One without a window, or with moved limits, has an
    /// `@` in its name, and so must a pattern that means it.
    pub(super) fn matches_configuration(&self, name: &str) -> bool {
        self.0.contains('@') == name.contains('@') && self.matches(name)
    }
}

fn stands_for(pattern: &[char], name: &[char]) -> bool {
    match (pattern, name) {
        ([], name) => name.is_empty(),
        (['*', rest @ ..], []) => stands_for(rest, name),
        (['*', rest @ ..], [_, behind @ ..]) => {
            stands_for(rest, name) || stands_for(pattern, behind)
        }
        ([letter, rest @ ..], [own, behind @ ..]) => {
            (*letter == '?' || letter == own) && stands_for(rest, behind)
        }
        ([_, ..], []) => false,
    }
}

/// A rule over one metric or several.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    pub(super) name: String,
    /// Line of its name in the policy, from 1, and where that stands in the text.
    pub(super) line: usize,
    span: Range<usize>,
    pub(super) metrics: Vec<MetricId>,
    pub(super) configurations: Vec<Pattern>,
    /// Of these, the ones that it is not about.
    except: Vec<Pattern>,
    scenarios: Vec<Pattern>,
    /// The mode of the cells that it is about.
    pub mode: Mode,
    /// Their summarizer; the run's main one where none is named.
    pub summarizer: Option<String>,
    /// Whether it may find nothing to judge in a run.
    pub(super) may_match_nothing: bool,
    /// Whether it guards: it fails on a loss that is shown, and not on what stays open.
    pub(super) may_stay_open: bool,
    pub(super) demand: Demand,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Demand {
    /// Relative: the candidate is not worse than the baseline by more than a margin.
    Soft(Soft),
    /// Absolute: figures keep a bound, whatever they were.
    Hard(Hard),
    /// Hard and relative: no session does what the same one did not in the baseline. Where most
    /// did, chance decides which: there the mean may be higher by this share.
    Held(f64),
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Soft {
    /// Loss that does not matter, in the metric's unit.
    margin: Option<f64>,
    /// That, as a share of the baseline's mean; the larger of both counts.
    margin_relative: Option<f64>,
    pub(super) family: String,
}

impl Soft {
    pub(super) fn margin_at(&self, mean: f64) -> f64 {
        let relative = self.margin_relative.map_or(0.0, |share| share * mean.abs());
        self.margin.unwrap_or(0.0).max(relative)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Hard {
    pub(super) at_most: Option<f64>,
    pub(super) at_least: Option<f64>,
    pub(super) of: Of,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Of {
    #[default]
    Cell,
    Mean,
}

impl Policy {
    /// The policy that the binary carries (`scenarios/gates.toml`).
    pub fn embedded() -> Result<Policy> {
        Ok(Policy { file: None, ..Policy::parse("embedded:gates.toml", EMBEDDED)? })
    }

    /// Reads a policy file; without one, the policy that the binary carries.
    pub fn load(path: Option<&Path>) -> Result<Policy> {
        let Some(path) = path else { return Policy::embedded() };
        Policy::parse(&path.display().to_string(), &config::text(path)?)
    }

    /// Every metric that a rule names.
    pub fn metrics(&self) -> impl Iterator<Item = MetricId> + '_ {
        self.rules.iter().flat_map(|rule| rule.metrics.iter().copied())
    }

    /// The loss of a metric that does not matter where its mean stands at this level: the least
    /// margin of the soft rules over it. `None` where no rule has one.
    pub fn margin(&self, metric: MetricId, level: f64) -> Option<f64> {
        let margins = self.rules.iter().filter_map(|rule| match &rule.demand {
            Demand::Soft(soft) if rule.metrics.contains(&metric) => Some(soft.margin_at(level)),
            _ => None,
        });
        margins.min_by(f64::total_cmp)
    }

    pub(super) fn level(&self, family: &str) -> f64 {
        self.spends * self.families.get(family).copied().unwrap_or(LEVEL)
    }

    /// The same with a part of each level to spend.
    pub(super) fn spending(&self, share: f64) -> Policy {
        Policy { spends: share, ..self.clone() }
    }

    pub(super) fn at_rule(&self, rule: &Rule, says: String, hint: &str) -> Error {
        let file = self.file.as_deref().unwrap_or("embedded:gates.toml");
        let check = file::Check { file, text: &self.text };
        check.broken(rule.span.clone(), says, Some(hint))
    }
}

impl Rule {
    pub(super) fn takes_configuration(&self, name: &str) -> bool {
        self.configurations.iter().any(|pattern| pattern.matches_configuration(name))
            && !self.except.iter().any(|pattern| pattern.matches(name))
    }

    pub(super) fn takes_scenario(&self, name: &str) -> bool {
        self.scenarios.iter().any(|pattern| pattern.matches(name))
    }

    pub(super) fn metrics(&self) -> impl Iterator<Item = &'static Metric> {
        self.metrics.iter().map(|id| id.metric())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_any_text_and_question_marks_for_one_character() {
        for (pattern, name, expected) in [
            ("*", "", true),
            ("forge-*", "forge-adr", true),
            ("forge-*", "forge", false),
            ("*-adr", "forge-adr-2-adr", true),
            ("f?rge", "forge", true),
            ("f?rge", "frge", false),
            ("a*b*c", "a-b-b-d-c", true),
            ("a*b*c", "a-b-b-d", false),
            ("forge-adr", "forge-adr-2", false),
            ("", "a", false),
        ] {
            assert_eq!(Pattern(pattern.to_owned()).matches(name), expected, "{pattern} {name}");
        }
        let matches = |pattern: &str, name| Pattern(pattern.to_owned()).matches_configuration(name);
        assert!(matches("*", "none") && !matches("*", "none@windowless"));
        assert!(matches("*@limit=*", "truncate@limit=0.25") && !matches("*@*", "truncate"));
    }
}
