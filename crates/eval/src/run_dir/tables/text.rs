//! Gzipped text files of a run directory.

use std::fs::File;
use std::io::{BufReader, Read, Write};
use std::path::Path;

use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;

use crate::error::{Error, Result};

/// Opens a file for reading; one whose name ends in `.gz` is unpacked on the way.
pub fn open_text(path: &Path) -> Result<Box<dyn Read + Send>> {
    let file = File::open(path).map_err(|source| Error::io("read", path, source))?;
    let file = BufReader::new(file);
    match path.extension().is_some_and(|extension| extension == "gz") {
        true => Ok(Box::new(MultiGzDecoder::new(file))),
        false => Ok(Box::new(file)),
    }
}

/// The whole text of a file, unpacked as by [`open_text`].
pub fn whole_text(path: &Path) -> Result<String> {
    let mut text = String::new();
    let read = open_text(path)?.read_to_string(&mut text);
    read.map_err(|source| Error::io("read", path, source))?;
    Ok(text)
}

/// Gzips bytes for a file.
pub fn packed_text(path: &Path, text: &[u8]) -> Result<Vec<u8>> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    packed
        .write_all(text)
        .and_then(|()| packed.finish())
        .map_err(|source| Error::io("write", path, source))
}
