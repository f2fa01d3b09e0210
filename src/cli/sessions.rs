//! `proctor sessions`: where agents keep their sessions on this machine, and what lies there.

use std::time::SystemTime;

use chrono::{DateTime, Utc};

use crate::cli::prelude::*;
use crate::cli::table::Plain;
use crate::import::places::{self, Place};

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  proctor sessions\n  proctor sessions --files | head\n  proctor import --dry-run ~/.claude/projects"
)]
pub(super) struct Arguments {
    /// Print the path of every file, newest first, and nothing else
    #[arg(long)]
    files: bool,
}

/// How far below a place sessions lie.
const DEEPEST: usize = 6;

struct Found {
    path: PathBuf,
    bytes: u64,
    changed: Option<SystemTime>,
}

pub(super) fn run(arguments: &Arguments) -> Result<u8> {
    let Some(home) = std::env::home_dir() else {
        return Err(Error::invalid("the home directory", "it is not known"));
    };
    let mut all = Vec::new();
    let mut table = Plain::new(
        ["format", "directory", "files", "MB", "newest"].map(str::to_owned).to_vec(),
        vec![true, true, false, false, true],
    );
    for place in &places::USUAL {
        let found = look(&home, place);
        if found.is_empty() {
            continue;
        }
        let bytes: u64 = found.iter().map(|one| one.bytes).sum();
        let newest = found.iter().filter_map(|one| one.changed).max();
        table.add_row([
            place.format.name().to_owned(),
            format!("~/{}", place.directory),
            found.len().to_string(),
            format!("{:.1}", bytes as f64 / 1e6),
            newest.map(day).unwrap_or_default(),
        ]);
        all.extend(found);
    }
    if arguments.files {
        all.sort_by(|a, b| b.changed.cmp(&a.changed).then(a.path.cmp(&b.path)));
        all.iter().for_each(|one| say(shown!("{}", one.path.display())));
        return Ok(ExitCode::OK);
    }
    if all.is_empty() {
        let looked: Vec<String> =
            places::USUAL.iter().map(|place| format!("~/{}", place.directory)).collect();
        talk(shown!("no sessions in {}", looked.join(", ")));
        return Ok(ExitCode::OK);
    }
    say(Shown::laid_out(&table.to_string()));
    talk(shown!("`proctor import --dry-run DIRECTORY` reads them, `proctor run FILE` replays one"));
    Ok(ExitCode::OK)
}

/// What lies in a place, by names alone.
fn look(home: &Path, place: &Place) -> Vec<Found> {
    let files = places::files(&home.join(place.directory), &[place.ends], DEEPEST);
    let of = |path: PathBuf| {
        let data = std::fs::metadata(&path).ok();
        let bytes = data.as_ref().map_or(0, std::fs::Metadata::len);
        Found { bytes, changed: data.and_then(|data| data.modified().ok()), path }
    };
    files.into_iter().map(of).collect()
}

fn day(time: SystemTime) -> String {
    DateTime::<Utc>::from(time).format("%Y-%m-%d").to_string()
}
