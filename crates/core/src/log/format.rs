//! The native log format: one JSON object per line (`scenarios/FORMAT.md`). The header comes first,
//! each boundary right before its message, each usage right after. The truth has its own file.

pub(crate) mod check;
pub mod lines;

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use serde::de::DeserializeOwned;

use self::check::Checker;
use self::lines::Lines;
use crate::bounds::Bound;
use crate::error::{Error, Result};
use crate::log::{Boundary, Log, Message, Text, Usage};
use crate::prelude::*;

/// The version of the format that this build reads and writes.
pub const VERSION: u32 = 1;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    proctor: String,
    version: u32,
    id: String,
    source: String,
    system: Text,
    tools: Text,
    overhead: Tokens,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    model: Option<Text>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    window: Option<Tokens>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ratio: Option<f64>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Line {
    Message(Message),
    Boundary(Boundary),
    Usage(Usage),
}

/// Reads a native log file. Fails where it cannot be read or a line breaks a rule.
pub fn read(path: &Path) -> Result<Log> {
    let file = File::open(path).map_err(|error| Error::io("read", path, error))?;
    read_from(BufReader::new(Bound::Session.on(file)), path)
}

/// Reads a native log from any reader; `path` is for messages.
pub fn read_from(reader: impl BufRead, path: &Path) -> Result<Log> {
    let mut objects = Objects::new(reader, path);
    let header: Header = objects.header("log", VERSION)?;
    let Header { id, source, system, tools, overhead, model, window, ratio, .. } = header;
    let is_ratio = |ratio: &f64| ratio.is_finite() && (0.1..=10.0).contains(ratio);
    if !ratio.as_ref().is_none_or(is_ratio) {
        return Err(objects.error(1, "`ratio` is not between 0.1 and 10"));
    }
    let mut log = Log { system, tools, overhead, model, window, ratio, ..Log::new(id, source) };
    let mut checker = Checker::default();
    while let Some((line, number)) = objects.next::<Line>()? {
        checker.line(&line).map_err(|rule| objects.error(number, rule))?;
        match line {
            Line::Message(message) => log.messages.push(message),
            Line::Boundary(boundary) => log.boundaries.push(boundary),
            Line::Usage(usage) => log.usage.push(usage),
        }
    }
    Ok(log)
}

/// Writes a log file, the same bytes for the same log. Fails where a rule is broken.
pub fn write(log: &Log, path: &Path) -> Result<()> {
    std::fs::write(path, to_text(log)?).map_err(|error| Error::io("write", path, error))
}

/// The text of a log file. Fails where the log breaks a rule: it could not be read again.
pub fn to_text(log: &Log) -> Result<String> {
    let broken = |rule: String| Error::invalid(format!("log `{}`", log.id), rule);
    let mut text = String::new();
    let header = Header {
        proctor: "log".to_owned(),
        version: VERSION,
        id: log.id.clone(),
        source: log.source.clone(),
        system: log.system.clone(),
        tools: log.tools.clone(),
        overhead: log.overhead,
        model: log.model.clone(),
        window: log.window,
        ratio: log.ratio,
    };
    push(&mut text, &header).map_err(|error| broken(error.to_string()))?;
    let mut lines = Vec::new();
    let mut boundaries = log.boundaries.iter().peekable();
    let mut usage = log.usage.iter().peekable();
    for message in log.messages.iter().map(Some).chain([None]) {
        let reached = |id: MsgId| message.is_none_or(|message| id <= message.id);
        while let Some(next) = boundaries.next_if(|next| reached(next.before)) {
            lines.push(Line::Boundary(next.clone()));
        }
        lines.extend(message.cloned().map(Line::Message));
        while let Some(next) = usage.next_if(|next| reached(next.message)) {
            lines.push(Line::Usage(*next));
        }
    }
    let mut checker = Checker::default();
    for line in &lines {
        checker.line(line).map_err(broken)?;
        push(&mut text, line).map_err(|error| broken(error.to_string()))?;
    }
    Ok(text)
}

/// Appends a value as one line of JSON.
pub fn push(text: &mut String, value: &impl Serialize) -> serde_json::Result<()> {
    text.push_str(&serde_json::to_string(value)?);
    text.push('\n');
    Ok(())
}

/// The objects of one of our own files: strict, one per line.
pub struct Objects<R> {
    lines: Lines<R>,
    path: std::path::PathBuf,
}

#[derive(Deserialize)]
struct Nature {
    proctor: String,
    version: u32,
}

impl<R: BufRead> Objects<R> {
    /// Reads on from here; the path is for errors.
    pub fn new(reader: R, path: &Path) -> Objects<R> {
        Objects { lines: Lines::new(reader), path: path.to_owned() }
    }

    /// A broken rule at a line.
    pub fn error(&self, line: usize, rule: impl Into<String>) -> Error {
        Error::Line { file: self.path.display().to_string(), line, rule: rule.into() }
    }

    /// The first line: of this kind and version.
    pub fn header<T: DeserializeOwned>(&mut self, kind: &str, version: u32) -> Result<T> {
        let Some((text, number, ended)) = self.next_text()? else {
            return Err(self.error(1, format!("the file is empty (expected a {kind} header)")));
        };
        let nature: Nature = self.parse(&text, number, ended)?;
        if nature.proctor != kind {
            let found = nature.proctor;
            return Err(self.error(number, format!("the file is a `{found}`, not a `{kind}`")));
        }
        if nature.version != version {
            let found = nature.version;
            let rule = format!("version {found} is unknown (this build reads version {version})");
            return Err(self.error(number, rule));
        }
        self.parse(&text, number, ended)
    }

    /// The next object and the number of its line.
    #[expect(clippy::should_implement_trait, reason = "it fails, and lends what it read")]
    pub fn next<T: DeserializeOwned>(&mut self) -> Result<Option<(T, usize)>> {
        match self.next_text()? {
            Some((text, number, ended)) => Ok(Some((self.parse(&text, number, ended)?, number))),
            None => Ok(None),
        }
    }

    fn next_text(&mut self) -> Result<Option<(String, usize, bool)>> {
        let too_long = self.lines.limit_rule();
        loop {
            let line = self.lines.next().map_err(|error| Error::io("read", &self.path, error))?;
            let Some(line) = line else { return Ok(None) };
            if line.is_blank() {
                continue;
            }
            let (number, ended) = (line.number, line.ended);
            let text = match std::str::from_utf8(line.bytes) {
                _ if line.too_long => Err(too_long),
                Ok(text) => Ok(text.to_owned()),
                Err(error) => Err(format!("invalid UTF-8 after byte {}", error.valid_up_to())),
            };
            let text = text.map_err(|rule| self.error(number, rule))?;
            return Ok(Some((text, number, ended)));
        }
    }

    fn parse<T: DeserializeOwned>(&self, text: &str, number: usize, ended: bool) -> Result<T> {
        serde_json::from_str(text).map_err(|error| {
            let cut = error.is_eof() && !ended;
            let rule = reason(&error);
            let rule = if cut { format!("the last line is cut off ({rule})") } else { rule };
            self.error(number, rule)
        })
    }
}

/// What a JSON error says, with its column; its line is always 1 here.
pub fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    let what = text.strip_suffix(&place).unwrap_or(&text);
    format!("column {}: {what}", error.column())
}

#[cfg(test)]
mod tests;
