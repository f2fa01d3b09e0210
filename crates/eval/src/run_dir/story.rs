//! A cell's story (`stories/NNNN.json.gz`): what it did, with excerpts of the texts. Columns are
//! arrays; reading is tolerant. A story is shown, never measured from.

use serde::de::DeserializeOwned;

use crate::prelude::*;
use crate::run_dir::layout::at_line;
use crate::run_dir::tables::whole_text;

/// What the name of a story file ends in, behind its number.
pub(crate) const SUFFIX: &str = ".json.gz";

/// The story files of a run, in the order of its cells.
pub fn story_files(dir: &Path) -> Result<Vec<PathBuf>> {
    let folder = dir.join("stories");
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let io = |source| Error::io("read", &folder, source);
    let mut files = Vec::new();
    for entry in std::fs::read_dir(&folder).map_err(io)? {
        let path = entry.map_err(io)?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let number = name.strip_suffix(SUFFIX).unwrap_or_default();
        if !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// One story, or what of it a type asks for.
pub fn story<T: DeserializeOwned>(file: &Path) -> Result<T> {
    serde_json::from_str(&whole_text(file)?)
        .map_err(|error| at_line(&file.display().to_string(), &error))
}

/// By cell: its story file.
pub fn by_cell(dir: &Path) -> Result<BTreeMap<String, PathBuf>> {
    #[derive(Deserialize)]
    struct Head {
        cell: String,
    }
    let mut found = BTreeMap::new();
    for path in story_files(dir)? {
        let Head { cell } = story(&path)?;
        if found.insert(cell.clone(), path.clone()).is_some() {
            let rule = format!("a second story of `{cell}`");
            return Err(Error::invalid(path.display().to_string(), rule));
        }
    }
    Ok(found)
}

/// What one cell did.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Story {
    /// The cell's id.
    pub cell: String,
    /// Pipeline with the axes that are not default, as reports name it.
    pub configuration: String,
    /// Scenario or transcript.
    pub scenario: String,
    /// Seed; 0 for transcripts.
    pub seed: u64,
    /// Mode.
    pub mode: String,
    /// Summarizer.
    pub summarizer: String,
    /// The cell's window, reference tokens; 0 where it has none.
    pub window: u64,
    /// Of these, what a prompt may use; 0 where there is no window.
    pub usable: u64,
    /// How it ended, as `ended_by` of the measurements.
    pub ended_by: String,
    /// What the columns of [`Steps::shares`] are called.
    pub share_names: Vec<String>,
    /// Every model call.
    pub steps: Steps,
    /// Every plan that a stage proposed.
    pub compactions: Vec<StoryCompaction>,
    /// The facts that the other parts name by their place in this list.
    pub facts: Vec<StoryFact>,
    /// When facts were needed, and whether they were there.
    pub demands: Vec<StoryDemand>,
}

/// Model calls, a column for each figure.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Steps {
    /// Step from 1.
    pub step: Vec<u32>,
    /// Human turns begun.
    pub turn: Vec<u32>,
    /// Whole prompt, reference tokens.
    pub prompt: Vec<u64>,
    /// Messages kept in the view, reference tokens.
    pub kept: Vec<u64>,
    /// Live facts.
    pub live: Vec<u32>,
    /// Of these, present in what was sent.
    pub present: Vec<u32>,
    /// Prompt tokens read from the cache.
    pub cached: Vec<u64>,
    /// Kept tokens by share, in the order of [`Story::share_names`].
    pub shares: Vec<Vec<u64>>,
}

/// One plan, what became of it, and what it did to the facts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct StoryCompaction {
    /// Number in the cell from 1, as in `compactions.parquet`.
    pub number: u32,
    /// Step before whose call it ran, from 1.
    pub step: u32,
    /// Human turns begun.
    pub turn: u32,
    /// Occasion.
    pub occasion: String,
    /// Stage.
    pub stage: String,
    /// `accepted`, `fallback`, `failed`, `rejected`, `unchanged`.
    pub outcome: String,
    /// View before, reference tokens.
    pub before: u64,
    /// View after.
    pub after: u64,
    /// Dollars on the run's price sheet.
    pub usd: f64,
    /// Requests' tries.
    pub attempts: u32,
    /// Rules that it broke.
    pub violations: Vec<String>,
    /// What left the view, in its order.
    pub covers: Vec<Covered>,
    /// How many more it covered than [`StoryCompaction::covers`] tells of.
    pub more_covered: u32,
    /// These by kind.
    pub more_kinds: Vec<MoreCovered>,
    /// Excerpt of what the summarizer was told to do; empty where none was asked.
    pub instruction: String,
    /// What it answered, each shortened to 4,000 characters.
    pub answers: Vec<String>,
    /// Facts that were present before and still are, as places in [`Story::facts`].
    pub lived: Vec<u32>,
    /// Facts that it lost.
    pub lost: Vec<LostFact>,
}

/// An entry that left the view.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Covered {
    /// What it was: `message 4`, `summary`, ...
    pub what: String,
    /// Its role.
    pub role: String,
    /// Its size in reference tokens.
    pub tokens: u64,
    /// Excerpt.
    pub text: String,
    /// Whether the summarizer was shown it, whole or in part.
    pub shown: bool,
}

/// Entries of one kind that left the view and are not told one by one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct MoreCovered {
    /// Their kind: `user`, `tool`, `summarized`, ... as in [`Story::share_names`].
    pub kind: String,
    /// How many.
    pub entries: u32,
    /// Their sizes in reference tokens.
    pub tokens: u64,
    /// How many of them the summarizer was shown, whole or in part.
    pub shown: u32,
}

/// A fact that a compaction lost.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LostFact {
    /// Its place in [`Story::facts`].
    pub fact: u32,
    /// Cause: `dropped`, `dropped-by-summarizer`, ...
    pub class: String,
    /// Later steps that needed it.
    pub needed_at: Vec<u32>,
}

/// A fact in words.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct StoryFact {
    /// Its kind, as in `facts.parquet`.
    pub kind: String,
    /// Its statement, shortened.
    pub statement: String,
}

/// A fact needed at a step.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct StoryDemand {
    /// Step whose call needs it.
    pub step: u32,
    /// Its place in [`Story::facts`].
    pub fact: u32,
    /// Whether it was there.
    pub met: bool,
}
