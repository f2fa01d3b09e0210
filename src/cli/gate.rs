//! `proctor gate`: whether a change lets compaction become worse, as an exit code.

mod driven;

use std::io::Write;

use crate::cli::prelude::*;
use crate::gate::policy::Response;
use crate::gate::{Baseline, JudgedRun, Judgement, Policy, incomplete, judge, render};
use crate::run_dir::digests;

#[derive(Debug, Args)]
#[command(after_help = include_str!("help/gate.txt"))]
pub(super) struct Arguments {
    /// The run directory that is judged; with `--candidate-config` the suite that both
    /// sides are driven on [default: gate]
    #[arg(value_name = "RUN | SUITE", required_unless_present = "candidate_config")]
    target: Option<String>,
    /// Baseline file, or a run directory [default: reports/baselines/SUITE.json]
    #[arg(long, value_name = "FILE", conflicts_with = "candidate_config")]
    baseline: Option<PathBuf>,
    /// Policy [default: the one that the binary carries, scenarios/gates.toml]
    #[arg(long, value_name = "FILE")]
    policy: Option<PathBuf>,
    /// Drive this side too: a pipeline (file or name), or a suite
    #[arg(long, value_name = "FILE", requires = "candidate_config")]
    baseline_config: Option<String>,
    /// Drive this side, and gate it against the other
    #[arg(long, value_name = "FILE", requires = "baseline_config")]
    candidate_config: Option<String>,
    /// Seeds of both driven sides, e.g. 1,2,3
    #[arg(long, value_name = "N,N,...", value_delimiter = ',', requires = "candidate_config")]
    seeds: Vec<u64>,
    /// While it is undecided, drive as many seeds again, at most N of each scenario
    #[arg(long, value_name = "N", requires = "candidate_config")]
    until_decided: Option<usize>,
    /// Threads of both driven sides [default: all cores]
    #[arg(long, value_name = "N", value_parser = super::threads, requires = "candidate_config")]
    jobs: Option<usize>,
    /// Keep the driven runs as DIR/baseline and DIR/candidate
    #[arg(long, value_name = "DIR", requires = "candidate_config")]
    out: Option<PathBuf>,
    /// Write everything as JSON (`proctor schema gate`)
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write JUnit XML
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Write the findings that have a place in a file as SARIF 2.1.0
    #[arg(long, value_name = "FILE")]
    sarif: Option<PathBuf>,
    /// Print the worst findings as GitHub annotations
    #[arg(long)]
    github: bool,
    /// Append a summary in Markdown, as $GITHUB_STEP_SUMMARY names one
    #[arg(long, value_name = "FILE")]
    step_summary: Option<PathBuf>,
    /// Exit with 30 where no session differs, with 31 for an improvement
    #[arg(long)]
    strict_codes: bool,
    /// Fail on what is undecided, whatever the policy says
    #[arg(long)]
    strict: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<u8> {
    let mut policy = Policy::load(arguments.policy.as_deref())?;
    if arguments.strict {
        policy.undecided = Response::Fail;
    }
    let judgement = match (&arguments.baseline_config, &arguments.candidate_config) {
        (Some(baseline), Some(candidate)) => {
            driven::judged(arguments, baseline, candidate, &policy)?
        }
        // Neither goes without the other.
        (None, _) | (_, None) => of_run(arguments, &policy)?,
    };
    write(arguments, &judgement)?;
    say(&render::text(&judgement, table::drawn)?);
    if arguments.github {
        render::annotations(&judgement).iter().for_each(|line| say(line));
    }
    if judgement.warned {
        talk(&format!("warning: the gate is {} and passes only by its policy", judgement.verdict));
    }
    Ok(if arguments.strict_codes { judgement.strict_exit_code() } else { judgement.exit_code })
}

fn of_run(arguments: &Arguments, policy: &Policy) -> Result<Judgement> {
    let directory = Path::new(arguments.target.as_deref().unwrap_or_default());
    if is_unfinished(directory) {
        return Ok(incomplete(policy, unfinished(directory)));
    }
    let run = whole(directory)?;
    let path = arguments.baseline.clone().unwrap_or_else(|| usual(&run));
    if !path.is_dir() {
        let baseline = path.exists().then(|| Baseline::load(&path)).transpose()?;
        let mut judgement = judge(baseline.as_ref(), &run, policy)?;
        if baseline.is_none() {
            judgement.notes.push(format!("there is no `{}`", path.display()));
        }
        return Ok(judgement);
    }
    if is_unfinished(&path) {
        return Ok(incomplete(policy, unfinished(&path)));
    }
    let base = whole(&path)?;
    if base.manifest.part.is_some() {
        return Ok(incomplete(policy, format!("`{}` is a part of a run", path.display())));
    }
    let mut judgement = judge(Some(&Baseline::of(&base, policy)), &run, policy)?;
    judgement.baseline = Some(JudgedRun::of(&base));
    Ok(judgement)
}

/// A run directory whose bytes are those that the run wrote.
pub(super) fn whole(directory: &Path) -> Result<RunData> {
    digests::check_whole(directory)?;
    RunData::load(directory)
}

fn usual(run: &RunData) -> PathBuf {
    let suite = run.manifest.suite_name();
    Path::new("reports").join("baselines").join(format!("{suite}.json"))
}

pub(super) fn is_unfinished(directory: &Path) -> bool {
    directory.join("shards").exists() && !directory.join("manifest.json").exists()
}

pub(super) fn unfinished(directory: &Path) -> String {
    format!("`{}` was not finished: it has shards, and no manifest", directory.display())
}

fn write(arguments: &Arguments, judgement: &Judgement) -> Result<()> {
    let file = |path: &Option<PathBuf>, make: fn(&Judgement) -> Result<String>| match path {
        Some(path) => std::fs::write(path, make(judgement)?)
            .map_err(|source| Error::io("write", path, source)),
        None => Ok(()),
    };
    file(&arguments.json, render::json)?;
    file(&arguments.junit, render::junit)?;
    file(&arguments.sarif, render::sarif)?;
    arguments.step_summary.as_deref().map_or(Ok(()), |path| append(path, judgement))
}

/// Appends the summary, to whose limit counts what is there already.
fn append(path: &Path, judgement: &Judgement) -> Result<()> {
    let io = |source| Error::io("write", path, source);
    let mut file = std::fs::OpenOptions::new().append(true).create(true).open(path).map_err(io)?;
    let there = file.metadata().map_err(io)?.len() as usize;
    let summary = render::summary(judgement, render::MOST_BYTES.saturating_sub(there))?;
    file.write_all(summary.as_bytes()).map_err(io)
}
