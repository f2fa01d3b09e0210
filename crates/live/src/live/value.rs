//! Values of an endpoint, checked where they are read, in files and flags alike.

use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Deserializer, de};
use thiserror::Error;

/// An address of `http` or `https`, without credentials and parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
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

/// Not the address of an endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum BaseUrlError {
    /// Another protocol, or no host.
    #[error("an address begins with http:// or https:// and names a host")]
    Scheme,
    /// It has a user name or a password.
    #[error("an address has no user name and no password in it")]
    Credentials,
    /// It has a query or a fragment.
    #[error("an address has no parameters: `/chat/completions` is appended")]
    Parameters,
    /// It has a character that no address has.
    #[error("an address has no blanks and control characters in it")]
    Blank,
}

impl FromStr for BaseUrl {
    type Err = BaseUrlError;

    /// Checks what must not be in an address. Whether a client can be built for it is found
    /// out where one is.
    fn from_str(text: &str) -> Result<BaseUrl, BaseUrlError> {
        let (scheme, rest) = text.split_once("://").ok_or(BaseUrlError::Scheme)?;
        let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
        if !["http", "https"].contains(&scheme) || host.is_empty() {
            return Err(BaseUrlError::Scheme);
        }
        if host.contains('@') {
            return Err(BaseUrlError::Credentials);
        }
        if rest.contains(['?', '#']) {
            return Err(BaseUrlError::Parameters);
        }
        if rest.contains(|c: char| c.is_whitespace() || c.is_control()) {
            return Err(BaseUrlError::Blank);
        }
        Ok(BaseUrl(text.trim_end_matches('/').to_owned()))
    }
}

impl<'de> Deserialize<'de> for BaseUrl {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<BaseUrl, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

/// A number out of its range; says what is expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct RangeError(&'static str);

/// A number within a range.
trait Ranged: Sized {
    fn ranged(number: f64) -> Result<Self, RangeError>;
}

struct Number<T>(PhantomData<T>);

impl<T: Ranged> de::Visitor<'_> for Number<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number")
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<T, E> {
        T::ranged(number as f64).map_err(E::custom)
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<T, E> {
        T::ranged(number as f64).map_err(E::custom)
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<T, E> {
        T::ranged(number).map_err(E::custom)
    }
}

macro_rules! ranged {
    ($($(#[$doc:meta])* $name:ident($inner:ty), $holds:expr, $rule:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
        pub struct $name(
            /// The number.
            pub $inner,
        );

        impl Ranged for $name {
            fn ranged(number: f64) -> Result<$name, RangeError> {
                let holds: fn(f64) -> bool = $holds;
                if holds(number) { Ok($name(number as $inner)) } else { Err(RangeError($rule)) }
            }
        }

        impl FromStr for $name {
            type Err = RangeError;

            fn from_str(text: &str) -> Result<$name, RangeError> {
                text.parse().map_err(|_| RangeError($rule)).and_then($name::ranged)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<$name, D::Error> {
                deserializer.deserialize_any(Number(PhantomData))
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
