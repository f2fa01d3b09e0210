//! Sessions for Proctor: synthesized from a seed or imported from a transcript, with what
//! they know and will need.

mod embedded;
pub mod extract;
pub mod import;
pub mod synth;

use proctor_core::{config, error, ident, log, token, truth, unit};
