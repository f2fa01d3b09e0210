//! The sessions of a run made ready again and compared with what the manifest says.

use crate::error::Result;
use crate::ident::{Digest, Seed};
use crate::log::format;
use crate::run::{Plan, Prepared, prepare};
use crate::run_dir::ManifestSession;
use crate::scenario::Scenario;
use crate::verify::Check;

/// Digests of the log and the truth of a scenario's session, which for a transcript do not
/// depend on the seed.
pub(super) fn digests_of(scenario: &Scenario) -> Result<(Digest, Digest)> {
    let session = scenario.session(Seed(0))?;
    let truth = crate::truth::format::to_text(&session.truth, &session.log.id)?;
    Ok((Digest::of(format::to_text(&session.log)?.as_bytes()), Digest::of(truth.as_bytes())))
}

/// Makes a session ready; `None` where it is not the one that was run. What differs is
/// entered. A transcript that is another one now is absent, a synthesized session that
/// comes out another way is a fault.
pub(super) fn ready(
    plan: &Plan,
    scenario: &Scenario,
    recorded: &ManifestSession,
    check: &mut Check,
) -> Option<Prepared> {
    let name = format!("{} seed {}", recorded.scenario, recorded.seed);
    let prepared = match prepare(plan, scenario, recorded.seed) {
        Ok(prepared) => prepared,
        Err(error) => {
            check.same(["manifest.json", &name, ""], &error.to_string(), "a session");
            return None;
        }
    };
    let made = &prepared.manifest;
    let is_same = made.log == recorded.log && made.truth == recorded.truth;
    if !is_same && !recorded.path.is_empty() {
        check.pass_over("the transcript is another one now");
        return None;
    }
    // A redacted run hides where it read; nobody's figure depends on it.
    let made = ManifestSession { path: recorded.path.clone(), ..made.clone() };
    match differing(recorded, &made) {
        None => check.put(None),
        Some((column, found, expected)) => {
            check.same(["manifest.json", &name, &column], &found, &expected);
        }
    }
    is_same.then_some(prepared)
}

/// The first key in which two descriptions of a session differ.
fn differing(
    recorded: &ManifestSession,
    made: &ManifestSession,
) -> Option<(String, String, String)> {
    let value = |one: &ManifestSession| serde_json::to_value(one).unwrap_or_default();
    let (found, expected) = (value(recorded), value(made));
    let keys = expected.as_object()?.iter();
    let (key, expected) = keys.into_iter().find(|(key, value)| found.get(*key) != Some(*value))?;
    let found = found.get(key).map(ToString::to_string).unwrap_or_default();
    Some((key.clone(), found, expected.to_string()))
}
