//! A badge: the JSON that an endpoint badge of shields.io reads.

use schemars::JsonSchema;

use super::super::finding::Judgement;
use super::super::verdict::Verdict;
use crate::error::Result;
use crate::prelude::*;

/// What the badge shows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Badge {
    /// Version of the badge's format: 1.
    pub schema_version: u32,
    /// The left half.
    pub label: String,
    /// The right half: the verdict.
    pub message: String,
    /// `brightgreen` for what passes, `yellow` for what is only warned of, `red` for what fails.
    pub color: String,
    /// Whether the badge stands for a failure.
    pub is_error: bool,
}

/// The badge of a judgement.
pub fn badge(judgement: &Judgement) -> Result<String> {
    let fails = judgement.exit_code != 0;
    let color = match (fails, judgement.warned) {
        (true, _) => "red",
        (false, true) => "yellow",
        (false, false) => "brightgreen",
    };
    let message = match judgement.verdict {
        Verdict::PassIdentical => Verdict::Pass.name(),
        verdict => verdict.name(),
    };
    super::json(&Badge {
        schema_version: 1,
        label: "compaction".to_owned(),
        message: message.to_owned(),
        color: color.to_owned(),
        is_error: fails,
    })
}
