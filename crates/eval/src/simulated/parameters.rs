//! What was fitted to recorded compactions, and what is assumed.

use std::sync::LazyLock;

use crate::prelude::*;
use crate::truth::FactKind;

/// Fitted by `proctor-studies fit`, which writes the file.
static RECORDED: LazyLock<Parameters> = LazyLock::new(|| {
    Parameters::parse("recorded.toml", include_str!("recorded.toml"))
        .expect("OK because a test parses it")
});

/// The model: the log-odds that a fact is kept, the length of a summary, and rates of errors.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parameters {
    /// By sort of fact.
    pub intercepts: Intercepts,
    /// What its standing adds.
    pub slopes: Slopes,
    /// Length of a summary.
    pub length: Length,
    /// What no data tell.
    pub assumed: Assumed,
}

/// Log-odds of a fact of each sort that stands for nothing else.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Intercepts {
    /// A file.
    pub path: f64,
    /// A name of code.
    pub symbol: f64,
    /// A test.
    pub test: f64,
    /// A command.
    pub command: f64,
    /// A value.
    pub value: f64,
    /// An error message.
    pub error: f64,
    /// A sentence that the user typed.
    pub typed: f64,
}

/// What is added to the log-odds of what is no sentence.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Slopes {
    /// By the logarithm of the messages that hold it.
    pub messages: f64,
    /// By the logarithm of one and the tokens behind the last of them.
    pub last: f64,
    /// Where the user named it.
    pub user: f64,
    /// Where the agent's prose did.
    pub text: f64,
    /// Where a call did.
    pub call: f64,
    /// Where an edit did.
    pub edited: f64,
    /// Where it was read.
    pub read: f64,
    /// Where the summary before has it.
    pub previous: f64,
}

/// The logarithm of a summary's bytes, by that of the material's tokens.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Length {
    /// Of one token.
    pub intercept: f64,
    /// By the logarithm of the tokens.
    pub slope: f64,
    /// Standard deviation around it.
    pub deviation: f64,
}

/// Rates for which there are no data.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Assumed {
    /// Log-odds of a sentence of the agent.
    pub agent: f64,
    /// Of kept facts: a name of it is altered.
    pub altered: f64,
    /// Of kept rules and dead ends: the word that forbids is left out.
    pub polarity: f64,
    /// Of replaced values that are shown with the new one: it is told again.
    pub stale: f64,
    /// Of kept facts: it takes a name of another one.
    pub merged: f64,
    /// Invented names by kept fact.
    pub invented: f64,
}

crate::words! {
    /// What the data tell apart.
    pub enum Sort {
        /// A file.
        Path = "path",
        /// A name of code.
        Symbol = "symbol",
        /// A test.
        Test = "test",
        /// A command.
        Command = "command",
        /// A value.
        Value = "value",
        /// An error message.
        Error = "error",
        /// A sentence that the user typed.
        Typed = "typed",
        /// A sentence of the agent.
        Agent = "agent",
    }
}

/// What has a slope, in the order of [`Features`].
pub const FEATURES: [&str; 8] = [
    "ln messages that hold it",
    "ln (1 + tokens behind the last)",
    "the user named it",
    "the agent's prose named it",
    "a call named it",
    "an edit held it",
    "it was read",
    "the previous summary has it",
];

/// What of a fact's standing bears on whether it is kept; none of a sentence's does.
pub type Features = [f64; FEATURES.len()];

/// An intercept for each sort, then a slope for each feature.
pub type Weights = [f64; WEIGHTS];

/// See [`Weights`].
pub const WEIGHTS: usize = Sort::ALL.len() + FEATURES.len();

impl Sort {
    pub(super) fn of(kind: FactKind, by_user: bool) -> Sort {
        match kind {
            FactKind::Path => Sort::Path,
            FactKind::Symbol => Sort::Symbol,
            FactKind::Test => Sort::Test,
            FactKind::Command => Sort::Command,
            FactKind::Value => Sort::Value,
            FactKind::Error => Sort::Error,
            _ if by_user => Sort::Typed,
            _ => Sort::Agent,
        }
    }

    /// Whether it is told in words of no fixed form.
    pub fn is_sentence(self) -> bool {
        matches!(self, Sort::Typed | Sort::Agent)
    }
}

impl Parameters {
    /// Those fitted to recorded compactions, which `simulated` has.
    pub fn recorded() -> &'static Parameters {
        &RECORDED
    }

    /// Reads parameters from the text of a file.
    pub fn parse(file: &str, text: &str) -> Result<Parameters> {
        crate::config::parse("parameters", file, text)
    }

    /// All weights of the log-odds.
    pub fn weights(&self) -> Weights {
        let (of, slopes) = (&self.intercepts, &self.slopes);
        [
            of.path,
            of.symbol,
            of.test,
            of.command,
            of.value,
            of.error,
            of.typed,
            self.assumed.agent,
            slopes.messages,
            slopes.last,
            slopes.user,
            slopes.text,
            slopes.call,
            slopes.edited,
            slopes.read,
            slopes.previous,
        ]
    }

    /// The same with other weights.
    #[must_use]
    pub fn with(&self, weights: &Weights) -> Parameters {
        let [path, symbol, test, command, value, error, typed, agent, slopes @ ..] = *weights;
        let [messages, last, user, text, call, edited, read, previous] = slopes;
        Parameters {
            intercepts: Intercepts { path, symbol, test, command, value, error, typed },
            slopes: Slopes { messages, last, user, text, call, edited, read, previous },
            length: self.length.clone(),
            assumed: Assumed { agent, ..self.assumed.clone() },
        }
    }

    /// As a file has it, under a comment.
    pub fn written(&self, comment: &str) -> Result<String> {
        let text = toml::to_string(self)
            .map_err(|error| Error::invalid("parameters", error.to_string()))?;
        let comment: String = comment.lines().map(|line| format!("# {line}\n")).collect();
        Ok(format!("{comment}\n{text}"))
    }
}

/// The log-odds of a fact.
pub fn odds(weights: &Weights, sort: Sort, features: &Features) -> f64 {
    let slopes = weights[Sort::ALL.len()..].iter().zip(features);
    weights[sort as usize] + slopes.map(|(slope, value)| slope * value).sum::<f64>()
}

/// The chance of log-odds.
pub fn logistic(odds: f64) -> f64 {
    1.0 / (1.0 + (-odds).exp())
}

pub(super) fn logit(chance: f64) -> f64 {
    (chance / (1.0 - chance)).ln()
}
