//! Frozen suites: the digests of what a figure quoted under their name was measured on, and of the
//! figures of their own pipelines, which summarizers, strategies and metrics make. Pipelines that
//! are entered beside these change neither.

use crate::matrix::{self, Suite};
use crate::prelude::*;
use crate::run::Plan;
use crate::run_dir::ManifestSession;
use crate::run_dir::tables::MEASUREMENTS;
use crate::run_dir::write::invalid_at;
use crate::scenario::{Scenario, twin_of};

/// By name of a frozen suite: its digests, a line each.
pub const FROZEN: &[(&str, &str)] = &[
    ("proctor-1", include_str!("../../scenarios/proctor-1.digests")),
    ("proctor-2", include_str!("../../scenarios/proctor-2.digests")),
];

/// What a frozen suite's name ends in where something was driven that it is not.
const ALTERED: &str = "-altered";

/// The digests of a frozen suite; `None` where the suite is not frozen.
pub fn digests(suite: &str) -> Option<&'static str> {
    FROZEN.iter().find(|(name, _)| *name == suite).map(|(_, text)| *text)
}

/// Holds a plan to the name of its frozen suite; [`Error::Invalid`] where an input is another.
/// Where the command line changed the suite it gets another name, and the warning says so.
pub fn hold(plan: &mut Plan) -> Result<Option<String>> {
    let name = plan.suite.name.clone();
    let Some(recorded) = digests(&name) else { return Ok(None) };
    if let Some(what) = altered(plan)? {
        plan.suite.name.push_str(ALTERED);
        let told = format!(
            "{what}: this is not the frozen suite `{name}`, and its figures are not `{name}`'s; \
             they are recorded as `{}`",
            plan.suite.name
        );
        return Ok(Some(told));
    }
    let recorded: BTreeSet<&str> = inputs_among(recorded).collect();
    let lines = inputs(plan);
    let found: BTreeSet<&str> = lines.iter().map(String::as_str).collect();
    let new = found.difference(&recorded).next();
    match new.or_else(|| recorded.difference(&found).next()) {
        Some(line) => Err(changed(&name, line)),
        None => Ok(None),
    }
}

/// Holds a session of a frozen suite to its digests; else [`Error::Invalid`].
pub fn hold_session(suite: &Suite, session: &ManifestSession) -> Result<()> {
    let line = of_session(session);
    match digests(&suite.name) {
        Some(recorded) if !recorded.lines().any(|known| known == line) => {
            Err(changed(&suite.name, &line))
        }
        _ => Ok(()),
    }
}

/// Pipelines that were entered beside those of the frozen suite, as they were named.
pub fn entries(suite: &Suite) -> Result<Vec<String>> {
    let shipped = Suite::embedded(&suite.name).transpose()?;
    let own = shipped.map_or(usize::MAX, |shipped| shipped.pipelines.len());
    Ok(suite.pipelines.iter().skip(own).cloned().collect())
}

/// A line for each scenario of a run of a frozen suite: the digest of all figures of the suite's
/// own pipelines on it.
pub fn figures(run: &Path, suite: &Suite) -> Result<Vec<String>> {
    let place = run.join(MEASUREMENTS);
    let mut table = csv::Reader::from_path(&place).map_err(invalid_at(MEASUREMENTS))?;
    let columns = table.headers().map_err(invalid_at(MEASUREMENTS))?.clone();
    let column = |name: &str| columns.iter().position(|column| column == name);
    let absent = || Error::invalid(MEASUREMENTS, "has no columns `scenario` and `pipeline`");
    let [scenario, pipeline] = [column("scenario"), column("pipeline")];
    let (scenario, pipeline) = (scenario.ok_or_else(absent)?, pipeline.ok_or_else(absent)?);
    let mut texts: BTreeMap<String, String> = BTreeMap::new();
    for row in table.records() {
        let row = row.map_err(invalid_at(MEASUREMENTS))?;
        if is_own(suite, &row[pipeline]) {
            let text = texts.entry(row[scenario].to_owned()).or_default();
            // Figures of the closed loop came later; they are empty in the open replay.
            let is_later =
                |(name, value): &(&str, &str)| value.is_empty() && name.starts_with("outcome.");
            for (name, value) in columns.iter().zip(&row).filter(|one| !is_later(one)) {
                text.extend([name, "\u{1f}", value, "\u{1e}"]);
            }
        }
    }
    let line =
        |(name, text): (String, String)| format!("figures {name} {}", Digest::of(text.as_bytes()));
    Ok(texts.into_iter().map(line).collect())
}

/// What of a recorded run is not as its suite was frozen: which, what it is, and what it should be.
/// Nothing where its suite is not frozen.
pub fn differing(
    run: &Path,
    plan: &Plan,
    sessions: &[ManifestSession],
) -> Result<Vec<[String; 3]>> {
    let Some(recorded) = digests(&plan.suite.name) else { return Ok(Vec::new()) };
    let mut held = plan.clone();
    let input = match hold(&mut held) {
        Ok(warning) => warning,
        Err(error) => Some(error.to_string()),
    };
    let frozen = || "those that it was frozen with".to_owned();
    let mut wrong: Vec<[String; 3]> =
        input.into_iter().map(|found| ["inputs".to_owned(), found, frozen()]).collect();
    let found: BTreeSet<String> =
        sessions.iter().map(of_session).chain(figures(run, &plan.suite)?).collect();
    let measured = |line: &&str| line.starts_with("session ") || line.starts_with("figures ");
    let absent = recorded.lines().filter(measured).filter(|line| !found.contains(*line));
    wrong.extend(absent.map(|line| {
        let mut words = line.split(' ').map(str::to_owned);
        let what = [words.next(), words.next()].map(Option::unwrap_or_default).join(" ");
        [what, "others, or none".to_owned(), words.collect::<Vec<_>>().join(" ")]
    }));
    Ok(wrong)
}

/// The lines of a frozen suite's digests: those of its inputs, then those of its sessions.
pub fn lines(plan: &Plan, sessions: &[ManifestSession]) -> Vec<String> {
    inputs(plan).into_iter().chain(sessions.iter().map(of_session)).collect()
}

/// What the command line made of a frozen suite; `None` where it is as it ships.
fn altered(plan: &Plan) -> Result<Option<String>> {
    let Some(shipped) = Suite::embedded(&plan.suite.name).transpose()? else {
        return Ok(Some("its file is another".to_owned()));
    };
    let mut own = plan.suite.clone();
    own.pipelines.truncate(shipped.pipelines.len());
    if own.pipelines != shipped.pipelines {
        return Ok(Some("its strategies are others".to_owned()));
    }
    if shipped != own {
        return Ok(Some("its file, seeds or summarizers are others".to_owned()));
    }
    for scenario in plan.scenarios.iter().filter(|one| shipped.scenarios.contains(&one.name)) {
        if Scenario::of_suite(&shipped.name, &scenario.name)?.window != scenario.window {
            return Ok(Some(format!("its window is {} tokens", scenario.window)));
        }
    }
    if let Some(filter) = &plan.filter {
        return Ok(Some(format!("`--filter {filter}` leaves cells out")));
    }
    let twins = |name: &str| twin_of(name).is_some();
    let named = plan.scenarios.iter().filter(|scenario| !twins(&scenario.name)).count();
    let added = named != plan.suite.scenarios.len();
    Ok(added.then(|| "other scenarios were named beside it".to_owned()))
}

fn inputs(plan: &Plan) -> Vec<String> {
    let text = matrix::EMBEDDED.iter().find(|(name, _)| *name == plan.suite.name);
    let suite = Digest::of(text.map_or("", |(_, text)| text).as_bytes());
    let mut lines = vec![
        format!("suite {} {suite}", plan.suite.name),
        format!("prices {} {}", plan.sheet.name(), plan.sheet.digest()),
    ];
    let scenarios = plan.scenarios.iter();
    lines.extend(scenarios.map(|one| format!("scenario {} {}", one.name, one.digest())));
    let own = plan.configurations.iter().filter(|one| is_own(&plan.suite, &one.pipeline.name));
    lines.extend(own.map(|one| {
        format!("pipeline {}@{} {}", one.pipeline.name, one.variant, one.pipeline.digest())
    }));
    lines
}

/// Whether a pipeline is the suite's own: one that it was frozen with, or any where it is not.
fn is_own(suite: &Suite, pipeline: &str) -> bool {
    let named = |line: &str| {
        line.strip_prefix("pipeline ").and_then(|rest| rest.split('@').next()) == Some(pipeline)
    };
    digests(&suite.name).is_none_or(|recorded| recorded.lines().any(named))
}

fn of_session(session: &ManifestSession) -> String {
    let ManifestSession { scenario, seed, log, truth, .. } = session;
    format!("session {scenario} {seed} log {log} truth {truth}")
}

fn inputs_among(recorded: &str) -> impl Iterator<Item = &str> {
    let others = ["#", "session ", "figures "];
    let is_other = move |line: &str| others.iter().any(|other| line.starts_with(other));
    recorded.lines().filter(move |line| !line.is_empty() && !is_other(line))
}

fn changed(suite: &str, line: &str) -> Error {
    let (what, _) = line.rsplit_once(' ').unwrap_or((line, ""));
    let next = suite
        .rsplit_once('-')
        .and_then(|(stem, number)| Some(format!("{stem}-{}", number.parse::<u32>().ok()? + 1)));
    let next = next.unwrap_or_else(|| format!("{suite}-2"));
    Error::refused(
        format!("suite `{suite}`: {what}"),
        format!("is not what the suite was frozen with: {suite} is frozen: make {next}"),
        format!("run it with the version of proctor that `{suite}` shipped with"),
    )
}
