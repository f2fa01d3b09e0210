//! The TOML of a price sheet, and the rules that its values keep.

use std::fmt::Display;

use serde::Deserialize;
use toml::Spanned;

use super::{Latency, PriceSheet, Prices};
use crate::cache::CacheRules;
use crate::config;
use crate::error::{Error, Result};
use crate::ident::{self, Digest};
use crate::unit::{Millis, Tokens};

const WHAT: &str = "price sheet";

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct WireSheet {
    name: Spanned<String>,
    currency: Spanned<String>,
    model: WirePrices,
    summarizer: Option<WirePrices>,
    cache: WireCache,
    latency: WireLatency,
}

/// Dollars per million tokens.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct WirePrices {
    input: Spanned<f64>,
    cached_input: Spanned<f64>,
    cache_write: Spanned<f64>,
    output: Spanned<f64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct WireCache {
    ttl_seconds: Spanned<f64>,
    block_tokens: Spanned<u64>,
    minimum_tokens: u64,
    refreshes_on_read: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct WireLatency {
    base_milliseconds: Spanned<f64>,
    prefill_tokens_per_second: Spanned<f64>,
    cached_prefill_tokens_per_second: Spanned<f64>,
    generation_tokens_per_second: Spanned<f64>,
}

pub(super) fn parse(file: &str, text: &str) -> Result<PriceSheet> {
    let wire: WireSheet = config::parse(WHAT, file, text)?;
    let rules = Rules { file, text };
    let model = rules.prices("model", &wire.model)?;
    let summarizer = match &wire.summarizer {
        Some(prices) => rules.prices("summarizer", prices)?,
        None => model,
    };
    rules.currency(&wire.currency)?;
    Ok(PriceSheet {
        name: rules.name(&wire.name)?,
        digest: Digest::of(text.as_bytes()),
        model,
        summarizer,
        cache: rules.cache(&wire.cache)?,
        latency: rules.latency(&wire.latency)?,
    })
}

/// Checks values, and draws those that break a rule at their place in the file.
struct Rules<'a> {
    file: &'a str,
    text: &'a str,
}

impl Rules<'_> {
    fn prices(&self, table: &str, wire: &WirePrices) -> Result<Prices> {
        let price = |key: &str, value| self.not_negative(&format!("{table}.{key}"), value);
        Ok(Prices {
            input: price("input", &wire.input)?,
            cached_input: price("cached-input", &wire.cached_input)?,
            cache_write: price("cache-write", &wire.cache_write)?,
            output: price("output", &wire.output)?,
        })
    }

    fn cache(&self, wire: &WireCache) -> Result<CacheRules> {
        let seconds = self.not_negative("cache.ttl-seconds", &wire.ttl_seconds)?;
        let block = *wire.block_tokens.get_ref();
        if block == 0 {
            let hint = "write 1 for a cache without blocks";
            return Err(self.broken(
                "cache.block-tokens",
                &wire.block_tokens,
                "is not above 0",
                Some(hint),
            ));
        }
        Ok(CacheRules {
            ttl: Millis((seconds * 1e3).round() as u64),
            block: Tokens(block),
            minimum: Tokens(wire.minimum_tokens),
            refreshes_on_read: wire.refreshes_on_read,
        })
    }

    fn latency(&self, wire: &WireLatency) -> Result<Latency> {
        let rate = |key: &str, value| self.positive(&format!("latency.{key}"), value);
        Ok(Latency {
            base_milliseconds: self
                .not_negative("latency.base-milliseconds", &wire.base_milliseconds)?,
            prefill: rate("prefill-tokens-per-second", &wire.prefill_tokens_per_second)?,
            cached_prefill: rate(
                "cached-prefill-tokens-per-second",
                &wire.cached_prefill_tokens_per_second,
            )?,
            generation: rate("generation-tokens-per-second", &wire.generation_tokens_per_second)?,
        })
    }

    fn name(&self, name: &Spanned<String>) -> Result<String> {
        if ident::is_name(name.get_ref()) {
            return Ok(name.get_ref().clone());
        }
        let hint = "use lower-case letters, digits, `-`, `.` and `_`";
        Err(self.broken("name", name, "is not a name", Some(hint)))
    }

    fn currency(&self, currency: &Spanned<String>) -> Result<()> {
        if currency.get_ref() == "USD" {
            return Ok(());
        }
        let hint = "convert the prices: reports show dollars";
        Err(self.broken("currency", currency, "is not `USD`", Some(hint)))
    }

    fn not_negative(&self, key: &str, value: &Spanned<f64>) -> Result<f64> {
        match *value.get_ref() {
            number if !number.is_finite() => Err(self.broken(key, value, "is not finite", None)),
            number if number < 0.0 => Err(self.broken(key, value, "is negative", None)),
            number => Ok(number),
        }
    }

    fn positive(&self, key: &str, value: &Spanned<f64>) -> Result<f64> {
        let number = self.not_negative(key, value)?;
        if number > 0.0 {
            return Ok(number);
        }
        let hint = "for a stretch that takes no time, write a very large rate";
        Err(self.broken(key, value, "is not above 0", Some(hint)))
    }

    fn broken<T: Display>(
        &self,
        key: &str,
        value: &Spanned<T>,
        rule: &str,
        hint: Option<&str>,
    ) -> Error {
        Error::Toml {
            what: WHAT,
            file: self.file.to_owned(),
            text: self.text.to_owned(),
            span: value.span(),
            rule: format!("`{key}`: `{}` {rule}", value.get_ref()),
            hint: hint.map(str::to_owned),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHIPPED: &str = include_str!("../../../../scenarios/prices.toml");

    #[test]
    fn a_bad_value_is_named_with_its_key_and_its_rule() {
        for (line, bad, at, rule) in [
            ("input = 2.0", "input = -2.0", "-2.0", "`model.input`: `-2` is negative"),
            ("output = 10.0", "output = inf", "inf", "`model.output`: `inf` is not finite"),
            (
                "cached-input = 0.2",
                "cached-input = nan",
                "nan",
                "`model.cached-input`: `NaN` is not finite",
            ),
            (
                "prefill-tokens-per-second = 5000.0",
                "prefill-tokens-per-second = 0",
                "0",
                "`latency.prefill-tokens-per-second`: `0` is not above 0",
            ),
            (
                "base-milliseconds = 500",
                "base-milliseconds = -1",
                "-1",
                "`latency.base-milliseconds`: `-1` is negative",
            ),
            (
                "block-tokens = 1 ",
                "block-tokens = 0 ",
                "0",
                "`cache.block-tokens`: `0` is not above 0",
            ),
            (
                "ttl-seconds = 300",
                "ttl-seconds = -3",
                "-3",
                "`cache.ttl-seconds`: `-3` is negative",
            ),
            ("\"USD\"", "\"EUR\"", "\"EUR\"", "`currency`: `EUR` is not `USD`"),
            (
                "\"example-2026\"",
                "\"My Sheet\"",
                "\"My Sheet\"",
                "`name`: `My Sheet` is not a name",
            ),
        ] {
            let text = SHIPPED.replacen(line, bad, 1);
            let error = parse("p.toml", &text).expect_err(bad);
            let Error::Toml { span, rule: found, .. } = error else { panic!("{bad}: {error}") };
            assert_eq!((found.as_str(), &text[span]), (rule, at));
        }
    }

    #[test]
    fn a_bad_shape_is_refused() {
        for (line, bad, rule) in [
            ("output = 10.0", "", "missing field `output`"),
            ("output = 10.0", "outputs = 10.0", "unknown field `outputs`"),
            ("# [summarizer]", "[summarizer]", "missing field `input`"),
            ("minimum-tokens = 1024", "minimum-tokens = -1", "invalid value: integer `-1`"),
            ("refreshes-on-read = true", "refreshes-on-read = 1", "invalid type: integer `1`"),
        ] {
            let text = SHIPPED.replacen(line, bad, 1);
            let error = parse("p.toml", &text).expect_err(bad);
            let Error::Toml { rule: found, .. } = error else { panic!("{bad}: {error}") };
            assert!(found.starts_with(rule), "{bad}: {found}");
        }
    }

    #[test]
    fn a_remedy_is_given_where_there_is_one() {
        for (line, bad, hint) in [
            ("\"USD\"", "\"EUR\"", Some("convert the prices: reports show dollars")),
            ("output = 10.0", "outputs = 10.0", Some("did you mean `output`?")),
            ("input = 2.0", "input = -2.0", None),
        ] {
            let error = parse("p.toml", &SHIPPED.replacen(line, bad, 1)).expect_err(bad);
            assert_eq!(error.hint(), hint);
        }
    }
}
