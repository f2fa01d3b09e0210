//! Opening a file: plain or compressed, and the number of a session behind its name.

use std::fs::File;
use std::io::{BufRead, BufReader, Cursor, Read};
use std::path::PathBuf;

use flate2::read::MultiGzDecoder;

use crate::bounds::Bound;
use crate::prelude::*;

/// How much of a file is looked at to tell its format, in bytes.
const HEAD: u64 = 64 * 1024;
const GZIP: &[u8] = &[0x1f, 0x8b];
const UTF_16: [&[u8]; 2] = [&[0xff, 0xfe], &[0xfe, 0xff]];

/// A reader from a file's beginning, and its first bytes.
type Opened<'a> = (Box<dyn BufRead + 'a>, Vec<u8>);

/// Opens a file.
pub(super) fn open(path: &Path) -> Result<Opened<'static>> {
    let file = File::open(path).map_err(|error| Error::io("read", path, error))?;
    opened(BufReader::with_capacity(HEAD as usize, file), path)
}

/// The same of a file that is in memory.
pub(super) fn of_bytes<'a>(bytes: &'a [u8], path: &Path) -> Result<Opened<'a>> {
    opened(bytes, path)
}

/// Decompresses where that is needed; UTF-16 is read as UTF-8.
fn opened<'a>(mut file: impl BufRead + 'a, path: &Path) -> Result<Opened<'a>> {
    let unreadable = |error| Error::io("read", path, error);
    let is_gzip = file.fill_buf().map_err(unreadable)?.starts_with(GZIP);
    let mut reader: Box<dyn BufRead + 'a> = match is_gzip {
        true => Box::new(Bound::Session.on(BufReader::new(MultiGzDecoder::new(file)))),
        false => Box::new(Bound::Session.on(file)),
    };
    let mut head = Vec::new();
    reader.by_ref().take(HEAD).read_to_end(&mut head).map_err(unreadable)?;
    if UTF_16.iter().any(|mark| head.starts_with(mark)) {
        reader.read_to_end(&mut head).map_err(unreadable)?;
        let units = head[2..].chunks_exact(2).map(|pair| [pair[0], pair[1]]);
        let of = if head.starts_with(UTF_16[0]) { u16::from_le_bytes } else { u16::from_be_bytes };
        let text = String::from_utf16_lossy(&units.map(of).collect::<Vec<_>>());
        let head = text.as_bytes()[..text.len().min(HEAD as usize)].to_vec();
        return Ok((Box::new(Cursor::new(text.into_bytes())), head));
    }
    Ok((Box::new(Cursor::new(head.clone()).chain(reader)), head))
}

/// The file, and the session that is named behind a `#`.
pub(super) fn numbered(path: &Path) -> (PathBuf, Option<usize>) {
    let text = path.to_string_lossy();
    let split = text
        .rsplit_once('#')
        .and_then(|(file, number)| Some((PathBuf::from(file), number.parse().ok()?)));
    match split {
        Some((file, number)) if !path.exists() => (file, Some(number)),
        _ => (path.to_owned(), None),
    }
}
