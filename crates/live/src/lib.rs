//! Summaries from a language model: the endpoint, the broker that asks it, and recordings,
//! which answer without the model, also where this crate is built without its feature `live`:
//!
//! ```no_run
//! use std::path::Path;
//!
//! use proctor_core::summarize::{Ask, Prompt};
//! use proctor_live::cassette::Cassette;
//! use proctor_live::live::{Endpoint, Live};
//!
//! let endpoint = Endpoint { model: Some("large".to_owned()), ..Endpoint::default() };
//! let live = Live::replay(endpoint, Cassette::replay(Path::new("calls.jsonl"))?)?;
//! let prompt = Prompt::of_user([("Summarize: ", false), ("We chose SQLite.", true)], 100);
//! for reply in live.ask_handle().ask(&[prompt])? {
//!     println!("{reply:?}");
//! }
//! # Ok::<(), proctor_core::error::Error>(())
//! ```

pub mod cassette;
pub mod live;
mod prelude;

use std::sync::{Mutex, MutexGuard, PoisonError};

use proctor_core::{bounds, config, error, log, summarize, token, unit};

/// A broken rule with a remedy.
fn refused(
    place: impl Into<String>,
    rule: impl Into<String>,
    hint: impl Into<String>,
) -> error::Error {
    error::Error::Invalid { place: place.into(), rule: rule.into(), hint: Some(hint.into()) }
}

/// A thread that panicked while it held the lock left no half-made change.
fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The beginning of a text, in one line.
fn beginning(text: &str, characters: usize) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut line = words.join(" ");
    if let Some((end, _)) = line.char_indices().nth(characters) {
        line.truncate(end);
        line.push('…');
    }
    line
}

/// The rows of a table of `cases.toml`.
#[cfg(test)]
fn cases<T: serde::de::DeserializeOwned>(table: &str) -> Vec<T> {
    let tables: serde_json::Value =
        config::parse("table", "cases.toml", include_str!("cases.toml"))
            .unwrap_or_else(|error| panic!("{error}"));
    serde_json::from_value(tables[table].clone()).unwrap_or_else(|error| panic!("{table}: {error}"))
}
