//! What was fitted to recorded compactions, and what is assumed.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use crate::truth::FactKind;

/// Fitted by `proctor-studies fit`, which writes the file.
pub(super) static RECORDED: LazyLock<Parameters> = LazyLock::new(|| {
    crate::config::parse("parameters", "recorded.toml", include_str!("recorded.toml"))
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

/// What the data tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    Path,
    Symbol,
    Test,
    Command,
    Value,
    Error,
    Typed,
    Agent,
}

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

    pub(super) fn is_sentence(self) -> bool {
        matches!(self, Sort::Typed | Sort::Agent)
    }
}

impl Parameters {
    pub(super) fn intercept(&self, sort: Sort) -> f64 {
        let of = &self.intercepts;
        match sort {
            Sort::Path => of.path,
            Sort::Symbol => of.symbol,
            Sort::Test => of.test,
            Sort::Command => of.command,
            Sort::Value => of.value,
            Sort::Error => of.error,
            Sort::Typed => of.typed,
            Sort::Agent => self.assumed.agent,
        }
    }
}

pub(super) fn logistic(odds: f64) -> f64 {
    1.0 / (1.0 + (-odds).exp())
}

pub(super) fn logit(chance: f64) -> f64 {
    (chance / (1.0 - chance)).ln()
}
