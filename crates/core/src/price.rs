//! Price sheets: what tokens cost in money and in time (`cost.usd` and
//! `latency.*`).

mod file;

use std::path::Path;

use crate::cache::CacheRules;
use crate::error::{Error, Result};
use crate::ident::Digest;
use crate::unit::{Millis, Tokens, Usd};

/// Dollars per million tokens of one model.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Prices {
    input: f64,
    cached_input: f64,
    cache_write: f64,
    output: f64,
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
    fn parts(&self, prompt: Tokens, cached: Tokens, written: Tokens, output: Tokens) -> CostParts {
        let part = |tokens: Tokens, price: f64| Usd(tokens.as_f64() * price / 1e6);
        CostParts {
            uncached: part(prompt - cached - written, self.input),
            cached: part(cached, self.cached_input),
            written: part(written, self.cache_write),
            output: part(output, self.output),
        }
    }

    fn cost(&self, prompt: Tokens, cached: Tokens, written: Tokens, output: Tokens) -> Usd {
        let plain = prompt - cached - written;
        let millionths = plain.as_f64() * self.input
            + cached.as_f64() * self.cached_input
            + written.as_f64() * self.cache_write
            + output.as_f64() * self.output;
        Usd(millionths / 1e6)
    }
}

/// Rates from which the duration of a call is modelled. All rates are positive.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Latency {
    base_milliseconds: f64,
    prefill: f64,
    cached_prefill: f64,
    generation: f64,
}

impl Latency {
    /// Milliseconds until the first token is generated.
    fn before_output(&self, prompt: Tokens, cached: Tokens) -> f64 {
        let plain = (prompt - cached).as_f64() / self.prefill;
        let read = cached.as_f64() / self.cached_prefill;
        self.base_milliseconds + 1e3 * (plain + read)
    }
}

/// The tokens of one call that its duration depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// All tokens of the prompt.
    pub prompt: Tokens,
    /// Of these, read from the cache.
    pub cached: Tokens,
    /// Generated.
    pub output: Tokens,
}

/// A valid price sheet: no price is negative, no rate is zero.
#[derive(Clone, Debug, PartialEq)]
pub struct PriceSheet {
    name: String,
    digest: Digest,
    model: Prices,
    summarizer: Prices,
    cache: CacheRules,
    latency: Latency,
}

impl PriceSheet {
    /// The example sheet that ships with the binary: no vendor's prices.
    pub fn embedded() -> PriceSheet {
        let text = include_str!("../../../scenarios/prices.toml");
        // OK because the text is part of the binary and a test parses it.
        PriceSheet::parse("embedded:prices.toml", text).expect("the shipped price sheet is valid")
    }

    /// Reads a sheet. Errors name the key, the value and the rule it breaks.
    pub fn load(path: &Path) -> Result<PriceSheet> {
        let text =
            std::fs::read_to_string(path).map_err(|source| Error::io("read", path, source))?;
        PriceSheet::parse(&path.display().to_string(), &text)
    }

    /// As [`PriceSheet::load`], from the text of the file that it names.
    pub fn parse(file: &str, text: &str) -> Result<PriceSheet> {
        file::parse(file, text)
    }

    /// The name that reports show beside every amount.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Of the sheet's text, for the manifest.
    pub fn digest(&self) -> &Digest {
        &self.digest
    }

    /// How the provider's prefix cache works.
    pub fn cache(&self) -> CacheRules {
        self.cache
    }

    /// Generated tokens per second.
    pub fn generation_rate(&self) -> f64 {
        self.latency.generation
    }

    /// Price of one call of the agent's model. The prompt holds the cached and the
    /// written tokens.
    pub fn cost(&self, prompt: Tokens, cached: Tokens, written: Tokens, output: Tokens) -> Usd {
        self.model.cost(prompt, cached, written, output)
    }

    /// The same, by what the tokens were.
    pub fn parts(
        &self,
        prompt: Tokens,
        cached: Tokens,
        written: Tokens,
        output: Tokens,
    ) -> CostParts {
        self.model.parts(prompt, cached, written, output)
    }

    /// Price of one call of the model that answers summary requests.
    pub fn summarizer_cost(
        &self,
        prompt: Tokens,
        cached: Tokens,
        written: Tokens,
        output: Tokens,
    ) -> Usd {
        self.summarizer.cost(prompt, cached, written, output)
    }

    /// Modelled time that the agent waits for one call, to the millisecond.
    pub fn blocking(&self, prompt: Tokens, cached: Tokens, output: Tokens) -> Millis {
        let generation = 1e3 * output.as_f64() / self.latency.generation;
        Millis((self.latency.before_output(prompt, cached) + generation).round() as u64)
    }

    /// Tokens per second at which a call would take exactly the target. `None`
    /// where the prompt alone takes as long: no rate is fast enough.
    pub fn generation_rate_for(&self, target_seconds: f64, call: Call) -> Option<f64> {
        let left = target_seconds - self.latency.before_output(call.prompt, call.cached) / 1e3;
        (left > 0.0).then(|| call.output.as_f64() / left)
    }

    /// The rate at which this share of the calls (0.95 for p95) stays within the
    /// target: by nearest rank the quantile of the calls' own rates. `None` without
    /// calls, or where no rate is fast enough for so many.
    pub fn generation_rate_for_share(
        &self,
        target_seconds: f64,
        share: f64,
        calls: &[Call],
    ) -> Option<f64> {
        let needed = |call: &Call| self.generation_rate_for(target_seconds, *call);
        let mut rates: Vec<f64> =
            calls.iter().map(|call| needed(call).unwrap_or(f64::INFINITY)).collect();
        rates.sort_by(f64::total_cmp);
        let rank = (share * rates.len() as f64).ceil() as usize;
        rates.get(rank.max(1) - 1).copied().filter(|rate| rate.is_finite())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> PriceSheet {
        PriceSheet::embedded()
    }

    #[test]
    fn the_shipped_sheet_says_that_it_is_an_example() {
        let sheet = example();
        assert_eq!(sheet.name(), "example-2026");
        assert_eq!(
            sheet.cache(),
            CacheRules {
                ttl: Millis(300_000),
                block: Tokens(1),
                minimum: Tokens(1024),
                refreshes_on_read: true,
            }
        );
        assert_eq!(sheet.model, sheet.summarizer);
        assert_eq!(sheet.digest(), example().digest());
    }

    #[test]
    fn a_call_costs_its_tokens_at_their_prices() {
        let cost = |prompt, cached, written, output| {
            example().cost(Tokens(prompt), Tokens(cached), Tokens(written), Tokens(output)).0
        };
        const MILLION: u64 = 1_000_000;
        for (found, expected) in [
            (cost(0, 0, 0, 0), 0.0),
            (cost(MILLION, 0, 0, 0), 2.0),
            (cost(MILLION, MILLION, 0, 0), 0.2),
            (cost(MILLION, 0, MILLION, 0), 2.5),
            (cost(0, 0, 0, MILLION), 10.0),
            (cost(100_000, 60_000, 30_000, 1_000), 0.117),
        ] {
            assert!((found - expected).abs() < 1e-12, "{found} is not {expected}");
        }
    }

    #[test]
    fn the_parts_of_a_call_are_its_price() {
        for (prompt, cached, written, output) in
            [(0, 0, 0, 0), (100_000, 60_000, 30_000, 1_000), (90_000, 90_000, 0, 7)]
        {
            let call = (Tokens(prompt), Tokens(cached), Tokens(written), Tokens(output));
            let parts = example().parts(call.0, call.1, call.2, call.3);
            let sum = parts.uncached.0 + parts.cached.0 + parts.written.0 + parts.output.0;
            let whole = example().cost(call.0, call.1, call.2, call.3).0;
            assert!((sum - whole).abs() < 1e-12, "{sum} is not {whole}");
        }
        let parts = example().parts(Tokens(100_000), Tokens(60_000), Tokens(30_000), Tokens(1_000));
        let found = [parts.uncached, parts.cached, parts.written, parts.output].map(|part| part.0);
        for (found, expected) in found.into_iter().zip([0.02, 0.012, 0.075, 0.01]) {
            assert!((found - expected).abs() < 1e-12, "{found} is not {expected}");
        }
    }

    #[test]
    fn a_summarizer_may_have_prices_of_its_own() {
        let text = include_str!("../../../scenarios/prices.toml").replace(
            "# [summarizer]",
            "[summarizer]\ninput = 1\ncached-input = 1\ncache-write = 1\noutput = 3",
        );
        let sheet = PriceSheet::parse("p.toml", &text).expect("a valid sheet");
        let million = Tokens(1_000_000);
        let cost = sheet.summarizer_cost(million, Tokens::ZERO, Tokens::ZERO, million);
        assert_eq!(cost, Usd(4.0));
        assert_eq!(sheet.cost(million, Tokens::ZERO, Tokens::ZERO, million), Usd(12.0));
    }

    #[test]
    fn a_call_blocks_for_its_prefill_and_its_output() {
        for (prompt, cached, output, expected) in [
            (0, 0, 0, 500),
            (10_000, 0, 0, 2_500),
            (10_000, 10_000, 0, 700),
            (0, 0, 600, 10_500),
            (10_000, 5_000, 1, 1_617),
        ] {
            let found = example().blocking(Tokens(prompt), Tokens(cached), Tokens(output));
            assert_eq!(found, Millis(expected), "{prompt}, {cached}, {output}");
        }
    }

    fn call(prompt: u64, output: u64) -> Call {
        Call { prompt: Tokens(prompt), cached: Tokens::ZERO, output: Tokens(output) }
    }

    #[test]
    fn the_rate_for_five_seconds_makes_a_call_take_five_seconds() {
        for (call, expected) in [
            (call(10_000, 500), Some(200.0)),
            (call(10_000, 0), Some(0.0)),
            (call(22_500, 500), None),
            (call(90_000, 500), None),
        ] {
            assert_eq!(example().generation_rate_for(5.0, call), expected, "{call:?}");
        }
        let text = include_str!("../../../scenarios/prices.toml");
        let text = text
            .replace("generation-tokens-per-second = 60.0", "generation-tokens-per-second = 200");
        let sheet = PriceSheet::parse("p.toml", &text).expect("a valid sheet");
        assert_eq!(sheet.blocking(Tokens(10_000), Tokens::ZERO, Tokens(500)), Millis(5_000));
    }

    #[test]
    fn a_share_of_calls_needs_the_rate_of_its_slowest() {
        let mut calls: Vec<Call> = (1..=20).map(|tenth| call(10_000, 250 * tenth)).collect();
        calls.reverse();
        let rate = |share, calls: &[Call]| example().generation_rate_for_share(5.0, share, calls);
        assert_eq!(rate(0.95, &calls), Some(1900.0));
        assert_eq!(rate(1.0, &calls), Some(2000.0));
        assert_eq!(rate(0.0, &calls), Some(100.0));
        assert_eq!(rate(0.95, &[]), None);
        calls[19] = call(90_000, 1);
        assert_eq!(rate(0.95, &calls), Some(2000.0), "the slowest 5 % may be too slow");
        assert_eq!(rate(1.0, &calls), None);
    }

    #[test]
    fn a_missing_file_is_named() {
        let error = PriceSheet::load(Path::new("no/such.toml")).expect_err("no such file");
        assert!(error.to_string().starts_with("failed to read `no/such.toml`"), "{error}");
    }
}
