//! Files that are part of the binary, parsed when they are first needed.

use serde::de::DeserializeOwned;

/// A file under `data/`, parsed.
pub(crate) fn parsed<T: DeserializeOwned>(file: &'static str, text: &str) -> T {
    // OK because the text is constant and the tests parse every file.
    crate::config::parse("data file", file, text).expect("a sound file")
}
