//! The files under `data/`: phrase banks, languages, what tools print, words.
//!
//! They are part of the binary and parsed when a session first needs them.

use std::sync::OnceLock;

use crate::error::Result;

/// What was parsed before, or is parsed now.
pub(super) fn once<T>(
    place: &'static OnceLock<T>,
    parse: impl FnOnce() -> Result<T>,
) -> Result<&'static T> {
    if let Some(parsed) = place.get() {
        return Ok(parsed);
    }
    let parsed = parse()?;
    Ok(place.get_or_init(|| parsed))
}
