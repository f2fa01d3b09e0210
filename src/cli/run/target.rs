//! What the command line names: suites, scenarios, transcripts.

use crate::cli::prelude::*;
use crate::cli::run::{Arguments, is_toml, overrides};
use crate::log::{Boundary, BoundaryAction};
use crate::matrix::{self, Suite, load_pipeline};
use crate::run::Plan;
use crate::run_dir::redact;
use crate::scenario::SessionSource;
use crate::{config, import};

pub(super) struct Resolved {
    pub(super) plan: Plan,
    pub(super) complaints: Vec<Error>,
}

/// Resolves the targets. A bad one is left out with its complaint, unless nothing is left.
pub(super) fn resolve(arguments: &Arguments) -> Result<Resolved> {
    let mut suite: Option<Suite> = None;
    let (mut scenarios, mut own) = (Vec::new(), Own::default());
    let mut complaints = Vec::new();
    let named: Vec<&str> = match arguments.targets.as_slice() {
        [] => vec!["default"],
        targets => targets.iter().map(String::as_str).collect(),
    };
    for name in named {
        match target(name) {
            Ok(Target::Suite(found)) => {
                sound(name, &found)?;
                if let Some(first) = &suite {
                    let rule = format!("a second suite beside `{}`", first.name);
                    let hint = format!("run one at a time: `proctor run {name}`");
                    return Err(Error::refused(format!("`{name}`"), rule, hint));
                }
                scenarios.extend(of_suite(&found, name)?);
                suite = Some(*found);
            }
            Ok(Target::Scenarios(found)) => scenarios.extend(found),
            Ok(Target::Sessions(found, count)) => {
                scenarios.extend(found);
                own = Own { compacted: own.compacted + count.compacted, all: own.all + count.all };
            }
            Err(error) => complaints.push(error),
        }
    }
    distinct(&mut scenarios);
    if scenarios.is_empty()
        && let Some(error) = complaints.pop()
    {
        return Err(error);
    }
    let suite = match suite {
        Some(suite) => suite,
        None => ad_hoc(&scenarios, own)?,
    };
    let suite = overrides::put(arguments, suite, &mut scenarios)?;
    scenarios.extend(suite.twins(&scenarios));
    let mut plan = Plan::new(registry(), suite, scenarios, command(arguments))?;
    plan.filter.clone_from(&arguments.filter);
    if arguments.redact {
        let command = plan.command.clone();
        plan = plan.redacted(command);
    }
    Ok(Resolved { plan, complaints })
}

/// Gives transcripts of the same name names of their own: files of several directories may share one.
fn distinct(scenarios: &mut [Scenario]) {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for scenario in scenarios {
        let count = seen.entry(scenario.name.clone()).or_default();
        *count += 1;
        if *count > 1 && matches!(scenario.source, SessionSource::Transcript(_)) {
            scenario.name = format!("{}-copy-{count}", scenario.name);
        }
    }
}

/// Whether a suite's file names what is there.
fn sound(file: &str, suite: &Suite) -> Result<()> {
    if suite.scenarios.is_empty() {
        let hint = "name some: `proctor list scenarios` says which ship";
        let rule = "none is named, so nothing would be driven";
        return Err(Error::refused(format!("{file}: scenarios"), rule, hint));
    }
    for (key, names) in [("pipelines", &suite.pipelines), ("windowless", &suite.windowless)] {
        for name in names {
            load_pipeline(registry(), name)
                .map_err(|error| error.within(format!("{file}: {key}")))?;
        }
    }
    Ok(())
}

/// The scenarios that a target names.
pub(in crate::cli) fn scenarios(name: &str) -> Result<Vec<Scenario>> {
    match target(name)? {
        Target::Suite(suite) => of_suite(&suite, name),
        Target::Scenarios(found) | Target::Sessions(found, _) => Ok(found),
    }
}

enum Target {
    Suite(Box<Suite>),
    Scenarios(Vec<Scenario>),
    /// Bare transcripts, and how many of them.
    Sessions(Vec<Scenario>, Own),
}

/// How many sessions of one's own are driven, and in how many a compaction is recorded.
#[derive(Clone, Copy, Default)]
struct Own {
    all: usize,
    compacted: usize,
}

/// A suite by its name or file, where it is one: a suite names scenarios.
pub(in crate::cli) fn suite(name: &str) -> Result<Option<Suite>> {
    if let Some(suite) = Suite::embedded(name) {
        return suite.map(Some);
    }
    if !is_toml(name) || !Path::new(name).is_file() {
        return Ok(None);
    }
    let text = config::text(Path::new(name))?;
    let is_suite = text.lines().any(|line| line.trim_start().starts_with("scenarios"));
    is_suite.then(|| Suite::parse(name, &text)).transpose()
}

fn target(name: &str) -> Result<Target> {
    if let Some(suite) = suite(name)? {
        return Ok(Target::Suite(Box::new(suite)));
    }
    let path = Path::new(name);
    if path.is_dir() {
        return directory(path).map(|(found, own)| Target::Sessions(found, own));
    }
    if is_toml(name) {
        return scenario_file(path, name).map(Target::Scenarios);
    }
    if import::exists(path) {
        return transcripts(path).map(|(found, own)| Target::Sessions(found, own));
    }
    let found = Scenario::embedded(name);
    found.map(|scenario| Target::Scenarios(vec![scenario])).map_err(|_| unknown(name))
}

/// The sessions below a directory; a run directory holds none.
fn directory(path: &Path) -> Result<(Vec<Scenario>, Own)> {
    let shown = path.display().to_string();
    if path.join("manifest.json").exists() {
        let rule = "is a run directory, and not what a run is made of";
        let hint =
            format!("`proctor rerun {shown}` drives it again, `proctor report {shown}` renders it");
        return Err(Error::refused(format!("`{shown}`"), rule, hint));
    }
    let files = import::places::below(path);
    let (mut found, mut others, mut own) = (Vec::new(), Vec::new(), Own::default());
    for file in &files {
        match transcripts(file) {
            Ok((sessions, count)) => {
                found.extend(sessions);
                own = Own { compacted: own.compacted + count.compacted, all: own.all + count.all };
            }
            Err(error) => others.push(error),
        }
    }
    if found.is_empty() {
        let rule = format!("none of the {} files below it is a session", files.len());
        let hint = "`proctor sessions` says where agents keep theirs";
        return Err(Error::refused(format!("`{shown}`"), rule, hint));
    }
    if let Some(first) = others.first() {
        let first = sanitize::terminal(&first.to_string());
        talk(&format!("note: {} files below {shown} are no sessions, {first} first", others.len()));
    }
    Ok((found, own))
}

/// A name that is no suite, scenario or transcript; but it may be a strategy.
fn unknown(name: &str) -> Error {
    const WHAT: &str = "suite, scenario or transcript";
    if registry().pipeline_names().any(|known| known == name) {
        let hint = format!("`{name}` is a strategy: `proctor run --strategies {name}`");
        return Error::unknown(WHAT, name, Some(hint));
    }
    let scenarios = Scenario::embedded_names();
    let suites = matrix::EMBEDDED.iter().map(|(name, _)| *name);
    let known = suites.chain(scenarios.iter().map(String::as_str));
    let near = did_you_mean(name, known);
    let near = near.unwrap_or_else(|| "no file of this name exists either;".to_owned());
    let lists = "`proctor list suites` and `proctor list scenarios` name those that ship";
    Error::unknown(WHAT, name, Some(format!("{near} {lists}")))
}

fn scenario_file(path: &Path, name: &str) -> Result<Vec<Scenario>> {
    if !path.exists() {
        let hint = "no such file; `proctor new scenario NAME` or `proctor new suite NAME` writes \
                    one to start from";
        return Err(Error::unknown("suite or scenario", name, Some(hint.to_owned())));
    }
    let is_pipeline = |line: &str| line.trim_start().starts_with("[[stage]]");
    if config::text(path)?.lines().any(is_pipeline) {
        let rule = "is a pipeline, and a pipeline alone cannot be run";
        let hint = format!(
            "`proctor run --strategies {name}` drives it over the default suite, \
             `--pipeline {name}` beside the strategies of a suite"
        );
        return Err(Error::refused(name, rule, hint));
    }
    Scenario::load_all(path)
}

/// The sessions of a bare transcript, read once so that a bad one is known before anything runs. The
/// window is that of the recording, where it shows one.
fn transcripts(path: &Path) -> Result<(Vec<Scenario>, Own)> {
    let (all, numbers) = match import::load(path) {
        Ok(one) => (vec![one], false),
        Err(Error::Invalid { .. }) => (import::load_all(path)?, true),
        Err(error) => return Err(error),
    };
    let (mut scenarios, mut own) = (Vec::new(), Own::default());
    for (number, imported) in (1..).zip(&all) {
        if imported.log.steps().is_empty() {
            continue;
        }
        let place = if numbers {
            format!("{}#{number}", path.display())
        } else {
            path.display().to_string()
        };
        let scenario = Scenario::of_session(Path::new(&place), &named(&place), &imported.log);
        let compacted = |boundary: &Boundary| boundary.action != BoundaryAction::Nothing;
        own.compacted += usize::from(imported.log.boundaries.iter().any(compacted));
        own.all += 1;
        scenarios.push(scenario);
    }
    for masked in all.iter().filter_map(|one| one.report.masked_in_words()) {
        let path = sanitize::terminal(&path.display().to_string());
        talk(&format!("note: {path}: masked {masked}; `--show-secrets` shows them"));
    }
    let intake = &all[0].report.intake;
    if let Some(first) = intake.bad.first() {
        let (bad, lines, line) = (intake.bad_lines, intake.lines, first.line);
        talk(&format!(
            "warning: {}: {bad} of {lines} lines could not be used whole, line {line} first: {} \
             (`proctor import --dry-run` says more)",
            sanitize::terminal(&path.display().to_string()),
            sanitize::terminal(&first.reason)
        ));
    }
    if scenarios.is_empty() {
        let rule = "the session has no model call, so there is nothing to replay";
        return Err(Error::invalid(path.display().to_string(), rule));
    }
    Ok((scenarios, own))
}

/// The name of a session in cell ids, from its file's.
pub(in crate::cli) fn named(place: &str) -> String {
    let file = Path::new(place).file_name().map_or(place.into(), |name| name.to_string_lossy());
    let (stem, number) = match file.rsplit_once('#') {
        Some((file, number)) => (file.to_owned(), format!("-{number}")),
        None => (file.into_owned(), String::new()),
    };
    let stem = Path::new(&stem)
        .file_stem()
        .map_or(stem.clone(), |stem| stem.to_string_lossy().into_owned());
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let lower = format!("{}{number}", stem.trim_start_matches('.')).to_lowercase();
    lower.chars().map(|c| if is_plain(c) { c } else { '-' }).take(60).collect()
}

fn of_suite(suite: &Suite, file: &str) -> Result<Vec<Scenario>> {
    let scenario = |name: &String| {
        let found = match name.ends_with(".toml") {
            true => Scenario::load(Path::new(name)),
            false => Scenario::of_suite(&suite.name, name),
        };
        found.map_err(|error| error.within(format!("{file}: scenarios")))
    };
    suite.scenarios.iter().map(scenario).collect()
}

/// The suite of scenarios that no suite names. Sessions of one's own have another: where one was
/// compacted, all strategies compact at the same points.
fn ad_hoc(scenarios: &[Scenario], own: Own) -> Result<Suite> {
    let names: Vec<String> = scenarios.iter().map(|scenario| scenario.name.clone()).collect();
    let recorded = scenarios.iter().all(|one| matches!(one.source, SessionSource::Transcript(_)));
    if recorded {
        return Suite::of_sessions(names, own.compacted);
    }
    let default = Suite::embedded("default")
        .unwrap_or_else(|| Err(Error::invalid("default suite", "it does not ship")))?;
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
    if !arguments.strategies.is_empty() {
        words.push(format!("--strategies {}", arguments.strategies.join(",")));
    }
    words.extend(arguments.pipelines.iter().map(|name| format!("--pipeline {name}")));
    words.extend(arguments.programs.iter().map(|line| format!("--strategy {line:?}")));
    words.extend(arguments.window.map(|window| format!("--window {window}")));
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
