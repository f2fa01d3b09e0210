//! Loading sessions: our own log files and transcripts of other tools, told by their content. What
//! cannot be used is counted in the [`LoadReport`]; only a file without a usable message fails.

mod aider;
mod anthropic;
mod atif;
mod chat;
mod claude_code;
mod codex;
mod copilot;
mod detect;
mod dialogue;
mod file;
mod gather;
mod gemini;
mod image;
mod injected;
mod json;
mod opencode;
mod openhands;
mod pi;
pub mod places;
mod records;
pub mod report;
mod responses;
mod swe;
mod units;

use std::io::BufRead;
use std::path::PathBuf;

use serde_json::Value;
use thiserror::Error as ThisError;

pub use report::LoadReport;
pub use units::largest_counted;

use self::gather::Gather;
use self::records::Records;
use self::report::Intake;
use crate::log;
use crate::log::format::reason;
use crate::masking;
use crate::prelude::*;
use crate::truth;

proctor_core::words! {
    /// A transcript format.
    pub enum Format {
        /// Our own JSONL (`scenarios/FORMAT.md`).
        Proctor = "proctor",
        /// Claude Code session JSONL.
        ClaudeCode = "claude-code",
        /// What Claude Code prints with `--output-format stream-json`.
        ClaudeStream = "claude-stream-json",
        /// OpenAI Codex rollout JSONL.
        Codex = "codex",
        /// An exported session of OpenCode.
        OpenCode = "opencode",
        /// A recorded chat of Gemini CLI.
        GeminiSession = "gemini-session",
        /// An exported history of Gemini CLI: a list of `Content`.
        GeminiContents = "gemini-contents",
        /// Events of GitHub Copilot CLI.
        Copilot = "copilot-cli",
        /// A session of pi.
        Pi = "pi",
        /// `api_conversation_history.json` of Cline or Roo Code.
        Cline = "cline",
        /// Qwen Code session JSONL.
        Qwen = "qwen-code",
        /// Messages of OpenAI's chat completions.
        OpenAiChat = "openai-chat",
        /// Items of OpenAI's Responses.
        OpenAiResponses = "openai-responses",
        /// Messages of Anthropic's Messages API.
        AnthropicMessages = "anthropic-messages",
        /// A trajectory of SWE-agent.
        SweAgent = "swe-agent",
        /// A trajectory of mini-swe-agent.
        MiniSweAgent = "mini-swe-agent",
        /// Events of OpenHands, alone or in rows of an evaluation.
        OpenHands = "openhands",
        /// Agent Trajectory Interchange Format.
        Atif = "atif",
        /// Chat history of aider.
        Aider = "aider",
        /// Conversations in the format of ShareGPT.
        ShareGpt = "sharegpt",
        /// Conversations of LoCoMo.
        LoCoMo = "locomo",
        /// Histories of LongMemEval.
        LongMemEval = "longmemeval",
    }
}

impl Format {
    /// What it is, in a few words.
    pub fn about(self) -> &'static str {
        match self {
            Format::Proctor => "our own JSONL, described in scenarios/FORMAT.md",
            Format::ClaudeCode => "a session of Claude Code, from ~/.claude/projects",
            Format::ClaudeStream => "what Claude Code prints with `--output-format stream-json`",
            Format::Codex => "a rollout of OpenAI Codex, from ~/.codex/sessions",
            Format::OpenCode => "a session of OpenCode, from `opencode export`",
            Format::GeminiSession => "a chat of Gemini CLI, from ~/.gemini/tmp",
            Format::GeminiContents => "a history of Gemini CLI, from `/chat save`",
            Format::Copilot => "events of Copilot CLI, from ~/.copilot/session-state",
            Format::Pi => "a session of pi, from ~/.pi/agent/sessions",
            Format::Cline => "`api_conversation_history.json` of Cline or Roo Code",
            Format::Qwen => "a session of Qwen Code, from ~/.qwen/projects",
            Format::OpenAiChat => {
                "messages of OpenAI's chat completions, as a list or in `messages`"
            }
            Format::OpenAiResponses => "items of OpenAI's Responses, as a list or in `input`",
            Format::AnthropicMessages => "messages of Anthropic's API, as a list or in `messages`",
            Format::SweAgent => "a trajectory of SWE-agent (`.traj`)",
            Format::MiniSweAgent => "a trajectory of mini-swe-agent (`.traj.json`)",
            Format::OpenHands => "events of OpenHands, alone or in rows of `output.jsonl`",
            Format::Atif => "a trajectory in ATIF (Harbor, Terminal-Bench)",
            Format::Aider => "`.aider.chat.history.md` of aider",
            Format::ShareGpt => "conversations in the format of ShareGPT",
            Format::LoCoMo => "conversations of LoCoMo",
            Format::LongMemEval => "histories of LongMemEval",
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
    /// By message: the line of the file on which it begins, from 1. Empty for our own format.
    pub lines: Vec<usize>,
}

/// Why a record could not be used.
#[derive(Debug, ThisError)]
enum Unusable {
    #[error("{0} without `{1}`")]
    Lacks(&'static str, &'static str),
    #[error("{0}")]
    Json(String),
}

/// Reads the records of one session, one after another.
trait Reads {
    /// Takes a record.
    fn take(&mut self, json: &str, gather: &mut Gather) -> Result<(), Unusable>;

    /// The file is over.
    fn end(&mut self, _gather: &mut Gather) {}
}

/// Reads a value that is a whole session.
type Whole = fn(&Value, &mut Gather) -> Result<(), Unusable>;

/// How the records of a format become sessions.
enum Reading {
    /// The file is one session; each record is a part of it.
    Parts(Box<dyn Reads>),
    /// Each record is a session, or a list of sessions.
    Whole(Whole),
}

impl Format {
    fn reading(self) -> Option<Reading> {
        let whole = |read: Whole| Some(Reading::Whole(read));
        match self {
            Format::Proctor | Format::Aider => None,
            Format::ClaudeCode | Format::ClaudeStream => {
                Some(Reading::Parts(Box::<claude_code::ClaudeCode>::default()))
            }
            Format::Codex => Some(Reading::Parts(Box::<codex::Codex>::default())),
            Format::Copilot => Some(Reading::Parts(Box::<copilot::Copilot>::default())),
            Format::Pi => Some(Reading::Parts(Box::<pi::Pi>::default())),
            Format::Qwen => Some(Reading::Parts(Box::<gemini::Qwen>::default())),
            Format::GeminiSession => Some(Reading::Parts(Box::<gemini::Session>::default())),
            Format::OpenCode => whole(opencode::read),
            Format::GeminiContents => whole(gemini::contents),
            Format::Cline => whole(anthropic::cline),
            Format::OpenAiChat => whole(chat::read),
            Format::OpenAiResponses => whole(responses::read),
            Format::AnthropicMessages => whole(anthropic::read),
            Format::SweAgent => whole(swe::agent),
            Format::MiniSweAgent => whole(swe::mini),
            Format::OpenHands => whole(openhands::read),
            Format::Atif => whole(atif::read),
            Format::ShareGpt => whole(dialogue::sharegpt),
            Format::LoCoMo => whole(dialogue::locomo),
            Format::LongMemEval => whole(dialogue::longmemeval),
        }
    }
}

/// Loads the only session of a file, or the one that `FILE#N` names, from 1. Fails where the file
/// cannot be read, has no known format, breaks a rule of our own format, holds no usable message,
/// or several sessions.
pub fn load(path: &Path) -> Result<Imported> {
    let mut all = load_named(path)?;
    let count = all.len();
    if count == 1 {
        return Ok(all.remove(0).1);
    }
    let hint = format!("name one: `{0}#1` to `{0}#{count}`", path.display());
    Err(Error::refused(path.display().to_string(), format!("it holds {count} sessions"), hint))
}

/// Loads every session that a name stands for, each with the name of it alone: `FILE`, or `FILE#N`
/// where the file holds several. Fails as [`load`] does, but for several sessions.
pub fn load_named(path: &Path) -> Result<Vec<(PathBuf, Imported)>> {
    let (file, number) = file::numbered(path);
    let (reader, head) = file::open(&file)?;
    let Sessions { count, wanted } = read(reader, &head, &file, number)?;
    if wanted.is_empty() {
        let rule = format!("it holds {count} sessions");
        return Err(Error::invalid(path.display().to_string(), rule));
    }
    let named = |(place, imported)| match count {
        1 => (file.clone(), imported),
        _ => (PathBuf::from(format!("{}#{place}", file.display())), imported),
    };
    Ok(wanted.into_iter().map(named).collect())
}

/// Whether the file is there, with or without the number of a session behind its name.
pub fn exists(path: &Path) -> bool {
    file::numbered(path).0.is_file()
}

/// Reads every session of a file that is in memory; `path` names it.
pub fn from_bytes(bytes: &[u8], path: &Path) -> Result<Vec<Imported>> {
    let (reader, head) = file::of_bytes(bytes, path)?;
    let all = read(reader, &head, path, None)?.wanted;
    Ok(all.into_iter().map(|(_, imported)| imported).collect())
}

/// How many sessions a file holds, and those that were asked for by their number, from 1.
struct Sessions {
    count: usize,
    wanted: Vec<(usize, Imported)>,
}

/// Reads the sessions of a file: all, or the one of this number.
fn read(
    reader: Box<dyn BufRead + '_>,
    head: &[u8],
    path: &Path,
    number: Option<usize>,
) -> Result<Sessions> {
    if head.is_empty() {
        return Err(Error::invalid(path.display().to_string(), "the file is empty"));
    }
    if detect::is_native(head) {
        let all = vec![(1, native(reader, path)?)];
        let wanted = all.into_iter().filter(|_| number.is_none_or(|number| number == 1)).collect();
        return Ok(Sessions { count: 1, wanted });
    }
    if aider::is(head) {
        let (runs, intake) = aider::read(reader, path)?;
        return finished(Format::Aider, runs, intake, path, number);
    }
    let mut records = Records::new(reader, path)?;
    let format = match detect::format(records.peek(detect::LOOKED_AT)?) {
        Ok(format) => format,
        Err(seen) => return Err(unknown(path, &seen)),
    };
    let sessions = match format.reading() {
        Some(Reading::Parts(mut reader)) => vec![parts(&mut *reader, &mut records)?],
        Some(Reading::Whole(read)) => whole(read, &mut records)?,
        None => Vec::new(),
    };
    finished(format, sessions, records.intake, path, number)
}

fn parts(reader: &mut dyn Reads, records: &mut Records) -> Result<Gather> {
    let mut gather = Gather::default();
    while let Some(record) = records.next()? {
        gather.line = record.line;
        if let Err(rule) = reader.take(&record.json, &mut gather) {
            gather.intake.bad_line(record.line, rule.to_string());
        }
    }
    reader.end(&mut gather);
    Ok(gather)
}

fn whole(read: Whole, records: &mut Records) -> Result<Vec<Gather>> {
    let mut sessions = Vec::new();
    while let Some(record) = records.next()? {
        let value = match serde_json::from_str::<Value>(&record.json) {
            Ok(value) => value,
            Err(error) => {
                records.intake.bad_line(record.line, reason(&error));
                continue;
            }
        };
        for value in detect::sessions(&value) {
            let mut gather = Gather::default();
            gather.line = record.line;
            if let Err(rule) = read(value, &mut gather) {
                gather.intake.bad_line(record.line, rule.to_string());
            }
            sessions.push(gather);
        }
    }
    Ok(sessions)
}

/// The sessions as logs. What was counted of the file's lines stands in the first one's report.
fn finished(
    format: Format,
    sessions: Vec<Gather>,
    intake: Intake,
    path: &Path,
    number: Option<usize>,
) -> Result<Sessions> {
    let stem =
        path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    let several = sessions.iter().filter(|session| !session.is_empty()).count() > 1;
    let (mut whole, mut count, mut wanted) = (intake, 0, Vec::new());
    for (place, session) in (1..).zip(sessions) {
        let name = if several { format!("{stem}-{place}") } else { stem.clone() };
        // Its name alone: where a file lies is no part of what it says.
        let source = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let (mut log, own, lines) = session.finish(&name, source);
        // Among several, one that nobody answered is no session.
        if log.messages.is_empty() || (several && log.steps().is_empty()) {
            whole.add(own);
            continue;
        }
        count += 1;
        let all = std::mem::take(&mut whole).with(own);
        if number.is_none_or(|number| number == count) {
            let masked = masking::mask(&mut log);
            let report = LoadReport { masked, ..LoadReport::new(format, &log, all) };
            wanted.push((count, Imported { log, report, truth: None, lines }));
        }
    }
    if count == 0 { Err(nothing_usable(path, &whole)) } else { Ok(Sessions { count, wanted }) }
}

fn nothing_usable(path: &Path, intake: &Intake) -> Error {
    let Intake { lines, bad_lines, sidechain_lines, .. } = intake;
    let subagent = *sidechain_lines > 0;
    let first = intake.bad.first().map(|bad| format!("; line {}: {}", bad.line, bad.reason));
    Error::Invalid {
        place: path.display().to_string(),
        rule: format!(
            "no usable message in {lines} lines ({bad_lines} bad, {sidechain_lines} of subagents){}",
            first.unwrap_or_default()
        ),
        hint: subagent.then(|| "this is a subagent's file: load the main session".to_owned()),
    }
}

fn native(reader: Box<dyn BufRead + '_>, path: &Path) -> Result<Imported> {
    let mut log = log::format::read_from(reader, path)?;
    let masked = masking::mask(&mut log);
    let beside = truth::format::beside(path);
    let truth = if beside.is_file() { Some(truth::format::read(&beside, &log)?) } else { None };
    let lines = 1 + log.messages.len() + log.boundaries.len() + log.usage.len();
    let report = LoadReport::new(Format::Proctor, &log, Intake { lines, ..Intake::default() });
    let report = LoadReport { masked, ..report };
    let lines = Vec::new();
    Ok(Imported { log, report, truth, lines })
}

fn unknown(path: &Path, seen: &str) -> Error {
    Error::Invalid {
        place: path.display().to_string(),
        rule: format!("the transcript's format is unknown: {seen}"),
        hint: Some(
            "`proctor list formats` names what can be loaded; scenarios/FORMAT.md says how to write \
             others as `proctor`"
                .to_owned(),
        ),
    }
}

#[cfg(test)]
mod tests;
