//! Values of an endpoint, checked where they are read, in files and flags alike.

use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Deserializer, de};

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

impl FromStr for BaseUrl {
    type Err = String;

    fn from_str(text: &str) -> Result<BaseUrl, String> {
        let url = reqwest::Url::parse(text).map_err(|error| format!("no address: {error}"))?;
        if !["http", "https"].contains(&url.scheme()) || !url.has_host() {
            return Err("an address begins with http:// or https://".to_owned());
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err("an address has no user name and no password in it".to_owned());
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err("an address has no parameters: `/chat/completions` is appended".to_owned());
        }
        Ok(BaseUrl(url.as_str().trim_end_matches('/').to_owned()))
    }
}

impl<'de> Deserialize<'de> for BaseUrl {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<BaseUrl, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

/// A number that a rule admits.
trait Ruled: Sized {
    /// Takes a number, or says which are taken.
    fn ruled(number: f64) -> Result<Self, String>;
}

struct Number<T>(PhantomData<T>);

impl<T: Ruled> de::Visitor<'_> for Number<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number")
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<T, E> {
        T::ruled(number as f64).map_err(E::custom)
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<T, E> {
        T::ruled(number as f64).map_err(E::custom)
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<T, E> {
        T::ruled(number).map_err(E::custom)
    }
}

macro_rules! ruled {
    ($($(#[$doc:meta])* $name:ident($inner:ty), $holds:expr, $rule:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
        pub struct $name(
            /// The number.
            pub $inner,
        );

        impl Ruled for $name {
            fn ruled(number: f64) -> Result<$name, String> {
                let holds: fn(f64) -> bool = $holds;
                if holds(number) { Ok($name(number as $inner)) } else { Err($rule.to_owned()) }
            }
        }

        impl FromStr for $name {
            type Err = String;

            fn from_str(text: &str) -> Result<$name, String> {
                text.parse().map_err(|_| $rule.to_owned()).and_then($name::ruled)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<$name, D::Error> {
                deserializer.deserialize_any(Number(PhantomData))
            }
        }
    )*};
}

ruled! {
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
