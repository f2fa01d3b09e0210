//! Whether two runs measured the same thing.

use crate::measure::MetricId;
use std::collections::{BTreeMap, BTreeSet};

use crate::error::{Error, Result};
use crate::measure::table::Metric;
use crate::run_dir::read::RunData;

/// What two runs have in common.
#[derive(Clone, Debug, Default)]
pub(super) struct Agreed {
    /// Metrics whose definition changed between them.
    changed: BTreeSet<MetricId>,
    /// Tokens are not the same tokens.
    tokens_differ: bool,
    /// Dollars are not the same dollars.
    prices_differ: bool,
    /// Sessions that differ under one name.
    differing: BTreeSet<(String, u64)>,
    /// What that leaves out.
    pub(super) notes: Vec<String>,
}

impl Agreed {
    /// Whether the metric means the same in both.
    pub(super) fn keeps(&self, metric: &Metric) -> bool {
        let priced = metric.id.is_priced();
        // Windows, and with them what was at need, are counted in tokens: with another
        // tokenizer only whether a session completed is the same question.
        let lost = self.changed.contains(&metric.id)
            || (self.prices_differ && priced)
            || (self.tokens_differ && metric.id != MetricId::Completion);
        !lost
    }

    /// Whether the session is the same in both.
    pub(super) fn holds(&self, scenario: &str, seed: u64) -> bool {
        !self.differing.contains(&(scenario.to_owned(), seed))
    }
}

/// What differs is refused, or named and left out where that is allowed.
pub(super) fn agreed(base: &RunData, other: Option<&RunData>, allow: bool) -> Result<Agreed> {
    let Some(other) = other else { return Ok(Agreed::default()) };
    let (ours, theirs) = (&base.manifest, &other.manifest);
    let mut agreed = Agreed::default();
    let versions: BTreeMap<&str, u32> =
        ours.metrics.iter().map(|(id, version)| (id.as_str(), *version)).collect();
    for (id, version) in &theirs.metrics {
        if let Some(own) = versions.get(id.as_str()).filter(|own| *own != version) {
            agreed.changed.extend(MetricId::named(id));
            agreed.notes.push(format!("metric `{id}`: version {own} against {version}"));
        }
    }
    if ours.tokenizer != theirs.tokenizer {
        agreed.tokens_differ = true;
        let note = format!("tokenizer: `{}` against `{}`", ours.tokenizer, theirs.tokenizer);
        agreed.notes.push(note);
    }
    if ours.prices.digest != theirs.prices.digest {
        agreed.prices_differ = true;
        let (one, two) = (&ours.prices.name, &theirs.prices.name);
        agreed.notes.push(format!("price sheet: `{one}` against `{two}`, with other digests"));
    }
    sessions(base, other, &mut agreed);
    match agreed.notes.first() {
        Some(first) if !allow => Err(Error::Invalid {
            place: "compare".to_owned(),
            rule: format!("the runs are not of the same inputs: {first}{}", more(&agreed)),
            hint: Some("`--allow` compares what they have in common".to_owned()),
        }),
        _ => Ok(agreed),
    }
}

fn more(agreed: &Agreed) -> String {
    match agreed.notes.len() {
        0 | 1 => String::new(),
        count => format!(" (and {} more)", count - 1),
    }
}

/// Scenarios and sessions that say something else under the same name.
fn sessions(base: &RunData, other: &RunData, agreed: &mut Agreed) {
    let (ours, theirs) = (&base.manifest, &other.manifest);
    for scenario in &theirs.scenarios {
        let own = ours.scenarios.iter().find(|own| own.name == scenario.name);
        if own.is_some_and(|own| own.digest != scenario.digest) {
            agreed.notes.push(format!("scenario `{}`: its digest differs", scenario.name));
            let all = ours.sessions.iter().chain(&theirs.sessions);
            let own = all.filter(|session| session.scenario == scenario.name);
            agreed.differing.extend(own.map(|one| (one.scenario.clone(), one.seed)));
        }
    }
    for session in &theirs.sessions {
        let named = (session.scenario.clone(), session.seed);
        let own = ours.sessions.iter().find(|own| own.scenario == named.0 && own.seed == named.1);
        let differs = own.is_some_and(|own| own.log != session.log || own.truth != session.truth);
        if differs && agreed.differing.insert(named) {
            let note = format!(
                "session `{}` seed {}: its log or truth differs",
                session.scenario, session.seed
            );
            agreed.notes.push(note);
        }
    }
}
