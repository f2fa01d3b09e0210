//! Where agents keep their sessions on disk.

use std::path::PathBuf;

use super::Format;
use crate::prelude::*;

/// A place on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The format of what lies there.
    pub format: Format,
    /// The directory, below the home directory.
    pub directory: &'static str,
    /// How the names of the files end.
    pub ends: &'static str,
}

/// The usual places of each agent, below the home directory.
pub const USUAL: [Place; 9] = [
    Place { format: Format::ClaudeCode, directory: ".claude/projects", ends: ".jsonl" },
    Place { format: Format::Codex, directory: ".codex/sessions", ends: ".jsonl" },
    Place { format: Format::Codex, directory: ".codex/archived_sessions", ends: ".jsonl" },
    Place { format: Format::Copilot, directory: ".copilot/session-state", ends: "events.jsonl" },
    Place { format: Format::GeminiSession, directory: ".gemini/tmp", ends: ".json" },
    Place { format: Format::Pi, directory: ".pi/agent/sessions", ends: ".jsonl" },
    Place { format: Format::Qwen, directory: ".qwen/projects", ends: ".jsonl" },
    Place {
        format: Format::Cline,
        directory: ".config/Code/User/globalStorage/saoudrizwan.claude-dev/tasks",
        ends: "api_conversation_history.json",
    },
    Place {
        format: Format::Cline,
        directory: ".config/Code/User/globalStorage/rooveterinaryinc.roo-cline/tasks",
        ends: "api_conversation_history.json",
    },
];

/// Files below a directory that may be sessions, by how their names end.
pub fn below(directory: &Path) -> Vec<PathBuf> {
    const ENDS: [&str; 6] = [".jsonl", ".json", ".traj", ".jsonl.gz", ".json.gz", ".history.md"];
    const DEEPEST: usize = 12;
    files(directory, &ENDS, DEEPEST)
}

/// Files below a directory whose names end so, in order; links are not followed, and what cannot be
/// read is left out. `deepest` bounds how far below it looks.
pub fn files(directory: &Path, ends: &[&str], deepest: usize) -> Vec<PathBuf> {
    let (mut found, mut waiting) = (Vec::new(), vec![(directory.to_owned(), 0)]);
    while let Some((directory, depth)) = waiting.pop() {
        for entry in std::fs::read_dir(&directory).into_iter().flatten().flatten() {
            let (path, kind) = (entry.path(), entry.file_type());
            let name = entry.file_name().to_string_lossy().into_owned();
            match kind {
                Ok(kind) if kind.is_dir() && depth < deepest => waiting.push((path, depth + 1)),
                Ok(kind) if kind.is_file() && ends.iter().any(|end| name.ends_with(end)) => {
                    found.push(path);
                }
                _ => {}
            }
        }
    }
    found.sort();
    found
}
