//! The shape of a session: how long its messages are, how many calls a turn holds,
//! how often a result reports a failure, how long a user stays away.
//!
//! Shapes are taken from a log alone, recorded or synthesized, so that the one can
//! be held beside the other (`proctor shape`). They say nothing of what a session
//! knows or needs: that is the truth's business.

mod columns;
mod sample;

pub use columns::{Column, columns};
pub use sample::Sample;

use crate::log::Log;
use crate::stats;
use crate::token::TokenTable;

/// A gap between two model calls beyond which a prefix cache with the usual
/// lifetime of five minutes has forgotten the prompt, in seconds.
pub const CACHE_LIFETIME: f64 = 300.0;

/// What a number comes to over the messages, turns or gaps of a session. All
/// figures are 0 where there is nothing to count.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spread {
    /// Mean.
    pub mean: f64,
    /// One in ten is at most this.
    pub p10: f64,
    /// The middle.
    pub median: f64,
    /// One in ten is at least this.
    pub p90: f64,
    /// The greatest.
    pub max: f64,
}

impl Spread {
    /// Of these values.
    pub fn of(values: &[f64]) -> Spread {
        let at = |share: f64| stats::quantile(values, share).unwrap_or(0.0);
        Spread {
            mean: stats::mean(values).unwrap_or(0.0),
            p10: at(0.1),
            median: at(0.5),
            p90: at(0.9),
            max: at(1.0),
        }
    }
}

/// The figures of one role's messages.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RoleShape {
    /// Number of messages.
    pub messages: usize,
    /// Reference tokens of a message, calls included.
    pub tokens: Spread,
    /// Characters of a token, over all messages of the role.
    pub chars_per_token: f64,
}

/// The shape of one session, or of several taken together.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Shape {
    /// Sessions it was taken from.
    pub sessions: usize,
    /// Human turns.
    pub turns: usize,
    /// Model calls.
    pub steps: usize,
    /// Tokens of all messages.
    pub tokens: f64,
    /// What people typed. What a harness put into the user role is in none of the roles.
    pub user: RoleShape,
    /// What the model wrote, calls included.
    pub assistant: RoleShape,
    /// What tools returned.
    pub tool: RoleShape,
    /// Calls with a result, per turn.
    pub pairs: Spread,
    /// Share of turns without any call that was answered.
    pub answer_only: f64,
    /// Model calls, per turn.
    pub turn_steps: Spread,
    /// Tokens, per turn.
    pub turn_tokens: Spread,
    /// Share of results that report a failure.
    pub failed: f64,
    /// Share of messages with calls that hold several.
    pub several: f64,
    /// Share of messages with calls that say something besides.
    pub narrated: f64,
    /// Seconds between one model call and the next.
    pub gaps: Spread,
    /// Share of these over [`CACHE_LIFETIME`].
    pub long_gaps: f64,
    /// Most results in a row with no word of the model between them.
    pub longest_run: f64,
    /// Tokens of the largest message.
    pub largest: f64,
}

/// The shape of a log. `table` must be the log's own counts.
pub fn shape(log: &Log, table: &TokenTable) -> Shape {
    Sample::of(log, table).shape()
}

#[cfg(test)]
mod tests;
