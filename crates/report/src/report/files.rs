//! The files of a report or a site, in place of those of an earlier one.

use crate::prelude::*;
use std::fs;

/// Writes a file unless it says the same already; readers see the old one or the new.
pub fn store(path: &Path, bytes: &[u8]) -> Result<bool> {
    if fs::read(path).is_ok_and(|known| known == bytes) {
        return Ok(false);
    }
    let io = |source| Error::io("write", path, source);
    let draft = path.with_added_extension("part");
    fs::write(&draft, bytes).map_err(io)?;
    fs::rename(&draft, path).map_err(io)?;
    Ok(true)
}

/// Makes a folder, or removes from it what ends so and is no longer made.
pub fn clear(folder: &Path, endings: &[&str], is_made: impl Fn(&Path) -> bool) -> Result<()> {
    fs::create_dir_all(folder).map_err(|source| Error::io("create", folder, source))?;
    let io = |source| Error::io("read", folder, source);
    for entry in fs::read_dir(folder).map_err(io)? {
        let path = entry.map_err(io)?.path();
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        if endings.contains(&ending) && !is_made(&path) {
            fs::remove_file(&path).map_err(|source| Error::io("remove", &path, source))?;
        }
    }
    Ok(())
}
