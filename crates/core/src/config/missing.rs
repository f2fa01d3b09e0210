//! All keys that a table lacks: serde names the first of them alone.

use std::ops::Range;

use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeTable, DeValue, Deserializer, Error};

use super::quoted;

/// Where a stand-in lies: no text has such a place.
const NOWHERE: Range<usize> = usize::MAX - 1..usize::MAX;

/// Values that a key may be given in place of the one that it lacks, one of each sort.
const STAND_INS: [&str; 7] = ["1", "0.5", "'x'", "true", "[]", "['x']", "{}"];

/// A missing key, and the table that lacks it: empty for the whole file.
type Key = (String, String);

/// The keys that the table lacks, as far as they can be found: each is given a stand-in, until the
/// type asks for no further one. `error` is what the type says of the table as it is.
pub(super) fn keys<T: DeserializeOwned>(mut table: Spanned<DeTable>, error: &Error) -> Vec<Key> {
    let (mut keys, mut next) = (Vec::new(), Some(error.clone()));
    while let Some(error) = next.take() {
        let place = error.span().unwrap_or(NOWHERE);
        let key =
            lacked(&error).map(|key| (path(table.get_ref(), &place).unwrap_or_default(), key));
        let Some(key) = key.filter(|key| !keys.contains(key)) else { break };
        if let Some((filled, said)) = filled::<T>(&table, &key.1, &place) {
            (table, next) = (filled, said);
        }
        keys.push(key);
    }
    keys
}

/// What is said of several: those of the table that is drawn, then the others by their table.
pub(super) fn told(keys: &[Key]) -> String {
    let mut text = String::new();
    for group in keys.chunk_by(|one, other| one.0 == other.0) {
        let names: Vec<String> = group.iter().map(|(_, key)| format!("`{key}`")).collect();
        text += &match &*group[0].0 {
            _ if text.is_empty() => format!("missing fields {}", names.join(", ")),
            "" => format!("; and at the top of the file {}", names.join(", ")),
            table => format!("; and in `[{table}]` {}", names.join(", ")),
        };
    }
    text
}

/// The key of serde's "missing field `x`".
fn lacked(error: &Error) -> Option<String> {
    let is_lack = error.message().starts_with("missing");
    is_lack.then(|| quoted(error.message()).next().map(str::to_owned)).flatten()
}

/// The table with a stand-in that the type takes for the key, and what it says then.
fn filled<'t, T: DeserializeOwned>(
    table: &Spanned<DeTable<'t>>,
    key: &str,
    place: &Range<usize>,
) -> Option<(Spanned<DeTable<'t>>, Option<Error>)> {
    let tried = |value: DeValue<'t>| {
        let mut filled = table.clone();
        let at = within(&mut filled, place)?;
        at.insert(Spanned::new(NOWHERE, key.to_owned().into()), Spanned::new(NOWHERE, value));
        let said = T::deserialize(Deserializer::from(filled.clone())).err();
        Some((filled, said))
    };
    let is_taken = |said: &Option<Error>| said.as_ref().and_then(Error::span) != Some(NOWHERE);
    let stand_ins = STAND_INS.iter().filter_map(|text| DeValue::parse(text).ok());
    for value in stand_ins {
        let (filled, said) = tried(value.into_inner())?;
        if is_taken(&said) {
            return Some((filled, said));
        }
        // One of the words that it takes, where it takes only some.
        let word = said.and_then(|said| quoted(said.message()).nth(1).map(str::to_owned));
        let tried = word.and_then(|word| tried(DeValue::String(word.into())));
        if let Some((filled, said)) = tried.filter(|(_, said)| is_taken(said)) {
            return Some((filled, said));
        }
    }
    None
}

/// The keys that lead to the table at a place.
fn path(table: &DeTable, place: &Range<usize>) -> Option<String> {
    let within = |value: &Spanned<DeValue>| match value.get_ref() {
        _ if value.span() == *place => Some(String::new()),
        DeValue::Table(table) => path(table, place),
        _ => None,
    };
    table.iter().find_map(|(key, value)| {
        let list = value.get_ref().as_array().into_iter().flatten().find_map(within);
        let rest = within(value).or(list)?;
        let key = key.get_ref();
        Some(if rest.is_empty() { key.to_string() } else { format!("{key}.{rest}") })
    })
}

/// The table that lies at a place.
fn within<'a, 't>(
    table: &'a mut Spanned<DeTable<'t>>,
    place: &Range<usize>,
) -> Option<&'a mut DeTable<'t>> {
    if table.span() == *place {
        return Some(table.get_mut());
    }
    table.get_mut().iter_mut().find_map(|(_, value)| within_value(value, place))
}

fn within_value<'a, 't>(
    value: &'a mut Spanned<DeValue<'t>>,
    place: &Range<usize>,
) -> Option<&'a mut DeTable<'t>> {
    let is_here = value.span() == *place;
    match value.get_mut() {
        DeValue::Table(table) => match is_here {
            true => Some(table),
            false => table.iter_mut().find_map(|(_, value)| within_value(value, place)),
        },
        DeValue::Array(list) => list.iter_mut().find_map(|value| within_value(value, place)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use crate::config::parse;
    use crate::error::Error;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields, rename_all = "kebab-case")]
    #[expect(dead_code, reason = "what is read is not looked at")]
    struct File {
        name: String,
        how_many: u32,
        way: Way,
        #[serde(default)]
        spare: bool,
        inner: Inner,
    }

    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "what is read is not looked at")]
    struct Inner {
        share: f64,
        list: Vec<String>,
        other: bool,
    }

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    enum Way {
        Up,
    }

    fn rule(text: &str) -> String {
        match parse::<File>("file", "f.toml", text).expect_err("keys are missing") {
            Error::Toml { rule, .. } => rule,
            other => panic!("{other}"),
        }
    }

    #[test]
    fn all_keys_that_a_table_lacks_are_named_at_once() {
        assert_eq!(rule(""), "missing fields `name`, `how-many`, `way`, `inner`");
        let inner = "missing fields `list`, `other`; and at the top of the file `name`, `way`";
        assert_eq!(rule("how-many = 3\n[inner]\nshare = 0.5"), inner);
        assert_eq!(rule("name = 'x'\nhow-many = 3\nway = 'up'"), "missing field `inner`");
        // What is wrong otherwise is said of what stands there, not of a stand-in.
        assert_eq!(
            rule("nmae = 'x'"),
            "unknown field `nmae`, expected one of `name`, `how-many`, `way`, `spare`, `inner`"
        );
    }
}
