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
use crate::run_dir::write::no_link;

/// A finished cell.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Landed {
    /// Its lines in each of the tables [`of_cells`]; only the last of a failed cell.
    pub lines: Vec<Vec<Line>>,
    #[serde(with = "text")]
    pub trace: Option<Box<RawValue>>,
    pub digest: Option<Digest>,
    #[serde(with = "text")]
    pub story: Option<Box<RawValue>>,
    pub prompts: Prompts,
    pub wall_ms: u64,
}

/// JSON as a text: a format other than JSON knows no raw values.
mod text {
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
    use serde_json::value::RawValue;

    type Text = Option<Box<RawValue>>;

    pub fn serialize<S: Serializer>(text: &Text, to: S) -> Result<S::Ok, S::Error> {
        text.as_ref().map(|text| text.get()).serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Text, D::Error> {
        let text = Option::<String>::deserialize(from)?;
        text.map(RawValue::from_string).transpose().map_err(D::Error::custom)
    }
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

/// The open shard of a run: for each cell a line that says what follows, then gzipped postcard.
#[derive(Debug)]
pub struct Shard {
    path: PathBuf,
    run: Digest,
    file: Mutex<File>,
    places: Mutex<Vec<Place>>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Head {
    cell: String,
    /// Digest of what the run was begun with.
    run: Digest,
    /// Digest of the session's log.
    log: Digest,
    /// How many follow. Cells of an earlier form, which had another name for it, are driven again.
    #[serde(rename = "postcard")]
    bytes: u64,
    /// Digest of those bytes.
    check: Digest,
}

/// Where a landed cell stands in the shard.
#[derive(Clone, Debug)]
pub struct Place {
    pub cell: String,
    pub run: Digest,
    pub log: Digest,
    offset: u64,
    bytes: u64,
    check: Digest,
}

/// A cell ready to be written.
#[derive(Debug)]
pub struct Packed {
    head: Head,
    body: Vec<u8>,
}

impl Packed {
    /// Of a session with this digest of its log.
    pub fn new(cell: &str, log: &Digest, landed: &Landed, shard: &Shard) -> Result<Packed> {
        let io = |source| Error::io("write", &shard.path, source);
        // Handed over whole: the encoder clears its tables at every write.
        let text = postcard::to_stdvec(landed).map_err(|error| io(std::io::Error::other(error)))?;
        let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
        let body = packer.write_all(&text).and_then(|()| packer.finish()).map_err(io)?;
        let (bytes, check) = (body.len() as u64, Digest::of(&body));
        let (cell, run, log) = (cell.to_owned(), shard.run.clone(), log.clone());
        Ok(Packed { head: Head { cell, run, log, bytes, check }, body })
    }

    /// Which cell it is.
    pub fn cell(&self) -> &str {
        &self.head.cell
    }
}

impl Shard {
    /// Opens the shard of a run directory, making both where needed. `run` is the digest of what the
    /// run is begun with.
    pub fn open(dir: &Path, run: Digest) -> Result<Shard> {
        let shards = dir.join("shards");
        no_link(&shards)?;
        fs::create_dir_all(&shards).map_err(|source| Error::io("create", &shards, source))?;
        let path = shards.join("cells");
        no_link(&path)?;
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
        let (places, whole) = landed(&path)?;
        // A kill or a full disk may have left a cell half written.
        file.set_len(whole).map_err(|source| Error::io("mend", &path, source))?;
        Ok(Shard { path, run, file: Mutex::new(file), places: Mutex::new(places) })
    }

    fn file(&self) -> MutexGuard<'_, File> {
        self.file.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn places(&self) -> MutexGuard<'_, Vec<Place>> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether every cell that has landed is of the run.
    pub fn is_of_run(&self) -> bool {
        self.places().iter().all(|place| place.run == self.run)
    }

    /// Lands these cells: behind it no power cut loses them.
    pub fn land(&self, cells: &[Packed]) -> Result<()> {
        let io = |source| Error::io("write", &self.path, source);
        let mut file = self.file();
        let start = file.seek(SeekFrom::End(0)).map_err(io)?;
        let (mut bytes, mut places) = (Vec::new(), Vec::new());
        for Packed { head, body } in cells {
            serde_json::to_writer(&mut bytes, head).map_err(|error| io(error.into()))?;
            bytes.push(b'\n');
            places.push(Place::of(head, start + bytes.len() as u64));
            bytes.extend_from_slice(body);
        }
        if let Err(source) = file.write_all(&bytes).and_then(|()| file.sync_data()) {
            // Half a cell would hide those that land behind it.
            let _ = file.set_len(start);
            return Err(io(source));
        }
        self.places().extend(places);
        Ok(())
    }

    /// The cells that have landed whole, in the order in which they did.
    pub fn landed(&self) -> Vec<Place> {
        self.places().clone()
    }

    pub fn remove(&self) -> Result<()> {
        fs::remove_file(&self.path).map_err(|source| Error::io("remove", &self.path, source))
    }

    /// A landed cell; an error where it has changed since.
    pub fn read(&self, place: &Place) -> Result<Landed> {
        let io = |source| Error::io("read", &self.path, source);
        let mut file = File::open(&self.path).map_err(io)?;
        file.seek(SeekFrom::Start(place.offset)).map_err(io)?;
        let mut packed = Vec::new();
        file.take(place.bytes).read_to_end(&mut packed).map_err(io)?;
        if Digest::of(&packed) != place.check {
            let file = format!("{}: {}", self.path.display(), place.cell);
            let rule = "the cell is not what landed";
            return Err(Error::refused(file, rule, "`proctor run --resume` drives it again"));
        }
        let mut text = Vec::new();
        GzDecoder::new(&*packed).read_to_end(&mut text).map_err(io)?;
        postcard::from_bytes(&text).map_err(|error| io(std::io::Error::other(error)))
    }
}

impl Place {
    fn of(head: &Head, offset: u64) -> Place {
        let Head { cell, run, log, bytes, check } = head;
        let (cell, run, log, check) = (cell.clone(), run.clone(), log.clone(), check.clone());
        Place { cell, run, log, offset, bytes: *bytes, check }
    }
}

/// The cells of a shard that are what landed, and where its last whole cell ends. One that has
/// changed since is left out, and so driven again.
fn landed(path: &Path) -> Result<(Vec<Place>, u64)> {
    let io = |source| Error::io("read", path, source);
    let mut reader = BufReader::new(File::open(path).map_err(io)?);
    let (mut places, mut whole) = (Vec::new(), 0);
    let (mut line, mut body) = (Vec::new(), Vec::new());
    loop {
        line.clear();
        body.clear();
        let length = reader.by_ref().take(LONGEST_HEAD).read_until(b'\n', &mut line);
        let length = length.map_err(io)? as u64;
        let Ok(head) = serde_json::from_slice::<Head>(&line) else { break };
        reader.by_ref().take(head.bytes).read_to_end(&mut body).map_err(io)?;
        if (body.len() as u64) < head.bytes {
            break;
        }
        if Digest::of(&body) == head.check {
            places.push(Place::of(&head, whole + length));
        }
        whole += length + head.bytes;
    }
    Ok((places, whole))
}

/// The longest line that says what follows: the names of a cell are a few hundred bytes.
const LONGEST_HEAD: u64 = 1 << 16;
