//! A judgement as JSON.

use super::finding::Judgement;
use crate::error::{Error, Result};

/// Everything as JSON, by the published schema.
///
/// # Errors
///
/// [`Error::Invalid`] where a figure has no JSON form.
pub fn json(judgement: &Judgement) -> Result<String> {
    serde_json::to_string_pretty(judgement)
        .map(|text| format!("{text}\n"))
        .map_err(|error| Error::invalid("gate", error.to_string()))
}

/// The JSON Schema of [`json`].
///
/// # Errors
///
/// [`Error::Invalid`] where it cannot be written.
pub fn schema() -> Result<String> {
    let schema = schemars::schema_for!(Judgement);
    serde_json::to_string_pretty(&schema)
        .map(|text| format!("{text}\n"))
        .map_err(|error| Error::invalid("gate", error.to_string()))
}
