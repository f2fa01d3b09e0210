//! A strategy configuration: an ordered list of stages and its own arithmetic.

mod prompt;

use std::borrow::Cow;
use std::path::Path;

use serde::de::IgnoredAny;
use serde_json::Value;
use toml::Spanned;

use crate::config;
use crate::error::{Error, Result};
use crate::ident::{self, Digest};
use crate::plan::SummaryRequest;
use crate::prelude::*;
use crate::pressure::{Occasion, Pressure, When};
use crate::strategy::{Misread, Registry, Scope, StrategySpec};
use crate::token::Counter;
use crate::view::View;

pub use self::prompt::{Placeholder, Prompt};

/// A strategy configuration; its strategies are [`StrategySpec`]s, or the tables of a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
#[serde(bound(deserialize = "S: Deserialize<'de>"))]
pub struct Pipeline<S = StrategySpec> {
    /// Name in cell ids and reports.
    pub name: String,
    /// What it is, in a sentence or two.
    pub about: String,
    /// The document, code or paper it follows.
    pub source: String,
    /// How closely it is known to follow it.
    pub fidelity: Fidelity,
    /// The pipeline that its floor is compared with (`floor.breach`, the verdict).
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
    pub stages: Vec<Stage<S>>,
    /// What `proctor gate` reads of the file. It is no part of what a pipeline does: it is
    /// neither kept nor written, and no digest holds it.
    #[serde(default, skip_serializing)]
    pub gate: IgnoredAny,
}

/// How a profile is known to follow its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fidelity {
    /// Written from the document it names.
    Document,
    /// In part checked against the source's own tests; `source` says which part.
    Vectors,
    /// Gives the views of the original, driven side by side; `source` names its version.
    Differential,
    /// Completed where the source is silent.
    Inferred,
    /// A yardstick of ours, no one's strategy.
    Baseline,
}

impl Fidelity {
    /// Of a pipeline made from others: nobody's, but no better known than its parts.
    pub fn of_generated(parts: impl IntoIterator<Item = Fidelity>) -> Fidelity {
        let inferred = parts.into_iter().any(|part| part == Fidelity::Inferred);
        if inferred { Fidelity::Inferred } else { Fidelity::Baseline }
    }

    /// Name in files.
    pub fn name(self) -> &'static str {
        match self {
            Fidelity::Document => "document",
            Fidelity::Vectors => "vectors",
            Fidelity::Differential => "differential",
            Fidelity::Inferred => "inferred",
            Fidelity::Baseline => "baseline",
        }
    }

    /// Name with what it means.
    pub fn told(self) -> &'static str {
        match self {
            Fidelity::Document => "document (written from the document it names)",
            Fidelity::Vectors => {
                "vectors (in part checked against the source's own tests: see its source)"
            }
            Fidelity::Differential => {
                "differential (gives the views of the original, driven side by side)"
            }
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
    /// Later stages are skipped, and the view from before the pass is sent (Forge's code).
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
pub struct Stage<S = StrategySpec> {
    /// The strategy and its parameters.
    pub strategy: S,
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
    /// What its requests ask, in place of the strategy's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<Prompt>,
}

impl Stage {
    /// The requests of its plans, in the words and to the model that it names.
    pub fn addressed<'a>(
        &self,
        requests: &'a [SummaryRequest],
        view: &View,
    ) -> Cow<'a, [SummaryRequest]> {
        if self.model.is_none() && self.prompt.is_none() {
            return Cow::Borrowed(requests);
        }
        let to = |request: &SummaryRequest| {
            let filled = self.prompt.as_ref().map(|prompt| prompt.fill(request, view));
            let instruction = filled.unwrap_or_else(|| request.instruction.clone());
            let model = self.model.clone().or_else(|| request.model.clone());
            SummaryRequest { model, instruction, ..request.clone() }
        };
        Cow::Owned(requests.iter().map(to).collect())
    }

    fn check(&self) -> Result<(), String> {
        let strategy = self.strategy.strategy();
        let wants_pressure = self.on.values().any(|when| *when == When::Pressure);
        let of_request = strategy.scope() == Scope::Request;
        let rule = if self.on.is_empty() {
            "`on` names no occasion, so it would never act"
        } else if wants_pressure && self.pressure.is_empty() {
            "`on` asks for pressure, but there is no `pressure`"
        } else if self.repeat == Repeat::ToTarget && self.pressure.is_empty() {
            "`repeat = \"to-target\"` needs a `pressure`"
        } else if of_request && !self.on.keys().eq([&Occasion::BeforeCall]) {
            "it changes only what is sent, so `before-call` is its one occasion"
        } else if self.prompt.is_some() && !strategy.asks() {
            "it asks no summarizer, so it takes no `prompt`"
        } else {
            self.prompt.as_ref().map_or(Ok(()), Prompt::check)?;
            return strategy.check();
        };
        Err(rule.to_owned())
    }
}

impl<T> Pipeline<T> {
    fn with_strategies<E>(
        self,
        read: impl Fn(T) -> Result<StrategySpec, E>,
    ) -> Result<Pipeline, E> {
        let read = |Stage { strategy, on, pressure, repeat, model, prompt }| {
            Ok(Stage { strategy: read(strategy)?, on, pressure, repeat, model, prompt })
        };
        let stages = self.stages.into_iter().map(read).collect::<Result<_, E>>()?;
        let Pipeline {
            name,
            about,
            source,
            fidelity,
            reference,
            counter,
            on_error,
            resend,
            gate,
            ..
        } = self;
        Ok(Pipeline {
            name,
            about,
            source,
            fidelity,
            reference,
            counter,
            on_error,
            resend,
            stages,
            gate,
        })
    }
}

impl Pipeline {
    /// Parses and checks a pipeline file, whose prompts are read beside it. Errors name file, key,
    /// value and rule.
    pub fn parse(registry: &Registry, file: &str, text: &str) -> Result<Pipeline> {
        let what = "pipeline";
        let read: Pipeline<Spanned<Value>> = config::parse(what, file, text)?;
        let directory = Path::new(file).parent();
        let mut pipeline = read.with_strategies(|table| {
            registry.read(table.get_ref(), directory).map_err(|Misread { rule, hint }| {
                let (file, text) = (file.to_owned(), text.to_owned());
                Error::Toml { what, file, text, span: table.span(), rule, hint }
            })
        })?;
        for stage in &mut pipeline.stages {
            let prompt = stage.prompt.take().map(|prompt| prompt.read(file)).transpose();
            stage.prompt = prompt?;
        }
        pipeline.check(file)?;
        Ok(pipeline)
    }

    /// What the stages of a pipeline's text may mean as files beside it: their prompts, the words of
    /// their programs and the files that these name.
    pub fn files(text: &str) -> Vec<String> {
        let table: toml::Table = toml::from_str(text).unwrap_or_default();
        let list = |value: Option<&toml::Value>| -> Vec<String> {
            let words = value.and_then(toml::Value::as_array).into_iter().flatten();
            words.filter_map(|word| word.as_str().map(str::to_owned)).collect()
        };
        let stages = table.get("stage").and_then(toml::Value::as_array).into_iter().flatten();
        let named = stages.flat_map(|stage| {
            let prompt = stage.get("prompt").and_then(toml::Value::as_str);
            let prompt = prompt.filter(|prompt| Prompt::is_file(prompt)).map(str::to_owned);
            let strategies = stage.get("strategy").and_then(toml::Value::as_table);
            let programs = strategies.into_iter().flat_map(|table| table.values());
            let words = programs
                .flat_map(|one| ["command", "files"].map(|key| list(one.get(key))))
                .flatten();
            prompt.into_iter().chain(words).collect::<Vec<String>>()
        });
        named.collect()
    }

    /// A pipeline as JSON, unchecked.
    pub fn from_json(registry: &Registry, json: Value) -> serde_json::Result<Pipeline> {
        use serde::de::Error as _;
        let read: Pipeline<Value> = serde_json::from_value(json)?;
        read.with_strategies(|table| {
            registry.read(&table, None).map_err(|misread| serde_json::Error::custom(misread.rule))
        })
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
    pub fn check(&self, file: &str) -> Result<()> {
        let broken = |key: &str, rule: String| Error::invalid(format!("{file}: {key}"), rule);
        if !ident::is_name(&self.name) {
            return Err(broken("name", format!("`{}` is not lower-case-with-hyphens", self.name)));
        }
        for (number, stage) in self.stages.iter().enumerate() {
            let key = format!("stage {} ({})", number + 1, stage.strategy.name());
            stage.check().map_err(|rule| broken(&key, rule))?;
            let pressure = stage.pressure.iter().try_for_each(Pressure::check);
            pressure.map_err(|rule| broken(&format!("{key}: pressure"), rule))?;
        }
        Ok(())
    }
}
