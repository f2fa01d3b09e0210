//! The tables of a run directory cell by cell: what a cell wrote, as it was written.
//!
//! A pass over each file remembers where every cell's lines stand; they are read when
//! they are wanted. So a run of any size is taken apart in the memory of its largest cell.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};

use csv::ByteRecord;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::error::{Error, Result};
use crate::run_dir::read::story_files;
use crate::run_dir::write::{Landed, TABLES};
use crate::run_dir::{CellState, ManifestCell};

/// The lines of every cell in one table.
#[derive(Debug)]
pub struct Blocks {
    path: PathBuf,
    /// The first line, with its line end.
    pub header: String,
    /// Cells in the order of their first lines.
    pub order: Vec<String>,
    places: BTreeMap<String, Range<u64>>,
}

impl Blocks {
    /// Finds the cells of a table.
    ///
    /// # Errors
    ///
    /// [`Error::Io`], or [`Error::Line`] where the table has no column `cell`, a line has
    /// not as many fields as the header, or a cell's lines do not stand together.
    pub fn open(path: &Path) -> Result<Blocks> {
        let file = File::open(path).map_err(|source| Error::io("read", path, source))?;
        let mut reader = csv::Reader::from_reader(BufReader::new(file));
        let fault = |line: u64, rule: String| Error::Line {
            file: path.display().to_string(),
            line: line as usize,
            rule,
        };
        let broken = |error: csv::Error| {
            fault(error.position().map_or(1, csv::Position::line), error.to_string())
        };
        let headers = reader.byte_headers().map_err(broken)?.clone();
        let Some(column) = headers.iter().position(|name| name == b"cell") else {
            return Err(fault(1, "the header has no column `cell`".to_owned()));
        };
        let mut found = Blocks {
            path: path.to_owned(),
            header: String::new(),
            order: Vec::new(),
            places: BTreeMap::new(),
        };
        let mut record = ByteRecord::new();
        let mut first = None;
        while reader.read_byte_record(&mut record).map_err(broken)? {
            let (start, line) = record.position().map_or((0, 0), |at| (at.byte(), at.line()));
            first.get_or_insert(start);
            let cell = record.get(column).unwrap_or_default();
            if !found.begin(cell, start) {
                let cell = String::from_utf8_lossy(cell);
                return Err(fault(line, format!("a second block of lines of `{cell}`")));
            }
        }
        let end = reader.position().byte();
        found.end(end);
        found.header = found.text_at(&(0..first.unwrap_or(end)))?;
        Ok(found)
    }

    /// A line of a cell begins here; whether it may.
    fn begin(&mut self, cell: &[u8], start: u64) -> bool {
        if self.order.last().is_some_and(|last| last.as_bytes() == cell) {
            return true;
        }
        self.end(start);
        let cell = String::from_utf8_lossy(cell).into_owned();
        self.order.push(cell.clone());
        self.places.insert(cell, start..start).is_none()
    }

    /// The last cell's lines end here.
    fn end(&mut self, end: u64) {
        if let Some(place) = self.order.last().and_then(|last| self.places.get_mut(last)) {
            place.end = end;
        }
    }

    /// A cell's lines, without the header; none where it has none.
    ///
    /// # Errors
    ///
    /// [`Error::Io`].
    pub fn text(&self, cell: &str) -> Result<String> {
        self.places.get(cell).map_or_else(|| Ok(String::new()), |place| self.text_at(place))
    }

    fn text_at(&self, place: &Range<u64>) -> Result<String> {
        read_at(&self.path, place)
    }
}

fn read_at(path: &Path, place: &Range<u64>) -> Result<String> {
    let io = |source| Error::io("read", path, source);
    let mut file = File::open(path).map_err(io)?;
    file.seek(SeekFrom::Start(place.start)).map_err(io)?;
    let mut text = String::new();
    file.take(place.end - place.start).read_to_string(&mut text).map_err(io)?;
    Ok(text)
}

/// Every cell of a run directory, as it landed.
#[derive(Debug)]
pub struct Cells {
    tables: BTreeMap<&'static str, Blocks>,
    traces: PathBuf,
    /// By cell: its line in `traces.jsonl`.
    trace_places: BTreeMap<String, Range<u64>>,
    /// By cell: its story file.
    stories: BTreeMap<String, PathBuf>,
}

impl Cells {
    /// Finds the cells of a run.
    ///
    /// # Errors
    ///
    /// Those of [`Blocks::open`], the same for `traces.jsonl` and the stories.
    pub fn open(dir: &Path) -> Result<Cells> {
        let mut tables = BTreeMap::new();
        for name in TABLES {
            tables.insert(name, Blocks::open(&dir.join(format!("{name}.csv")))?);
        }
        let traces = dir.join("traces.jsonl");
        Ok(Cells { tables, trace_places: trace_places(&traces)?, traces, stories: stories(dir)? })
    }

    /// The tables by name.
    pub fn tables(&self) -> &BTreeMap<&'static str, Blocks> {
        &self.tables
    }

    /// The cells that have a line in `traces.jsonl`.
    pub fn traced(&self) -> impl Iterator<Item = &str> {
        self.trace_places.keys().map(String::as_str)
    }

    /// The cells that have a story.
    pub fn told(&self) -> impl Iterator<Item = &str> {
        self.stories.keys().map(String::as_str)
    }

    /// A cell's lines in a table.
    ///
    /// # Errors
    ///
    /// [`Error::Io`].
    pub fn text(&self, table: &str, cell: &str) -> Result<String> {
        self.tables.get(table).map_or_else(|| Ok(String::new()), |blocks| blocks.text(cell))
    }

    /// A cell as it landed, without the time that it took.
    ///
    /// # Errors
    ///
    /// [`Error::Io`], or [`Error::Invalid`] where it has no trace.
    pub fn landed(&self, cell: &ManifestCell) -> Result<Landed> {
        let id = &cell.key.cell;
        let failed = match &cell.state {
            CellState::Failed(error) => Some(error.clone()),
            CellState::Done | CellState::Excluded(_) => None,
        };
        let mut tables = BTreeMap::new();
        // A failed cell's line of `measurements.csv` is made from its error.
        for name in TABLES.into_iter().filter(|_| failed.is_none()) {
            tables.insert(name.to_owned(), self.text(name, id)?);
        }
        Ok(Landed {
            key: cell.key.clone(),
            failed,
            tables,
            trace: self.trace(id)?,
            story: self.story(id)?,
            wall_ms: 0,
        })
    }

    fn trace(&self, cell: &str) -> Result<Box<RawValue>> {
        #[derive(Deserialize)]
        struct Line {
            trace: Box<RawValue>,
        }
        let broken = |rule: &str| {
            Error::invalid(format!("{}: `{cell}`", self.traces.display()), rule.to_owned())
        };
        let place = self.trace_places.get(cell).ok_or_else(|| broken("has no trace"))?;
        let text = read_at(&self.traces, place)?;
        let line: Line = serde_json::from_str(&text).map_err(|error| broken(&error.to_string()))?;
        Ok(line.trace)
    }

    fn story(&self, cell: &str) -> Result<Option<Box<RawValue>>> {
        let Some(path) = self.stories.get(cell) else { return Ok(None) };
        let text =
            std::fs::read_to_string(path).map_err(|source| Error::io("read", path, source))?;
        let text = text.strip_suffix('\n').unwrap_or(&text).to_owned();
        let story = RawValue::from_string(text)
            .map_err(|error| Error::invalid(path.display().to_string(), error.to_string()))?;
        Ok(Some(story))
    }
}

/// Where each cell's line of `traces.jsonl` stands.
fn trace_places(path: &Path) -> Result<BTreeMap<String, Range<u64>>> {
    const BEFORE: &[u8] = b"{\"cell\":";
    let io = |source| Error::io("read", path, source);
    let mut reader = BufReader::new(File::open(path).map_err(io)?);
    let (mut places, mut start, mut line) = (BTreeMap::new(), 0, Vec::new());
    for number in 1.. {
        line.clear();
        let read = reader.read_until(b'\n', &mut line).map_err(io)? as u64;
        if read == 0 {
            break;
        }
        // The id alone is parsed: the rest may be large.
        let id = line.strip_prefix(BEFORE).and_then(|rest| {
            serde_json::Deserializer::from_slice(rest).into_iter::<String>().next()?.ok()
        });
        let rule = match id {
            Some(id) if places.insert(id.clone(), start..start + read).is_none() => None,
            Some(id) => Some(format!("a second trace of `{id}`")),
            None => Some("the line does not begin with a cell's id".to_owned()),
        };
        if let Some(rule) = rule {
            return Err(Error::Line { file: path.display().to_string(), line: number, rule });
        }
        start += read;
    }
    Ok(places)
}

fn stories(dir: &Path) -> Result<BTreeMap<String, PathBuf>> {
    #[derive(Deserialize)]
    struct Head {
        cell: String,
    }
    let mut found = BTreeMap::new();
    for path in story_files(dir)? {
        let text = std::fs::read(&path).map_err(|source| Error::io("read", &path, source))?;
        let head: Head = serde_json::from_slice(&text)
            .map_err(|error| Error::invalid(path.display().to_string(), error.to_string()))?;
        if found.insert(head.cell.clone(), path.clone()).is_some() {
            let rule = format!("a second story of `{}`", head.cell);
            return Err(Error::invalid(path.display().to_string(), rule));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(text: &str) -> Result<Blocks> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("t.csv");
        std::fs::write(&path, text).unwrap();
        let blocks = Blocks::open(&path)?;
        // As the file goes with the directory.
        for cell in &blocks.order {
            assert!(blocks.text(cell).unwrap().starts_with(cell.as_str()));
        }
        Ok(blocks)
    }

    #[test]
    fn a_cell_has_its_lines_as_they_stand_in_the_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("t.csv");
        std::fs::write(&path, "cell,n\na,1\na,\"2\n,\"\nb,3\n").unwrap();
        let blocks = Blocks::open(&path).unwrap();
        assert_eq!(blocks.header, "cell,n\n");
        assert_eq!(blocks.order, ["a", "b"]);
        assert_eq!(blocks.text("a").unwrap(), "a,1\na,\"2\n,\"\n");
        assert_eq!(blocks.text("b").unwrap(), "b,3\n");
        assert_eq!(blocks.text("c").unwrap(), "");
    }

    #[test]
    fn a_table_of_another_form_is_refused_by_line() {
        assert_eq!(open("cell,n\n").unwrap().header, "cell,n\n");
        for (text, place, rule) in [
            ("", ":1:", "no column `cell`"),
            ("id,n\na,1\n", ":1:", "no column `cell`"),
            ("cell,n\na,1\nb,2\na,3\n", ":4:", "second block of lines of `a`"),
            ("cell,n\na,1\nb\n", ":3:", "fields"),
        ] {
            let error = open(text).unwrap_err().to_string();
            assert!(error.contains(place) && error.contains(rule), "{error}");
        }
    }
}
