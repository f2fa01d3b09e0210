//! What is cut through, and what becomes of the request that is being worked on.

mod cuts;
mod notices;

use super::Hypothesis;

/// H9 to H12.
pub const HYPOTHESES: &[Hypothesis] =
    &[cuts::UNITS, cuts::LIVE_GOAL, cuts::WINDOW_EDGE, notices::DISPLACED];
