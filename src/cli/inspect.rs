//! `proctor inspect`: a session, or one compaction of one cell and what it lost.
//!
//! A cell is driven again from its inputs, and its trace compared with the recorded
//! one: what is shown is what the run did, or the difference is said.

mod cell;
mod session;
mod strategy;

use std::path::{Path, PathBuf};

use clap::Args;

use crate::error::{Error, ExitCode, Result};

/// Arguments of `proctor inspect`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// A run directory, a transcript or native log, or a scenario name
    #[arg(required_unless_present = "strategy")]
    target: Option<String>,
    /// A pipeline (name or TOML file) or strategy: source, fidelity, parameters
    #[arg(long, value_name = "NAME", conflicts_with_all = ["target", "cell"])]
    strategy: Option<String>,
    /// The cell, by id or a unique part of it
    #[arg(long, value_name = "ID")]
    cell: Option<String>,
    /// The compaction, by its number in the cell
    #[arg(long, value_name = "N", requires = "cell")]
    compaction: Option<u32>,
    /// Seed of a scenario's session
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Show whole texts instead of their beginnings
    #[arg(long)]
    full: bool,
}

const EXAMPLES: &str = "\
Examples:
  proctor inspect multi-goal-arcs --seed 7                   a session: turns, facts, demands
  proctor inspect session.jsonl                              the same of a transcript
  proctor inspect reports/runs/default-001 --cell forge-adr/7
                                                             a cell's compactions
  proctor inspect --strategy forge-adr                       where it comes from, what its parameters decide
  proctor inspect RUN --cell ID --compaction 12              the view before and after, what was lost and why";

pub(super) fn run(arguments: &Arguments) -> Result<u8> {
    if let Some(name) = &arguments.strategy {
        strategy::show(name)?;
        return Ok(ExitCode::OK);
    }
    let target = arguments.target.as_deref().unwrap_or_default();
    let path = Path::new(target);
    match &arguments.cell {
        Some(cell) if path.join("manifest.json").exists() => {
            cell::show(path, cell, arguments.compaction, arguments.full)?;
        }
        Some(_) => {
            return Err(Error::Invalid {
                place: path.display().to_string(),
                rule: "is no run directory (it has no manifest.json)".to_owned(),
                hint: Some("`--cell` goes with a directory that `proctor run` wrote".to_owned()),
            });
        }
        None if path.join("manifest.json").exists() => cell::list(path)?,
        None => session::show(target, arguments.seed)?,
    }
    Ok(ExitCode::OK)
}

/// The beginning of a text on one line, control characters shown: a transcript must
/// not steer the terminal that it is looked at in.
pub(super) fn excerpt(text: &str, characters: usize) -> String {
    let mut shown: String = text.chars().take(characters).map(visible).collect();
    if text.chars().nth(characters).is_some() {
        shown.push('…');
    }
    shown
}

/// A whole text, line breaks kept, other control characters shown.
pub(super) fn whole(text: &str) -> String {
    text.chars().map(|c| if c == '\n' { c } else { visible(c) }).collect()
}

fn visible(c: char) -> char {
    match c {
        '\n' => '⏎',
        '\t' => ' ',
        c if c.is_control() => '\u{FFFD}',
        // Directional overrides can make text read other than it is.
        '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => '\u{FFFD}',
        c => c,
    }
}

/// A path for messages.
pub(super) fn traces(run: &Path) -> PathBuf {
    run.join("traces.jsonl")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminal_escapes_are_inert() {
        assert_eq!(excerpt("a\u{1b}[31mb\n\u{202E}c", 20), "a\u{FFFD}[31mb⏎\u{FFFD}c");
        assert_eq!(whole("a\r\nb"), "a\u{FFFD}\nb");
    }
}
