//! How often an agent does what after it has lost something, and how sure that is.

use std::sync::LazyLock;

use crate::prelude::*;
use crate::words;

words! {
    /// Where a rate comes from.
    pub enum Status {
        /// Measured on recorded sessions.
        Measured = "measured",
        /// Measured by another source.
        External = "external",
        /// Nothing measures it.
        Assumed = "assumed",
    }
}

words! {
    /// Which end of every interval is taken.
    pub enum Sweep {
        Low = "low",
        Estimate = "estimate",
        High = "high",
    }
}

/// One rate, or one share.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rate {
    /// What happens, in words.
    pub about: String,
    value: f64,
    low: f64,
    high: f64,
    /// Where it comes from.
    pub status: Status,
    /// Cases behind it, where there are any.
    #[serde(default)]
    pub n: Option<u32>,
}

impl Rate {
    /// Its value at one point of the sweep.
    pub fn at(&self, sweep: Sweep) -> f64 {
        match sweep {
            Sweep::Low => self.low,
            Sweep::Estimate => self.value,
            Sweep::High => self.high,
        }
    }
}

macro_rules! rates {
    ($($name:ident),+ $(,)?) => {
        /// All rates of the closed loop (`consequences.toml` says what each is).
        #[derive(Clone, Debug, PartialEq, Deserialize)]
        #[serde(deny_unknown_fields, rename_all = "kebab-case")]
        #[expect(missing_docs, reason = "each says in `about` what it is")]
        pub struct Consequences { $(pub $name: Rate),+ }

        impl Consequences {
            /// Each with its name, in the order of the file.
            pub fn all(&self) -> Vec<(&'static str, &Rate)> {
                vec![$((stringify!($name), &self.$name)),+]
            }
        }
    };
}

rates!(
    reread_lost,
    reread_kept,
    size_lost,
    size_kept,
    refused,
    search_lost,
    search_named,
    search_kept,
    second_search,
    retry,
    third_failure,
    violation,
    contradiction,
    correction,
);

impl Consequences {
    /// As recorded sessions and the named sources have them.
    pub fn recorded() -> &'static Consequences {
        static RECORDED: LazyLock<Consequences> = LazyLock::new(|| {
            // OK because the text is part of the binary and a test parses it.
            toml::from_str(include_str!("consequences.toml")).expect("the shipped rates are valid")
        });
        &RECORDED
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rate_is_a_share_within_its_sweep() {
        for (name, rate) in Consequences::recorded().all() {
            let [low, value, high] =
                [Sweep::Low, Sweep::Estimate, Sweep::High].map(|sweep| rate.at(sweep));
            assert!(0.0 <= low && low <= value && value <= high && high <= 1.0, "{name}");
            assert_eq!(rate.n.is_none(), rate.status == Status::Assumed, "{name}");
        }
    }
}
