//! The figures of a shape by name, as `proctor shape --csv` writes them.

use crate::shape::{Shape, Spread};

/// A figure of a shape.
pub struct Column {
    /// Its name: `what.figure`.
    pub name: &'static str,
    /// Reads it.
    pub of: fn(&Shape) -> f64,
}

macro_rules! spread {
    ($name:literal, $of:expr) => {
        [
            Column { name: concat!($name, ".mean"), of: |shape| of($of, shape).mean },
            Column { name: concat!($name, ".p10"), of: |shape| of($of, shape).p10 },
            Column { name: concat!($name, ".median"), of: |shape| of($of, shape).median },
            Column { name: concat!($name, ".p90"), of: |shape| of($of, shape).p90 },
            Column { name: concat!($name, ".max"), of: |shape| of($of, shape).max },
        ]
    };
}

fn of(spread: fn(&Shape) -> Spread, shape: &Shape) -> Spread {
    spread(shape)
}

const GENERAL: [Column; 4] = [
    Column { name: "sessions", of: |shape| shape.sessions as f64 },
    Column { name: "turns", of: |shape| shape.turns as f64 },
    Column { name: "steps", of: |shape| shape.steps as f64 },
    Column { name: "tokens", of: |shape| shape.tokens },
];

const SHARES: [Column; 10] = [
    Column { name: "user.chars_per_token", of: |shape| shape.user.chars_per_token },
    Column { name: "assistant.chars_per_token", of: |shape| shape.assistant.chars_per_token },
    Column { name: "tool.chars_per_token", of: |shape| shape.tool.chars_per_token },
    Column { name: "answer_only", of: |shape| shape.answer_only },
    Column { name: "failed", of: |shape| shape.failed },
    Column { name: "several_calls", of: |shape| shape.several },
    Column { name: "narrated", of: |shape| shape.narrated },
    Column { name: "long_gaps", of: |shape| shape.long_gaps },
    Column { name: "longest_run", of: |shape| shape.longest_run },
    Column { name: "largest_message", of: |shape| shape.largest },
];

/// All figures in the order of the file: tokens by role, amounts per turn, gaps in
/// seconds, shares from 0 to 1.
pub fn columns() -> impl Iterator<Item = &'static Column> {
    COLUMNS.into_iter().flatten()
}

const COLUMNS: [&[Column]; 9] = [
    &GENERAL,
    &spread!("user_tokens", |shape| shape.user.tokens),
    &spread!("assistant_tokens", |shape| shape.assistant.tokens),
    &spread!("tool_tokens", |shape| shape.tool.tokens),
    &spread!("pairs", |shape| shape.pairs),
    &spread!("turn_steps", |shape| shape.turn_steps),
    &spread!("turn_tokens", |shape| shape.turn_tokens),
    &spread!("gap_seconds", |shape| shape.gaps),
    &SHARES,
];
