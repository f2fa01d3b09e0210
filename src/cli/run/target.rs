//! What the command line names: suites, scenarios, transcripts.

use std::collections::BTreeSet;

use crate::audit::no_room;
use crate::cli::prelude::*;
use crate::cli::run::{Arguments, is_toml, overrides};
use crate::log::Log;
use crate::matrix::{self, Suite, load_pipeline};
use crate::price::PriceSheet;
use crate::run::Plan;
use crate::run_dir::redact;
use crate::scenario::{SessionSource, session_name};
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
    let named: Vec<&Path> = match arguments.targets.as_slice() {
        [] => vec![Path::new("default")],
        targets => targets.iter().map(Path::new).collect(),
    };
    for path in named {
        match target(path, arguments.counter) {
            Ok(Target::Suite(found)) => {
                let name = &*path.to_string_lossy();
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
            Ok(Target::Sessions(found, some)) => {
                scenarios.extend(found);
                own.add(some);
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
        None => ad_hoc(&scenarios, own.compacted)?,
    };
    let suite = overrides::put(arguments, suite, &mut scenarios)?;
    scenarios.extend(suite.twins(&scenarios));
    let mut plan = Plan::new(registry(), suite, scenarios, command(arguments))?;
    plan.filter.clone_from(&arguments.filter);
    let sheet = match &arguments.prices {
        Some(named) => Some(prices(named)?),
        None => own.sheet(),
    };
    plan.sheet = sheet.unwrap_or(plan.sheet);
    if arguments.redact {
        let command = plan.command.clone();
        plan = plan.redacted(command);
    }
    Ok(Resolved { plan, complaints })
}

/// A price sheet by its file, or the list prices of a model by its name.
pub(in crate::cli) fn prices(named: &str) -> Result<PriceSheet> {
    if is_toml(named) {
        return PriceSheet::load(Path::new(named));
    }
    PriceSheet::of_model(named).ok_or_else(|| {
        let hint = "a price sheet of your own is a TOML file, as scenarios/prices.toml".to_owned();
        Error::unknown("model with a list price", named, Some(hint))
    })
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
    match target(Path::new(name), None)? {
        Target::Suite(suite) => of_suite(&suite, name),
        Target::Scenarios(found) | Target::Sessions(found, _) => Ok(found),
    }
}

enum Target {
    Suite(Box<Suite>),
    Scenarios(Vec<Scenario>),
    /// Bare transcripts, and what is known of them.
    Sessions(Vec<Scenario>, Own),
}

/// Sessions of one's own.
#[derive(Default)]
struct Own {
    /// Whether a compaction is recorded in one of them.
    compacted: bool,
    /// Their models; the empty name where a recording has none.
    models: BTreeSet<String>,
}

impl Own {
    fn of(log: &Log) -> Own {
        let model = log.model.as_deref().unwrap_or_default();
        Own { compacted: log.was_compacted(), models: BTreeSet::from([model.to_owned()]) }
    }

    fn add(&mut self, other: Own) {
        self.compacted |= other.compacted;
        self.models.extend(other.models);
    }

    /// The list prices of their model, where all have one.
    fn sheet(&self) -> Option<PriceSheet> {
        let mut sheets = self.models.iter().map(|model| PriceSheet::of_model(model));
        let first = sheets.next()??;
        sheets.all(|other| other.is_some_and(|other| other.name() == first.name())).then_some(first)
    }
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

fn target(path: &Path, counter: Option<f64>) -> Result<Target> {
    let name = &*path.to_string_lossy();
    if let Some(suite) = suite(name)? {
        return Ok(Target::Suite(Box::new(suite)));
    }
    if path.is_dir() {
        return directory(path, counter).map(|(found, some)| Target::Sessions(found, some));
    }
    if is_toml(name) {
        return scenario_file(path, name).map(Target::Scenarios);
    }
    if import::exists(path) {
        return transcripts(path, counter).map(|(found, some)| Target::Sessions(found, some));
    }
    let found = Scenario::embedded(name);
    found.map(|scenario| Target::Scenarios(vec![scenario])).map_err(|_| unknown(name))
}

/// The sessions below a directory; a run directory holds none.
fn directory(path: &Path, counter: Option<f64>) -> Result<(Vec<Scenario>, Own)> {
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
        match transcripts(file, counter) {
            Ok((sessions, some)) => {
                found.extend(sessions);
                own.add(some);
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
        talk(shown!(
            "note: {} files below {} are no sessions, {} first",
            others.len(),
            shown,
            first
        ));
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
fn transcripts(path: &Path, counter: Option<f64>) -> Result<(Vec<Scenario>, Own)> {
    let mut all = import::load_named(path)?;
    all.iter_mut().for_each(|(_, one)| one.log.ratio = counter.or(one.log.ratio));
    let (mut scenarios, mut own) = (Vec::new(), Own::default());
    for (place, imported) in all.iter().filter(|(_, one)| !one.log.steps().is_empty()) {
        let scenario = Scenario::of_session(place, &session_name(place), &imported.log);
        if let Some(why) = no_room(&imported.log, &scenario) {
            let place = sanitize::terminal(&place.display().to_string());
            talk(shown!("warning: {}: {} `--window N` sets another", place, why));
        }
        scenarios.push(Scenario { counter, ..scenario });
        own.add(Own::of(&imported.log));
    }
    let masked: usize = all.iter().flat_map(|(_, one)| one.report.masked.values()).sum();
    if masked > 0 {
        let path = sanitize::terminal(&path.display().to_string());
        talk(shown!(
            "note: {}: likely secrets masked: {}; `--show-secrets` shows them",
            path,
            masked
        ));
    }
    let intake = &all[0].1.report.intake;
    if let Some(first) = intake.bad.first() {
        let (bad, lines, line) = (intake.bad_lines, intake.lines, first.line);
        talk(shown!(
            "warning: {}: {} of {} lines could not be used whole, line {} first: {} \
             (`proctor import --dry-run` says more)",
            path.display(),
            bad,
            lines,
            line,
            first.reason
        ));
    }
    if scenarios.is_empty() {
        let rule = "the session has no model call, so there is nothing to replay";
        return Err(Error::invalid(path.display().to_string(), rule));
    }
    Ok((scenarios, own))
}

fn of_suite(suite: &Suite, file: &str) -> Result<Vec<Scenario>> {
    let scenarios = |name: &String| {
        let found = match name.ends_with(".toml") {
            true => Scenario::load_all(Path::new(name)),
            false => Scenario::of_suite(&suite.name, name).map(|scenario| vec![scenario]),
        };
        found.map_err(|error| error.within(format!("{file}: scenarios")))
    };
    let all: Result<Vec<Vec<Scenario>>> = suite.scenarios.iter().map(scenarios).collect();
    Ok(all?.concat())
}

/// The suite of scenarios that no suite names. Sessions of one's own have another: where one was
/// compacted, all strategies compact at the same points.
fn ad_hoc(scenarios: &[Scenario], compacted: bool) -> Result<Suite> {
    let names: Vec<String> = scenarios.iter().map(|scenario| scenario.name.clone()).collect();
    let recorded = scenarios.iter().all(|one| matches!(one.source, SessionSource::Transcript(_)));
    if recorded {
        return Suite::of_sessions(names, compacted);
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
    words.extend(arguments.counter.map(|counter| format!("--counter {counter}")));
    words.extend(arguments.prices.as_ref().map(|named| {
        let name = Path::new(named).file_name().filter(|_| is_toml(named));
        format!("--prices {}", name.map_or(named.into(), |name| name.to_string_lossy()))
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
