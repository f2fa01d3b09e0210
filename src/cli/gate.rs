//! `proctor gate`: whether a change lets compaction become worse, as an exit code.

mod before;
mod behind;
pub(super) mod driven;
pub(super) mod driver;
mod written;

use crate::cli::live::EndpointArguments;
use crate::cli::prelude::*;
use crate::cli::run as runs;
use crate::gate::policy::Response;
use crate::gate::{
    Baseline, Directories, JudgedRun, Judgement, Policy, Ways, explain, incomplete, judge, render,
};
use crate::matrix::Summarizer;
use crate::run_dir::read::load_manifest;

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
    /// Drive this side too: a pipeline or a suite, by file, name or COMMIT:FILE [default: what
    /// the candidate's file is derived from, or else the suite's first pipeline]
    #[arg(long, value_name = "FILE", requires = "candidate_config")]
    baseline_config: Option<String>,
    /// Drive this side, and gate it against the other
    #[arg(long, value_name = "FILE")]
    candidate_config: Option<String>,
    /// Where it is worse, undo the changed keys one by one, at most N of them [default: 8], and
    /// name the one that did it
    #[arg(long, value_name = "N", requires = "candidate_config", num_args = 0..=1,
        require_equals = true, default_missing_value = "8")]
    blame: Option<usize>,
    /// Seeds of both driven sides, e.g. 1,2,3
    #[arg(long, value_name = "N,N,...", value_delimiter = ',', requires = "candidate_config",
        value_parser = super::a_seed)]
    seeds: Vec<u64>,
    /// While it is undecided, drive as many seeds again, at most N of each scenario
    #[arg(long, value_name = "N", requires = "candidate_config")]
    until_decided: Option<usize>,
    /// Threads of both driven sides [default: all cores]
    #[arg(long, value_name = "N", value_parser = super::threads, requires = "candidate_config")]
    jobs: Option<usize>,
    /// The summarizer of two pipelines, in place of the suite's
    #[arg(long, value_name = "NAME", requires = "candidate_config")]
    summarizer: Option<Summarizer>,
    #[command(flatten)]
    at: EndpointArguments,
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
    /// Write a comment for a pull request, in Markdown
    #[arg(long, value_name = "FILE")]
    comment: Option<PathBuf>,
    /// Write a badge as JSON, for an endpoint of shields.io (`proctor schema badge`)
    #[arg(long, value_name = "FILE")]
    badge: Option<PathBuf>,
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
    let held = held(arguments);
    if let Err(error) = &held {
        written::broken(arguments, error)?;
    }
    held
}

fn held(arguments: &Arguments) -> Result<u8> {
    let mut policy = Policy::load(arguments.policy.as_deref())?;
    if arguments.strict {
        policy.undecided = Response::Fail;
    }
    let mut judgement = match &arguments.candidate_config {
        Some(candidate) => driven::judged(arguments, candidate, &policy)?,
        None => of_run(arguments, &policy)?,
    };
    judgement.direct(&ways(arguments));
    written::all(arguments, &judgement)?;
    say(Shown::laid_out(&render::text(&judgement, table::drawn)?));
    if arguments.github {
        render::annotations(&judgement).into_iter().for_each(say);
    }
    if judgement.warned {
        talk(shown!("warning: the gate is {} and passes only by its policy", judgement.verdict));
    }
    Ok(if arguments.strict_codes { judgement.strict_exit_code() } else { judgement.exit_code })
}

/// Days that an accepted loss holds, as it is proposed.
const DAYS: i64 = 90;

/// The commands that next steps are made of, with the very paths that were given.
fn ways(arguments: &Arguments) -> Ways {
    let text = |path: &Path| path.display().to_string();
    let Some(candidate) = &arguments.candidate_config else {
        let run = arguments.target.clone().unwrap_or_default();
        let to = arguments.baseline.clone().filter(|path| !path.is_dir());
        let to = to.map_or_else(|| usual_name(&run), |path| Some(text(&path)));
        let words = ["proctor", "bless", &run, "--to"].map(str::to_owned);
        let bless = to.map(|to| {
            words.into_iter().chain([to]).chain(["--why", "REASON"].map(str::to_owned)).collect()
        });
        return Ways { run: Some(run), bless, ..Ways::default() };
    };
    let mut again = vec!["proctor".to_owned(), "gate".to_owned()];
    again.extend(arguments.target.clone());
    let sides = [
        ("--baseline-config", &arguments.baseline_config),
        ("--candidate-config", &arguments.candidate_config),
    ];
    let policy = arguments.policy.as_deref().map(text);
    for (option, value) in sides.into_iter().chain([("--policy", &policy)]) {
        if let Some(value) = value {
            again.extend([option.to_owned(), value.clone()]);
        }
    }
    let seeds: Vec<String> = arguments.seeds.iter().map(u64::to_string).collect();
    let until = chrono::Utc::now() + chrono::TimeDelta::days(DAYS);
    let is_file = runs::is_toml(candidate) && matches!(runs::suite(candidate), Ok(None));
    Ways {
        run: arguments.out.as_ref().map(|out| text(&out.join("candidate"))),
        again: Some(again),
        seeds: (!seeds.is_empty()).then(|| seeds.join(",")),
        bless: None,
        accept: is_file.then(|| (candidate.clone(), until.format("%Y-%m-%d").to_string())),
    }
}

/// The usual baseline of a run, where that can be read.
fn usual_name(run: &str) -> Option<String> {
    let (manifest, _) = load_manifest(&Path::new(run).join("manifest.json")).ok()?;
    Some(usual(manifest.suite_name()).display().to_string())
}

/// Today's date, UTC, as 2026-11-22.
fn today() -> String {
    chrono::Utc::now().format("%Y-%m-%d").to_string()
}

fn of_run(arguments: &Arguments, policy: &Policy) -> Result<Judgement> {
    let directory = Path::new(arguments.target.as_deref().unwrap_or_default());
    if is_unfinished(directory) {
        return Ok(incomplete(policy, unfinished(directory)));
    }
    let run = RunData::load(directory)?;
    let path = arguments.baseline.clone().unwrap_or_else(|| usual(run.manifest.suite_name()));
    if !path.is_dir() {
        let baseline = path.exists().then(|| Baseline::load(&path)).transpose()?;
        let mut judgement = judge(baseline.as_ref(), &run, policy)?;
        let directories = Directories { baseline: None, candidate: directory, renamed: None };
        match &baseline {
            Some(base) => explain(&mut judgement, registry(), (base, &run), directories),
            None => judgement.notes.push(format!("there is no `{}`", path.display())),
        }
        return Ok(judgement);
    }
    if is_unfinished(&path) {
        return Ok(incomplete(policy, unfinished(&path)));
    }
    let base = RunData::load(&path)?;
    if base.manifest.part.is_some() {
        return Ok(incomplete(policy, format!("`{}` is a part of a run", path.display())));
    }
    let figures = Baseline::of(&base, policy);
    let mut judgement = judge(Some(&figures), &run, policy)?;
    judgement.baseline = Some(JudgedRun::of(&base));
    let directories = Directories { baseline: Some(&path), candidate: directory, renamed: None };
    explain(&mut judgement, registry(), (&figures, &run), directories);
    Ok(judgement)
}

fn usual(suite: &str) -> PathBuf {
    Path::new("reports").join("baselines").join(format!("{suite}.json"))
}

pub(super) fn is_unfinished(directory: &Path) -> bool {
    directory.join("shards").exists() && !directory.join("manifest.json").exists()
}

pub(super) fn unfinished(directory: &Path) -> String {
    format!("`{}` was not finished: it has shards, and no manifest", directory.display())
}
