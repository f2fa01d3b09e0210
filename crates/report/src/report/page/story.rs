//! The stories that a run kept, in the order in which a page wants them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::super::figures::Figures;
use crate::error::{Error, Result};
use crate::run_dir::read::story_files;
use crate::run_dir::story::Story;

/// A story file.
#[derive(Debug)]
pub struct Kept {
    /// Its name without suffix, digits only: also the name of the cell's own page.
    pub name: String,
    /// Whose story it is.
    pub head: Head,
    path: PathBuf,
    /// Bytes of the file.
    size: u64,
}

/// Whose story it is; the rest of the file is passed over.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Head {
    /// The cell's id.
    pub cell: String,
    /// Configuration.
    pub configuration: String,
    /// Scenario.
    pub scenario: String,
    /// Seed.
    pub seed: u64,
    /// Mode.
    pub mode: String,
    /// Summarizer.
    pub summarizer: String,
    /// How it ended.
    pub ended_by: String,
}

impl Kept {
    /// The whole story.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] and [`Error::Line`].
    pub fn story(&self) -> Result<Story> {
        read(&self.path)
    }
}

/// The stories of a run: first the least of every configuration, then the first
/// scenario's, there the main summarizer's, there
/// the first seed's, and within these as the manifest has the cells. A run without
/// `stories/` has none.
///
/// # Errors
///
/// [`Error::Io`] and [`Error::Line`].
pub fn list(dir: &Path, figures: &Figures) -> Result<Vec<Kept>> {
    let mut kept = Vec::new();
    for path in story_files(dir)? {
        let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
        let size = fs::metadata(&path).map_or(0, |found| found.len());
        kept.push(Kept { name: name.to_owned(), head: read(&path)?, path, size });
    }
    let manifest = &figures.run.manifest;
    let cells: BTreeMap<&str, usize> =
        manifest.cells.iter().map(|cell| cell.key.cell.as_str()).zip(0..).collect();
    let rank = |names: Vec<&str>, name: &str| {
        names.iter().position(|known| *known == name).unwrap_or(usize::MAX)
    };
    kept.sort_by_cached_key(|kept| {
        let head = &kept.head;
        let scenarios = manifest.scenarios.iter().map(|input| input.name.as_str());
        let summarizers = manifest.summarizers.iter().map(String::as_str);
        (
            rank(scenarios.collect(), &head.scenario),
            rank(summarizers.collect(), &head.summarizer),
            head.seed,
            cells.get(head.cell.as_str()).copied().unwrap_or(usize::MAX),
            kept.name.clone(),
        )
    });
    Ok(one_each_first(kept))
}

/// Puts one story of every configuration first, the least, so that a page which has room
/// for few has room for each.
fn one_each_first(kept: Vec<Kept>) -> Vec<Kept> {
    let mut least: BTreeMap<&str, (u64, usize)> = BTreeMap::new();
    for (place, one) in kept.iter().enumerate() {
        let known = least.entry(&one.head.configuration).or_insert((one.size, place));
        *known = (*known).min((one.size, place));
    }
    let chosen: BTreeSet<usize> = least.into_values().map(|(_, place)| place).collect();
    let (first, others): (Vec<_>, Vec<_>) =
        kept.into_iter().enumerate().partition(|(place, _)| chosen.contains(place));
    first.into_iter().chain(others).map(|(_, one)| one).collect()
}

fn read<Content: DeserializeOwned>(path: &Path) -> Result<Content> {
    let bytes = fs::read(path).map_err(|source| Error::io("read", path, source))?;
    serde_json::from_slice(&bytes).map_err(|error| Error::Line {
        file: path.display().to_string(),
        line: error.line(),
        rule: error.to_string(),
    })
}
