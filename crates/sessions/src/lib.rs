//! Sessions for Proctor: synthesized from a seed or imported from a transcript, with what
//! they know and will need.
//!
//! A seed and a few parameters make a log that reads like coding-agent work, and the truth
//! about it: what was said where, and which later step needs it.
//!
//! ```
//! use proctor_core::ident::Seed;
//! use proctor_sessions::synth::{Draw, WirePlan, synthesize};
//!
//! let parameters: WirePlan = toml::from_str(
//!     r#"
//!     closing = "text"
//!     parallel-calls = 0.1
//!     narration = 0.5
//!     user-tokens = { min = 20, max = 60 }
//!     result-tokens = { min = 40, max = 400 }
//!     tool-errors = 0.05
//!     goal-turns = { min = 2, max = 4 }
//!     redirects = 0.2
//!     clarifications = 0.1
//!     extensions = 0.1
//!     facts = 3
//!     echoes = 1
//!     demands = 1
//!     distance = { min = 500, max = 2000 }
//!     restated = 0.2
//!     decoys = 5
//!     pauses = 0.1
//!     pause-minutes = 10
//!     system-tokens = 200
//!     tool-tokens = 200
//!     "#,
//! )?;
//! let plan = parameters.plan(12, Draw::fixed(4)).expect("every amount within its bounds");
//! let (log, truth) = synthesize(&plan, "example", Seed(7))?;
//! assert_eq!(log.turns().len(), 12);
//! assert!(truth.facts.iter().all(|fact| fact.mentions.first() == Some(&fact.born)));
//! assert_eq!(synthesize(&plan, "example", Seed(7))?, (log, truth), "the same every time");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod extract;
pub mod import;
pub mod synth;

use proctor_core::{config, error, ident, log, token, truth, unit};

/// A file under `data/`, parsed.
fn parsed<T: serde::de::DeserializeOwned>(file: &'static str, text: &str) -> T {
    // OK because the text is constant and the tests parse every file.
    config::parse("data file", file, text).expect("a sound file")
}
