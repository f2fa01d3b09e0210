//! The counts of the importer against those of a second parser, written in Python from the formats'
//! description: `.ci/count-sessions`. Over our own small files of each format, and over real
//! transcripts where they are at hand.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use proctor_core::log::{Author, Role};
use proctor_sessions::import::{self, Imported, places};
use serde_json::Value;

/// What both count of a session.
#[derive(Debug, PartialEq)]
struct Counts {
    format: String,
    human: u64,
    injected: u64,
    assistant: u64,
    calls: u64,
    results: u64,
    errors: u64,
    orphans: u64,
    unanswered: u64,
    boundaries: u64,
    usage: u64,
    max_prompt: u64,
    chars: u64,
}

impl Counts {
    /// Whether both counted the same; parts of one message are joined by blank lines here, and an
    /// image has a mark, so characters may differ by a few.
    fn agrees(&self, other: &Counts) -> bool {
        let near = self.chars.abs_diff(other.chars) <= 60 + other.chars / 1_000;
        let exact = |counts: &Counts| Counts { chars: 0, format: counts.format.clone(), ..*counts };
        near && exact(self) == exact(other)
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn told(what: &str) {
    // The harness shows this with `--nocapture`; there is nothing to do about a failure.
    let _ = writeln!(std::io::stderr(), "skipped: {what}");
}

/// What the second parser counts, by file; `None` without Python.
fn second(files: &[PathBuf]) -> Option<BTreeMap<String, Vec<Counts>>> {
    let output =
        Command::new("python3").arg(root().join(".ci/count-sessions")).args(files).output();
    let Ok(output) = output else {
        told("no python3");
        return None;
    };
    let mut counts: BTreeMap<String, Vec<Counts>> = BTreeMap::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let row: Value = serde_json::from_str(line).expect("a line of JSON");
        let of = |key: &str| row[key].as_u64().unwrap_or_default();
        let own = Counts {
            format: row["format"].as_str().unwrap_or_default().to_owned(),
            // What was rewound is no part of the log.
            human: of("human") + of("command_args") - of("rewound_human"),
            injected: of("injected") + of("attachments"),
            assistant: of("assistant") - of("rewound_assistant"),
            calls: of("calls"),
            results: of("results"),
            errors: of("errors"),
            orphans: of("orphans"),
            unanswered: of("unanswered"),
            boundaries: of("boundaries"),
            usage: of("usage") - of("rewound_assistant"),
            max_prompt: of("max_prompt"),
            chars: of("chars"),
        };
        counts.entry(row["file"].as_str().unwrap_or_default().to_owned()).or_default().push(own);
    }
    Some(counts)
}

fn first(imported: &Imported) -> Counts {
    let (log, report) = (&imported.log, &imported.report);
    let users = |authors: &[Author]| {
        let of = log.messages.iter().filter(|one| one.role == Role::User);
        of.filter(|one| authors.contains(&one.author)).count() as u64
    };
    let length = |text: &str| text.chars().count() as u64;
    let made_up = report.intake.synthesized as u64;
    Counts {
        format: report.format.name().to_owned(),
        human: users(&[Author::Human]),
        injected: users(&[Author::Harness]),
        assistant: log.steps().len() as u64,
        calls: report.tool_calls as u64,
        results: report.tool_results as u64,
        errors: report.tool_errors as u64,
        orphans: report.intake.orphans as u64,
        unanswered: made_up,
        boundaries: report.boundaries as u64,
        usage: report.usage_records as u64,
        max_prompt: report.max_prompt.unwrap_or_default().0,
        chars: log
            .messages
            .iter()
            .filter(|one| &*one.content != "[no result recorded]")
            .map(|one| {
                length(&one.content) + one.calls.iter().map(|call| length(&call.args)).sum::<u64>()
            })
            .sum(),
    }
}

/// Compares every session of the files, and says all that differs.
fn compare(files: &[PathBuf]) {
    let Some(second) = second(files) else { return };
    let mut differences = Vec::new();
    for file in files {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let theirs = second.get(&name).map_or(&[][..], Vec::as_slice);
        let ours: Vec<Counts> = match import::load_named(file) {
            Ok(all) => all.iter().map(|(_, one)| first(one)).collect(),
            Err(error) => {
                differences.push(format!("{error}"));
                continue;
            }
        };
        if ours.len() != theirs.len() {
            differences.push(format!("{name}: {} sessions, not {}", ours.len(), theirs.len()));
        }
        for (number, (own, other)) in ours.iter().zip(theirs).enumerate() {
            if !own.agrees(other) {
                differences.push(format!("{name} {number}:\n  {own:?}\n  {other:?}"));
            }
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

#[test]
fn both_parsers_count_the_same_in_our_own_files() {
    compare(&places::files(&root().join("crates/sessions/tests/formats"), &[""], 1));
}

#[test]
fn both_parsers_count_the_same_in_real_sessions() {
    let sessions = root().join("../shared/sessions");
    if !sessions.is_dir() {
        return told("no real sessions");
    }
    let is_session = |path: &PathBuf| {
        // What is no session, and files of subagents, which are no session of their own.
        let path = path.to_string_lossy();
        !["SOURCES.md", "recorded_compaction_summaries", "subagents"]
            .iter()
            .any(|no| path.contains(no))
    };
    let files: Vec<PathBuf> =
        places::files(&sessions, &[""], 5).into_iter().filter(is_session).collect();
    assert!(files.len() > 10, "{files:?}");
    compare(&files);
}
