//! Units as types, so that a token count is never added to a price.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Sub, SubAssign};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A number of tokens, in reference tokens where nothing else is said.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    JsonSchema,
)]
pub struct Tokens(pub u64);

impl Tokens {
    /// No tokens.
    pub const ZERO: Tokens = Tokens(0);
    /// More tokens than any session has: the window of a windowless control.
    pub const UNBOUNDED: Tokens = Tokens(u64::MAX / 4);

    /// As a float, for shares and prices.
    pub fn as_f64(self) -> f64 {
        self.0 as f64
    }

    /// This share of the tokens, rounded down.
    pub fn share(self, share: f64) -> Tokens {
        Tokens((self.as_f64() * share) as u64)
    }

    /// `self / whole`; `0` where the whole is empty.
    pub fn over(self, whole: Tokens) -> f64 {
        if whole.0 == 0 { 0.0 } else { self.as_f64() / whole.as_f64() }
    }
}

impl Add for Tokens {
    type Output = Tokens;
    fn add(self, other: Tokens) -> Tokens {
        Tokens(self.0 + other.0)
    }
}

/// Saturating: a reserve larger than the window leaves nothing, not a panic.
impl Sub for Tokens {
    type Output = Tokens;
    fn sub(self, other: Tokens) -> Tokens {
        Tokens(self.0.saturating_sub(other.0))
    }
}

impl AddAssign for Tokens {
    fn add_assign(&mut self, other: Tokens) {
        *self = *self + other;
    }
}

impl SubAssign for Tokens {
    fn sub_assign(&mut self, other: Tokens) {
        *self = *self - other;
    }
}

impl Sum for Tokens {
    fn sum<I: Iterator<Item = Tokens>>(iter: I) -> Tokens {
        Tokens(iter.map(|tokens| tokens.0).sum())
    }
}

impl fmt::Display for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Milliseconds: offsets within a session, or a modelled duration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Millis(pub u64);

impl Add for Millis {
    type Output = Millis;
    fn add(self, other: Millis) -> Millis {
        Millis(self.0 + other.0)
    }
}

impl Sub for Millis {
    type Output = Millis;
    fn sub(self, other: Millis) -> Millis {
        Millis(self.0.saturating_sub(other.0))
    }
}

/// US dollars on the price sheet that the run names.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd, Serialize, Deserialize)]
pub struct Usd(pub f64);

impl AddAssign for Usd {
    fn add_assign(&mut self, other: Usd) {
        self.0 += other.0;
    }
}

/// A float as every file writes it: 9 significant digits, no exponent, no negative zero.
pub fn float(value: f64) -> String {
    if !value.is_finite() {
        return String::new();
    }
    if value == 0.0 {
        return "0".to_owned();
    }
    let digits = (8 - value.abs().log10().floor() as i32).clamp(0, 17);
    let text = format!("{value:.*}", digits as usize);
    if !text.contains('.') {
        return text;
    }
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// A float rounded to the nine digits of files. What is not finite stays so: files leave it empty.
pub fn nine(value: f64) -> f64 {
    float(value).parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_have_nine_significant_digits() {
        for (value, expected) in crate::cases::<(f64, String)>("floats") {
            assert_eq!(float(value), expected, "{value}");
        }
    }

    #[test]
    fn rounding_does_not_define_what_is_undefined() {
        assert_eq!(nine(1.0 / 3.0), 0.333_333_333);
        assert!(nine(f64::NAN).is_nan());
        assert_eq!(nine(f64::INFINITY), f64::INFINITY);
    }

    #[test]
    fn tokens_never_go_below_nothing() {
        assert_eq!(Tokens(3) - Tokens(5), Tokens::ZERO);
        assert_eq!(Tokens(3).over(Tokens::ZERO), 0.0);
    }
}
