//! Values of an endpoint, checked where they are read, in files and flags alike.

use crate::prelude::*;
use std::str::FromStr;

use thiserror::Error;

/// An address of `http` or `https`, without credentials and parameters.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct BaseUrl(String);

impl BaseUrl {
    /// The address of a path below it.
    pub fn join(&self, path: &str) -> String {
        format!("{}/{path}", self.0)
    }

    /// As it was given, without a slash at its end.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it is this machine, to which no proxy leads.
    pub fn is_loopback(&self) -> bool {
        let host = self.0.split("://").nth(1).unwrap_or_default();
        let host = host.split('/').next().unwrap_or_default();
        host.starts_with("127.") || host.starts_with("localhost") || host.starts_with("[::1]")
    }

    /// Whether what is sent is encrypted.
    pub fn is_encrypted(&self) -> bool {
        self.0.starts_with("https://")
    }
}

/// A value that an endpoint cannot have; says what is expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct ValueError(&'static str);

impl FromStr for BaseUrl {
    type Err = ValueError;

    /// Checks what must not be in an address. Whether a client can be built for it is found
    /// out where one is.
    fn from_str(text: &str) -> Result<BaseUrl, ValueError> {
        let (scheme, rest) = text.split_once("://").unwrap_or_default();
        let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let rule = if !["http", "https"].contains(&scheme) || host.is_empty() {
            "an address begins with http:// or https:// and names a host"
        } else if host.contains('@') {
            "an address has no user name and no password in it"
        } else if rest.contains(['?', '#']) {
            "an address has no parameters: `/chat/completions` is appended"
        } else if rest.contains(|c: char| c.is_whitespace() || c.is_control()) {
            "an address has no blanks and control characters in it"
        } else {
            return Ok(BaseUrl(text.trim_end_matches('/').to_owned()));
        };
        Err(ValueError(rule))
    }
}

impl TryFrom<String> for BaseUrl {
    type Error = ValueError;

    fn try_from(text: String) -> Result<BaseUrl, ValueError> {
        text.parse()
    }
}

macro_rules! ranged {
    ($($(#[$doc:meta])* $name:ident($inner:ty), $holds:expr, $rule:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Deserialize)]
        #[serde(try_from = "f64")]
        pub struct $name(
            /// The number.
            pub $inner,
        );

        impl TryFrom<f64> for $name {
            type Error = ValueError;

            fn try_from(number: f64) -> Result<$name, ValueError> {
                let holds: fn(f64) -> bool = $holds;
                if holds(number) { Ok($name(number as $inner)) } else { Err(ValueError($rule)) }
            }
        }

        impl FromStr for $name {
            type Err = ValueError;

            fn from_str(text: &str) -> Result<$name, ValueError> {
                text.parse().map_err(|_| ValueError($rule)).and_then(f64::try_into)
            }
        }
    )*};
}

ranged! {
    /// A sampling temperature.
    Temperature(f64), |number| (0.0..=2.0).contains(&number), "a temperature is from 0 to 2";
    /// A length of time.
    Seconds(f64), |number| number > 0.0 && number <= 86_400.0,
        "expected seconds: more than 0, at most a day";
    /// An amount of money.
    Dollars(f64), |number| number >= 0.0 && number.is_finite(),
        "expected dollars: 0 or more";
    /// A count.
    Positive(u64), |number| number >= 1.0 && number.fract() == 0.0 && number < 1e15,
        "expected a whole number of at least 1";
    /// Calls in flight at once.
    Concurrency(usize), |number| number.fract() == 0.0 && (1.0..=512.0).contains(&number),
        "expected a whole number from 1 to 512";
}

impl Seconds {
    /// As a duration.
    pub fn duration(self) -> Duration {
        Duration::try_from_secs_f64(self.0).unwrap_or_default()
    }
}
