//! Price sheets: what tokens cost in money and in time (`cost.usd` and `latency.*`).

mod list;

use std::fmt::Display;
use std::num::NonZeroU64;
use std::path::Path;

use serde::{Deserialize, Deserializer};

use crate::config;
use crate::error::Result;
use crate::ident::{self, Digest};
use crate::unit::{Millis, Tokens, Usd};

/// A price sheet as its file has it. Types hold the rules, so that an error points at the value.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Sheet {
    #[serde(deserialize_with = "name")]
    name: String,
    #[serde(rename = "currency")]
    _currency: Currency,
    model: Prices,
    summarizer: Option<Prices>,
    cache: CacheRules,
    latency: Latency,
}

#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
enum Currency {
    #[serde(rename = "USD")]
    Dollars,
}

/// Dollars per million tokens of one model.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Prices {
    #[serde(deserialize_with = "not_negative")]
    input: f64,
    #[serde(deserialize_with = "not_negative")]
    cached_input: f64,
    #[serde(deserialize_with = "not_negative")]
    cache_write: f64,
    #[serde(deserialize_with = "not_negative")]
    output: f64,
}

/// How a provider's prefix cache works.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct CacheRules {
    /// How long a prefix can be read after its time was last set, to the millisecond.
    #[serde(rename = "ttl-seconds", deserialize_with = "seconds")]
    pub ttl: Millis,
    /// Tokens are read and written in whole blocks of this many.
    #[serde(rename = "block-tokens", deserialize_with = "some")]
    pub block: Tokens,
    /// The shortest prefix that is kept.
    #[serde(rename = "minimum-tokens")]
    pub minimum: Tokens,
    /// Whether reading a prefix sets its time anew, or only writing does.
    pub refreshes_on_read: bool,
}

/// Rates from which the duration of a call is modelled.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Latency {
    #[serde(deserialize_with = "not_negative")]
    base_milliseconds: f64,
    #[serde(deserialize_with = "rate")]
    prefill_tokens_per_second: f64,
    #[serde(deserialize_with = "rate")]
    cached_prefill_tokens_per_second: f64,
    #[serde(deserialize_with = "rate")]
    generation_tokens_per_second: f64,
}

fn name<'de, D: Deserializer<'de>>(value: D) -> Result<String, D::Error> {
    let name = String::deserialize(value)?;
    let rule = "is not a name: use lower-case letters, digits, `-`, `.` and `_`";
    if ident::is_name(&name) { Ok(name) } else { Err(broken(&name, rule)) }
}

fn not_negative<'de, D: Deserializer<'de>>(value: D) -> Result<f64, D::Error> {
    match f64::deserialize(value)? {
        number if !number.is_finite() => Err(broken(&number, "is not finite")),
        number if number < 0.0 => Err(broken(&number, "is negative")),
        number => Ok(number),
    }
}

fn rate<'de, D: Deserializer<'de>>(value: D) -> Result<f64, D::Error> {
    let number = not_negative(value)?;
    let rule = "is not above 0: where no time passes, write a very large rate";
    if number > 0.0 { Ok(number) } else { Err(broken(&number, rule)) }
}

fn seconds<'de, D: Deserializer<'de>>(value: D) -> Result<Millis, D::Error> {
    Ok(Millis((not_negative(value)? * 1e3).round() as u64))
}

fn some<'de, D: Deserializer<'de>>(value: D) -> Result<Tokens, D::Error> {
    Ok(Tokens(NonZeroU64::deserialize(value)?.get()))
}

fn broken<E: serde::de::Error>(value: &dyn Display, rule: &str) -> E {
    E::custom(format!("`{value}` {rule}"))
}

/// What one call costs, by what its tokens were.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CostParts {
    /// Prompt tokens that were neither read from the cache nor written to it.
    pub uncached: Usd,
    /// Prompt tokens read from the cache.
    pub cached: Usd,
    /// Prompt tokens written to the cache.
    pub written: Usd,
    /// Tokens of the answer.
    pub output: Usd,
}

impl Prices {
    fn cost(&self, prompt: Tokens, cached: Tokens, written: Tokens, output: Tokens) -> Usd {
        // Not the sum of the parts: its last digits would be others.
        let plain = prompt - cached - written;
        let millionths = plain.as_f64() * self.input
            + cached.as_f64() * self.cached_input
            + written.as_f64() * self.cache_write
            + output.as_f64() * self.output;
        Usd(millionths / 1e6)
    }
}

/// A valid price sheet: no price is negative, no rate is zero.
#[derive(Clone, Debug, PartialEq)]
pub struct PriceSheet {
    digest: Digest,
    text: String,
    sheet: Sheet,
}

impl PriceSheet {
    /// The example sheet that ships with the binary: no vendor's prices.
    pub fn embedded() -> PriceSheet {
        let text = include_str!("../prices.toml");
        // OK because the text is part of the binary and a test parses it.
        PriceSheet::parse("embedded:prices.toml", text).expect("the shipped price sheet is valid")
    }

    /// Reads a sheet. Errors name the key, the value and the rule it breaks.
    pub fn load(path: &Path) -> Result<PriceSheet> {
        PriceSheet::parse(&path.display().to_string(), &config::text(path)?)
    }

    /// As [`PriceSheet::load`], from the text of the file that it names.
    pub fn parse(file: &str, text: &str) -> Result<PriceSheet> {
        let sheet = config::parse("price sheet", file, text)?;
        Ok(PriceSheet { digest: Digest::of(text.as_bytes()), text: text.to_owned(), sheet })
    }

    /// The name that reports show beside every amount.
    pub fn name(&self) -> &str {
        &self.sheet.name
    }

    /// The text of its file.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Of the sheet's text, for the manifest.
    pub fn digest(&self) -> &Digest {
        &self.digest
    }

    /// How the provider's prefix cache works.
    pub(crate) fn cache(&self) -> CacheRules {
        self.sheet.cache
    }

    /// Generated tokens per second.
    pub fn generation_rate(&self) -> f64 {
        self.sheet.latency.generation_tokens_per_second
    }

    /// Price of one call of the agent's model. The prompt holds the cached and the written tokens.
    pub fn cost(&self, prompt: Tokens, cached: Tokens, written: Tokens, output: Tokens) -> Usd {
        self.sheet.model.cost(prompt, cached, written, output)
    }

    /// The same, by what the tokens were.
    pub fn parts(
        &self,
        prompt: Tokens,
        cached: Tokens,
        written: Tokens,
        output: Tokens,
    ) -> CostParts {
        let prices = &self.sheet.model;
        let part = |tokens: Tokens, price: f64| Usd(tokens.as_f64() * price / 1e6);
        CostParts {
            uncached: part(prompt - cached - written, prices.input),
            cached: part(cached, prices.cached_input),
            written: part(written, prices.cache_write),
            output: part(output, prices.output),
        }
    }

    /// Price of one call of the model that answers summary requests. It writes no cache.
    pub fn summarizer_cost(&self, prompt: Tokens, cached: Tokens, output: Tokens) -> Usd {
        let prices = self.sheet.summarizer.unwrap_or(self.sheet.model);
        prices.cost(prompt, cached, Tokens::ZERO, output)
    }

    /// Modelled time that the agent waits for one call, to the millisecond.
    pub fn blocking(&self, prompt: Tokens, cached: Tokens, output: Tokens) -> Millis {
        let rates = &self.sheet.latency;
        let plain = (prompt - cached).as_f64() / rates.prefill_tokens_per_second;
        let read = cached.as_f64() / rates.cached_prefill_tokens_per_second;
        let generation = 1e3 * output.as_f64() / self.generation_rate();
        let before_output = rates.base_milliseconds + 1e3 * (plain + read);
        Millis((before_output + generation).round() as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;

    const SHIPPED: &str = include_str!("../prices.toml");

    #[test]
    fn the_shipped_sheet_says_that_it_is_an_example() {
        let sheet = PriceSheet::embedded();
        assert_eq!(sheet.name(), "example-2026");
        let (ttl, block, minimum) = (Millis(300_000), Tokens(1), Tokens(1024));
        let rules = CacheRules { ttl, block, minimum, refreshes_on_read: true };
        assert_eq!(sheet.cache(), rules);
        assert_eq!(sheet.digest(), PriceSheet::embedded().digest());
    }

    #[test]
    fn a_call_costs_its_tokens_at_their_prices() {
        for (tokens, expected) in crate::cases::<([u64; 4], f64)>("costs") {
            let [prompt, cached, written, output] = tokens.map(Tokens);
            let parts = PriceSheet::embedded().parts(prompt, cached, written, output);
            let sum = parts.uncached.0 + parts.cached.0 + parts.written.0 + parts.output.0;
            for found in [PriceSheet::embedded().cost(prompt, cached, written, output).0, sum] {
                assert!((found - expected).abs() < 1e-12, "{found} is not {expected}");
            }
        }
    }

    #[test]
    fn a_summarizer_may_have_prices_of_its_own() {
        let text = SHIPPED.replace(
            "# [summarizer]",
            "[summarizer]\ninput = 1\ncached-input = 1\ncache-write = 1\noutput = 3",
        );
        let sheet = PriceSheet::parse("p.toml", &text).expect("a valid sheet");
        let million = Tokens(1_000_000);
        for (sheet, expected) in [(&sheet, Usd(4.0)), (&PriceSheet::embedded(), Usd(12.0))] {
            assert_eq!(sheet.summarizer_cost(million, Tokens::ZERO, million), expected);
            assert_eq!(sheet.cost(million, Tokens::ZERO, Tokens::ZERO, million), Usd(12.0));
        }
    }

    #[test]
    fn a_call_blocks_for_its_prefill_and_its_output() {
        for (tokens, expected) in crate::cases::<([u64; 3], u64)>("blocking") {
            let [prompt, cached, output] = tokens.map(Tokens);
            let found = PriceSheet::embedded().blocking(prompt, cached, output);
            assert_eq!(found, Millis(expected), "{tokens:?}");
        }
    }

    #[test]
    fn what_breaks_a_rule_is_pointed_at() {
        for [line, bad, at, rule] in crate::cases::<[String; 4]>("broken-sheets") {
            let text = SHIPPED.replacen(&line, &bad, 1);
            let error = PriceSheet::parse("p.toml", &text).expect_err(&bad);
            let Error::Toml { span, rule: found, hint, .. } = error else { panic!("{error}") };
            assert!(found.starts_with(&rule), "{bad}: {found}");
            assert_eq!(text[span], at, "{bad}");
            let neighbour = (at == "outputs").then_some("did you mean `output`?");
            assert_eq!(hint.as_deref().filter(|_| at != "\"EUR\""), neighbour);
        }
    }
}
