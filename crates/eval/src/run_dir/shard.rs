//! Finished cells as they landed: each is flushed before the next begins.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde_json::value::RawValue;

use crate::frame::MeasuredCell;
use crate::prelude::*;
use crate::record::{Field, Line, Values};
use crate::run_dir::inputs::Prompts;
use crate::run_dir::tables::{lines_of, of_cells};

/// A finished cell.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Landed {
    /// Its lines in each of the tables [`of_cells`]; only the last of a failed cell.
    pub lines: Vec<Vec<Line>>,
    pub trace: Option<Box<RawValue>>,
    pub digest: Option<Digest>,
    pub story: Option<Box<RawValue>>,
    pub prompts: Prompts,
    pub wall_ms: u64,
}

impl Landed {
    /// A cell with the lines that it has in all tables but the last.
    pub fn of(measured: &MeasuredCell, mut lines: Vec<Vec<Line>>) -> Landed {
        lines.resize(of_cells().len() - 1, Vec::new());
        lines.push(lines_of(std::slice::from_ref(measured)));
        Landed { lines, ..Landed::default() }
    }

    /// Its rows in a table.
    pub fn rows<R: Field>(&self, file: &str) -> Result<Vec<R>> {
        let place = of_cells().iter().position(|info| info.file == file);
        let lines = place.and_then(|place| self.lines.get(place)).into_iter().flatten();
        let read = |line| R::read(&mut Values::new(line));
        lines.map(|line| read(line).map_err(|bad| Error::invalid(file, bad.rule))).collect()
    }
}

/// The open shard of a run: for each cell a line with its size, then gzipped JSON.
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
        // A kill or a full disk may have left a cell half written.
        let whole = shard.landed()?.last().map_or(0, Place::end);
        let mended = shard.file().set_len(whole);
        mended.map_err(|source| Error::io("mend", &shard.path, source))?;
        Ok(shard)
    }

    fn file(&self) -> MutexGuard<'_, File> {
        self.file.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn land(&self, cell: &str, landed: &Landed) -> Result<()> {
        let io = |source| Error::io("write", &self.path, source);
        // Handed over whole: the encoder clears its tables at every write.
        let text = serde_json::to_vec(landed).map_err(|error| io(error.into()))?;
        let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
        let packed = packed.write_all(&text).and_then(|()| packed.finish()).map_err(io)?;
        let head = Head { cell: cell.to_owned(), bytes: packed.len() as u64 };
        let mut bytes = serde_json::to_vec(&head).map_err(|error| io(error.into()))?;
        bytes.push(b'\n');
        bytes.extend(packed);
        let mut file = self.file();
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
        serde_json::from_slice(&text).map_err(|error| io(error.into()))
    }
}
