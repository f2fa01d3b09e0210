//! The manifest: what was run, so that a figure can be traced to its inputs.

use serde_json::Value;

use crate::frame::CellState;
use crate::matrix::{Asks, GridPoints, OrderedStages, Summarizer, SummarizerName};
use crate::pipeline::Fidelity;
use crate::prelude::*;
use crate::row::CellKey;
use crate::run_dir::partition::ManifestPart;
use crate::run_dir::write::invalid_at;
use crate::summarize::live::Terms;

/// What was run. An allow-list: nothing of the environment is in it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Version of the run directory's layout.
    pub schema: u32,
    /// Version of `proctor` with its git revision where known.
    pub tool: String,
    /// The command line's inputs, as words ("suite default", "transcript NAME").
    pub command: String,
    /// Suite name.
    pub suite: String,
    /// What its report answers first.
    #[serde(default, skip_serializing_if = "is_default")]
    pub asks: Asks,
    /// Reference tokenizer.
    pub tokenizer: String,
    /// Price sheet: name and digest.
    pub prices: ManifestInput,
    /// Scenario files.
    pub scenarios: Vec<ManifestInput>,
    /// Pipeline files.
    pub pipelines: Vec<ManifestInput>,
    /// Generated pipelines that are another one of the run, which was driven in their place.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub aliases: BTreeMap<String, String>,
    /// The orders of stages that the suite asks for, aliases among them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub orders: Vec<OrderedStages>,
    /// The grids that the suite asks for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub grids: Vec<GridPoints>,
    /// The pipeline that each pipeline's floor is compared with, where it names one.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub references: BTreeMap<String, String>,
    /// How each pipeline is known to follow its source.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub fidelity: BTreeMap<String, Fidelity>,
    /// Sessions, with their sizes.
    pub sessions: Vec<ManifestSession>,
    /// Summarizers, the main one first.
    pub summarizers: Vec<String>,
    /// Faults that were put around the main one, each a further summarizer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<String>,
    /// The main summarizer is no language model: reports must say so.
    pub offline: bool,
    /// What the summarizer `http` was asked with; whom, is in `host.json`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub live: Option<Terms>,
    /// The parameters of fitted summarizers, by their names.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub fitted: BTreeMap<String, Digest>,
    /// The cells whose stories were written.
    #[serde(default, skip_serializing_if = "Stories::is_first")]
    pub stories: Stories,
    /// Whether the texts and names of transcripts were replaced by digests.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub redacted: bool,
    /// Which part of a run this is; absent where it is whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<ManifestPart>,
    /// Metric ids with their versions.
    pub metrics: Vec<(String, u32)>,
    /// Every cell of the matrix and what became of it.
    pub cells: Vec<ManifestCell>,
}

/// Which cells have their stories written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stories {
    /// The first seed of every scenario, in its window, as deployed, under the main summarizer.
    #[default]
    First,
    /// All.
    All,
    /// None.
    None,
}

impl Stories {
    /// Whether it is the default, which manifests leave out.
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
    fn is_first(&self) -> bool {
        *self == Stories::First
    }
}

/// A part of a manifest as JSON, to be compared key by key.
pub fn value<T: Serialize>(part: &T) -> Result<Value> {
    serde_json::to_value(part).map_err(invalid_at("manifest.json"))
}

/// The first key whose values differ in two objects.
pub fn differing<'a>(one: &'a Value, other: &'a Value) -> Option<&'a str> {
    let keys = |value: &'a Value| value.as_object().into_iter().flat_map(|object| object.keys());
    let mut all: Vec<&String> = keys(one).chain(keys(other)).collect();
    all.sort();
    all.into_iter().find(|key| one.get(*key) != other.get(*key)).map(String::as_str)
}

impl Manifest {
    /// The suite's name, without the digest that stands behind it.
    pub fn suite_name(&self) -> &str {
        self.suite.split_once(" (").map_or(&self.suite, |(name, _)| name)
    }

    /// The summarizer that figures are of where none is named.
    pub fn main_summarizer(&self) -> &str {
        self.summarizers.first().map_or("", String::as_str)
    }

    /// A summarizer as people know it: the model by its name, another by its own.
    pub fn called(&self, summarizer: &str) -> String {
        let end = summarizer.find('+').unwrap_or(summarizer.len());
        let (name, fault) = summarizer.split_at(end);
        let is_model = name.parse::<Summarizer>().is_ok_and(|one| one.name == SummarizerName::Http);
        match self.live.as_ref().filter(|_| is_model) {
            Some(terms) => format!("{}{fault}", terms.model),
            None => summarizer.to_owned(),
        }
    }

    /// The session of a cell.
    pub fn session(&self, key: &CellKey) -> Option<&ManifestSession> {
        let own = |one: &&ManifestSession| (&one.scenario, one.seed) == (&key.scenario, key.seed);
        self.sessions.iter().find(own)
    }

    /// Pipelines that were completed where their source is silent.
    pub fn inferred(&self) -> BTreeSet<String> {
        let inferred = self.fidelity.iter().filter(|(_, known)| **known == Fidelity::Inferred);
        inferred.map(|(name, _)| name.clone()).collect()
    }
}

/// A named input with its digest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ManifestInput {
    /// Its name.
    pub name: String,
    /// Digest of what it says.
    pub digest: Digest,
}

/// A session of the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ManifestSession {
    /// Scenario or transcript name.
    pub scenario: String,
    /// Seed; 0 for transcripts.
    pub seed: u64,
    /// Digest of the log.
    pub log: Digest,
    /// Digest of the truth.
    pub truth: Digest,
    /// File name of a transcript; empty for synthesized sessions.
    pub path: String,
    /// Human turns, steps, messages.
    pub turns: u32,
    /// See `turns`.
    pub steps: u32,
    /// See `turns`.
    pub messages: u32,
    /// Reference tokens of all messages.
    pub tokens: u64,
    /// Tokens that every prompt carries besides.
    pub fixed_tokens: u64,
    /// The scenario's window.
    pub window: u64,
    /// Facts, demands that are ranked, boundaries (recorded or set beforehand).
    pub facts: u32,
    /// See `facts`.
    pub demands: u32,
    /// See `facts`.
    pub boundaries: u32,
    /// Median tokens of live facts' statements over the summary budget.
    pub fact_load: f64,
}

/// A cell of the matrix.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ManifestCell {
    /// Its axes.
    pub key: CellKey,
    /// What became of it.
    pub state: CellState,
    /// Digest of everything that it did; absent where it was not driven to its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<Digest>,
}
