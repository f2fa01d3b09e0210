//! The run directories that a history keeps beneath it, under `runs`.

use std::fs;

use super::night::{Day, Night};
use crate::prelude::*;
use crate::run_dir::write::bytes;

/// Where a history keeps the runs that it drove.
pub const RUNS: &str = "runs";

/// The night of a run: its date, and the digest of the run's manifest.
pub type NightOf = (Day, Digest);

/// The runs of these nights that are there. A directory is a night's where it bears its date and
/// holds its run; anything else under `runs` is somebody's own.
///
/// An error where a directory cannot be read.
pub fn runs(history: &Path, nights: &[Night]) -> Result<BTreeMap<PathBuf, NightOf>> {
    let folder = history.join(RUNS);
    if !folder.is_dir() {
        return Ok(BTreeMap::new());
    }
    let known: BTreeSet<NightOf> =
        nights.iter().map(|night| (night.date.clone(), night.run.clone())).collect();
    let io = |source| Error::io("read", &folder, source);
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(&folder).map_err(io)? {
        let entry = entry.map_err(io)?;
        // A link leads to a place that is not the history's.
        if !entry.file_type().map_err(io)?.is_dir() {
            continue;
        }
        let name = entry.file_name().to_string_lossy().into_owned();
        let date = name.get(..10).and_then(|date| date.parse::<Day>().ok());
        let manifest = entry.path().join("manifest.json");
        let Some(date) = date.filter(|_| manifest.is_file()) else { continue };
        let night = (date, Digest::of(&bytes(&manifest)?));
        if known.contains(&night) {
            found.insert(entry.path(), night);
        }
    }
    Ok(found)
}

/// Removes the runs of all nights but the last ones, and tells which. Night files stay.
///
/// An error where a directory cannot be read or removed.
pub fn keep(history: &Path, nights: &[Night], last: usize) -> Result<Vec<PathBuf>> {
    let first = nights.len().saturating_sub(last);
    let kept: BTreeSet<NightOf> =
        nights[first..].iter().map(|night| (night.date.clone(), night.run.clone())).collect();
    let mut removed = Vec::new();
    for (path, night) in runs(history, nights)? {
        if !kept.contains(&night) {
            fs::remove_dir_all(&path).map_err(|source| Error::io("remove", &path, source))?;
            removed.push(path);
        }
    }
    Ok(removed)
}
