//! The tables of recorded compactions: one row per name and compaction.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use flate2::read::GzDecoder;
use proctor_core::error::{Error, Result};
use proctor_eval::fit::Row;
use proctor_eval::simulated::{Features, Sort};
use serde::Deserialize;

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

/// The session of a row is the beginning of its digest.
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
    // Pastes are logs and code more than sentences.
    let kind = if line.kind == "user_sentence" { &line.subkind } else { &line.kind };
    let sort = Sort::named(kind)?;
    let flag = f64::from;
    // Lines are rarely told word for word.
    let loose = matches!(sort, Sort::Error | Sort::Command | Sort::Typed);
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
    Some(Row {
        session: Arc::clone(&boundary.session),
        compaction: boundary.number as usize,
        sort,
        features: if sort.is_sentence() { Features::default() } else { features },
        survived: if loose { line.survived_loose } else { line.survived } == 1,
    })
}
