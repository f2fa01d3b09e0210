//! A strategy configuration: an ordered list of stages and its own arithmetic.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::config;
use crate::error::{Error, Result};
use crate::ident::{self, Digest};
use crate::plan::SummaryRequest;
use crate::pressure::{Occasion, Pressure, When};
use crate::strategy::{Scope, StrategySpec};
use crate::token::Counter;

/// The pipelines that the binary carries, by name.
pub const EMBEDDED: &[(&str, &str)] = &[
    ("none", include_str!("../scenarios/strategies/none.toml")),
    ("truncate", include_str!("../scenarios/strategies/truncate.toml")),
    ("forge-tool-call", include_str!("../scenarios/strategies/forge-tool-call.toml")),
    ("forge-threshold", include_str!("../scenarios/strategies/forge-threshold.toml")),
    ("forge-goal-batch", include_str!("../scenarios/strategies/forge-goal-batch.toml")),
    (
        "forge-tool-call-threshold",
        include_str!("../scenarios/strategies/forge-tool-call-threshold.toml"),
    ),
    (
        "forge-tool-call-goal-batch",
        include_str!("../scenarios/strategies/forge-tool-call-goal-batch.toml"),
    ),
    (
        "forge-threshold-goal-batch",
        include_str!("../scenarios/strategies/forge-threshold-goal-batch.toml"),
    ),
    ("forge-adr", include_str!("../scenarios/strategies/forge-adr.toml")),
    ("forge-head", include_str!("../scenarios/strategies/forge-head.toml")),
    (
        "forge-head-no-threshold",
        include_str!("../scenarios/strategies/forge-head-no-threshold.toml"),
    ),
    ("forge-head-tool-call", include_str!("../scenarios/strategies/forge-head-tool-call.toml")),
    (
        "forge-head-tool-call-threshold",
        include_str!("../scenarios/strategies/forge-head-tool-call-threshold.toml"),
    ),
    ("forge-g2", include_str!("../scenarios/strategies/forge-g2.toml")),
    ("adr-0014-default", include_str!("../scenarios/strategies/adr-0014-default.toml")),
    ("adr-0014-aggressive", include_str!("../scenarios/strategies/adr-0014-aggressive.toml")),
    ("adr-0014-conservative", include_str!("../scenarios/strategies/adr-0014-conservative.toml")),
    ("adr-0014-disabled", include_str!("../scenarios/strategies/adr-0014-disabled.toml")),
    ("prune-oldest", include_str!("../scenarios/strategies/prune-oldest.toml")),
    ("forge-priority", include_str!("../scenarios/strategies/forge-priority.toml")),
    ("forge-meta-summary", include_str!("../scenarios/strategies/forge-meta-summary.toml")),
    ("forge-prune-users", include_str!("../scenarios/strategies/forge-prune-users.toml")),
    ("forge-goal-lifecycle", include_str!("../scenarios/strategies/forge-goal-lifecycle.toml")),
    ("forge-rebatch", include_str!("../scenarios/strategies/forge-rebatch.toml")),
    ("mask-tool-results", include_str!("../scenarios/strategies/mask-tool-results.toml")),
    ("goat-doc", include_str!("../scenarios/strategies/goat-doc.toml")),
    ("goat-code", include_str!("../scenarios/strategies/goat-code.toml")),
    ("goat-fixed", include_str!("../scenarios/strategies/goat-fixed.toml")),
    ("split-half-unsafe", include_str!("../scenarios/strategies/split-half-unsafe.toml")),
    ("full-replace", include_str!("../scenarios/strategies/full-replace.toml")),
    ("full-replace-200k", include_str!("../scenarios/strategies/full-replace-200k.toml")),
    ("full-replace-fixed", include_str!("../scenarios/strategies/full-replace-fixed.toml")),
    ("full-replace-archive", include_str!("../scenarios/strategies/full-replace-archive.toml")),
    ("roadmap-doc", include_str!("../scenarios/strategies/roadmap-doc.toml")),
    ("roadmap-code", include_str!("../scenarios/strategies/roadmap-code.toml")),
    ("codex", include_str!("../scenarios/strategies/codex.toml")),
];

/// A strategy configuration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Pipeline {
    /// Name in cell ids and reports.
    pub name: String,
    /// What it is, in a sentence or two.
    pub about: String,
    /// The document, code or paper it follows.
    pub source: String,
    /// How closely it is known to follow it.
    pub fidelity: Fidelity,
    /// The pipeline that its floor is compared with (`floor.breach`, the verdict).
    #[serde(default)]
    pub reference: Option<String>,
    /// What it counts with.
    #[serde(default)]
    pub counter: Counter,
    /// What a failed plan does to the pass.
    #[serde(default)]
    pub on_error: OnError,
    /// Whether a reactive pass that did nothing resends.
    #[serde(default)]
    pub resend: Resend,
    /// The stages in order.
    #[serde(default, rename = "stage")]
    pub stages: Vec<Stage>,
}

/// How a profile is known to follow its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fidelity {
    /// Written from the document it names.
    Document,
    /// Checked against the source's own test vectors.
    Vectors,
    /// Compared run by run with the source's code.
    Differential,
    /// Completed where the source is silent.
    Inferred,
    /// A yardstick of ours, no one's strategy.
    Baseline,
}

impl Fidelity {
    /// Of a pipeline made from others: nobody's, but no better known than its parts.
    pub fn of_generated(parts: impl IntoIterator<Item = Fidelity>) -> Fidelity {
        match parts.into_iter().any(|part| part == Fidelity::Inferred) {
            true => Fidelity::Inferred,
            false => Fidelity::Baseline,
        }
    }

    /// Name with what it means.
    pub fn told(self) -> &'static str {
        match self {
            Fidelity::Document => "document (written from the document it names)",
            Fidelity::Vectors => "vectors (checked against the source's own test vectors)",
            Fidelity::Differential => "differential (compared run by run with the source's code)",
            Fidelity::Inferred => "inferred (completed where the source is silent)",
            Fidelity::Baseline => "baseline (a yardstick, no one's strategy)",
        }
    }
}

/// What a failed plan does to the rest of the pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnError {
    /// Later stages are skipped, the call is made.
    #[default]
    AbortPass,
    /// Later stages are skipped, and what is sent is the view from before the
    /// pass, whatever earlier stages did (Forge's code).
    AbortPassSendStale,
    /// The pass goes on.
    Continue,
    /// The session ends.
    Raise,
}

/// Whether a reactive pass leads to another send.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Resend {
    /// Only when a stage changed the view.
    #[default]
    IfActed,
    /// When a stage made a plan, even one that changed nothing.
    IfAsked,
    /// Every time, up to the bound.
    Always,
}

/// How often a stage acts on one occasion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Repeat {
    /// Once.
    #[default]
    Once,
    /// Until used is at its target.
    ToTarget,
    /// Until it declines or changes nothing.
    UntilStable,
}

/// A strategy with its occasions, pressure and parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Stage {
    /// The strategy and its parameters.
    pub strategy: StrategySpec,
    /// When it is asked.
    pub on: BTreeMap<Occasion, When>,
    /// Any of these being met is pressure.
    #[serde(default)]
    pub pressure: Vec<Pressure>,
    /// How often it acts on one occasion.
    #[serde(default)]
    pub repeat: Repeat,
    /// The model that its requests go to, whatever the strategy names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

impl Stage {
    /// The requests of its plans, to the model that it names.
    pub fn addressed<'a>(&self, requests: &'a [SummaryRequest]) -> Cow<'a, [SummaryRequest]> {
        let Some(model) = &self.model else { return Cow::Borrowed(requests) };
        let to = |request: &SummaryRequest| {
            let model = Some(model.clone());
            SummaryRequest { model, ..request.clone() }
        };
        Cow::Owned(requests.iter().map(to).collect())
    }
}

impl Pipeline {
    /// Parses and checks a pipeline file.
    pub fn parse(file: &str, text: &str) -> Result<Pipeline> {
        let pipeline: Pipeline = config::parse("pipeline", file, text)?;
        pipeline.check(file)?;
        Ok(pipeline)
    }

    /// The embedded pipeline of this name.
    pub fn embedded(name: &str) -> Result<Pipeline> {
        let known = EMBEDDED.iter().find(|(known, _)| *known == name);
        let Some((name, text)) = known else {
            let names = EMBEDDED.iter().map(|(name, _)| *name);
            let hint = ident::nearest(name, names).map(|near| format!("did you mean `{near}`?"));
            return Err(Error::Unknown { what: "pipeline", name: name.to_owned(), hint });
        };
        Pipeline::parse(&format!("embedded:{name}"), text)
    }

    /// Whether any stage asks a summarizer.
    pub fn asks(&self) -> bool {
        self.stages.iter().any(|stage| stage.strategy.strategy().asks())
    }

    /// Digest of everything it says.
    pub fn digest(&self) -> Digest {
        Digest::of_json(self)
    }

    /// Whether it can do anything, and means what it says.
    pub(crate) fn check(&self, file: &str) -> Result<()> {
        let broken = |key: &str, rule: String| Err(Error::invalid(format!("{file}: {key}"), rule));
        if !ident::is_name(&self.name) {
            return broken("name", format!("`{}` is not lower-case-with-hyphens", self.name));
        }
        for (number, stage) in self.stages.iter().enumerate() {
            let key = format!("stage {} ({})", number + 1, stage.strategy.name());
            if stage.on.is_empty() {
                return broken(&key, "`on` names no occasion, so it would never act".to_owned());
            }
            let wants_pressure = stage.on.values().any(|when| *when == When::Pressure);
            if wants_pressure && stage.pressure.is_empty() {
                return broken(
                    &key,
                    "`on` asks for pressure, but there is no `pressure`".to_owned(),
                );
            }
            if stage.repeat == Repeat::ToTarget && stage.pressure.is_empty() {
                return broken(&key, "`repeat = \"to-target\"` needs a `pressure`".to_owned());
            }
            let of_request = stage.strategy.strategy().scope() == Scope::Request;
            if of_request && !stage.on.keys().eq([&Occasion::BeforeCall]) {
                let rule = "it changes only what is sent, so `before-call` is its one occasion";
                return broken(&key, rule.to_owned());
            }
            if let Err(rule) = stage.strategy.strategy().check() {
                return broken(&key, rule);
            }
            for pressure in &stage.pressure {
                let target = pressure.target.as_ref();
                if target.is_some_and(|target| {
                    target.tokens == pressure.limit.tokens && target.share > pressure.limit.share
                }) {
                    let rule = "its target is above its limit, so it would never act".to_owned();
                    return broken(&format!("{key}: pressure"), rule);
                }
                let limits = [Some(&pressure.limit), target];
                for limit in limits.into_iter().flatten() {
                    if !(0.0..=10.0).contains(&limit.share) {
                        let rule = format!("share {} is not between 0 and 10", limit.share);
                        return broken(&format!("{key}: pressure"), rule);
                    }
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ident::RequestId;
    use crate::unit::Tokens;

    #[test]
    fn every_shipped_pipeline_parses_under_its_own_name() {
        for (name, _) in EMBEDDED {
            let pipeline = Pipeline::embedded(name).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(pipeline.name, *name);
            if let Some(reference) = &pipeline.reference {
                assert!(EMBEDDED.iter().any(|(known, _)| known == reference), "{reference}");
            }
        }
    }

    #[test]
    fn a_stage_with_a_model_sends_its_requests_there() {
        let stages = Pipeline::embedded("goat-code").expect("it ships").stages;
        let request = |model: Option<&str>| SummaryRequest {
            model: model.map(str::to_owned),
            ..SummaryRequest::new(RequestId(0), "".into(), Vec::new(), Tokens(1))
        };
        let requests = [request(None), request(Some("its-own"))];
        assert_eq!(*stages[0].addressed(&requests), requests);
        let model = Some("small".to_owned());
        let stage = Stage { model: model.clone(), ..stages[0].clone() };
        assert!(stage.addressed(&requests).iter().all(|request| request.model == model));
    }

    #[test]
    fn pipelines_survive_json() {
        for (name, _) in EMBEDDED {
            let pipeline = Pipeline::embedded(name).expect("it ships");
            let json = serde_json::to_string(&pipeline).expect("it serializes");
            assert_eq!(serde_json::from_str::<Pipeline>(&json).expect("it parses"), pipeline);
        }
    }

    #[test]
    fn bad_pipelines_say_what_is_wrong() {
        let head =
            "name = \"x\"\nabout = \"\"\nsource = \"\"\nfidelity = \"document\"\n[[stage]]\n";
        for (rest, expected) in [
            ("strategy.truncat = {}\non.before-call = \"always\"", "unknown variant `truncat`"),
            ("strategy.truncate = { x = 1 }\non.before-call = \"always\"", "unknown field `x`"),
            ("strategy.truncate = {}\non = {}", "names no occasion"),
            ("strategy.truncate = {}\non.before-call = \"pressure\"", "there is no `pressure`"),
            ("strategy.truncate = {}\non.before-cal = \"always\"", "unknown variant `before-cal`"),
        ] {
            let error = Pipeline::parse("p.toml", &format!("{head}{rest}")).unwrap_err();
            let text = match &error {
                Error::Toml { rule, .. } => rule.clone(),
                other => other.to_string(),
            };
            assert!(text.contains(expected), "{text}");
        }
    }

    #[test]
    fn a_misspelt_pipeline_gets_its_neighbour() {
        let error = Pipeline::embedded("forge-ard").unwrap_err();
        assert_eq!(error.hint(), Some("did you mean `forge-adr`?"));
    }
}
