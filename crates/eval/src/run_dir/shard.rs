//! Finished cells as they landed: each is flushed before the next begins.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::error::{Error, Result};
use crate::frame::MeasuredCell;
use crate::ident::Digest;
use crate::record::Line;
use crate::run_dir::inputs::Prompts;
use crate::run_dir::tables::{CellRows, MEASUREMENTS, lines_of};

#[derive(Debug, Serialize, Deserialize)]
pub struct Landed {
    /// Its axes, state and figures. A failed cell has no rows and no trace.
    pub measured: MeasuredCell,
    pub rows: CellRows,
    pub trace: Option<Box<RawValue>>,
    pub digest: Option<Digest>,
    /// Its story as JSON, where one is wanted.
    pub story: Option<Box<RawValue>>,
    pub prompts: Prompts,
    /// Milliseconds that it took here; not part of the identity set.
    pub wall_ms: u64,
}

impl Landed {
    /// A cell of which nothing but its figures is known.
    pub fn of(measured: MeasuredCell) -> Landed {
        Landed {
            measured,
            rows: CellRows::default(),
            trace: None,
            digest: None,
            story: None,
            prompts: Prompts::new(),
            wall_ms: 0,
        }
    }

    /// The lines of every table that has rows of cells, by its file.
    pub fn lines(&self) -> Vec<(&'static str, Vec<Line>)> {
        let mut lines = vec![(MEASUREMENTS, lines_of(std::slice::from_ref(&self.measured)))];
        lines.extend(self.rows.lines());
        lines
    }
}

/// The open shard of a run: for each cell a line that says how many bytes follow, then the cell as
/// gzipped JSON.
#[derive(Debug)]
pub struct Shard {
    path: PathBuf,
    file: Mutex<File>,
}

#[derive(Serialize, Deserialize)]
struct Head {
    cell: String,
    bytes: u64,
}

/// Where a landed cell stands in the shard.
#[derive(Clone, Debug)]
pub struct Place {
    pub cell: String,
    offset: u64,
    bytes: u64,
}

impl Place {
    fn end(&self) -> u64 {
        self.offset + self.bytes
    }
}

impl Shard {
    /// Opens the shard of a run directory, making both where needed.
    pub fn open(dir: &Path) -> Result<Shard> {
        let shards = dir.join("shards");
        fs::create_dir_all(&shards).map_err(|source| Error::io("create", &shards, source))?;
        let path = shards.join("cells");
        let file = OpenOptions::new()
            .create(true)
            .append(true)
            .read(true)
            .open(&path)
            .map_err(|source| Error::io("open", &path, source))?;
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            return Err(Error::WrongRun {
                path: dir.to_owned(),
                difference: "another process is driving it".to_owned(),
            });
        }
        let shard = Shard { path, file: Mutex::new(file) };
        shard.mend()?;
        Ok(shard)
    }

    /// Cuts off a cell that a kill or a full disk left half written.
    fn mend(&self) -> Result<()> {
        let whole = self.landed()?.last().map_or(0, Place::end);
        let file = self.file.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        file.set_len(whole).map_err(|source| Error::io("mend", &self.path, source))
    }

    pub fn land(&self, landed: &Landed) -> Result<()> {
        let io = |source| Error::io("write", &self.path, source);
        let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
        serde_json::to_writer(&mut packed, landed).map_err(|error| io(error.into()))?;
        let packed = packed.finish().map_err(io)?;
        let head = Head { cell: landed.measured.key.cell.clone(), bytes: packed.len() as u64 };
        let mut bytes = serde_json::to_vec(&head).map_err(|error| io(error.into()))?;
        bytes.push(b'\n');
        bytes.extend(packed);
        let mut file = self.file.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let start = file.seek(SeekFrom::End(0)).map_err(io)?;
        if let Err(source) = file.write_all(&bytes).and_then(|()| file.flush()) {
            // Half a cell would hide those that land behind it.
            let _ = file.set_len(start);
            return Err(io(source));
        }
        Ok(())
    }

    /// The cells that have landed whole, in the order in which they did.
    pub fn landed(&self) -> Result<Vec<Place>> {
        let io = |source| Error::io("read", &self.path, source);
        let file = File::open(&self.path).map_err(io)?;
        let size = file.metadata().map_err(io)?.len();
        let mut reader = BufReader::new(file);
        let (mut places, mut offset, mut line): (Vec<Place>, u64, _) = (Vec::new(), 0, Vec::new());
        loop {
            line.clear();
            offset += reader.read_until(b'\n', &mut line).map_err(io)? as u64;
            let Ok(Head { cell, bytes }) = serde_json::from_slice::<Head>(&line) else { break };
            let place = Place { cell, offset, bytes };
            if place.end() > size {
                break;
            }
            offset = place.end();
            reader.seek_relative(bytes as i64).map_err(io)?;
            places.push(place);
        }
        Ok(places)
    }

    pub fn remove(&self) -> Result<()> {
        fs::remove_file(&self.path).map_err(|source| Error::io("remove", &self.path, source))
    }

    pub fn read(&self, place: &Place) -> Result<Landed> {
        let io = |source| Error::io("read", &self.path, source);
        let mut file = File::open(&self.path).map_err(io)?;
        file.seek(SeekFrom::Start(place.offset)).map_err(io)?;
        let packed = BufReader::new(file.take(place.bytes));
        let mut text = Vec::new();
        GzDecoder::new(packed).read_to_end(&mut text).map_err(io)?;
        let mut landed: Landed = serde_json::from_slice(&text).map_err(|error| io(error.into()))?;
        // JSON may have moved the last bit of a number.
        landed.measured.figures = landed.measured.figures.as_written();
        Ok(landed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::{MetricId, Value};
    use crate::row::CellKey;

    fn landed(cell: &str) -> Landed {
        let key = CellKey { cell: cell.to_owned(), ..serde_json::from_str(
            r#"{"cell":"","scenario":"s","family":"s","turns":1,"window":1,"pipeline":"p",
                "variant":"windowed","mode":"deployed","seed":1,"summarizer":"empty","replicate":0}"#,
        ).expect("a key") };
        let figures = [(MetricId::CostUsd, Value::Number(0.1))].into_iter().collect();
        Landed::of(MeasuredCell::done(key, figures))
    }

    #[test]
    fn a_half_written_cell_is_cut_off_and_the_rest_is_kept() {
        let dir = tempfile::tempdir().expect("a directory");
        let shard = Shard::open(dir.path()).expect("it opens");
        shard.land(&landed("a")).expect("it lands");
        let path = dir.path().join("shards/cells");
        for half in [&b"{\"cell\":\"b"[..], b"{\"cell\":\"b\",\"bytes\":9}\n1234"] {
            let mut file = OpenOptions::new().append(true).open(&path).expect("it opens");
            file.write_all(half).expect("it writes");
            drop(file);
            let held = Shard::open(dir.path());
            assert!(matches!(held, Err(Error::WrongRun { .. })), "the lock is held");
        }
        drop(shard);
        let shard = Shard::open(dir.path()).expect("it opens");
        shard.land(&landed("c")).expect("it lands");
        let places = shard.landed().expect("it reads");
        let cells: Vec<&str> = places.iter().map(|place| place.cell.as_str()).collect();
        assert_eq!(cells, ["a", "c"]);
        let read = shard.read(&places[1]).expect("it reads");
        assert_eq!(read.measured, landed("c").measured);
    }
}
