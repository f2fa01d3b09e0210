//! The files of a run directory: written under a temporary name until they are whole.

use crate::bounds::Bound;
use crate::prelude::*;
use std::fmt::Display;
use std::fs::{self, File};
use std::io::{BufReader, BufWriter, Read, Write};

use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use serde::de::DeserializeOwned;

/// A file that replaces another only when it is whole.
pub struct Fresh {
    path: PathBuf,
    temporary: PathBuf,
    writer: BufWriter<File>,
    is_whole: bool,
}

impl Fresh {
    /// Begins the file.
    pub fn create(dir: &Path, name: &str) -> Result<Fresh> {
        let temporary = dir.join(format!(".{name}.partial"));
        no_link(&temporary)?;
        let file =
            File::create(&temporary).map_err(|source| Error::io("create", &temporary, source))?;
        let writer = BufWriter::new(file);
        Ok(Fresh { path: dir.join(name), temporary, writer, is_whole: false })
    }

    /// Puts it in its place.
    pub fn finish(mut self) -> Result<()> {
        let flushed = self.writer.flush().and_then(|()| self.writer.get_ref().sync_data());
        flushed.map_err(|source| Error::io("write", &self.temporary, source))?;
        let renamed = fs::rename(&self.temporary, &self.path);
        renamed.map_err(|source| Error::io("write", &self.path, source))?;
        self.is_whole = true;
        Ok(())
    }
}

/// What never came whole is not left behind.
impl Drop for Fresh {
    fn drop(&mut self) {
        if !self.is_whole {
            let _ = fs::remove_file(&self.temporary);
        }
    }
}

impl Write for Fresh {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.writer.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.writer.flush()
    }
}

/// Whether no link stands there: what is written into a run directory stays in it.
pub fn no_link(path: &Path) -> Result<()> {
    if fs::symlink_metadata(path).is_ok_and(|there| there.is_symlink()) {
        let rule = "is a link, and nothing is written through links";
        return Err(Error::refused(path.display().to_string(), rule, "remove it"));
    }
    Ok(())
}

/// Writes a file whole.
pub fn write_whole(dir: &Path, name: &str, bytes: &[u8]) -> Result<()> {
    let mut file = Fresh::create(dir, name)?;
    let written = file.write_all(bytes);
    written.map_err(|source| Error::io("write", &file.temporary, source))?;
    file.finish()
}

/// A value as a JSON file.
pub fn json_file<T: Serialize>(name: &str, value: &T) -> Result<Vec<u8>> {
    let mut bytes = serde_json::to_vec_pretty(value)
        .map_err(|error| Error::invalid(name, format!("cannot be written as JSON: {error}")))?;
    bytes.push(b'\n');
    Ok(bytes)
}

/// Rows as CSV lines without a header; an error where a row is not flat.
pub fn lines<R: Serialize>(rows: &[R]) -> Result<String> {
    let broken = |rule: String| Error::invalid("a row", format!("cannot be written: {rule}"));
    let mut writer = csv::WriterBuilder::new().has_headers(false).from_writer(Vec::new());
    for row in rows {
        writer.serialize(row).map_err(|error| broken(error.to_string()))?;
    }
    let bytes = writer.into_inner().map_err(|error| broken(error.to_string()))?;
    String::from_utf8(bytes).map_err(|error| broken(error.to_string()))
}

/// What turns the error of a library into one at a place.
pub(crate) fn invalid_at<E: Display>(place: impl Into<String>) -> impl FnOnce(E) -> Error {
    move |error| Error::invalid(place, error.to_string())
}

/// The bytes of a file.
pub fn bytes(path: &Path) -> Result<Vec<u8>> {
    Bound::Record.bytes(path)
}

/// What a JSON file says, with the digest of its bytes.
pub(crate) fn read_json<T: DeserializeOwned>(path: &Path) -> Result<(T, Digest)> {
    let bytes = bytes(path)?;
    let value = serde_json::from_slice(&bytes).map_err(invalid_at(path.display().to_string()))?;
    Ok((value, Digest::of(&bytes)))
}

/// A directory for what nobody asked to keep: it is removed at the end.
pub struct Scratch(pub PathBuf);

impl Scratch {
    /// For a purpose; what an earlier process of the same number left there is removed.
    pub fn new(purpose: &str) -> Scratch {
        let name = format!("proctor-{purpose}-{}", std::process::id());
        let scratch = Scratch(std::env::temp_dir().join(name));
        scratch.clear();
        scratch
    }

    /// Removes what is in it. What cannot be removed stays in the directory for such things.
    pub fn clear(&self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        self.clear();
    }
}

/// Opens a file for reading; one whose name ends in `.gz` is unpacked on the way.
pub fn open_text(path: &Path) -> Result<Box<dyn Read + Send>> {
    let file = File::open(path).map_err(|source| Error::io("read", path, source))?;
    let file = BufReader::new(file);
    match path.extension().is_some_and(|extension| extension == "gz") {
        true => Ok(Box::new(Bound::Record.on(MultiGzDecoder::new(file)))),
        false => Ok(Box::new(Bound::Record.on(file))),
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
