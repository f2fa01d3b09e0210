//! The directory of nights: written once, never changed, joined by copying.

use crate::prelude::*;
use std::fs::{self, File};
use std::io::{ErrorKind, Write};

use rayon::prelude::*;

use super::night::Night;
use crate::run_dir::write::bytes;

/// All nights of a directory, the oldest first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct History {
    /// In the order of dates; nights of one date in the order they came.
    pub nights: Vec<Night>,
}

/// What became of a night that was to be added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Added {
    /// Its file was written.
    Written(PathBuf),
    /// The same run is there already for this date; its file stays as it was.
    Known(PathBuf),
}

impl Added {
    /// The night's file.
    pub fn path(&self) -> &Path {
        match self {
            Added::Written(path) | Added::Known(path) => path,
        }
    }
}

impl History {
    /// Reads every `*.json` of the directory but those whose names begin with a dot: drafts.
    pub fn load(directory: &Path) -> Result<History> {
        let files = files(directory)?;
        let read = |path: &PathBuf| Night::read(&path.display().to_string(), &bytes(path)?);
        let mut nights: Vec<Night> = files.par_iter().map(read).collect::<Result<_>>()?;
        nights.sort_by(|one, other| one.place().cmp(&other.place()));
        // A copy under another name is the same night.
        nights.dedup_by(|one, other| one.date == other.date && one.run == other.run);
        Ok(History { nights })
    }

    /// Adds a night. It is written whole under a name that readers pass over, then linked to its
    /// own: no reader sees half a night, and none is written over, however many add at once.
    pub fn add(directory: &Path, mut night: Night) -> Result<Added> {
        fs::create_dir_all(directory).map_err(|source| Error::io("create", directory, source))?;
        let path = directory.join(night.name());
        if path.exists() {
            return Ok(Added::Known(path));
        }
        let date = format!("{}-", night.date);
        let same = |path: &&PathBuf| name_of(path).starts_with(&date);
        night.turn = files(directory)?.iter().filter(same).count() as u32;
        let bytes = night.written()?;
        let io = |error| Error::io("write", &path, error);
        let (draft, mut file) = open_draft(directory, &night.name()).map_err(io)?;
        let stored = file.write_all(&bytes).and_then(|()| file.sync_all());
        let written = stored.and_then(|()| publish(&draft, &path));
        // The draft has done its work, or was of no use.
        let _ = fs::remove_file(&draft);
        match written {
            Ok(()) => Ok(Added::Written(path)),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(Added::Known(path)),
            Err(error) => Err(io(error)),
        }
    }
}

/// A file of one's own that readers pass over, as are those that a killed process left.
fn open_draft(directory: &Path, name: &str) -> std::io::Result<(PathBuf, File)> {
    let process = std::process::id();
    let mut turn = 0_u32;
    loop {
        let draft = directory.join(format!(".{name}.{process}.{turn}"));
        match File::create_new(&draft) {
            Ok(file) => return Ok((draft, file)),
            Err(error) if error.kind() == ErrorKind::AlreadyExists && turn < 1_000 => turn += 1,
            Err(error) => return Err(error),
        }
    }
}

/// Gives the draft its name unless something has it; moved where the file system has no links.
fn publish(draft: &Path, path: &Path) -> std::io::Result<()> {
    match fs::hard_link(draft, path) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists && !path.exists() => {
            fs::rename(draft, path)
        }
        linked => linked,
    }
}

fn name_of(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
}

fn files(directory: &Path) -> Result<Vec<PathBuf>> {
    let io = |source| Error::io("read", directory, source);
    let mut files = Vec::new();
    for entry in fs::read_dir(directory).map_err(io)? {
        let path = entry.map_err(io)?.path();
        let is_night = path.extension().is_some_and(|end| end == "json");
        if is_night && !name_of(&path).starts_with('.') && path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}
