//! Summaries from a language model: the endpoint, the broker that asks it, and recordings.

pub mod cassette;
pub mod live;

use proctor_core::{config, error, ident, log, summarize, token, unit};
