//! `proctor bless`: the only way to move a baseline, and it says who did and why.

use std::process::Command;

use crate::cli::gate::{is_unfinished, unfinished};
use crate::cli::prelude::*;
use crate::gate::{Baseline, Blessing, Finding, Policy, Verdict, judge};
use crate::run_dir::ManifestInput;
use crate::run_dir::write::write_whole;

#[derive(Debug, Args)]
#[command(after_help = include_str!("help/bless.txt"))]
pub(super) struct Arguments {
    /// The run directory whose figures become the baseline
    run: PathBuf,
    /// The baseline file; what it says now becomes its history
    #[arg(long, value_name = "FILE")]
    to: PathBuf,
    /// Why later runs are to be compared with this one
    #[arg(long, value_name = "TEXT")]
    why: String,
    /// Who decides it [default: git's user.name, or $USER]
    #[arg(long, value_name = "NAME")]
    who: Option<String>,
    /// Policy whose figures are kept [default: the one that the binary carries]
    #[arg(long, value_name = "FILE")]
    policy: Option<PathBuf>,
    /// Bless although hard rules do not hold, for this reason, which is recorded
    #[arg(long, value_name = "TEXT")]
    even_though: Option<String>,
}

pub(super) fn run(arguments: &Arguments) -> Result<u8> {
    let policy = Policy::load(arguments.policy.as_deref())?;
    let why = said("--why", &arguments.why)?;
    let even_though =
        arguments.even_though.as_deref().map(|text| said("--even-though", text)).transpose()?;
    if is_unfinished(&arguments.run) {
        talk(shown!("error: {}", unfinished(&arguments.run)));
        return Ok(ExitCode::INCOMPLETE_RUN);
    }
    let run = RunData::load(&arguments.run)?;
    let before = arguments.to.exists().then(|| Baseline::load(&arguments.to)).transpose()?;
    let judgement = judge(None, &run, &policy)?;
    let of = |verdict| {
        let counting = judgement.findings.iter().filter(|finding| finding.counts);
        counting.filter(|finding| finding.verdict == verdict).collect::<Vec<&Finding>>()
    };
    let incomplete = of(Verdict::IncompleteRun);
    if !incomplete.is_empty() {
        return Ok(refused(&incomplete, ExitCode::INCOMPLETE_RUN, "an incomplete run", None));
    }
    let broken = of(Verdict::InvariantViolated);
    if !broken.is_empty() && even_though.is_none() {
        let hint = "`--even-though REASON` blesses it all the same, and records the reason";
        let what = "a run that breaks its hard rules";
        return Ok(refused(&broken, ExitCode::INVARIANT_VIOLATED, what, Some(hint)));
    }
    let blessing = Blessing {
        date: chrono::Utc::now().format("%Y-%m-%d").to_string(),
        who: who(arguments.who.as_deref())?,
        why,
        even_though: even_though.filter(|_| !broken.is_empty()),
        run: run.manifest_digest.clone(),
        suite: run.manifest.suite.clone(),
        tool: run.manifest.tool.clone(),
        policy: ManifestInput { name: policy.name.clone(), digest: policy.digest.clone() },
    };
    let baseline = Baseline::of(&run, &policy).bless(blessing, before.as_ref());
    write(&arguments.to, &baseline)?;
    let (rows, sessions) = (baseline.rows.len(), baseline.inputs.sessions.len());
    let changed = before.map(|before| before.changed_rows(&baseline));
    let changed = changed.map(|changed| format!(", {changed} not as before")).unwrap_or_default();
    say(shown!("{}: {} cells of {} sessions{}", arguments.to.display(), rows, sessions, changed));
    Ok(ExitCode::OK)
}

fn said(flag: &str, text: &str) -> Result<String> {
    match text.trim() {
        "" => Err(Error::invalid(flag, "it says nothing")),
        text => Ok(text.to_owned()),
    }
}

fn refused(findings: &[&Finding], code: u8, what: &str, hint: Option<&str>) -> u8 {
    talk(shown!("error: {} is no baseline", what));
    for finding in findings.iter().take(10) {
        let metric = finding.about();
        talk(shown!("  {} of {}: {}", metric, finding.subject(), finding.reason));
    }
    if let Some(hint) = hint {
        talk(shown!("\nhint: {}", hint));
    }
    code
}

fn who(given: Option<&str>) -> Result<String> {
    let git = || {
        let output = Command::new("git").args(["config", "user.name"]).output().ok()?;
        String::from_utf8(output.stdout).ok()
    };
    let system = || std::env::var("USER").ok();
    let named = |name: &String| !name.trim().is_empty();
    let found = given.map(str::to_owned).filter(named);
    let found = found.or_else(|| git().filter(named)).or_else(|| system().filter(named));
    found.map(|name| name.trim().to_owned()).ok_or_else(|| {
        let rule = "neither git nor the system says who you are";
        Error::refused("--who", rule, "name the person who decides with `--who NAME`")
    })
}

fn write(path: &Path, baseline: &Baseline) -> Result<()> {
    let text = baseline.text()?;
    let folder = folder_of(path);
    std::fs::create_dir_all(folder).map_err(|source| Error::io("create", folder, source))?;
    let name = path.file_name().and_then(|name| name.to_str()).ok_or_else(|| {
        Error::invalid(format!("--to {}", path.display()), "it does not name a file")
    })?;
    write_whole(folder, name, text.as_bytes())
}

/// The directory that a file lies in.
pub(super) fn folder_of(path: &Path) -> &Path {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}
