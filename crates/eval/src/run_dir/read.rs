//! Reading a run directory: all that later verbs know of a run.
//!
//! Columns are found by name and unknown ones are kept (metrics) or passed over
//! (rows), so that a reader of one layout reads every set of metrics.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::path::{Path, PathBuf};

use csv::{ByteRecord, Reader, StringRecord};
use serde::de::DeserializeOwned;

use super::manifest::Manifest;
use crate::error::{Error, Result};
use crate::frame::{CellState, Derived, Frame, MeasuredCell};
use crate::ident::Digest;
use crate::measure::{Measurement, MetricId, Value};
use crate::row::{CellKey, CompactionRow, CompositionRow, CurveRow, FloorRow, SCHEMA, StepRow};
use crate::run_dir::digests;
use crate::run_dir::story::Story;

/// Files with a row for every call, every demand or every bucket of every cell. They may
/// be as large as all others together, so no reader holds them whole: [`each_row`] and
/// [`steps_of`] read them.
const LARGE: [&str; 4] = ["steps.csv", "facts.csv", "survival.csv", "triggers.csv"];

/// A run, as its directory tells it; all but what may be large: steps, demands, survival
/// and triggers.
#[derive(Clone, Debug)]
pub struct RunData {
    /// What was run (`manifest.json`).
    pub manifest: Manifest,
    /// Digest of the manifest's bytes: names the run in reports.
    pub manifest_digest: Digest,
    /// One row per cell (`measurements.csv`).
    pub measurements: Vec<MeasuredCell>,
    /// Figures over several cells (`derived.csv`).
    pub derived: Vec<Derived>,
    /// Floor-probe rounds (`floor.csv`).
    pub floor: Vec<FloorRow>,
    /// What views were made of (`composition.csv`).
    pub compositions: Vec<CompositionRow>,
    /// Every plan (`compactions.csv`).
    pub compactions: Vec<CompactionRow>,
    /// Points of the Proctor curve (`curve.csv`).
    pub curve: Vec<CurveRow>,
}

/// A finite number as the files write it.
pub fn number(text: &str) -> Option<f64> {
    text.parse::<f64>().ok().filter(|value| value.is_finite())
}

impl RunData {
    /// Reads a run directory.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] where a file is missing, [`Error::Line`] where a line cannot be
    /// used, [`Error::Invalid`] where the layout is of another version, or a file is not as
    /// long as the run wrote it.
    pub fn load(dir: &Path) -> Result<RunData> {
        let (manifest, manifest_digest) = load_manifest(&dir.join("manifest.json"))?;
        digests::check_sizes(dir)?;
        for file in LARGE {
            Table::open(&dir.join(file))?;
        }
        Ok(RunData {
            manifest,
            manifest_digest,
            measurements: measurements(&dir.join("measurements.csv"))?,
            derived: rows(&dir.join("derived.csv"))?,
            floor: rows(&dir.join("floor.csv"))?,
            compositions: rows(&dir.join("composition.csv"))?,
            compactions: rows(&dir.join("compactions.csv"))?,
            curve: rows(&dir.join("curve.csv"))?,
        })
    }

    /// Its cells and figures, indexed.
    pub fn frame(&self) -> Frame<'_> {
        Frame::new(&self.measurements, &self.floor, &self.compactions, &self.derived)
    }
}

/// The story files of a run, in the order of its cells; none where none were written.
///
/// # Errors
///
/// [`Error::Io`] where the folder is there and cannot be read.
pub fn story_files(dir: &Path) -> Result<Vec<PathBuf>> {
    let folder = dir.join("stories");
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let io = |source| Error::io("read", &folder, source);
    let mut files = Vec::new();
    for entry in std::fs::read_dir(&folder).map_err(io)? {
        let path = entry.map_err(io)?.path();
        let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        let is_numbered = !stem.is_empty() && stem.bytes().all(|byte| byte.is_ascii_digit());
        if is_numbered && path.extension().is_some_and(|end| end == "json") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// One story.
///
/// # Errors
///
/// [`Error::Io`], or [`Error::Invalid`] where the file holds no story.
pub fn story(file: &Path) -> Result<Story> {
    let text = std::fs::read(file).map_err(|source| Error::io("read", file, source))?;
    serde_json::from_slice(&text)
        .map_err(|error| Error::invalid(file.display().to_string(), error.to_string()))
}

/// The steps of these cells, in the order of `steps.csv`; other lines are passed over
/// without being kept.
///
/// # Errors
///
/// As [`RunData::load`].
pub fn steps_of(dir: &Path, cells: &BTreeSet<String>) -> Result<BTreeMap<String, Vec<StepRow>>> {
    let path = dir.join("steps.csv");
    let mut table = Table::open(&path)?;
    let column = table.headers.iter().position(|header| header == "cell");
    let mut found: BTreeMap<String, Vec<StepRow>> = BTreeMap::new();
    let mut raw = ByteRecord::new();
    while table.next(&mut raw)? {
        let cell = column.and_then(|column| raw.get(column)).unwrap_or_default();
        let wanted = std::str::from_utf8(cell).is_ok_and(|cell| cells.contains(cell));
        if wanted {
            let row: StepRow = table.typed(&raw)?;
            found.entry(row.cell.clone()).or_default().push(row);
        }
    }
    Ok(found)
}

/// Reads a manifest file, with the digest of its bytes.
pub fn load_manifest(path: &Path) -> Result<(Manifest, Digest)> {
    #[derive(serde::Deserialize)]
    struct Layout {
        schema: u32,
    }
    let text = std::fs::read_to_string(path).map_err(|source| Error::io("read", path, source))?;
    let broken = |error: serde_json::Error| Error::Line {
        file: path.display().to_string(),
        line: error.line(),
        rule: error.to_string(),
    };
    // The version first: a later layout may differ in everything else.
    let layout: Layout = serde_json::from_str(&text).map_err(broken)?;
    if layout.schema != SCHEMA {
        return Err(Error::Invalid {
            place: format!("{}: schema", path.display()),
            rule: format!("the layout is version {}, this reader knows {SCHEMA}", layout.schema),
            hint: Some("read it with the version of proctor that made it, or run anew".to_owned()),
        });
    }
    let manifest = serde_json::from_str(&text).map_err(broken)?;
    Ok((manifest, Digest::of(text.as_bytes())))
}

/// Hands the rows of a file to `each`, one at a time and in their order.
///
/// # Errors
///
/// As [`RunData::load`].
pub fn each_row<Row: DeserializeOwned>(path: &Path, mut each: impl FnMut(Row)) -> Result<()> {
    let mut table = Table::open(path)?;
    let mut raw = ByteRecord::new();
    while table.next(&mut raw)? {
        each(table.typed(&raw)?);
    }
    Ok(())
}

fn rows<Row: DeserializeOwned>(path: &Path) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    each_row(path, |row| rows.push(row))?;
    Ok(rows)
}

fn measurements(path: &Path) -> Result<Vec<MeasuredCell>> {
    #[derive(serde::Deserialize)]
    struct Outcome {
        state: String,
        error: String,
    }
    let mut table = Table::open(path)?;
    // Metrics of another version of the table are passed over.
    let metrics: Vec<(usize, MetricId)> = table
        .headers
        .iter()
        .enumerate()
        .filter_map(|(place, name)| Some((place, MetricId::named(name)?)))
        .collect();
    let mut rows = Vec::new();
    let mut raw = ByteRecord::new();
    while table.next(&mut raw)? {
        let key: CellKey = table.typed(&raw)?;
        let Outcome { state, error } = table.typed(&raw)?;
        let unknown = || table.line(&raw, format!("`state`: a cell is never `{state}`"));
        let state = CellState::parse(&state, error).ok_or_else(unknown)?;
        let text = table.text(&raw)?;
        let mut figures = Measurement::default();
        for (place, metric) in &metrics {
            let value = text.get(*place).unwrap_or_default();
            let refused = || table.line(&raw, format!("`{metric}` is never `{value}`"));
            if !value.is_empty() {
                figures.set(*metric, Some(Value::parse(*metric, value).ok_or_else(refused)?));
            }
        }
        rows.push(MeasuredCell { key, state, figures });
    }
    Ok(rows)
}

/// A CSV file with a header line; every error names its line.
struct Table {
    file: String,
    reader: Reader<File>,
    headers: StringRecord,
}

impl Table {
    fn open(path: &Path) -> Result<Table> {
        let opened = File::open(path).map_err(|source| Error::io("read", path, source))?;
        let mut reader = Reader::from_reader(opened);
        let file = path.display().to_string();
        let headers = reader.headers().cloned().map_err(|error| broken(&file, &error))?;
        Ok(Table { file, reader, headers })
    }

    fn next(&mut self, raw: &mut ByteRecord) -> Result<bool> {
        self.reader.read_byte_record(raw).map_err(|error| broken(&self.file, &error))
    }

    fn text(&self, raw: &ByteRecord) -> Result<StringRecord> {
        StringRecord::from_byte_record(raw.clone())
            .map_err(|_| self.line(raw, "the line is not UTF-8".to_owned()))
    }

    fn typed<Row: DeserializeOwned>(&self, raw: &ByteRecord) -> Result<Row> {
        let text = self.text(raw)?;
        text.deserialize(Some(&self.headers))
            .map_err(|error| self.line(raw, rule(&error, &self.headers)))
    }

    fn line(&self, raw: &ByteRecord, rule: String) -> Error {
        let line = raw.position().map_or(0, csv::Position::line) as usize;
        Error::Line { file: self.file.clone(), line, rule }
    }
}

fn broken(file: &str, error: &csv::Error) -> Error {
    match error.kind() {
        csv::ErrorKind::Io(source) => {
            let source = std::io::Error::new(source.kind(), source.to_string());
            Error::io("read", Path::new(file), source)
        }
        _ => {
            let line = error.position().map_or(1, csv::Position::line) as usize;
            Error::Line { file: file.to_owned(), line, rule: rule(error, &StringRecord::new()) }
        }
    }
}

/// The reason without the place, which the error carries already.
fn rule(error: &csv::Error, headers: &StringRecord) -> String {
    match error.kind() {
        csv::ErrorKind::Deserialize { err, .. } => {
            let column = err.field().and_then(|field| headers.get(field as usize));
            let column = column.map(|column| format!("`{column}`: ")).unwrap_or_default();
            format!("{column}{}", err.kind())
        }
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("the line has {len} fields, the header {expected_len}")
        }
        _ => error.to_string(),
    }
}
