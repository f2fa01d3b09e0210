//! `proctor verify`: drive a run again and say what does not hold.

use crate::cli::live;
use crate::cli::prelude::*;
use crate::cli::rerun::AgainArguments;
use crate::run::Progress;
use crate::run_dir::read::load_manifest;
use crate::verify::{Verification, VerifyOptions, verify};

#[derive(Debug, Args)]
#[command(after_help = include_str!("help/verify.txt"))]
pub(super) struct Arguments {
    #[command(flatten)]
    recorded: AgainArguments,
    /// Only cells whose id contains this text
    #[arg(long, value_name = "TEXT")]
    cells: Option<String>,
}

const NAMED: usize = 40;

pub(super) fn run(arguments: &Arguments) -> Result<u8> {
    let AgainArguments { run, sessions, cassette, jobs } = &arguments.recorded;
    live::there(cassette.iter())?;
    if let Some(text) = &arguments.cells {
        is_named(run, text)?;
    }
    let options = VerifyOptions {
        transcripts: sessions.clone(),
        cassette: cassette.clone(),
        cells: arguments.cells.clone(),
        jobs: *jobs,
    };
    let verified = verify(registry(), run, &options, &Sessions)?;
    show(&verified);
    Ok(if verified.differences.is_empty() { ExitCode::OK } else { ExitCode::NOT_VERIFIED })
}

struct Sessions;

impl Progress for Sessions {
    fn session(&self, name: &str) {
        talk(shown!("{} ...", name));
    }
}

/// A check of no cell would hold whatever the run says.
fn is_named(run: &Path, text: &str) -> Result<()> {
    // What is wrong with a manifest the verification itself says.
    let Ok((manifest, _)) = load_manifest(&run.join("manifest.json")) else { return Ok(()) };
    if manifest.cells.iter().any(|cell| cell.key.cell.contains(text)) {
        return Ok(());
    }
    let hint = "no cell id of this run holds this text".to_owned();
    Err(Error::unknown("cell", text, Some(hint)))
}

fn show(verified: &Verification) {
    let differences = &verified.differences;
    for difference in differences.iter().take(NAMED) {
        say(shown!("{}", difference));
    }
    if differences.len() > NAMED {
        say(shown!("... and {} more", differences.len() - NAMED));
    }
    let mut cells = vec![format!("{} driven again", verified.driven)];
    cells.extend(verified.not_driven.iter().map(|(why, count)| format!("{count} {}", why.name())));
    say(shown!("cells: {}", cells.join(", ")));
    for note in &verified.notes {
        say(shown!("note: {}", note));
    }
    say(Shown::laid_out(&match (differences.len(), verified.not_driven.is_empty()) {
        (0, true) => "verified: everything holds".to_owned(),
        (0, false) => "what was compared holds".to_owned(),
        (1, _) => "not verified: 1 difference".to_owned(),
        (count, _) => format!("not verified: {count} differences"),
    }));
}
