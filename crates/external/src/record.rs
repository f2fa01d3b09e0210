//! The record of what programs answered: one line for each exchange, so that a run repeats without
//! the programs.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use flate2::read::GzDecoder;
use serde_json::value::RawValue;

use crate::bounds::Bound;
use crate::error::{Error, Result};
use crate::prelude::*;
use crate::strategy::Exchanges;

/// Exchanges by key, with those that a file holds.
#[derive(Debug, Default)]
pub struct Record {
    kept: Mutex<BTreeMap<u128, BTreeSet<Arc<str>>>>,
    file: Option<Mutex<BufWriter<File>>>,
    path: PathBuf,
    asks: bool,
    complaints: Mutex<BTreeMap<String, Complaint>>,
    raised: Mutex<BTreeMap<String, (usize, String)>>,
}

/// What is to be said of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Complaint {
    /// The first question that it answered in two ways, if any.
    pub differs: Option<String>,
    /// How often it broke a rule.
    pub broken: usize,
    /// The first rule that it broke, and what it said on standard error.
    pub first: Option<(String, String)>,
}

#[derive(Deserialize, Serialize)]
struct Line<'a> {
    key: String,
    #[serde(borrow)]
    exchange: &'a RawValue,
}

impl Record {
    /// Keeps exchanges in memory alone; programs are asked.
    pub fn in_memory() -> Record {
        Record { asks: true, ..Record::default() }
    }

    /// Takes what a file holds and adds to it; programs are asked what it does not hold.
    pub fn open(path: &Path) -> Result<Record> {
        let kept = if path.exists() { read(path)? } else { BTreeMap::new() };
        let file = File::create(path).map_err(|source| Error::io("create", path, source))?;
        let mut record =
            Record { kept: Mutex::new(kept), path: path.to_owned(), ..Record::in_memory() };
        // Written anew: what a killed run left half written is gone.
        let mut file = BufWriter::new(file);
        let written = file.write_all(record.lines().as_bytes()).and_then(|()| file.flush());
        written.map_err(|source| Error::io("write", path, source))?;
        record.file = Some(Mutex::new(file));
        Ok(record)
    }

    /// Answers from files alone.
    pub fn replay<'a>(paths: impl IntoIterator<Item = &'a Path>) -> Result<Record> {
        let mut kept = BTreeMap::new();
        for path in paths {
            for (key, exchanges) in read(path)? {
                kept.entry(key).or_insert_with(BTreeSet::new).extend(exchanges);
            }
        }
        Ok(Record { kept: Mutex::new(kept), ..Record::default() })
    }

    /// Whether nothing is kept.
    pub fn is_empty(&self) -> bool {
        held(&self.kept).is_empty()
    }

    /// Sees to it that everything kept is in the file.
    pub fn flush(&self) -> Result<()> {
        let Some(file) = &self.file else { return Ok(()) };
        held(file).flush().map_err(|source| Error::io("write", &self.path, source))
    }

    /// All exchanges, a line each, in the order of their keys.
    pub fn lines(&self) -> String {
        let mut text = String::new();
        for (key, exchanges) in held(&self.kept).iter() {
            exchanges.iter().for_each(|exchange| text.push_str(&line(*key, exchange)));
        }
        text
    }

    /// A session of a pipeline ended for this reason.
    pub fn raised(&self, pipeline: &str, reason: &str) {
        let mut raised = held(&self.raised);
        raised.entry(pipeline.to_owned()).or_insert_with(|| (0, reason.to_owned())).0 += 1;
    }

    /// By pipeline: how many sessions ended, and the first reason.
    pub fn ended(&self) -> BTreeMap<String, (usize, String)> {
        held(&self.raised).clone()
    }

    /// What is to be said of programs, by their names.
    pub fn complaints(&self) -> BTreeMap<String, Complaint> {
        held(&self.complaints).clone()
    }
}

impl Exchanges for Record {
    fn kept(&self, key: u128) -> Vec<Arc<str>> {
        held(&self.kept).get(&key).into_iter().flatten().cloned().collect()
    }

    fn keep(&self, key: u128, exchange: &str) {
        let is_new = held(&self.kept).entry(key).or_default().insert(exchange.into());
        if let Some(file) = self.file.as_ref().filter(|_| is_new) {
            // OK to ignore here: `flush` meets the same error and says so.
            let _ = held(file).write_all(line(key, exchange).as_bytes());
        }
    }

    fn asks(&self) -> bool {
        self.asks
    }

    fn differs(&self, contestant: &str, difference: &str) {
        let mut complaints = held(&self.complaints);
        let own = complaints.entry(contestant.to_owned()).or_default();
        own.differs.get_or_insert_with(|| difference.to_owned());
    }

    fn broke(&self, contestant: &str, reason: &str, said: &str) {
        let mut complaints = held(&self.complaints);
        let own = complaints.entry(contestant.to_owned()).or_default();
        own.broken += 1;
        own.first.get_or_insert_with(|| (reason.to_owned(), said.to_owned()));
    }
}

fn line(key: u128, exchange: &str) -> String {
    format!("{{\"key\":\"{key:032x}\",\"exchange\":{exchange}}}\n")
}

fn read(path: &Path) -> Result<BTreeMap<u128, BTreeSet<Arc<str>>>> {
    let file = File::open(path).map_err(|source| Error::io("read", path, source))?;
    let mut kept: BTreeMap<u128, BTreeSet<Arc<str>>> = BTreeMap::new();
    let packed = path.extension().is_some_and(|extension| extension == "gz");
    let text: Box<dyn Read> = match packed {
        true => Box::new(Bound::Record.on(GzDecoder::new(file))),
        false => Box::new(Bound::Record.on(file)),
    };
    let mut lines = BufReader::new(text).lines().enumerate().peekable();
    while let Some((number, text)) = lines.next() {
        let text = text.map_err(|source| Error::io("read", path, source))?;
        let parsed: serde_json::Result<Line> = serde_json::from_str(&text);
        let key = |line: &Line| u128::from_str_radix(&line.key, 16).ok();
        match parsed {
            Ok(line) if key(&line).is_some() => {
                let key = key(&line).unwrap_or_default();
                kept.entry(key).or_default().insert(line.exchange.get().into());
            }
            // A killed run leaves half a line at the end.
            _ if lines.peek().is_none() => break,
            Ok(_) => {
                return Err(broken(path, number, "`key` is no 32 hexadecimal digits".to_owned()));
            }
            Err(error) => return Err(broken(path, number, error.to_string())),
        }
    }
    Ok(kept)
}

fn broken(path: &Path, number: usize, rule: String) -> Error {
    Error::Line { file: path.display().to_string(), line: number + 1, rule }
}

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A poisoned lock only means that another cell panicked; what it guards is whole.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
