//! Cassettes as files: a header line, `{"proctor":"cassette","version":1}`, then a call with its
//! key on each. Of several lines with one key the last holds: so a failure is replaced.

use std::fs::File;
use std::io::{self, BufReader, Read};

use crate::bounds::Bound;
use crate::cassette::{Recorded, RequestKey};
use crate::log::format::Objects;
use crate::prelude::*;

const KIND: &str = "cassette";
const VERSION: u32 = 1;

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    proctor: String,
    version: u32,
}

/// What a cassette file holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Contents {
    /// The calls; of several under one key, the last.
    pub entries: BTreeMap<RequestKey, Recorded>,
    /// Lines whose call was replaced by a later line with another outcome.
    pub replaced: usize,
    /// Bytes up to the end of the last whole line, decompressed.
    pub whole_bytes: u64,
    /// Bytes of the file as it lies there.
    pub file_bytes: u64,
    /// The number of a last line that is cut off, where one is.
    pub cut_off: Option<usize>,
}

impl Contents {
    /// Reads a cassette, compressed if its name ends in `.gz`. An error where it cannot be
    /// read, is foreign or newer, or a line other than a cut-off last one is broken.
    pub fn read(path: &Path) -> Result<Contents> {
        let io = |source| Error::io("read", path, source);
        let file = File::open(path).map_err(io)?;
        let file_bytes = file.metadata().map_err(io)?.len();
        let bytes = match is_compressed(path) {
            true => begun(flate2::read::MultiGzDecoder::new(BufReader::new(file))),
            false => begun(file),
        };
        Ok(Contents { file_bytes, ..Contents::parse(&bytes.map_err(io)?, path)? })
    }

    /// Reads the decompressed bytes of a cassette. Nothing at all, or the beginning of a
    /// header, is a cassette that was about to be made.
    pub(super) fn parse(bytes: &[u8], path: &Path) -> Result<Contents> {
        let file_bytes = bytes.len() as u64;
        if bytes.len() < header().len() && header().as_bytes().starts_with(bytes) {
            return Ok(Contents { file_bytes, cut_off: Some(1), ..Contents::default() });
        }
        let (whole, cut_off) = split(bytes);
        let whole_bytes = whole.len() as u64;
        let mut contents = Contents { file_bytes, whole_bytes, cut_off, ..Contents::default() };
        let mut objects = Objects::new(BufReader::new(whole), path);
        let _: Header = objects.header(KIND, VERSION)?;
        while let Some((new, number)) = objects.next::<Recorded>()? {
            check_date(&new.date).map_err(|rule| objects.error(number, rule))?;
            match contents.entries.get(&new.key) {
                Some(old) if old.outcome == new.outcome => continue,
                Some(_) => contents.replaced += 1,
                None => {}
            }
            contents.entries.insert(new.key, new);
        }
        Ok(contents)
    }

    /// Itself; an error that names the line where the last one is cut off.
    pub fn whole(self, path: &Path) -> Result<Contents> {
        let Some(line) = self.cut_off else { return Ok(self) };
        let rule = "the last line is cut off (recording into the cassette again drops it)";
        Err(Error::Line { file: path.display().to_string(), line, rule: rule.to_owned() })
    }
}

/// All bytes of a cassette; of what does not begin as one, some from its beginning.
pub(super) fn begun(reader: impl Read) -> io::Result<Vec<u8>> {
    const BEGIN: &[u8] = b"{\"proctor\"";
    const SOME: u64 = 4096;
    let (mut reader, mut bytes) = (Bound::Record.on(reader), Vec::new());
    reader.by_ref().take(SOME).read_to_end(&mut bytes)?;
    if bytes.starts_with(BEGIN) {
        reader.read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

/// Whether the name says that the file is compressed.
pub(super) fn is_compressed(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "gz")
}

/// The header line.
pub(super) fn header() -> String {
    format!("{{\"proctor\":\"{KIND}\",\"version\":{VERSION}}}\n")
}

/// Appends a call as a line; `path` is for errors.
pub(super) fn push(text: &mut String, recorded: &Recorded, path: &Path) -> Result<()> {
    let invalid = |rule: String| Error::invalid(path.display().to_string(), rule);
    check_date(&recorded.date).map_err(invalid)?;
    crate::log::format::push(text, recorded).map_err(|error| invalid(error.to_string()))
}

/// A whole cassette, sorted by key, as it stands in a file: compressed if the name ends in
/// `.gz`. Equal calls make equal bytes; a call whose date is none is an error.
pub fn render(entries: &BTreeMap<RequestKey, Recorded>, path: &Path) -> Result<Vec<u8>> {
    let mut text = header();
    for recorded in entries.values() {
        push(&mut text, recorded, path)?;
    }
    if !is_compressed(path) {
        return Ok(text.into_bytes());
    }
    let mut packed = Vec::new();
    // No name and no time in the frame: only the calls decide the bytes.
    flate2::read::GzEncoder::new(text.as_bytes(), flate2::Compression::best())
        .read_to_end(&mut packed)
        .map_err(|source| Error::io("compress", path, source))?;
    Ok(packed)
}

/// The part of a file that is whole lines, and the number of a line that is not. A last
/// line that lacks only its end is whole: no beginning of an object is an object.
fn split(bytes: &[u8]) -> (&[u8], Option<usize>) {
    let end = memchr::memrchr(b'\n', bytes).map_or(0, |end| end + 1);
    let last = &bytes[end..];
    if end == 0 || last.is_empty() || serde_json::from_slice::<Recorded>(last).is_ok() {
        return (bytes, None);
    }
    let line = memchr::memchr_iter(b'\n', bytes).count() + 1;
    (&bytes[..end], Some(line))
}

fn check_date(date: &str) -> Result<(), String> {
    match date.len() == 10 && date.parse::<chrono::NaiveDate>().is_ok() {
        true => Ok(()),
        false => Err(format!("`{date}` is no date (expected YYYY-MM-DD)")),
    }
}
