//! The recorded table: one row per artifact of a recorded compaction.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use flate2::read::GzDecoder;
use serde::Deserialize;

use super::{Kind, Place, Sighting};
use crate::error::{Error, Result};

/// Stretches of which less was stored say little of what was lost.
const LEAST_COVERAGE: f64 = 0.3;

#[derive(Deserialize)]
struct Boundary {
    boundary: u32,
    /// Absent where nothing of the stretch was stored.
    coverage: Option<f64>,
}

#[derive(Deserialize)]
struct Row {
    boundary: u32,
    kind: String,
    subkind: String,
    role_user: u8,
    role_assistant_text: u8,
    role_tool_call: u8,
    role_tool_result: u8,
    edited: u8,
    read: u8,
    survived: u8,
    survived_loose: Option<u8>,
}

/// The sightings of a directory with `boundaries.csv` and `artifacts.csv.gz`.
///
/// # Errors
///
/// [`Error::Io`] where a file cannot be read, [`Error::Line`] for a row that is not
/// what the format says.
pub fn recorded(dir: &Path) -> Result<Vec<Sighting>> {
    let path = dir.join("boundaries.csv");
    let boundaries: Vec<Boundary> = rows(&path, open(&path)?)?;
    let stored: BTreeMap<u32, f64> =
        boundaries.iter().filter_map(|one| Some((one.boundary, one.coverage?))).collect();
    let path = dir.join("artifacts.csv.gz");
    let rows: Vec<Row> = rows(&path, GzDecoder::new(open(&path)?))?;
    let whole = |row: &&Row| stored.get(&row.boundary).is_some_and(|c| *c >= LEAST_COVERAGE);
    Ok(rows.iter().filter(whole).filter_map(Row::sighting).collect())
}

fn open(path: &Path) -> Result<File> {
    File::open(path).map_err(|source| Error::io("read", path, source))
}

fn rows<R: for<'de> Deserialize<'de>>(path: &Path, from: impl Read) -> Result<Vec<R>> {
    let mut rows = Vec::new();
    for (number, row) in csv::Reader::from_reader(from).into_deserialize().enumerate() {
        rows.push(row.map_err(|error| Error::Line {
            file: path.display().to_string(),
            line: number + 2,
            rule: error.to_string(),
        })?);
    }
    Ok(rows)
}

impl Row {
    /// `None` for a kind that is not looked for here.
    fn sighting(&self) -> Option<Sighting> {
        let kind = Kind::ALL.into_iter().find(|kind| kind.name() == self.kind)?;
        let roles = [
            (self.role_user, Place::User),
            (self.role_assistant_text, Place::Text),
            (self.role_tool_call, Place::Call),
            (self.role_tool_result, Place::Result),
        ];
        let to_the_letter = matches!(kind, Kind::Path | Kind::Symbol | Kind::Test | Kind::Value);
        let survived = if to_the_letter { Some(self.survived) } else { self.survived_loose };
        Some(Sighting {
            kind,
            place: roles.into_iter().find(|(role, _)| *role == 1).map(|(_, place)| place),
            edited: self.edited == 1,
            read: self.read == 1,
            pasted: self.subkind == "paste",
            survived: survived == Some(1),
        })
    }
}
