//! JSON files whose layout has a version.

use crate::prelude::*;
use std::ops::RangeInclusive;

use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

/// The key that holds a version, the versions that can be read, and what to do about another.
pub(crate) struct Layout {
    pub(crate) key: &'static str,
    pub(crate) known: RangeInclusive<u32>,
    pub(crate) remedy: &'static str,
}

/// The error of a JSON file that cannot be read, at its line.
pub(crate) fn at_line(file: &str, error: &serde_json::Error) -> Error {
    Error::Line { file: file.to_owned(), line: error.line(), rule: error.to_string() }
}

impl Layout {
    pub(crate) fn read<T: DeserializeOwned>(&self, file: &str, bytes: &[u8]) -> Result<T> {
        let Layout { key, known, remedy } = self;
        let broken = |error| at_line(file, &error);
        // The version first: another layout may differ in everything else.
        let keys: BTreeMap<String, &RawValue> = serde_json::from_slice(bytes).map_err(broken)?;
        let version = keys.get(*key).map_or("null", |value| value.get());
        let version: Option<u32> = serde_json::from_str(version).map_err(broken)?;
        let Some(version) = version.filter(|version| !known.contains(version)) else {
            return serde_json::from_slice(bytes).map_err(broken);
        };
        let told = format!("the layout is version {version}, this reader knows ");
        Err(Error::Invalid {
            place: format!("{file}: {key}"),
            rule: match (known.start(), known.end()) {
                (one, last) if one == last => format!("{told}{one}"),
                (first, last) => format!("{told}{first} to {last}"),
            },
            hint: Some((*remedy).to_owned()),
        })
    }
}
