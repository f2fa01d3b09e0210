//! Loading sessions: our own log files and transcripts of other tools, told by their content. What
//! cannot be used is counted in the [`LoadReport`]; only a file without a usable message fails.

mod claude_code;
pub mod report;

use std::fs::File;
use std::io::{BufReader, Read, Seek};

pub use report::LoadReport;

use self::report::Intake;
use crate::log;
use crate::prelude::*;
use crate::truth;

/// How much of a file is looked at to tell its format, in bytes.
const HEAD: u64 = 64 * 1024;

proctor_core::words! {
    /// A transcript format.
    pub enum Format {
        /// Our own JSONL (`scenarios/FORMAT.md`).
        Proctor = "proctor",
        /// Claude Code session JSONL.
        ClaudeCode = "claude-code",
    }
}

impl Format {
    /// What it is, in a few words.
    pub fn about(self) -> &'static str {
        match self {
            Format::Proctor => "our own JSONL, described in scenarios/FORMAT.md",
            Format::ClaudeCode => "a session of Claude Code, from ~/.claude/projects",
        }
    }
}

/// A session as it was loaded.
#[derive(Clone, Debug)]
pub struct Imported {
    /// What was said and done.
    pub log: Log,
    /// What became of the file's lines.
    pub report: LoadReport,
    /// The answer key, where the file has one beside it (`X.truth.jsonl`).
    pub truth: Option<Truth>,
}

/// Detects the format from the first bytes of a file.
pub fn detect(head: &[u8]) -> Option<Format> {
    let text = String::from_utf8_lossy(head);
    let text = text.trim_start_matches('\u{feff}').trim_start();
    let first = text.lines().next()?;
    if first.starts_with('{') && first.contains("\"proctor\":") {
        return Some(Format::Proctor);
    }
    // Inside a JSON string the quotes are escaped: these marks are keys.
    let claude_code = text.lines().any(|line| {
        let has = |mark: &str| line.contains(mark);
        line.starts_with('{')
            && ((has("\"sessionId\":") && (has("\"parentUuid\":") || has("\"type\":\"queue-")))
                || (has("\"leafUuid\":") && has("\"type\":\"summary\""))
                || (has("\"messageId\":") && has("\"type\":\"file-history-snapshot\"")))
    });
    claude_code.then_some(Format::ClaudeCode)
}

/// Loads a session. Fails where the file cannot be read, has no known format, breaks a rule of our
/// own format, or holds no usable message.
pub fn load(path: &Path) -> Result<Imported> {
    let unreadable = |error| Error::io("read", path, error);
    let mut file = File::open(path).map_err(unreadable)?;
    let mut head = Vec::new();
    file.by_ref().take(HEAD).read_to_end(&mut head).map_err(unreadable)?;
    file.rewind().map_err(unreadable)?;
    let reader = BufReader::with_capacity(HEAD as usize, file);
    match detect(&head) {
        Some(Format::Proctor) => native(reader, path),
        Some(Format::ClaudeCode) => {
            let (log, intake) = claude_code::read(reader, path)?;
            let report = LoadReport::new(Format::ClaudeCode, &log, intake);
            Ok(Imported { log, report, truth: None })
        }
        None => Err(unknown(path, head.is_empty())),
    }
}

fn native(reader: BufReader<File>, path: &Path) -> Result<Imported> {
    let log = log::format::read_from(reader, path)?;
    let beside = truth::format::beside(path);
    let truth = if beside.is_file() { Some(truth::format::read(&beside, &log)?) } else { None };
    let lines = 1 + log.messages.len() + log.boundaries.len() + log.usage.len();
    let report = LoadReport::new(Format::Proctor, &log, Intake { lines, ..Intake::default() });
    Ok(Imported { log, report, truth })
}

fn unknown(path: &Path, empty: bool) -> Error {
    let names: Vec<&str> = Format::ALL.into_iter().map(Format::name).collect();
    let rule = if empty { "the file is empty" } else { "the transcript's format is unknown" };
    Error::Invalid {
        place: path.display().to_string(),
        rule: rule.to_owned(),
        hint: Some(format!(
            "formats that can be loaded: {} (`proctor list formats`); scenarios/FORMAT.md says how \
             to write others as `proctor`",
            names.join(", ")
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_format_is_detected_from_the_content() {
        for (head, format) in crate::cases::<(String, Vec<Format>)>("heads") {
            assert_eq!(detect(head.as_bytes()).as_slice(), format, "{head}");
        }
        assert_eq!(detect(b"\xff\xfe\x00"), None);
    }

    #[test]
    fn an_unknown_format_names_the_known_ones() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("x.jsonl");
        std::fs::write(&path, "{\"a\":1}\n").unwrap();
        let error = load(&path).expect_err("no known format");
        assert!(error.to_string().ends_with("x.jsonl: the transcript's format is unknown"));
        let hint = error.hint().unwrap_or_default();
        for part in ["proctor, claude-code", "`proctor list formats`", "FORMAT.md"] {
            assert!(hint.contains(part), "{hint}");
        }
        std::fs::write(&path, "").unwrap();
        assert!(load(&path).expect_err("empty").to_string().ends_with("the file is empty"));
    }

    #[test]
    fn a_native_log_brings_the_truth_beside_it() {
        let page = include_str!("../../../scenarios/FORMAT.md");
        let example = |kind: &str| {
            let rest = page.split(&format!("```jsonl {kind}\n")).nth(1).unwrap();
            rest.split("```").next().unwrap()
        };
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("orchard.jsonl");
        std::fs::write(&path, example("log")).unwrap();
        let imported = load(&path).unwrap();
        assert!(imported.truth.is_none());
        assert_eq!(imported.report.format, Format::Proctor);
        assert_eq!(imported.report.tool_errors, 1);
        std::fs::write(truth::format::beside(&path), example("truth")).unwrap();
        assert_eq!(load(&path).unwrap().truth.map(|truth| truth.facts.len()), Some(2));
    }
}
