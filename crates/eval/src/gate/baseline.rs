//! Baselines: the figures of a run that later ones are compared with, small enough for
//! git and laid out so that a diff reads well: one line a session and configuration.

use super::axis::{self, OfAxis};
use super::policy::{Policy, Rule};
use crate::compare::Inputs;
use crate::config;
use crate::drive::Mode;
use crate::matrix::unusual;
use crate::measure::MetricId;
use crate::prelude::*;
use crate::run_dir::ManifestInput;
use crate::run_dir::layout::Layout;
use crate::run_dir::read::RunData;
use crate::run_dir::write::invalid_at;
use crate::scenario::is_zero;

const FORMAT: u32 = 1;

const LAYOUT: Layout = Layout {
    key: "format",
    known: FORMAT..=FORMAT,
    remedy: "bless a run of this version of proctor",
};

/// Figures that every row has: without them no other can be judged.
const FIRST: [MetricId; 2] = [MetricId::Completion, MetricId::StepsReached];

/// The figures of a run that a policy gates.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Baseline {
    /// Version of the layout.
    pub format: u32,
    /// Who made it the baseline, and why; `None` of a run that nobody has blessed.
    pub blessed: Option<Blessing>,
    /// The blessings before, the oldest first.
    pub history: Vec<Blessing>,
    /// What was measured, and with what.
    pub inputs: Inputs,
    /// One row per session, configuration, mode, summarizer and replicate, in this order.
    pub rows: Vec<Row>,
    /// Recall at need over the axis of summarizers, where the run was driven on it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub axis: Vec<OfAxis>,
}

/// A decision that a run is what later runs are compared with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Blessing {
    /// Day, as 2026-11-22, UTC.
    pub date: String,
    /// Who decided.
    pub who: String,
    /// Why.
    pub why: String,
    /// Why although hard rules did not hold, where they did not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub even_though: Option<String>,
    /// Digest of the run's manifest.
    pub run: Digest,
    /// The suite with its digest.
    pub suite: String,
    /// Version of `proctor` that made the run.
    pub tool: String,
    /// The policy by which it was blessed.
    pub policy: ManifestInput,
}

/// The gated figures of one cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// Scenario.
    pub scenario: String,
    /// Seed.
    pub seed: u64,
    /// Pipeline, with its variant where that is not `windowed`.
    pub configuration: String,
    mode: Mode,
    /// Empty for the run's main one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    summarizer: String,
    #[serde(default, skip_serializing_if = "is_zero")]
    replicate: u32,
    /// Figures by metric; one that is undefined is not there.
    pub figures: BTreeMap<MetricId, f64>,
}

pub(super) type Place<'a> = (&'a str, u64, &'a str, &'static str, &'a str, u32);

/// A configuration under one mode and summarizer (empty for the main one).
pub(super) type Group<'a> = (&'a str, &'static str, &'a str);

impl Row {
    pub(super) fn place(&self) -> Place<'_> {
        let (configuration, mode, summarizer) = self.group();
        (&self.scenario, self.seed, configuration, mode, summarizer, self.replicate)
    }

    pub(super) fn group(&self) -> Group<'_> {
        (&self.configuration, self.mode.name(), &self.summarizer)
    }

    /// Whether it is of the run's main summarizer.
    pub fn is_of_main_summarizer(&self) -> bool {
        self.summarizer.is_empty()
    }

    pub(super) fn figure(&self, metric: MetricId) -> Option<f64> {
        self.figures.get(&metric).copied()
    }

    pub(super) fn completed(&self) -> bool {
        self.figure(MetricId::Completion) == Some(1.0)
    }

    pub(super) fn steps(&self) -> f64 {
        self.figure(MetricId::StepsReached).unwrap_or(0.0)
    }

    /// What people call it: its cell, as far as that is not the usual one.
    pub(super) fn name(&self) -> String {
        let unusual = unusual(self.mode, &self.summarizer, self.replicate);
        format!("{}/{}/{}{unusual}", self.scenario, self.configuration, self.seed)
    }
}

impl Baseline {
    /// The figures of a run that the policy's rules are about, under nobody's blessing.
    pub fn of(run: &RunData, policy: &Policy) -> Baseline {
        let mut rows = rows(run, policy);
        rows.sort_by(|one, other| one.place().cmp(&other.place()));
        let sessions: BTreeSet<(&str, u64)> =
            rows.iter().map(|row| (row.scenario.as_str(), row.seed)).collect();
        let gated: BTreeSet<MetricId> = FIRST.into_iter().chain(policy.metrics()).collect();
        let inputs = Inputs::of(&run.manifest).restricted(&sessions, &gated);
        let axis = axis::rows(run, policy);
        Baseline { format: FORMAT, blessed: None, history: Vec::new(), inputs, rows, axis }
    }

    /// The same figures, blessed; a blessing that it replaces becomes history.
    pub fn bless(mut self, blessing: Blessing, before: Option<&Baseline>) -> Baseline {
        if let Some(before) = before {
            self.history.clone_from(&before.history);
            self.history.extend(before.blessed.clone());
        }
        self.blessed = Some(blessing);
        self
    }

    /// The same figures under another name of a configuration.
    pub fn renamed(mut self, from: &str, to: &str) -> Baseline {
        for row in self.rows.iter_mut().filter(|row| row.configuration == from) {
            to.clone_into(&mut row.configuration);
        }
        self.rows.sort_by(|one, other| one.place().cmp(&other.place()));
        for row in self.axis.iter_mut().filter(|row| row.configuration == from) {
            to.clone_into(&mut row.configuration);
        }
        self.axis.sort_by(|one, other| one.place().cmp(&other.place()));
        self
    }

    /// The same figures as if under another main summarizer.
    pub fn summarized_by(mut self, name: &str) -> Baseline {
        name.clone_into(&mut self.inputs.summarizer);
        self
    }

    /// Reads a baseline file; [`Error::Line`] or [`Error::Invalid`] where it cannot be read.
    pub fn load(path: &Path) -> Result<Baseline> {
        Baseline::parse(&path.display().to_string(), &config::text(path)?)
    }

    /// Parses a baseline.
    pub fn parse(file: &str, text: &str) -> Result<Baseline> {
        LAYOUT.read(file, text.as_bytes())
    }

    /// Its text: JSON, with one line a scenario, session and row.
    pub fn text(&self) -> Result<String> {
        let (scenarios, sessions) = (&self.inputs.scenarios, &self.inputs.sessions);
        let inputs = Inputs { scenarios: Vec::new(), sessions: Vec::new(), ..self.inputs.clone() };
        let head = Baseline { rows: Vec::new(), axis: Vec::new(), inputs, ..self.clone() };
        let text = serde_json::to_string_pretty(&head).map_err(invalid_at("baseline"))?;
        // No text of a value holds these: inside a string a quote stands behind a
        // backslash.
        let text = text.replacen("\"scenarios\": []", &listed("scenarios", scenarios, 4)?, 1);
        let text = text.replacen("\"sessions\": []", &listed("sessions", sessions, 4)?, 1);
        let mut rows = listed("rows", &self.rows, 2)?;
        if !self.axis.is_empty() {
            rows = format!("{rows},\n  {}", listed("axis", &self.axis, 2)?);
        }
        let text = text.replacen("\"rows\": []", &rows, 1);
        Ok(format!("{text}\n"))
    }

    /// Rows in which two baselines differ, and rows that only one of them has.
    pub fn changed_rows(&self, other: &Baseline) -> usize {
        let (ours, theirs) = (self.by_place(), other.by_place());
        let places: BTreeSet<Place> = ours.keys().chain(theirs.keys()).copied().collect();
        places.into_iter().filter(|place| ours.get(place) != theirs.get(place)).count()
    }

    pub(super) fn by_place(&self) -> BTreeMap<Place<'_>, &Row> {
        self.rows.iter().map(|row| (row.place(), row)).collect()
    }

    pub(super) fn ruled(&self, rule: &Rule) -> BTreeMap<Group<'_>, Vec<&Row>> {
        let mut groups: BTreeMap<Group, Vec<&Row>> = BTreeMap::new();
        for row in self.rows.iter().filter(|row| takes(rule, row)) {
            groups.entry(row.group()).or_default().push(row);
        }
        groups
    }
}

/// All scenarios together, and each where there are several.
pub(super) fn pools<'a>(rows: impl Iterator<Item = &'a Row>) -> Vec<Option<&'a str>> {
    let scenarios: BTreeSet<&str> = rows.map(|row| row.scenario.as_str()).collect();
    let each = scenarios.iter().copied().map(Some).filter(|_| scenarios.len() > 1);
    [None].into_iter().chain(each).collect()
}

/// A key and its list, one line an element, under a key that is indented so far.
fn listed<T: Serialize>(key: &str, elements: &[T], indent: usize) -> Result<String> {
    let space = " ".repeat(indent);
    let line = |element| {
        let text = serde_json::to_string(element).map_err(invalid_at("baseline"))?;
        Ok(format!("{space}  {text}"))
    };
    let lines = elements.iter().map(line).collect::<Result<Vec<String>>>()?;
    match lines.is_empty() {
        true => Ok(format!("\"{key}\": []")),
        false => Ok(format!("\"{key}\": [\n{}\n{space}]", lines.join(",\n"))),
    }
}

/// The cells that a rule is about, with the figures of all rules that are about them.
fn rows(run: &RunData, policy: &Policy) -> Vec<Row> {
    let (main, frame) = (run.manifest.main_summarizer(), run.frame());
    let mut rows = Vec::new();
    // Told again in other words a session is the same one: counted once.
    for measured in run
        .measurements
        .iter()
        .filter(|row| row.is_done() && !row.is_twin() && !row.key.is_adversary())
    {
        let key = &measured.key;
        let Some(mode) = Mode::named(&key.mode) else { continue };
        let summarizer = if key.summarizer == main { "" } else { &key.summarizer };
        let mut row = Row {
            scenario: key.scenario.clone(),
            seed: key.seed,
            configuration: key.configuration(),
            mode,
            summarizer: summarizer.to_owned(),
            replicate: key.replicate,
            figures: BTreeMap::new(),
        };
        let rules = policy.rules.iter().filter(|rule| takes(rule, &row));
        let gated: BTreeSet<MetricId> =
            rules.flat_map(|rule| rule.metrics.iter().copied()).collect();
        if gated.is_empty() {
            continue;
        }
        let figures = FIRST.into_iter().chain(gated);
        let defined = figures.filter_map(|id| Some((id, frame.figure(measured, id)?)));
        row.figures = defined.collect();
        rows.push(row);
    }
    rows
}

pub(super) fn takes(rule: &Rule, row: &Row) -> bool {
    rule.takes_configuration(&row.configuration)
        && rule.takes_scenario(&row.scenario)
        && rule.mode == row.mode
        && rule.summarizer.as_deref().unwrap_or("") == row.summarizer
}
