//! What the command line names: suites, scenarios, transcripts.

use std::path::Path;

use crate::cli::run::Arguments;
use crate::cli::{registry, talk};
use crate::error::{Error, Result};
use crate::ident;
use crate::import;
use crate::matrix::{self, Suite};
use crate::run::Plan;
use crate::run::rerun::longest_in;
use crate::run_dir::redact;
use crate::sanitize;
use crate::scenario::Scenario;

/// A plan, and what was wrong with targets that were left out.
pub(super) struct Resolved {
    pub(super) plan: Plan,
    pub(super) complaints: Vec<Error>,
}

/// Resolves the targets. One bad target among several is left out with its
/// complaint; where nothing is left, its error is the outcome.
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
                    return Err(Error::Invalid {
                        place: format!("`{name}`"),
                        rule: format!("a second suite beside `{}`", first.name),
                        hint: Some("run one suite at a time".to_owned()),
                    });
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
    if !arguments.seeds.is_empty() {
        if matrix::has_doubles(&arguments.seeds) {
            return Err(Error::invalid(
                "--seeds",
                "the same seed twice is one session counted twice",
            ));
        }
        suite.seeds.clone_from(&arguments.seeds);
        suite.second_bank.retain(|seed| arguments.seeds.contains(seed));
    }
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

/// The scenarios that targets name; the default suite's where there is none.
pub(in crate::cli) fn scenarios(targets: &[String]) -> Result<Vec<Scenario>> {
    let default = ["default".to_owned()];
    let named = if targets.is_empty() { &default } else { targets };
    let mut scenarios = Vec::new();
    for name in named {
        match target(name)? {
            Target::Suite(suite) => scenarios.extend(of_suite(&suite)?),
            Target::Scenarios(found) => scenarios.extend(found),
        }
    }
    Ok(scenarios)
}

enum Target {
    Suite(Box<Suite>),
    Scenarios(Vec<Scenario>),
}

fn target(name: &str) -> Result<Target> {
    if let Some(suite) = Suite::embedded(name) {
        return Ok(Target::Suite(Box::new(suite?)));
    }
    let path = Path::new(name);
    if path.extension().is_some_and(|extension| extension == "toml") {
        return toml_file(path, name);
    }
    if path.exists() {
        return Ok(Target::Scenarios(vec![transcript(path)?]));
    }
    let unknown = |hint: Option<String>| Error::Unknown {
        what: "suite, scenario or transcript",
        name: name.to_owned(),
        hint,
    };
    Scenario::embedded(name).map(|scenario| Target::Scenarios(vec![scenario])).map_err(|_| {
        let scenarios = Scenario::embedded_names();
        let suites = matrix::EMBEDDED.iter().map(|(name, _)| *name);
        let known = suites.chain(scenarios.iter().map(String::as_str));
        let near = ident::nearest(name, known).map(|near| format!("did you mean `{near}`?"));
        unknown(near.or_else(|| Some("no file of this name exists either".to_owned())))
    })
}

/// A TOML file is a suite when it names scenarios, else a scenario file.
fn toml_file(path: &Path, name: &str) -> Result<Target> {
    let text = std::fs::read_to_string(path).map_err(|source| Error::io("read", path, source))?;
    let is_suite = text.lines().any(|line| line.trim_start().starts_with("scenarios"));
    if is_suite {
        return Ok(Target::Suite(Box::new(Suite::parse(name, &text)?)));
    }
    if text.lines().any(|line| line.trim_start().starts_with("[[stage]]")) {
        return Err(Error::Invalid {
            place: name.to_owned(),
            rule: "is a pipeline, and a pipeline alone cannot be run".to_owned(),
            hint: Some("name it under `pipelines` in a suite file, and run that".to_owned()),
        });
    }
    Scenario::load_all(path).map(Target::Scenarios)
}

/// A bare transcript under the embedded scenario for transcripts. Read once here so
/// that a bad one is known before anything runs.
fn transcript(path: &Path) -> Result<Scenario> {
    let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or("transcript");
    let name: String = stem
        .to_lowercase()
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || c == '-' || c == '_' { c } else { '-' })
        .take(60)
        .collect();
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
    suite
        .scenarios
        .iter()
        .map(|name| {
            let found = match name.ends_with(".toml") {
                true => Scenario::load(Path::new(name)),
                false => Scenario::embedded(name),
            };
            found.map_err(|error| suite.within("scenarios", error))
        })
        .collect()
}

/// The default suite's configurations on the given scenarios.
fn ad_hoc(scenarios: &[Scenario]) -> Result<Suite> {
    let default = Suite::embedded("default")
        .unwrap_or_else(|| Err(Error::invalid("default suite", "it does not ship")))?;
    let names: Vec<String> = scenarios.iter().map(|scenario| scenario.name.clone()).collect();
    let name = match names.as_slice() {
        [one] => one.clone(),
        _ => "selection".to_owned(),
    };
    Ok(default.on(name, names))
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
