//! Reading our TOML files: unknown keys denied, errors drawn at their place.

mod missing;

use std::ops::Range;
use std::path::Path;

use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeTable, Deserializer};

use crate::bounds::Bound;
use crate::error::{Error, Result};
use crate::ident;

/// The text of a file; [`Error::Io`] where it cannot be read.
pub fn text(path: &Path) -> Result<String> {
    Bound::Settings.text(path)
}

/// Parses a TOML text. `what` is the kind of file, `file` its path or `embedded:NAME`. Errors carry
/// the span of the offending value and the neighbour of a misspelt name.
pub fn parse<T: DeserializeOwned>(what: &'static str, file: &str, text: &str) -> Result<T> {
    read(what, file, text, table(what, file, text)?)
}

/// The table of a text, its values with their places, to be changed before it is read.
pub fn table<'t>(what: &'static str, file: &str, text: &'t str) -> Result<Spanned<DeTable<'t>>> {
    DeTable::parse(text).map_err(|error| drawn(what, file, text, &error))
}

/// Reads a table of this text; what was put into it is drawn where it came from. Of the keys that
/// it lacks all are named.
pub fn read<T: DeserializeOwned>(
    what: &'static str,
    file: &str,
    text: &str,
    table: Spanned<DeTable>,
) -> Result<T> {
    T::deserialize(Deserializer::from(table.clone())).map_err(|error| {
        let (keys, mut drawn) =
            (missing::keys::<T>(table, &error), drawn(what, file, text, &error));
        if let Error::Toml { rule, hint, .. } = &mut drawn
            && !keys.is_empty()
        {
            *hint = start(what);
            if keys.len() > 1 {
                *rule = missing::told(&keys);
            }
        }
        drawn
    })
}

/// Where a whole file of a kind comes from.
fn start(what: &str) -> Option<String> {
    let has_one = ["scenario", "pipeline", "suite"].contains(&what);
    has_one.then(|| format!("`proctor new {what} NAME` writes one that has every key"))
}

/// For keys that are written only where they differ: files stay as they were before there was one.
pub fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// A rule that a value of a text breaks, drawn at its place.
pub fn broken<'h>(
    what: &'static str,
    (file, text): (&str, &str),
    span: Range<usize>,
    rule: impl Into<String>,
    hint: impl Into<Option<&'h str>>,
) -> Error {
    let (file, text, rule) = (file.to_owned(), text.to_owned(), rule.into());
    Error::Toml { what, file, text, span, rule, hint: hint.into().map(str::to_owned) }
}

fn drawn(what: &'static str, file: &str, text: &str, error: &toml::de::Error) -> Error {
    let (file, text, rule) = (file.to_owned(), text.to_owned(), error.message().to_owned());
    let (span, hint) = (error.span().unwrap_or(0..0), suggestion(&rule));
    Error::Toml { what, file, text, span, rule, hint }
}

/// "did you mean" for serde's "unknown field `x`, expected one of `y`, `z`".
pub(crate) fn suggestion(rule: &str) -> Option<String> {
    let mut names = quoted(rule);
    let wrong = names.next().filter(|_| rule.starts_with("unknown"))?;
    ident::did_you_mean(wrong, names)
}

/// The names between backticks in a message of serde.
fn quoted(rule: &str) -> impl Iterator<Item = &str> {
    rule.split('`').skip(1).step_by(2)
}
