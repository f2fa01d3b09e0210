//! What the command line names: suites, scenarios, transcripts.

use crate::cli::prelude::*;
use crate::cli::run::Arguments;
use crate::matrix::{self, Suite};
use crate::run::Plan;
use crate::run::rerun::longest_in;
use crate::run_dir::redact;
use crate::{config, import};

pub(super) struct Resolved {
    pub(super) plan: Plan,
    pub(super) complaints: Vec<Error>,
}

/// Resolves the targets. A bad one is left out with its complaint, unless nothing is left.
pub(super) fn resolve(arguments: &Arguments) -> Result<Resolved> {
    let mut suite: Option<Suite> = None;
    let mut scenarios = Vec::new();
    let mut complaints = Vec::new();
    let named: Vec<&str> = match arguments.targets.as_slice() {
        [] => vec!["default"],
        targets => targets.iter().map(String::as_str).collect(),
    };
    for name in named {
        match target(name) {
            Ok(Target::Suite(found)) => {
                if let Some(first) = &suite {
                    let rule = format!("a second suite beside `{}`", first.name);
                    return Err(Error::refused(
                        format!("`{name}`"),
                        rule,
                        "run one suite at a time",
                    ));
                }
                scenarios.extend(of_suite(&found)?);
                suite = Some(*found);
            }
            Ok(Target::Scenarios(found)) => scenarios.extend(found),
            Err(error) => complaints.push(error),
        }
    }
    if scenarios.is_empty()
        && let Some(error) = complaints.pop()
    {
        return Err(error);
    }
    let mut suite = match suite {
        Some(suite) => suite,
        None => ad_hoc(&scenarios)?,
    };
    seed(&mut suite, &arguments.seeds)?;
    suite.pipelines.extend_from_slice(&arguments.pipelines);
    arguments.live.apply(&mut suite);
    scenarios.extend(suite.twins(&scenarios));
    let mut plan = Plan::new(registry(), suite, scenarios, command(arguments))?;
    plan.filter.clone_from(&arguments.filter);
    if arguments.redact {
        let command = plan.command.clone();
        plan = plan.redacted(command);
    }
    Ok(Resolved { plan, complaints })
}

/// Puts these seeds, where there are any, in place of the suite's.
pub(in crate::cli) fn seed(suite: &mut Suite, seeds: &[u64]) -> Result<()> {
    if matrix::has_doubles(seeds) {
        return Err(Error::invalid("--seeds", "the same seed twice is one session counted twice"));
    }
    if !seeds.is_empty() {
        suite.seeds = seeds.to_vec();
        suite.second_bank.retain(|seed| seeds.contains(seed));
    }
    Ok(())
}

/// The scenarios that a target names.
pub(in crate::cli) fn scenarios(name: &str) -> Result<Vec<Scenario>> {
    match target(name)? {
        Target::Suite(suite) => of_suite(&suite),
        Target::Scenarios(found) => Ok(found),
    }
}

enum Target {
    Suite(Box<Suite>),
    Scenarios(Vec<Scenario>),
}

/// A suite by its name or file, where it is one: a suite names scenarios.
pub(in crate::cli) fn suite(name: &str) -> Result<Option<Suite>> {
    if let Some(suite) = Suite::embedded(name) {
        return suite.map(Some);
    }
    if !is_toml(name) {
        return Ok(None);
    }
    let text = config::text(Path::new(name))?;
    let is_suite = text.lines().any(|line| line.trim_start().starts_with("scenarios"));
    is_suite.then(|| Suite::parse(name, &text)).transpose()
}

pub(in crate::cli) fn is_toml(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|extension| extension == "toml")
}

fn target(name: &str) -> Result<Target> {
    if let Some(suite) = suite(name)? {
        return Ok(Target::Suite(Box::new(suite)));
    }
    let path = Path::new(name);
    if is_toml(name) {
        return scenario_file(path, name).map(Target::Scenarios);
    }
    if path.exists() {
        return Ok(Target::Scenarios(vec![transcript(path)?]));
    }
    Scenario::embedded(name).map(|scenario| Target::Scenarios(vec![scenario])).map_err(|_| {
        let scenarios = Scenario::embedded_names();
        let suites = matrix::EMBEDDED.iter().map(|(name, _)| *name);
        let known = suites.chain(scenarios.iter().map(String::as_str));
        let hint = did_you_mean(name, known);
        let hint = hint.or_else(|| Some("no file of this name exists either".to_owned()));
        Error::unknown("suite, scenario or transcript", name, hint)
    })
}

fn scenario_file(path: &Path, name: &str) -> Result<Vec<Scenario>> {
    let is_pipeline = |line: &str| line.trim_start().starts_with("[[stage]]");
    if config::text(path)?.lines().any(is_pipeline) {
        let rule = "is a pipeline, and a pipeline alone cannot be run";
        let hint = "name it under `pipelines` in a suite file, and run that";
        return Err(Error::refused(name, rule, hint));
    }
    Scenario::load_all(path)
}

/// A bare transcript, read once so that a bad one is known before anything runs.
fn transcript(path: &Path) -> Result<Scenario> {
    let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or("transcript");
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let lower = stem.to_lowercase();
    let name: String = lower.chars().map(|c| if is_plain(c) { c } else { '-' }).take(60).collect();
    let mut scenario = Scenario::for_transcript(path, &name);
    let imported = import::load(path)?;
    let intake = &imported.report.intake;
    if let Some(first) = intake.bad.first() {
        let (bad, all, line) = (intake.bad_lines, intake.lines, first.line);
        talk(&format!(
            "warning: {}: {bad} of {all} lines could not be used whole, line {line} first: {} \
             (`proctor import --dry-run` says more)",
            sanitize::terminal(&path.display().to_string()),
            sanitize::terminal(&first.reason)
        ));
    }
    scenario.max_output = scenario.max_output.max(longest_in(&imported.log));
    Ok(scenario)
}

fn of_suite(suite: &Suite) -> Result<Vec<Scenario>> {
    let scenario = |name: &String| {
        let found = match name.ends_with(".toml") {
            true => Scenario::load(Path::new(name)),
            false => Scenario::of_suite(&suite.name, name),
        };
        found.map_err(|error| suite.within("scenarios", error))
    };
    suite.scenarios.iter().map(scenario).collect()
}

fn ad_hoc(scenarios: &[Scenario]) -> Result<Suite> {
    let default = Suite::embedded("default")
        .unwrap_or_else(|| Err(Error::invalid("default suite", "it does not ship")))?;
    let names: Vec<String> = scenarios.iter().map(|scenario| scenario.name.clone()).collect();
    let name = match names.as_slice() {
        [one] => one.clone(),
        _ => "selection".to_owned(),
    };
    let adversaries =
        default.adversaries.iter().filter(|one| names.contains(one)).cloned().collect();
    Ok(Suite { name, scenarios: names, adversaries, ..default })
}

/// The inputs as words, without paths of this machine's making: for the manifest.
fn command(arguments: &Arguments) -> String {
    let mut words = vec!["proctor run".to_owned()];
    words.extend(arguments.targets.iter().map(|target| {
        let path = Path::new(target);
        let shown = if path.exists() { path.file_name().map(Path::new) } else { Some(path) };
        let shown = shown.unwrap_or(path).display().to_string();
        // A file's name may be a session's; those of suites and scenarios are not.
        if arguments.redact && path.exists() { redact::name(&shown) } else { shown }
    }));
    words.extend(arguments.pipelines.iter().map(|name| format!("--pipeline {name}")));
    if arguments.redact {
        words.push("--redact".to_owned());
    }
    if let Some(filter) = &arguments.filter {
        words.push(format!("--filter {filter}"));
    }
    if !arguments.seeds.is_empty() {
        let seeds: Vec<String> = arguments.seeds.iter().map(u64::to_string).collect();
        words.push(format!("--seeds {}", seeds.join(",")));
    }
    words.extend(arguments.live.words());
    words.join(" ")
}
