//! Both sides driven in one job: no baseline is needed, and none can be stale.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::Arguments;
use super::place::{first_change, first_stage, place};
use crate::cli::{registry, run as runs, talk};
use crate::drive::Mode;
use crate::error::{Error, Result};
use crate::frame::MeasuredCell;
use crate::gate::{Baseline, JudgedRun, Judgement, Place, Policy, incomplete, judge};
use crate::ident::did_you_mean;
use crate::matrix::{self, EMBEDDED, Suite};
use crate::pipeline::Pipeline;
use crate::run::{self, Options, Plan, Progress};
use crate::run_dir::read::RunData;
use crate::run_dir::{CellState, Stories};

/// The suite on which pipelines are driven where none is named, and how many sessions of
/// it: its own two decide nothing.
const USUAL: &str = "smoke";
const USUAL_SEEDS: u64 = 12;

/// What a side is.
enum Side {
    Pipeline(Box<Pipeline>),
    Suite(Box<Suite>),
}

pub(super) fn judged(
    arguments: &Arguments,
    baseline: &str,
    candidate: &str,
    policy: &Policy,
) -> Result<Judgement> {
    match (side(baseline)?, side(candidate)?) {
        (Side::Pipeline(own), Side::Pipeline(changed)) => {
            let plan = |given| of_pipeline(given, arguments, policy);
            let plans = [plan(baseline)?, plan(candidate)?];
            let renamed = |side: Baseline| side.renamed(&own.name, &changed.name);
            let mut judgement = driven(arguments, &plans, policy, renamed)?;
            if let Some(place) = place_of_change(baseline, candidate) {
                judgement.locate(&changed.name, &place);
            }
            Ok(judgement)
        }
        (Side::Suite(own), Side::Suite(changed)) => {
            if let Some(target) = &arguments.target {
                return Err(Error::Invalid {
                    place: format!("`{target}`"),
                    rule: "a third suite beside the two that are compared".to_owned(),
                    hint: Some("leave it out, or compare two pipelines on it".to_owned()),
                });
            }
            // Both sides are driven here and now, so whoever names two summarizers means to
            // compare them; a blessed baseline under another one stays incompatible.
            let (from, to) = (own.summarizer.to_string(), changed.summarizer.to_string());
            let plans = [plan(*own, baseline, arguments)?, plan(*changed, candidate, arguments)?];
            let alike = |side: Baseline| side.summarized_by(&to);
            let mut judgement = driven(arguments, &plans, policy, alike)?;
            if from != to {
                let says = "the summarizer is part of what is compared";
                judgement.notes.push(format!("{says}: `{from}` against `{to}`"));
            }
            Ok(judgement)
        }
        (Side::Pipeline(_), Side::Suite(_)) | (Side::Suite(_), Side::Pipeline(_)) => {
            Err(Error::Invalid {
                place: format!("`{baseline}` and `{candidate}`"),
                rule: "one is a pipeline and the other a suite".to_owned(),
                hint: Some("name two pipelines or two suites".to_owned()),
            })
        }
    }
}

/// Drives both sides and judges the second by the first, which is made alike in what is
/// meant to differ.
fn driven(
    arguments: &Arguments,
    [own, changed]: &[Plan; 2],
    policy: &Policy,
    alike: impl Fn(Baseline) -> Baseline,
) -> Result<Judgement> {
    let folder = Folder::new(arguments.out.as_deref());
    let base = folder.driven("baseline", own, arguments.jobs)?;
    let run = folder.driven("candidate", changed, arguments.jobs)?;
    let failed = |row: &&MeasuredCell| matches!(row.state, CellState::Failed(_));
    let failed = base.measurements.iter().filter(failed).count();
    if failed > 0 {
        let reason = format!("{failed} cells of the baseline's side failed");
        return Ok(incomplete(policy, reason));
    }
    let mut judgement = judge(Some(&alike(Baseline::of(&base, policy))), &run, policy)?;
    judgement.baseline = Some(JudgedRun::of(&base));
    Ok(judgement)
}

/// A TOML file is a suite when it names scenarios, else a pipeline.
fn side(given: &str) -> Result<Side> {
    let path = Path::new(given);
    if path.extension().is_some_and(|extension| extension == "toml") {
        let text =
            std::fs::read_to_string(path).map_err(|source| Error::io("read", path, source))?;
        let is_suite = text.lines().any(|line| line.trim_start().starts_with("scenarios"));
        return Ok(match is_suite {
            true => Side::Suite(Box::new(Suite::parse(given, &text)?)),
            false => Side::Pipeline(Box::new(Pipeline::parse(registry(), given, &text)?)),
        });
    }
    if let Some(suite) = Suite::embedded(given) {
        return Ok(Side::Suite(Box::new(suite?)));
    }
    let known = || registry().pipeline_names();
    if known().any(|name| name == given) {
        return Ok(Side::Pipeline(Box::new(registry().pipeline(given)?)));
    }
    let names = known().chain(EMBEDDED.iter().map(|(name, _)| *name));
    let file = || Some("a file's name ends in `.toml`".to_owned());
    Err(Error::Unknown {
        what: "pipeline or suite",
        name: given.to_owned(),
        hint: did_you_mean(given, names).or_else(file),
    })
}

/// The suite with one pipeline in place of its own, and of the rest what the policy and
/// derived figures need: the control, and the modes and summarizers of its rules.
fn of_pipeline(given: &str, arguments: &Arguments, policy: &Policy) -> Result<Plan> {
    let name = arguments.target.as_deref().unwrap_or(USUAL);
    let mut suite = suite(name)?;
    if arguments.target.is_none() {
        suite.seeds = (1..=USUAL_SEEDS).collect();
    }
    let modes: BTreeSet<&str> = policy.rules.iter().map(|rule| rule.mode.as_str()).collect();
    suite.modes.retain(|mode| modes.contains(mode.name()));
    if suite.modes.is_empty() {
        suite.modes = vec![Mode::Deployed];
    }
    let summarizers = policy.rules.iter().filter_map(|rule| rule.summarizer.as_deref());
    let summarizers: BTreeSet<&str> = summarizers.collect();
    suite.brackets.retain(|one| summarizers.contains(one.to_string().as_str()));
    suite.pipelines = vec![given.to_owned()];
    suite.windowless.retain(|name| name == "none");
    suite.truncate_sweep.clear();
    suite.second_bank.clear();
    suite.faults.clear();
    suite.grid.clear();
    suite.orderings = None;
    plan(suite, name, arguments)
}

/// A suite by its file or name.
fn suite(name: &str) -> Result<Suite> {
    match side(name)? {
        Side::Suite(suite) => Ok(*suite),
        Side::Pipeline(_) => Err(Error::Invalid {
            place: format!("`{name}`"),
            rule: "is a pipeline, and both sides are driven on a suite".to_owned(),
            hint: Some("name a suite, or a file that names `scenarios`".to_owned()),
        }),
    }
}

fn plan(mut suite: Suite, given: &str, arguments: &Arguments) -> Result<Plan> {
    if !arguments.seeds.is_empty() {
        if matrix::has_doubles(&arguments.seeds) {
            let rule = "the same seed twice is one session counted twice";
            return Err(Error::invalid("--seeds", rule));
        }
        suite.seeds.clone_from(&arguments.seeds);
        suite.second_bank.retain(|seed| arguments.seeds.contains(seed));
    }
    let mut scenarios = runs::scenarios(&[given.to_owned()])?;
    scenarios.extend(suite.twins(&scenarios));
    let command = format!("proctor gate, suite {}", suite.name);
    let plan = Plan::new(registry(), suite, scenarios, command)?;
    if plan.asks_a_model() {
        return Err(Error::Invalid {
            place: format!("`{given}`"),
            rule: "its summarizer is a live model, which a gate does not ask".to_owned(),
            hint: Some(
                "drive both with `proctor run`, then `proctor gate RUN --baseline RUN`".to_owned(),
            ),
        });
    }
    Ok(plan)
}

/// Where a pipeline file can be changed: the first line in which it differs.
fn place_of_change(before: &str, given: &str) -> Option<Place> {
    let read = |name: &str| std::fs::read_to_string(name).ok();
    let text = read(given).filter(|_| given.ends_with(".toml"))?;
    let line = read(before).map_or_else(|| first_stage(&text), |own| first_change(&own, &text));
    Some(place(Path::new(given), line))
}

/// Where both runs are written; what nobody asked to keep is removed at the end.
struct Folder {
    path: PathBuf,
    is_kept: bool,
}

impl Folder {
    fn new(out: Option<&Path>) -> Folder {
        let own = || std::env::temp_dir().join(format!("proctor-gate-{}", std::process::id()));
        Folder { path: out.map_or_else(own, Path::to_owned), is_kept: out.is_some() }
    }

    fn driven(&self, name: &str, plan: &Plan, jobs: Option<usize>) -> Result<RunData> {
        let out = self.path.join(name);
        let options = Options { jobs, stories: Stories::None, ..Options::new(&out) };
        talk(&format!("{name}: {} sessions", plan.sessions().len()));
        run::run(plan, &options, &Quiet)?;
        if self.is_kept {
            talk(&format!("{name}: {}", out.display()));
        }
        RunData::load(&out)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if !self.is_kept {
            // What cannot be removed stays in the directory for such things.
            let _ = std::fs::remove_dir_all(&self.path);
        }
    }
}

/// Says only what the user should know.
struct Quiet;

impl Progress for Quiet {
    fn begin(&self, _: usize, _: usize) {}

    fn session(&self, _: &str) {}

    fn cell(&self, _: &str) {}

    fn warn(&self, text: &str) {
        talk(&format!("warning: {text}"));
    }
}
