//! Reading a run directory: all that later verbs know of a run.
//!
//! Columns are found by name and unknown ones are kept (metrics) or passed over
//! (rows), so that a reader of one layout reads every set of metrics.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use csv::StringRecord;

use super::manifest::Manifest;
use crate::error::{Error, Result};
use crate::frame::{CellState, Derived, Frame, MeasuredCell};
use crate::ident::Digest;
use crate::measure::{self, Measurement, MetricId};
use crate::record;
use crate::record::{Field, Line, Values, columns};
use crate::row::{CellKey, CompactionRow, CompositionRow, CurveRow, FloorRow, SCHEMA, StepRow};
use crate::run_dir::digests;
use crate::run_dir::story::Story;
use crate::run_dir::tables::{
    CURVE, CsvTable, DERIVED, LineReader, MEASUREMENTS, Rows, whole_text,
};

/// What the name of a story file ends in, behind its number.
pub(crate) const STORY: &str = ".json.gz";
/// Every model call.
const STEPS: &str = "steps.parquet";
/// Files with a row for every call, every demand or every bucket of every cell. They may
/// be as large as all others together, so no reader holds them whole: [`each_row`] and
/// [`steps_of`] read them.
const LARGE: [&str; 4] = [STEPS, "facts.parquet", "survival.parquet", "triggers.parquet"];

record! {
    /// The columns of `measurements.csv` that are no metrics.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Measured {
        /// The cell.
        pub key: CellKey,
        /// What became of it: `done`, `failed` or `excluded`.
        pub state: String,
        /// Why it is not done; else empty.
        pub error: String,
    }
}

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
    /// Floor-probe rounds (`floor.parquet`).
    pub floor: Vec<FloorRow>,
    /// What views were made of (`composition.parquet`).
    pub compositions: Vec<CompositionRow>,
    /// Every plan (`compactions.parquet`).
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
            LineReader::open(&dir.join(file), &[])?;
        }
        Ok(RunData {
            manifest,
            manifest_digest,
            measurements: measurements(&dir.join(MEASUREMENTS))?,
            derived: rows(&dir.join(DERIVED))?,
            floor: rows(&dir.join("floor.parquet"))?,
            compositions: rows(&dir.join("composition.parquet"))?,
            compactions: rows(&dir.join("compactions.parquet"))?,
            curve: rows(&dir.join(CURVE))?,
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
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let number = name.strip_suffix(STORY).unwrap_or_default();
        if !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) {
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
    serde_json::from_str(&whole_text(file)?)
        .map_err(|error| Error::invalid(file.display().to_string(), error.to_string()))
}

/// The steps of these cells, in the order of the table; other rows are passed over without
/// being kept.
///
/// # Errors
///
/// As [`RunData::load`].
pub fn steps_of(dir: &Path, cells: &BTreeSet<String>) -> Result<BTreeMap<String, Vec<StepRow>>> {
    let mut found: BTreeMap<String, Vec<StepRow>> = BTreeMap::new();
    each_row(&dir.join(STEPS), |row: StepRow| {
        if cells.contains(&row.cell) {
            found.entry(row.cell.clone()).or_default().push(row);
        }
    })?;
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

/// Hands the rows of a table to `each`, one at a time and in their order.
///
/// # Errors
///
/// As [`RunData::load`].
pub fn each_row<R: Field>(path: &Path, mut each: impl FnMut(R)) -> Result<()> {
    for row in Rows::open(path)? {
        each(row?);
    }
    Ok(())
}

fn rows<R: Field>(path: &Path) -> Result<Vec<R>> {
    Rows::open(path)?.collect()
}

fn measurements(path: &Path) -> Result<Vec<MeasuredCell>> {
    let mut table = CsvTable::open(path)?;
    let columns = columns::<Measured>();
    let places = table.places(&columns)?;
    // Metrics of another version of the table are passed over.
    let metrics: Vec<(usize, MetricId)> = table
        .headers
        .iter()
        .enumerate()
        .filter_map(|(place, name)| Some((place, MetricId::named(name)?)))
        .collect();
    let (mut rows, mut record, mut line) = (Vec::new(), StringRecord::new(), Line::default());
    while table.next(&mut record)? {
        table.values(&record, &columns, &places, &mut line)?;
        let measured = Measured::read(&mut Values::new(&line));
        let Measured { key, state, error } =
            measured.map_err(|bad| table.fault(&record, bad.rule))?;
        let unknown = || table.fault(&record, format!("`state`: a cell is never `{state}`"));
        let state = CellState::parse(&state, error).ok_or_else(unknown)?;
        let mut figures = Measurement::default();
        for (place, metric) in &metrics {
            let value = record.get(*place).unwrap_or_default();
            let refused = || table.fault(&record, format!("`{metric}` is never `{value}`"));
            if !value.is_empty() {
                let value = measure::Value::parse(*metric, value).ok_or_else(refused)?;
                figures.set(*metric, Some(value));
            }
        }
        rows.push(MeasuredCell { key, state, figures });
    }
    Ok(rows)
}
