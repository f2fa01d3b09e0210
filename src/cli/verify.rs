//! `proctor verify`: drive a run again and say what does not hold.

mod pages;

use std::path::PathBuf;

use clap::Args;

use crate::cli::{registry, say, table, talk};
use crate::error::{Error, ExitCode, Result};
use crate::run::Progress;
use crate::run_dir::read::load_manifest;
use crate::verify::{Check, Difference, How, Verification, VerifyOptions, verify};

/// Arguments of `proctor verify`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The run directory
    run: PathBuf,
    /// Transcripts that the run replayed, where they lie now
    #[arg(long, value_name = "FILES", num_args = 1..)]
    sessions: Vec<PathBuf>,
    /// The recording of the model that the run asked [default: the one in the run directory]
    #[arg(long, value_name = "FILE")]
    cassette: Option<PathBuf>,
    /// A report (.html or .md) that is said to be this run's [default: those beside it]
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Only cells whose id contains this text
    #[arg(long, value_name = "TEXT")]
    cells: Option<String>,
    /// Only so many cells, drawn at random
    #[arg(long, value_name = "N")]
    sample: Option<usize>,
    /// Seed of that draw
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = super::threads)]
    jobs: Option<usize>,
    /// Say of each cell what was done about it
    #[arg(long)]
    each: bool,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  proctor verify reports/runs/default-001                   drives the whole run again
  proctor verify RUN --sample 20                            twenty cells at random
  proctor verify RUN --sessions ~/sessions/long.jsonl       a run of a recorded session
  proctor verify RUN --report published.html                is this report that run's?

Exit code: 0 where everything that was compared holds, 8 where something does not.
What could not be compared (an absent session, a live model) is said and is no fault.";

pub(super) fn run(arguments: &Arguments) -> Result<u8> {
    named(arguments)?;
    let options = VerifyOptions {
        transcripts: arguments.sessions.clone(),
        cassette: arguments.cassette.clone(),
        cells: arguments.cells.clone(),
        sample: arguments.sample,
        seed: arguments.seed,
        jobs: arguments.jobs,
    };
    let mut found = verify(registry(), &arguments.run, &options, &Sessions)?;
    pages::check(&arguments.run, arguments.report.as_deref(), &mut found)?;
    if arguments.json {
        say(&serde_json::to_string_pretty(&found)
            .map_err(|error| Error::invalid("--json", error.to_string()))?);
    } else {
        show(&found, arguments.each);
    }
    Ok(if found.holds() { ExitCode::OK } else { ExitCode::NOT_VERIFIED })
}

/// Names the sessions that are driven again.
struct Sessions;

impl Progress for Sessions {
    fn begin(&self, _: usize, _: usize) {}

    fn session(&self, name: &str) {
        talk(&format!("{name} ..."));
    }

    fn cell(&self, _: &str) {}

    fn warn(&self, _: &str) {}
}

/// A check of no cell would hold whatever the run says.
fn named(arguments: &Arguments) -> Result<()> {
    let Some(text) = &arguments.cells else { return Ok(()) };
    // A manifest that cannot be read is what the verification itself tells of.
    let Ok((manifest, _)) = load_manifest(&arguments.run.join("manifest.json")) else {
        return Ok(());
    };
    if manifest.cells.iter().any(|cell| cell.key.cell.contains(text.as_str())) {
        return Ok(());
    }
    Err(Error::Unknown {
        what: "cell",
        name: text.clone(),
        hint: Some("no cell id of this run holds this text".to_owned()),
    })
}

fn show(found: &Verification, each: bool) {
    if each {
        for (cell, how) in &found.cells {
            say(&format!("{cell}: {}", how.name()));
        }
        say("");
    }
    let mut lines = table::plain(&["check", "compared", "differ", "not checked"]);
    for check in &found.checks {
        let unchecked: usize = check.unchecked.values().sum();
        lines.add_row([
            check.name.clone(),
            format!("{} {}", check.compared, check.unit),
            check.differ.to_string(),
            unchecked.to_string(),
        ]);
    }
    say(&lines.to_string());
    let hows = found.by_how().into_iter().map(|(how, count)| format!("{count} {}", how.name()));
    say(&format!("\ncells: {}", hows.collect::<Vec<_>>().join(", ")));
    for (reason, names) in reasons(&found.checks) {
        say(&format!("not checked: {reason} ({names})"));
    }
    for note in &found.notes {
        say(&format!("note: {note}"));
    }
    for check in found.checks.iter().filter(|check| check.differ > 0) {
        let more = check.differ.saturating_sub(check.differences.len());
        let more = if more > 0 { format!(", {more} more") } else { String::new() };
        say(&format!("\n{}: {} differ{more}", check.name, check.differ));
        for difference in &check.differences {
            say(&told(difference));
        }
    }
    say(&format!("\n{}", verdict(found)));
}

/// By reason why something was not checked: which checks, with how many.
fn reasons(checks: &[Check]) -> Vec<(String, String)> {
    let mut reasons: Vec<(String, Vec<String>)> = Vec::new();
    for check in checks {
        for (reason, count) in &check.unchecked {
            let named = format!("{} {count}", check.name);
            match reasons.iter_mut().find(|(known, _)| known == reason) {
                Some((_, names)) => names.push(named),
                None => reasons.push((reason.clone(), vec![named])),
            }
        }
    }
    let brief = |names: Vec<String>| match names.len() {
        few if few <= 3 => names.join(", "),
        many => format!("{}, and {} further checks", names[0], many - 1),
    };
    reasons.into_iter().map(|(reason, names)| (reason, brief(names))).collect()
}

fn told(difference: &Difference) -> String {
    let Difference { file, cell, column, found, expected } = difference;
    let place = [file, cell, column].into_iter().filter(|part| !part.is_empty());
    let place: Vec<&str> = place.map(String::as_str).collect();
    crate::sanitize::terminal(&format!(
        "  {}: found {found}, expected {expected}",
        place.join(", ")
    ))
}

fn verdict(found: &Verification) -> String {
    let differing = found.checks.iter().filter(|check| check.differ > 0).count();
    if differing > 0 {
        return format!("not verified: {differing} of {} checks differ", found.checks.len());
    }
    let driven = found.by_how().get(&How::DrivenAgain).copied().unwrap_or(0);
    match found.cells.len() {
        all if all == driven => "verified: everything holds".to_owned(),
        all => format!("what was compared holds: {driven} of {all} cells driven again"),
    }
}
