//! Recorded calls of a model: what was asked, as a key, and what came back.
//!
//! A live run can be repeated from a cassette without the model, and a killed one goes on.
//! A call is on the disk, whole, before its answer may be used.

mod format;
mod key;
mod merge;

use crate::prelude::*;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Seek, SeekFrom, Write};

pub use format::{Contents, render};
pub use key::{CanonicalMessage, CanonicalRequest, RequestKey, RequestKeyError};
pub use merge::{Conflicts, merge};

/// Tokens of a call, as the provider counted them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Usage {
    /// Of the prompt, cached ones among them.
    pub prompt: u64,
    /// Of the answer.
    pub completion: u64,
    /// Of the prompt, those read from the provider's cache, where it says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached: Option<u64>,
}

/// A call and how it ended: a line of a cassette.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recorded {
    /// What it is recorded under.
    pub key: RequestKey,
    /// The model, as it was asked for.
    pub model: String,
    /// Day of the call in UTC, `YYYY-MM-DD`.
    pub date: String,
    /// What came back.
    pub outcome: Outcome,
    /// Tokens, where the provider gave them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// Milliseconds from the first attempt to the end of the last.
    pub latency_ms: u64,
    /// Attempts made, the last one among them.
    pub tries: u32,
}

/// How a call ended for good, after any retries.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Outcome {
    /// With an answer.
    Answer {
        /// Its text; may be empty.
        text: String,
        /// Why it ended.
        finish: Finish,
    },
    /// Without one.
    Failure {
        /// What kind of failure.
        class: FailureClass,
        /// The provider's words, where it had any.
        message: String,
    },
}

/// An open cassette. Threads may use it side by side.
#[derive(Debug)]
pub struct Cassette {
    path: PathBuf,
    entries: Mutex<BTreeMap<RequestKey, Recorded>>,
    /// Absent where it is only replayed.
    tape: Option<Tape>,
}

/// The file of a cassette that is recorded.
#[derive(Debug)]
struct Tape {
    /// With its length, all whole lines.
    file: Mutex<(File, u64)>,
    /// How many of its bytes are known to be on the disk.
    synced: Mutex<u64>,
}

impl Cassette {
    /// Opens a cassette to record into, making it where there is none; a last line that was
    /// left half written is cut off. A compressed or foreign file, a broken line and a file
    /// that another process records into are errors.
    pub fn record(path: &Path) -> Result<Cassette> {
        if format::is_compressed(path) {
            return Err(refused(
                path.display().to_string(),
                "a compressed cassette can only be replayed",
                "decompress it with `gzip -d` to record into it",
            ));
        }
        let failed = |action| move |source| Error::io(action, path, source);
        let opened = OpenOptions::new().create(true).append(true).read(true).open(path);
        let mut file = opened.map_err(failed("open"))?;
        lock(&file, path)?;
        let bytes = format::begun(&file).map_err(failed("read"))?;
        let contents = Contents::parse(&bytes, path)?;
        let bytes = mend(&mut file, &bytes, &contents).map_err(failed("write"))?;
        let tape = Tape { file: Mutex::new((file, bytes)), synced: Mutex::new(bytes) };
        let entries = Mutex::new(contents.entries);
        Ok(Cassette { path: path.to_owned(), entries, tape: Some(tape) })
    }

    /// Opens a cassette to answer from it, compressed if its name ends in `.gz`. A foreign
    /// file, a broken line and a last line that is cut off are errors.
    pub fn replay(path: &Path) -> Result<Cassette> {
        let contents = Contents::read(path)?.whole(path)?;
        let entries = Mutex::new(contents.entries);
        Ok(Cassette { path: path.to_owned(), entries, tape: None })
    }

    /// The call recorded under a key.
    pub fn get(&self, key: &RequestKey) -> Option<Recorded> {
        held(&self.entries).get(key).cloned()
    }

    /// Records a call; it is on the disk when this returns. An equal outcome under the same
    /// key is not written again; another one replaces it. An error where the cassette is only
    /// replayed, the date is none, or the disk fails.
    pub fn put(&self, recorded: Recorded) -> Result<()> {
        let Some(tape) = &self.tape else {
            let place = self.path.display().to_string();
            return Err(Error::invalid(place, "the cassette is open for replay, not recording"));
        };
        let known = |old: &Recorded| old.outcome == recorded.outcome;
        if held(&self.entries).get(&recorded.key).is_some_and(known) {
            return Ok(());
        }
        let mut line = String::new();
        format::push(&mut line, &recorded, &self.path)?;
        tape.append(line.as_bytes()).map_err(|source| Error::io("write", &self.path, source))?;
        held(&self.entries).insert(recorded.key, recorded);
        Ok(())
    }

    /// The models that were asked.
    pub fn models(&self) -> BTreeSet<String> {
        held(&self.entries).values().map(|recorded| recorded.model.clone()).collect()
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Number of calls recorded, each key once.
    pub fn len(&self) -> usize {
        held(&self.entries).len()
    }

    /// Whether nothing is recorded.
    pub fn is_empty(&self) -> bool {
        held(&self.entries).is_empty()
    }
}

impl Tape {
    /// Appends whole lines and waits until they are on the disk.
    fn append(&self, lines: &[u8]) -> std::io::Result<()> {
        let end = {
            let (file, bytes) = &mut *held(&self.file);
            if let Err(error) = file.write_all(lines) {
                // A half line would hide what is recorded after it.
                let _ = file.set_len(*bytes);
                return Err(error);
            }
            *bytes += lines.len() as u64;
            *bytes
        };
        // Whoever waited here for the one before finds its own lines on the disk too.
        let mut synced = held(&self.synced);
        if *synced < end {
            let (file, bytes) = {
                let written = held(&self.file);
                (written.0.try_clone()?, written.1)
            };
            file.sync_data()?;
            *synced = bytes;
        }
        Ok(())
    }
}

/// A child that this process is just starting shares the open file, and with it the lock,
/// until it has begun: closing the file would not be enough.
impl Drop for Tape {
    fn drop(&mut self) {
        // OK to ignore: the lock ends with the process at the latest.
        let _ = held(&self.file).0.unlock();
    }
}

/// The lock lasts as long as the cassette is open, and ends with a killed process.
fn lock(file: &File, path: &Path) -> Result<()> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => Err(refused(
            path.display().to_string(),
            "another process is recording into this cassette",
            "give each run a cassette of its own and `proctor cassette merge`",
        )),
        // A file system without locks is no reason not to record.
        Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Unsupported => Ok(()),
        Err(TryLockError::Error(source)) => Err(Error::io("lock", path, source)),
    }
}

/// Cuts off a half-written end, completes a last line that lacks only its end, and writes
/// the header of a new file. Gives the length then.
fn mend(file: &mut File, bytes: &[u8], contents: &Contents) -> std::io::Result<u64> {
    let whole = contents.whole_bytes;
    if whole < bytes.len() as u64 {
        file.set_len(whole)?;
    }
    file.seek(SeekFrom::End(0))?;
    let kept = usize::try_from(whole).unwrap_or(bytes.len());
    let missing = match bytes[..kept.min(bytes.len())].last() {
        None => format::header(),
        Some(b'\n') => String::new(),
        Some(_) => "\n".to_owned(),
    };
    file.write_all(missing.as_bytes())?;
    file.sync_all()?;
    Ok(whole + missing.len() as u64)
}

#[cfg(test)]
mod tests;
