//! Answers that fail, answers that pretend, and running again.

mod again;
mod faults;
mod pretence;
mod stale;

use super::Hypothesis;

/// H31 to H34.
pub const HYPOTHESES: &[Hypothesis] =
    &[faults::SURVIVES, pretence::IMITATION, stale::STALE, again::CONVERGES];
