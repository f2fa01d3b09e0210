//! What figures depend on besides the configuration, and in what that differs between runs.

use crate::matrix::SummarizerName;
use crate::measure::MetricId;
use crate::prelude::*;
use crate::run_dir::read::RunData;
use crate::run_dir::{Manifest, ManifestInput, ManifestSession};

/// What figures depend on besides the configuration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Inputs {
    pub(crate) schema: u32,
    pub(crate) tokenizer: String,
    pub(crate) prices: ManifestInput,
    /// The main summarizer, with the digest of its terms where it is a live model.
    pub(crate) summarizer: String,
    /// Versions of the metrics that are compared.
    pub(crate) metrics: BTreeMap<MetricId, u32>,
    pub(crate) scenarios: Vec<ManifestInput>,
    /// Sessions, by scenario and seed.
    pub sessions: Vec<Session>,
}

/// A session, by what it says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Session {
    scenario: String,
    seed: u64,
    log: Digest,
    truth: Digest,
}

/// What of the inputs differs, and with it which figures cannot be compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Differing {
    Schema,
    Tokenizer,
    Summarizer,
    Scenario(String),
    Session(String, u64),
    Prices,
    Metric(MetricId),
}

impl Differing {
    /// Whether the metric does not mean the same on both sides, whatever the session.
    pub(crate) fn touches(&self, metric: MetricId) -> bool {
        match self {
            Differing::Schema | Differing::Summarizer => true,
            // Windows, and with them what was at need, are counted in tokens: with another
            // tokenizer only whether a session completed is the same question.
            Differing::Tokenizer => metric != MetricId::Completion,
            Differing::Prices => metric.is_priced(),
            Differing::Metric(id) => *id == metric,
            Differing::Scenario(_) | Differing::Session(..) => false,
        }
    }

    fn is_about(&self, scenario: &str, seed: u64) -> bool {
        match self {
            Differing::Scenario(name) => name == scenario,
            Differing::Session(name, own) => name == scenario && *own == seed,
            _ => false,
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Difference {
    pub(crate) what: Differing,
    pub(crate) says: String,
}

impl Inputs {
    pub(crate) fn of(manifest: &Manifest) -> Inputs {
        let session = |one: &ManifestSession| Session {
            scenario: one.scenario.clone(),
            seed: one.seed,
            log: one.log.clone(),
            truth: one.truth.clone(),
        };
        let metric = |(id, version): &(String, u32)| Some((MetricId::named(id)?, *version));
        let mut inputs = Inputs {
            schema: manifest.schema,
            tokenizer: manifest.tokenizer.clone(),
            prices: manifest.prices.clone(),
            summarizer: summarizer(manifest),
            metrics: manifest.metrics.iter().filter_map(metric).collect(),
            scenarios: manifest.scenarios.clone(),
            sessions: manifest.sessions.iter().map(session).collect(),
        };
        inputs.scenarios.sort_by(|one, other| one.name.cmp(&other.name));
        inputs.sessions.sort_by_key(|one| (one.scenario.clone(), one.seed));
        inputs
    }

    /// The part that these sessions and metrics rest on.
    #[must_use]
    pub(crate) fn restricted(
        mut self,
        sessions: &BTreeSet<(&str, u64)>,
        metrics: &BTreeSet<MetricId>,
    ) -> Inputs {
        self.metrics.retain(|id, _| metrics.contains(id));
        self.scenarios.retain(|one| sessions.iter().any(|(scenario, _)| *scenario == one.name));
        self.sessions.retain(|one| sessions.contains(&(one.scenario.as_str(), one.seed)));
        self
    }

    /// In what another side differs; what only one of them has is no difference.
    pub(crate) fn differences(&self, other: &Inputs) -> Vec<Difference> {
        let mut found = Vec::new();
        let mut put = |what, says: String| found.push(Difference { what, says });
        let (one, two) = (self.schema, other.schema);
        if one != two {
            put(Differing::Schema, format!("schema of the run directory: {one} against {two}"));
        }
        for (what, name, one, two) in [
            (Differing::Tokenizer, "tokenizer", &self.tokenizer, &other.tokenizer),
            (Differing::Summarizer, "summarizer", &self.summarizer, &other.summarizer),
        ] {
            if one != two {
                put(what, format!("{name}: `{one}` against `{two}`"));
            }
        }
        for two in &other.scenarios {
            let own = self.scenarios.iter().find(|own| own.name == two.name);
            if let Some(one) = own.filter(|own| own.digest != two.digest) {
                let name = two.name.clone();
                let says =
                    format!("scenario digest of `{name}`: {} against {}", one.digest, two.digest);
                put(Differing::Scenario(name), says);
            }
        }
        let own: BTreeMap<(&str, u64), &Session> =
            self.sessions.iter().map(|own| ((own.scenario.as_str(), own.seed), own)).collect();
        for two in &other.sessions {
            let (name, seed) = (&two.scenario, two.seed);
            let Some(one) = own.get(&(name.as_str(), seed)) else { continue };
            let part = match (one.log != two.log, one.truth != two.truth) {
                (true, true) => "log and truth differ",
                (true, false) => "the log differs",
                (false, true) => "the truth differs",
                (false, false) => continue,
            };
            let says = format!("session digest of `{name}` seed {seed}: {part}");
            put(Differing::Session(name.clone(), seed), says);
        }
        let (one, two) = (&self.prices, &other.prices);
        if one.digest != two.digest {
            let sides = [one, two].map(|sheet| format!("`{}` ({})", sheet.name, sheet.digest));
            put(Differing::Prices, format!("price sheet: {}", sides.join(" against ")));
        }
        for (id, version) in &other.metrics {
            if let Some(own) = self.metrics.get(id).filter(|own| *own != version) {
                let says = format!("metric version of `{id}`: {own} against {version}");
                put(Differing::Metric(*id), says);
            }
        }
        found
    }
}

/// The main summarizer; a live model by what it is asked on, too, a fitted one by its parameters.
fn summarizer(manifest: &Manifest) -> String {
    let name = manifest.main_summarizer();
    let own = manifest.fitted.iter().find(|(own, _)| name.split(['~', '+']).next() == Some(own));
    if let Some((_, digest)) = own {
        return format!("{name}, {digest}");
    }
    let live = manifest.live.as_ref().filter(|_| name.starts_with(SummarizerName::Http.name()));
    live.map_or_else(
        || name.to_owned(),
        |terms| format!("{name}, {} ({})", terms.model, Digest::of_json(terms)),
    )
}

/// In what two runs differ, other than by their summarizer; refused unless that is allowed.
pub(super) fn differing(
    base: &RunData,
    other: Option<&RunData>,
    allow: bool,
) -> Result<Vec<Difference>> {
    let Some(other) = other else { return Ok(Vec::new()) };
    let mut found: Vec<Difference> = Vec::new();
    for one in Inputs::of(&base.manifest).differences(&Inputs::of(&other.manifest)) {
        let is_known = match &one.what {
            Differing::Session(scenario, seed) => touch(&found, scenario, *seed),
            what => *what == Differing::Summarizer,
        };
        found.extend(Some(one).filter(|_| !is_known));
    }
    let Some(first) = found.first().filter(|_| !allow) else { return Ok(found) };
    let more = match found.len() {
        1 => String::new(),
        count => format!(" (and {} more)", count - 1),
    };
    let rule = format!("the runs are not of the same inputs: {}{more}", first.says);
    Err(Error::refused("compare", rule, "`--allow` compares what they have in common"))
}

pub(super) fn touch(differing: &[Difference], scenario: &str, seed: u64) -> bool {
    differing.iter().any(|one| one.what.is_about(scenario, seed))
}
