//! `proctor verify`: recompute a run and say what does not hold.

mod pages;

use std::path::{Path, PathBuf};

use clap::Args;

use crate::cli::{say, table, talk};
use crate::error::{Error, ExitCode, Result};
use crate::matrix::Suite;
use crate::run_dir::read::load_manifest;
use crate::scenario::Scenario;
use crate::verify::{Check, Difference, How, Verification, Wish, verify};

/// Arguments of `proctor verify`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The run directory
    run: PathBuf,
    /// Transcripts that the run replayed, where they lie now; scenario files of your own
    #[arg(long, value_name = "FILES", num_args = 1..)]
    sessions: Vec<PathBuf>,
    /// The suite file of your own that the run was made from, for its pipelines
    #[arg(long, value_name = "FILE")]
    suite: Option<PathBuf>,
    /// The recording of the model that the run asked [default: the one in the run directory]
    #[arg(long, value_name = "FILE")]
    cassette: Option<PathBuf>,
    /// A report (.html or .md) that is said to be this run's [default: those beside it]
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Only cells whose id contains this text
    #[arg(long, value_name = "TEXT")]
    cells: Option<String>,
    /// Only so many cells, drawn by lot
    #[arg(long, value_name = "N")]
    sample: Option<usize>,
    /// Seed of the lot
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Drive every chosen cell again and compare its trace and story too, not its tables alone
    #[arg(long)]
    again: bool,
    /// Threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = super::threads)]
    jobs: Option<usize>,
    /// Say of each cell how its figures were come by again
    #[arg(long)]
    each: bool,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  proctor verify reports/runs/default-001                   every figure, from traces and sessions
  proctor verify RUN --sample 20 --again                    twenty cells by lot, driven again
  proctor verify RUN --sessions ~/sessions/long.jsonl       a run of a recorded session
  proctor verify RUN --report published.html                is this report that run's?

Exit code: 0 where everything that was compared holds, 8 where something does not.
What could not be compared (an absent session, a live model) is said and is no fault.";

pub(super) fn run(arguments: &Arguments) -> Result<u8> {
    let wish = wish(arguments)?;
    named(arguments)?;
    let told = |session: &str| talk(&format!("{session} ..."));
    let mut found = verify(&arguments.run, &wish, &told)?;
    pages::check(&arguments.run, arguments.report.as_deref(), &mut found)?;
    if arguments.json {
        // OK because names, counts and words are JSON.
        say(&serde_json::to_string_pretty(&found).unwrap_or_default());
    } else {
        show(&found, arguments.each);
    }
    Ok(if found.holds() { ExitCode::OK } else { ExitCode::NOT_VERIFIED })
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

fn wish(arguments: &Arguments) -> Result<Wish> {
    let is_toml = |path: &PathBuf| path.extension().is_some_and(|end| end == "toml");
    let (files, transcripts) = arguments.sessions.iter().cloned().partition(is_toml);
    let files: Vec<PathBuf> = files;
    let mut scenarios = Vec::new();
    for file in files {
        scenarios.extend(Scenario::load_all(&file)?);
    }
    let suite = arguments.suite.as_deref().map(suite).transpose()?;
    Ok(Wish {
        transcripts,
        scenarios,
        suite,
        cassette: arguments.cassette.clone(),
        cells: arguments.cells.clone(),
        sample: arguments.sample,
        seed: arguments.seed,
        again: arguments.again,
        jobs: arguments.jobs,
    })
}

fn suite(path: &Path) -> Result<Suite> {
    let text = std::fs::read_to_string(path).map_err(|source| Error::io("read", path, source))?;
    Suite::parse(&path.display().to_string(), &text)
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
    let hows = found.by_how();
    let come_by: usize =
        [How::Recomputed, How::DrivenAgain].iter().filter_map(|how| hows.get(how)).sum();
    match found.cells.len() {
        all if all == come_by => "verified: everything holds".to_owned(),
        all => format!("what was compared holds: {come_by} of {all} cells come by again"),
    }
}
