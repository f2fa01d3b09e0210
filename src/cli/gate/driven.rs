//! Both sides driven in one job: no baseline is needed, and none can be stale.

use crate::run_dir::CellState;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::place::{first_change, first_stage, place};
use super::{Arguments, Judged};
use crate::cli::{registry, run as runs, talk};
use crate::drive::Mode;
use crate::error::{Error, Result};
use crate::gate::{Baseline, JudgedRun, Place, Policy, incomplete, judge};
use crate::ident::nearest;
use crate::matrix::{self, EMBEDDED, Suite};
use crate::pipeline::Pipeline;
use crate::run::{self, Options, Plan, Progress};
use crate::run_dir::Stories;
use crate::run_dir::read::RunData;

/// The suite on which pipelines are driven where none is named, and how many sessions of
/// it: its own two decide nothing.
const USUAL: &str = "smoke";
const USUAL_SEEDS: u64 = 12;

/// What a side is.
enum Side {
    /// A pipeline, by its file or name.
    Pipeline { given: String, pipeline: Box<Pipeline> },
    /// A suite, by its file or name.
    Suite { given: String, suite: Box<Suite> },
}

pub(super) fn judged(
    arguments: &Arguments,
    baseline: &str,
    candidate: &str,
    policy: &Policy,
) -> Result<Judged> {
    let sides = (side(baseline)?, side(candidate)?);
    let plans = match &sides {
        (Side::Pipeline { .. }, Side::Pipeline { .. }) => {
            (of_pipeline(&sides.0, arguments, policy)?, of_pipeline(&sides.1, arguments, policy)?)
        }
        (Side::Suite { .. }, Side::Suite { .. }) => {
            if let Some(target) = &arguments.target {
                return Err(Error::Invalid {
                    place: format!("`{target}`"),
                    rule: "a third suite beside the two that are compared".to_owned(),
                    hint: Some("leave it out, or compare two pipelines on it".to_owned()),
                });
            }
            (of_suite(&sides.0, arguments)?, of_suite(&sides.1, arguments)?)
        }
        _ => {
            return Err(Error::Invalid {
                place: format!("`{baseline}` and `{candidate}`"),
                rule: "one is a pipeline and the other a suite".to_owned(),
                hint: Some("name two pipelines or two suites".to_owned()),
            });
        }
    };
    let folder = Folder::new(arguments.out.as_deref());
    let base = folder.driven("baseline", &plans.0, arguments.jobs)?;
    let run = folder.driven("candidate", &plans.1, arguments.jobs)?;
    let places = places(&sides);
    if let Some(reason) = failed(&base) {
        return Ok((incomplete(policy, reason), places));
    }
    let mut before = Baseline::of(&base, policy);
    if let (Side::Pipeline { pipeline: own, .. }, Side::Pipeline { pipeline, .. }) = &sides {
        before = before.renamed(&own.name, &pipeline.name);
    }
    let changed = changed_summarizer(&sides);
    if let Some((_, to)) = &changed {
        before = before.summarized_by(to);
    }
    let mut judgement = judge(Some(&before), &run, policy)?;
    judgement.baseline = Some(JudgedRun::of(&base));
    if let Some((from, to)) = changed {
        let says = "the summarizer is part of what is compared";
        judgement.notes.push(format!("{says}: `{from}` against `{to}`"));
    }
    Ok((judgement, places))
}

/// The summarizers of two suites that do not name the same one. Both sides are driven
/// here and now, so whoever names them means to compare them; a blessed baseline under
/// another summarizer stays incompatible.
fn changed_summarizer(sides: &(Side, Side)) -> Option<(String, String)> {
    let (Side::Suite { suite: own, .. }, Side::Suite { suite, .. }) = sides else { return None };
    let names = (own.summarizer.to_string(), suite.summarizer.to_string());
    (names.0 != names.1).then_some(names)
}

/// Cells of the baseline's side that failed.
fn failed(base: &RunData) -> Option<String> {
    let failed =
        base.measurements.iter().filter(|row| matches!(row.state, CellState::Failed(_))).count();
    (failed > 0).then(|| format!("{failed} cells of the baseline's side failed"))
}

/// A TOML file is a suite when it names scenarios, else a pipeline.
fn side(given: &str) -> Result<Side> {
    let path = Path::new(given);
    if path.extension().is_some_and(|extension| extension == "toml") {
        let text =
            std::fs::read_to_string(path).map_err(|source| Error::io("read", path, source))?;
        let is_suite = text.lines().any(|line| line.trim_start().starts_with("scenarios"));
        let given = given.to_owned();
        return Ok(match is_suite {
            true => Side::Suite { suite: Box::new(Suite::parse(&given, &text)?), given },
            false => Side::Pipeline {
                pipeline: Box::new(Pipeline::parse(registry(), &given, &text)?),
                given,
            },
        });
    }
    if let Some(suite) = Suite::embedded(given) {
        return Ok(Side::Suite { suite: Box::new(suite?), given: given.to_owned() });
    }
    let known = || registry().pipeline_names();
    if known().any(|name| name == given) {
        let pipeline = Box::new(registry().pipeline(given)?);
        return Ok(Side::Pipeline { pipeline, given: given.to_owned() });
    }
    let names = known().chain(EMBEDDED.iter().map(|(name, _)| *name));
    let near = nearest(given, names).map(|near| format!("did you mean `{near}`?"));
    Err(Error::Unknown {
        what: "pipeline or suite",
        name: given.to_owned(),
        hint: near.or_else(|| Some("a file's name ends in `.toml`".to_owned())),
    })
}

/// The suite with one pipeline in place of its own, and of the rest what the policy and
/// derived figures need: the control, and the modes and summarizers of its rules.
fn of_pipeline(side: &Side, arguments: &Arguments, policy: &Policy) -> Result<Plan> {
    let Side::Pipeline { given, .. } = side else {
        return Err(Error::invalid("gate", "not a pipeline"));
    };
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
    suite.pipelines = vec![given.clone()];
    suite.windowless.retain(|name| name == "none");
    suite.truncate_sweep.clear();
    suite.second_bank.clear();
    suite.faults.clear();
    suite.grid.clear();
    suite.orderings = None;
    plan(suite, name, arguments)
}

fn of_suite(side: &Side, arguments: &Arguments) -> Result<Plan> {
    let Side::Suite { given, suite } = side else {
        return Err(Error::invalid("gate", "not a suite"));
    };
    plan((**suite).clone(), given, arguments)
}

/// A suite by its file or name.
fn suite(name: &str) -> Result<Suite> {
    match side(name)? {
        Side::Suite { suite, .. } => Ok(*suite),
        Side::Pipeline { .. } => Err(Error::Invalid {
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

/// Where the candidate's pipeline can be changed: the first line in which it differs.
fn places(sides: &(Side, Side)) -> BTreeMap<String, Place> {
    let mut places = BTreeMap::new();
    let (Side::Pipeline { given: before, .. }, Side::Pipeline { given, pipeline }) = sides else {
        return places;
    };
    let read = |name: &str| std::fs::read_to_string(name).ok();
    if let Some(text) = read(given).filter(|_| given.ends_with(".toml")) {
        let before = read(before);
        let line = before.map_or_else(|| first_stage(&text), |own| first_change(&own, &text));
        places.insert(pipeline.name.clone(), place(Path::new(given), line));
    }
    places
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
