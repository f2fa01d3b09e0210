//! Sessions for Proctor: synthesized from a seed or imported from a transcript, with what
//! they know and will need.
//!
//! A seed and a few parameters make a log that reads like coding-agent work, and the truth
//! about it: what was said where, and which later step needs it.

pub mod extract;
pub mod import;
pub mod masking;
mod prelude;
pub mod synth;

use proctor_core::{bounds, config, error, ident, log, sanitize, token, truth, unit};

/// A file under `data/`, parsed.
fn parsed<T: serde::de::DeserializeOwned>(file: &'static str, text: &str) -> T {
    // OK because the text is constant and the tests parse every file.
    config::parse("data file", file, text).expect("a sound file")
}

/// The rows of a table of `cases.toml`.
#[cfg(test)]
fn cases<T: serde::de::DeserializeOwned>(table: &str) -> Vec<T> {
    let text = include_str!("cases.toml");
    let tables: toml::Table = parsed("cases.toml", text);
    tables[table].clone().try_into().unwrap_or_else(|error| panic!("{table}: {error}"))
}

/// What stands behind this name in a file of texts.
#[cfg(test)]
fn section(file: &'static str, name: &str) -> &'static str {
    let mut all = file.split("\n== ");
    let found = all.find_map(|one| one.strip_prefix(name)?.strip_prefix('\n'));
    found.unwrap_or_else(|| panic!("no text {name}"))
}
