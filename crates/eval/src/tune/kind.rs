//! The kinds of numbers that a pipeline file has.

use serde_json::Value;

use crate::number;
use crate::words;

words! {
    /// What kind of number a setting is.
    pub enum Kind {
        /// A part of something, with decimals: drawn evenly.
        Share = "share",
        /// Tokens, messages, turns: whole, and drawn evenly in its logarithm.
        Count = "count",
    }
}

impl Kind {
    /// Of a value as the file has it; none of what is no number.
    pub(super) fn of(value: &Value) -> Option<Kind> {
        let number = value.as_number()?;
        Some(if number.is_f64() { Kind::Share } else { Kind::Count })
    }

    /// A value as people read it: `0.613`, `20,000`.
    pub fn written(self, value: f64) -> String {
        match self {
            Kind::Share => number::decimal(value, 3),
            Kind::Count => grouped(value as u64),
        }
    }
}

fn grouped(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
