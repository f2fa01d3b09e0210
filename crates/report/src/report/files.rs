//! The files of a report or a site, in place of those of an earlier one.

use crate::prelude::*;
use std::fs;
use std::io::ErrorKind;

use crate::config;
use crate::run_dir::write::no_link;

/// Writes a file unless it says the same already; readers see the old one or the new.
pub fn store(path: &Path, bytes: &[u8]) -> Result<bool> {
    no_link(path)?;
    let is_as_long = fs::metadata(path).is_ok_and(|known| known.len() == bytes.len() as u64);
    if is_as_long && fs::read(path).is_ok_and(|known| known == bytes) {
        return Ok(false);
    }
    let io = |source| Error::io("write", path, source);
    let draft = path.with_added_extension("part");
    no_link(&draft)?;
    fs::write(&draft, bytes).map_err(io)?;
    fs::rename(&draft, path).map_err(io)?;
    Ok(true)
}

/// Names the files that were made in a folder, one a line.
const MADE: &str = ".made";

/// Makes a folder, or removes from it what was made there and no longer is. `made` are the names of
/// what is about to be.
pub fn clear(folder: &Path, made: &BTreeSet<String>) -> Result<()> {
    no_link(folder)?;
    fs::create_dir_all(folder).map_err(|source| Error::io("create", folder, source))?;
    let list = folder.join(MADE);
    no_link(&list)?;
    let before = if list.exists() { config::text(&list)? } else { String::new() };
    let is_name = |name: &&str| Path::new(name).file_name().is_some_and(|own| own == *name);
    for name in before.lines().filter(is_name).filter(|name| !made.contains(*name)) {
        match fs::remove_file(folder.join(name)) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(Error::io("remove", &folder.join(name), error));
            }
            _ => {}
        }
    }
    let names: String = made.iter().map(|name| format!("{name}\n")).collect();
    store(&list, names.as_bytes()).map(drop)
}
