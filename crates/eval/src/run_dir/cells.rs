//! A run directory cell by cell, in the order of its manifest, in the memory of one cell.

use std::io::{BufRead, BufReader, Lines, Read, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::value::RawValue;

use crate::frame::CellState;
use crate::prelude::*;
use crate::record::Line;
use crate::run_dir::ManifestCell;
use crate::run_dir::shard::Landed;
use crate::run_dir::story;
use crate::run_dir::tables::{ByCell, MEASUREMENTS, TRACES, of_cells, open_text};
use crate::run_dir::write::Fresh;

#[derive(Serialize, Deserialize)]
struct TraceLine {
    cell: String,
    trace: Box<RawValue>,
}

pub struct TraceWriter {
    writer: GzEncoder<Fresh>,
    path: PathBuf,
}

impl TraceWriter {
    pub fn create(dir: &Path) -> Result<TraceWriter> {
        let writer = GzEncoder::new(Fresh::create(dir, TRACES)?, Compression::default());
        Ok(TraceWriter { writer, path: dir.join(TRACES) })
    }

    pub fn put(&mut self, cell: &str, trace: &RawValue) -> Result<()> {
        let io = |source| Error::io("write", &self.path, source);
        let line = TraceLine { cell: cell.to_owned(), trace: trace.to_owned() };
        let mut text = serde_json::to_vec(&line).map_err(|error| io(error.into()))?;
        text.push(b'\n');
        self.writer.write_all(&text).map_err(io)
    }

    pub fn finish(self) -> Result<()> {
        let packed = self.writer.finish();
        packed.map_err(|source| Error::io("write", &self.path, source))?.finish()
    }
}

pub struct Cells {
    dir: PathBuf,
    tables: Vec<ByCell>,
    traces: Lines<BufReader<Box<dyn Read + Send>>>,
    stories: BTreeMap<String, PathBuf>,
}

impl Cells {
    /// Opens the files of a run; an error where a table lacks a column.
    pub fn open(dir: &Path) -> Result<Cells> {
        let tables =
            of_cells().iter().map(|info| ByCell::open(dir, info)).collect::<Result<_>>()?;
        Ok(Cells {
            dir: dir.to_owned(),
            tables,
            traces: BufReader::new(open_text(&dir.join(TRACES))?).lines(),
            stories: story::by_cell(dir)?,
        })
    }

    /// The next cell as it landed; an error where a file holds another in its place.
    pub fn next(&mut self, cell: &ManifestCell) -> Result<Landed> {
        let id = &cell.key.cell;
        let tables = self.tables.iter_mut().map(|table| table.take(id));
        let lines: Vec<Vec<Line>> = tables.collect::<Result<_>>()?;
        if lines.last().is_none_or(Vec::is_empty) {
            let place = self.dir.join(MEASUREMENTS).display().to_string();
            return Err(Error::invalid(place, format!("has no row of `{id}` in its place")));
        }
        Ok(Landed {
            lines,
            trace: if cell.state == CellState::Done { Some(self.trace(id)?) } else { None },
            digest: cell.digest.clone(),
            story: self.stories.get(id).map(|path| story::story(path)).transpose()?,
            ..Landed::default()
        })
    }

    /// No file may go on behind the last cell.
    pub fn finish(self) -> Result<()> {
        self.tables.into_iter().try_for_each(ByCell::finish)
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
}
