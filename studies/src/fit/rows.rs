//! The tables of recorded compactions: one row per name and compaction.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use flate2::read::GzDecoder;
use proctor_core::error::{Error, Result};
use serde::Deserialize;

/// Sorts of names, each with an intercept.
pub const SORTS: [&str; 7] = ["path", "symbol", "test", "command", "value", "error", "typed"];
/// What has a slope; sentences that the user typed have none.
pub const FEATURES: [&str; 8] = [
    "ln messages that hold it",
    "ln (1 + tokens behind the last)",
    "the user named it",
    "the agent's prose named it",
    "a call named it",
    "an edit held it",
    "it was read",
    "the previous summary has it",
];
/// Strongest roles that a name can have: user, prose, call, result.
pub const PLACES: usize = 4;
/// Compactions of which less of the segment is stored are left out.
const COVERAGE: f64 = 0.3;

/// A recorded compaction.
#[derive(Clone, Debug)]
pub struct Boundary {
    number: u32,
    session: Arc<str>,
    /// Estimated tokens of what was replaced.
    pub tokens: f64,
    /// Characters of the summary, nearly its bytes.
    pub summary: f64,
}

/// A name or a sentence, and whether the summary has it.
#[derive(Clone, Debug)]
pub struct Row {
    pub session: Arc<str>,
    /// Its place in [`SORTS`].
    pub sort: usize,
    pub place: usize,
    pub features: [f64; FEATURES.len()],
    pub survived: bool,
}

#[derive(Deserialize)]
struct BoundaryLine {
    boundary: u32,
    session_sha16: String,
    coverage: Option<f64>,
    segment_tok_est: Option<f64>,
    summary_chars: f64,
}

#[derive(Deserialize)]
struct Line {
    boundary: u32,
    kind: String,
    subkind: String,
    messages: f64,
    last_tok_before: f64,
    role_user: u8,
    role_assistant_text: u8,
    role_tool_call: u8,
    edited: u8,
    read: u8,
    in_previous_summary: u8,
    survived: u8,
    survived_loose: u8,
}

pub fn boundaries(path: &Path) -> Result<Vec<Boundary>> {
    let file = File::open(path).map_err(|source| Error::io("open", path, source))?;
    let lines = lines::<BoundaryLine>(path, file)?.into_iter();
    let stored = lines.filter(|one| one.coverage.is_some_and(|share| share >= COVERAGE));
    let boundary = |one: BoundaryLine| {
        Some(Boundary {
            number: one.boundary,
            session: one.session_sha16.into(),
            tokens: one.segment_tok_est?,
            summary: one.summary_chars,
        })
    };
    Ok(stored.filter_map(boundary).collect())
}

pub fn rows(path: &Path, boundaries: &[Boundary]) -> Result<Vec<Row>> {
    let file = File::open(path).map_err(|source| Error::io("open", path, source))?;
    let of: BTreeMap<u32, &Boundary> = boundaries.iter().map(|one| (one.number, one)).collect();
    let lines = lines::<Line>(path, GzDecoder::new(file))?.into_iter();
    Ok(lines.filter_map(|line| row(&line, of.get(&line.boundary)?)).collect())
}

fn lines<T: for<'a> Deserialize<'a>>(path: &Path, text: impl Read) -> Result<Vec<T>> {
    let lines: csv::Result<Vec<T>> = csv::Reader::from_reader(text).into_deserialize().collect();
    lines.map_err(|error| Error::invalid(path.display().to_string(), error.to_string()))
}

fn row(line: &Line, boundary: &Boundary) -> Option<Row> {
    let kind = if line.kind == "user_sentence" { &line.subkind } else { &line.kind };
    // Pastes are logs and code more than sentences.
    let sort = SORTS.iter().position(|name| name == kind)?;
    let flag = f64::from;
    // Lines are rarely told word for word.
    let loose = matches!(kind.as_str(), "error" | "command" | "typed");
    let features = [
        line.messages.max(1.0).ln(),
        (line.last_tok_before.max(0.0) + 1.0).ln(),
        flag(line.role_user),
        flag(line.role_assistant_text),
        flag(line.role_tool_call),
        flag(line.edited),
        flag(line.read),
        flag(line.in_previous_summary),
    ];
    let roles = [line.role_user, line.role_assistant_text, line.role_tool_call];
    Some(Row {
        session: Arc::clone(&boundary.session),
        sort,
        place: roles.iter().position(|has| *has == 1).unwrap_or(PLACES - 1),
        features: if kind == "typed" { [0.0; FEATURES.len()] } else { features },
        survived: if loose { line.survived_loose } else { line.survived } == 1,
    })
}
