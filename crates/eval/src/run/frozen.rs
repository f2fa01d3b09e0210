//! Frozen suites: the digests of what a figure quoted under their name was measured on.

use crate::matrix::{self, Suite};
use crate::prelude::*;
use crate::run::Plan;
use crate::run_dir::ManifestSession;

/// By name of a frozen suite: its digests, a line each.
pub const FROZEN: &[(&str, &str)] =
    &[("proctor-1", include_str!("../../../../scenarios/proctor-1.digests"))];

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

/// The lines of a frozen suite's digests: those of its inputs, then those of its sessions.
pub fn lines(plan: &Plan, sessions: &[ManifestSession]) -> Vec<String> {
    inputs(plan).into_iter().chain(sessions.iter().map(of_session)).collect()
}

/// What the command line made of a frozen suite; `None` where it is as it ships.
fn altered(plan: &Plan) -> Result<Option<String>> {
    let shipped = Suite::embedded(&plan.suite.name).transpose()?;
    if shipped.as_ref() != Some(&plan.suite) {
        return Ok(Some("its file, seeds or summarizers are others".to_owned()));
    }
    if let Some(filter) = &plan.filter {
        return Ok(Some(format!("`--filter {filter}` leaves cells out")));
    }
    let twins = |name: &str| crate::scenario::twin_of(name).is_some();
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
    lines.extend(plan.configurations.iter().map(|one| {
        format!("pipeline {}@{} {}", one.pipeline.name, one.variant, one.pipeline.digest())
    }));
    lines
}

fn of_session(session: &ManifestSession) -> String {
    let ManifestSession { scenario, seed, log, truth, .. } = session;
    format!("session {scenario} {seed} log {log} truth {truth}")
}

fn inputs_among(recorded: &str) -> impl Iterator<Item = &str> {
    let is_input =
        |line: &&str| !line.is_empty() && !line.starts_with('#') && !line.starts_with("session ");
    recorded.lines().filter(is_input)
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
