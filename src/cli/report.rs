//! `proctor report`: render a run directory's report again.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::cli::{say, talk};
use crate::error::{Error, ExitCode, Result};
use crate::report;
use crate::run_dir::read::{self, load_manifest};
use crate::run_dir::{digests, redact};
use crate::secrets::{self, Findings};

/// Arguments of `proctor report`.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  proctor report reports/runs/default-001")]
pub(super) struct Arguments {
    /// The run directory
    run: PathBuf,
    /// Show digests in place of transcripts' texts and names
    #[arg(long)]
    redact: bool,
    /// Rank pipelines that were completed where their source is silent (fidelity `inferred`)
    #[arg(long)]
    include_inferred: bool,
    /// Make one page that needs nothing beside it: stories of cells that it has no room for
    /// are left out
    #[arg(long)]
    alone: bool,
}

impl Arguments {
    fn options(&self) -> report::Options {
        report::Options { include_inferred: self.include_inferred, alone: self.alone }
    }
}

pub(super) fn run(arguments: &Arguments) -> Result<u8> {
    let run = &arguments.run;
    digests::check_sizes(run)?;
    if arguments.redact {
        redacted(run, arguments.options())?;
        say(&run.join("report.html").display().to_string());
        say(&run.join("report.md").display().to_string());
        return Ok(ExitCode::OK);
    }
    if let Some(told) = secrets_in(run)? {
        talk(&format!(
            "warning: the stories of the run seem to hold secrets: {told}\n\nhint: `--redact` \
             shows digests in place of texts"
        ));
    }
    let files = report::write_with(run, arguments.options())?;
    say(&files.html.display().to_string());
    say(&files.markdown.display().to_string());
    Ok(ExitCode::OK)
}

/// Likely secrets in what a run quotes of transcripts.
fn secrets_in(run: &Path) -> Result<Option<String>> {
    let (manifest, _) = load_manifest(&run.join("manifest.json"))?;
    let is_transcript = |name: &str| {
        manifest.sessions.iter().any(|own| own.scenario == name && !own.path.is_empty())
    };
    if manifest.redacted || manifest.sessions.iter().all(|session| session.path.is_empty()) {
        return Ok(None);
    }
    let mut findings = Findings::default();
    for file in read::story_files(run)? {
        let story = read::story(&file)?;
        if is_transcript(&story.scenario) {
            secrets::in_story(&story, &mut findings);
        }
    }
    Ok(findings.told())
}

/// Renders the report from a redacted copy of the run, which is then taken away: pages
/// are made from nothing that holds the words.
fn redacted(run: &Path, options: report::Options) -> Result<()> {
    let copy = run.join(".redacted");
    clear(&copy)?;
    redact::copy(run, &copy)?;
    let inputs = names(&copy)?;
    report::write_with(&copy, options)?;
    // Pages of cells that an earlier report wrote, with their words.
    clear(&run.join("cells"))?;
    for made in names(&copy)?.into_iter().filter(|name| !inputs.contains(name)) {
        let (from, to) = (copy.join(&made), run.join(&made));
        if from.is_dir() {
            clear(&to)?;
        }
        fs::rename(&from, &to).map_err(|source| Error::io("write", &to, source))?;
    }
    clear(&copy)
}

fn names(folder: &Path) -> Result<Vec<std::ffi::OsString>> {
    let io = |source| Error::io("read", folder, source);
    let listed = fs::read_dir(folder).map_err(io)?;
    listed.map(|entry| Ok(entry.map_err(io)?.file_name())).collect()
}

fn clear(folder: &Path) -> Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(Error::io("remove", folder, error))
        }
        Ok(()) | Err(_) => Ok(()),
    }
}
