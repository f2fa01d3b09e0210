//! A run directory cell by cell, in the order of its manifest: what each cell left, read
//! from all files side by side. So a run of any size is taken apart in the memory of its
//! largest cell.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Lines, Read, Write};
use std::path::{Path, PathBuf};

use csv::StringRecord;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::error::{Error, Result};
use crate::record::columns;
use crate::run_dir::read::{Measured, story_files};
use crate::run_dir::tables::{CellReaders, CsvTable, MEASUREMENTS, open_text, whole_text};
use crate::run_dir::write::{Fresh, Landed};
use crate::run_dir::{CellState, ManifestCell};

/// What cells did and no table holds: a line for each.
pub const TRACES: &str = "traces.jsonl.gz";

#[derive(Serialize, Deserialize)]
struct TraceLine {
    cell: String,
    trace: Box<RawValue>,
}

/// The traces of a run, open for writing.
pub struct TraceWriter {
    writer: GzEncoder<Fresh>,
    path: PathBuf,
}

impl TraceWriter {
    /// Begins the file.
    ///
    /// # Errors
    ///
    /// [`Error::Io`]; so below.
    pub fn create(dir: &Path) -> Result<TraceWriter> {
        let writer = GzEncoder::new(Fresh::create(dir, TRACES)?, Compression::default());
        Ok(TraceWriter { writer, path: dir.join(TRACES) })
    }

    /// Appends a cell's trace.
    pub fn put(&mut self, cell: &str, trace: &RawValue) -> Result<()> {
        let io = |source| Error::io("write", &self.path, source);
        let line = TraceLine { cell: cell.to_owned(), trace: trace.to_owned() };
        serde_json::to_writer(&mut self.writer, &line).map_err(|error| io(error.into()))?;
        self.writer.write_all(b"\n").map_err(io)
    }

    /// Puts the file in its place.
    pub fn finish(self) -> Result<()> {
        let packed = self.writer.finish();
        packed.map_err(|source| Error::io("write", &self.path, source))?.finish()
    }
}

/// The cells of a run, to be read in the order of its manifest.
pub struct Cells {
    dir: PathBuf,
    tables: CellReaders,
    measurements: CsvTable,
    /// Where the columns of [`Measured`] stand.
    keys: Vec<usize>,
    traces: Lines<BufReader<Box<dyn Read + Send>>>,
    /// By cell: its story file.
    stories: BTreeMap<String, PathBuf>,
}

impl Cells {
    /// Opens the files of a run.
    ///
    /// # Errors
    ///
    /// [`Error::Io`], or [`Error::Line`] where a table lacks a column.
    pub fn open(dir: &Path) -> Result<Cells> {
        let measurements = CsvTable::open(&dir.join(MEASUREMENTS))?;
        let keys = measurements.places(&columns::<Measured>())?;
        let traces = BufReader::new(open_text(&dir.join(TRACES))?).lines();
        let (tables, stories) = (CellReaders::open(dir)?, stories(dir)?);
        Ok(Cells { dir: dir.to_owned(), tables, measurements, keys, traces, stories })
    }

    /// The next cell as it landed, without the time that it took.
    ///
    /// # Errors
    ///
    /// [`Error::Io`], or [`Error::Line`] and [`Error::Invalid`] where a file holds another
    /// cell in its place.
    pub fn next(&mut self, cell: &ManifestCell) -> Result<Landed> {
        let id = &cell.key.cell;
        let failed = match &cell.state {
            CellState::Failed(error) => Some(error.clone()),
            CellState::Done | CellState::Excluded(_) => None,
        };
        Ok(Landed {
            key: cell.key.clone(),
            figures: self.figures(id)?,
            rows: self.tables.take(id)?,
            trace: if failed.is_none() { Some(self.trace(id)?) } else { None },
            digest: cell.digest.clone(),
            story: self.story(id)?,
            failed,
            wall_ms: 0,
        })
    }

    /// No file may go on behind the last cell.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] naming the first that does.
    pub fn finish(self) -> Result<()> {
        self.tables.finish()
    }

    fn figures(&mut self, cell: &str) -> Result<Vec<String>> {
        let mut line = StringRecord::new();
        let there = self.measurements.next(&mut line)?;
        let found = line.get(self.keys[0]).unwrap_or_default();
        if !there || found != cell {
            let rule = format!("expected the row of `{cell}`");
            return Err(self.measurements.fault(&line, rule));
        }
        let values = line.iter().enumerate().filter(|(place, _)| !self.keys.contains(place));
        Ok(values.map(|(_, value)| value.to_owned()).collect())
    }

    fn trace(&mut self, cell: &str) -> Result<Box<RawValue>> {
        let path = self.dir.join(TRACES);
        let broken = |rule: String| Error::invalid(path.display().to_string(), rule);
        let line = self.traces.next().ok_or_else(|| broken(format!("has no trace of `{cell}`")))?;
        let line = line.map_err(|source| Error::io("read", &path, source))?;
        let found: TraceLine =
            serde_json::from_str(&line).map_err(|error| broken(error.to_string()))?;
        match found.cell == cell {
            true => Ok(found.trace),
            false => Err(broken(format!("has `{}` in the place of `{cell}`", found.cell))),
        }
    }

    fn story(&self, cell: &str) -> Result<Option<Box<RawValue>>> {
        let Some(path) = self.stories.get(cell) else { return Ok(None) };
        let text = whole_text(path)?;
        let text = text.strip_suffix('\n').unwrap_or(&text).to_owned();
        let story = RawValue::from_string(text)
            .map_err(|error| Error::invalid(path.display().to_string(), error.to_string()))?;
        Ok(Some(story))
    }
}

/// By cell: its story file.
///
/// # Errors
///
/// [`Error::Io`], or [`Error::Invalid`] where a file is no story or a cell has two.
pub fn stories(dir: &Path) -> Result<BTreeMap<String, PathBuf>> {
    #[derive(Deserialize)]
    struct Head {
        cell: String,
    }
    let mut found = BTreeMap::new();
    for path in story_files(dir)? {
        let head: Head = serde_json::from_str(&whole_text(&path)?)
            .map_err(|error| Error::invalid(path.display().to_string(), error.to_string()))?;
        if found.insert(head.cell.clone(), path.clone()).is_some() {
            let rule = format!("a second story of `{}`", head.cell);
            return Err(Error::invalid(path.display().to_string(), rule));
        }
    }
    Ok(found)
}
