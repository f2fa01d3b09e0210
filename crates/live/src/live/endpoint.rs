//! Where a model is asked, and on what terms.

use crate::config;
use crate::live::api_key::ApiKey;
use crate::live::value::{BaseUrl, Concurrency, Dollars, Positive, Seconds, Temperature};
use crate::prelude::*;

/// An endpoint that speaks the chat-completions protocol: a TOML file, flags, or both.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Endpoint {
    /// The address that `/chat/completions` is appended to; needed to ask, not to replay.
    pub base_url: Option<BaseUrl>,
    /// The model that is asked where nothing else is said.
    pub model: Option<String>,
    /// Models by the name that a stage's strategy or a profile has for its own.
    pub models: BTreeMap<String, String>,
    /// Sampling temperature.
    pub temperature: Temperature,
    /// Sampling seed of the first replicate; each further one has the next.
    pub seed: u64,
    /// Largest prompt plus answer in reference tokens: larger requests are refused here.
    pub window: Positive,
    /// Most tokens of an answer.
    pub max_output: Positive,
    /// The parameter that says how long an answer may be.
    pub limit_key: LimitKey,
    /// Parameters that the endpoint refuses and that are left out.
    pub omit: BTreeSet<Omitted>,
    /// Calls in flight at once.
    pub concurrency: Concurrency,
    /// Calls that may begin in a minute.
    pub requests_per_minute: Option<Positive>,
    /// Prompt tokens, and tokens that answers may have, that may be sent in a minute.
    pub tokens_per_minute: Option<Positive>,
    /// How often a call is made again after a failure that may pass.
    pub retries: u8,
    /// How long is waited for what.
    pub time_out: TimeOuts,
    /// How long is waited before a call is made again.
    pub backoff: Backoff,
    /// What a run may take.
    pub budget: Budget,
    /// What tokens cost here.
    pub price: Option<Price>,
    /// The key that opens it; never from a file.
    #[serde(skip)]
    pub key: Option<ApiKey>,
    /// Whether recorded failures are asked again.
    #[serde(skip)]
    pub retry_failures: bool,
}

/// The name of the parameter that limits an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LimitKey {
    /// `max_tokens`: what nearly every endpoint takes.
    #[default]
    MaxTokens,
    /// `max_completion_tokens`: what OpenAI's newer models want.
    MaxCompletionTokens,
}

/// A parameter that can be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Omitted {
    /// `temperature`.
    Temperature,
    /// `seed`.
    Seed,
}

/// How long is waited.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct TimeOuts {
    /// For a connection.
    pub connect: Seconds,
    /// For the first byte of an answer, which comes when the model is done.
    pub first_byte: Seconds,
    /// For the whole of one attempt.
    pub total: Seconds,
}

impl Default for TimeOuts {
    fn default() -> TimeOuts {
        TimeOuts { connect: Seconds(10.0), first_byte: Seconds(600.0), total: Seconds(600.0) }
    }
}

/// Waits between attempts: each is drawn between nothing and a bound that doubles.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Backoff {
    /// The first bound.
    pub first: Seconds,
    /// The largest bound, also of what a server asks for with `Retry-After`.
    pub longest: Seconds,
}

impl Default for Backoff {
    fn default() -> Backoff {
        Backoff { first: Seconds(1.0), longest: Seconds(60.0) }
    }
}

/// What one run may take; it stops before it takes more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Budget {
    /// HTTP requests, repeated ones among them.
    pub max_calls: Option<u64>,
    /// Dollars, by [`Price`].
    pub max_usd: Option<Dollars>,
}

/// Dollars per million tokens.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Price {
    /// Of a prompt.
    #[serde(rename = "in")]
    pub input: Dollars,
    /// Of what of a prompt is read from the cache; as the prompt where absent.
    #[serde(default)]
    pub cached: Option<Dollars>,
    /// Of an answer.
    pub out: Dollars,
}

impl Price {
    /// What so many tokens cost; the cached ones are part of the prompt.
    pub fn of(&self, prompt: u64, cached: u64, out: u64) -> f64 {
        let cached = cached.min(prompt);
        let read = self.cached.unwrap_or(self.input).0 * cached as f64;
        (self.input.0 * (prompt - cached) as f64 + read + self.out.0 * out as f64) / 1e6
    }
}

impl Default for Endpoint {
    fn default() -> Endpoint {
        Endpoint {
            base_url: None,
            model: None,
            models: BTreeMap::new(),
            temperature: Temperature(0.0),
            seed: 1,
            window: Positive(128_000),
            max_output: Positive(8_192),
            limit_key: LimitKey::default(),
            omit: BTreeSet::new(),
            concurrency: Concurrency(8),
            requests_per_minute: None,
            tokens_per_minute: None,
            retries: 5,
            time_out: TimeOuts::default(),
            backoff: Backoff::default(),
            budget: Budget::default(),
            price: None,
            key: None,
            retry_failures: false,
        }
    }
}

impl Endpoint {
    /// Reads an endpoint file. Errors as for [`Endpoint::parse`].
    pub fn load(path: &Path) -> Result<Endpoint> {
        Endpoint::parse(&path.display().to_string(), &config::text(path)?)
    }

    /// Parses an endpoint file. An error names the place; where something like a key stands,
    /// it has none of its words.
    pub fn parse(file: &str, text: &str) -> Result<Endpoint> {
        if let Some(line) = text.lines().position(holds_a_key) {
            return Err(refused(
                format!("{file}:{}", line + 1),
                "a key must not stand in an endpoint file",
                "`--api-key-env VAR` or `--api-key-file FILE` names it",
            ));
        }
        config::parse("endpoint", file, text).map_err(masked)
    }

    /// The endpoint of one of several parts that are driven at once: its share of the budget and of
    /// the rates. An error where a part would have no call.
    pub fn divided(mut self, of: u32) -> Result<Endpoint> {
        let of = u64::from(of.max(1));
        let Budget { max_calls, max_usd } = &mut self.budget;
        if let Some(calls) = max_calls.filter(|calls| *calls < of) {
            let rule = format!("{calls} calls are less than one for each of {of} parts");
            return Err(refused("budget.max-calls", rule, "allow more calls, or make fewer parts"));
        }
        *max_calls = max_calls.map(|calls| calls / of);
        *max_usd = max_usd.map(|Dollars(all)| Dollars(all / of as f64));
        for rate in [&mut self.requests_per_minute, &mut self.tokens_per_minute] {
            *rate = rate.map(|Positive(rate)| Positive((rate / of).max(1)));
        }
        Ok(self)
    }

    /// What of it decides answers. An error where no model is named, or where dollars are
    /// limited and no price is given.
    pub fn terms(&self) -> Result<Terms> {
        let Some(model) = self.model.clone().filter(|model| !model.is_empty()) else {
            let hint = "`--model NAME`, or `model` in the endpoint file";
            return Err(refused("model", "no model is named", hint));
        };
        if self.budget.max_usd.is_some() && self.price.is_none() {
            return Err(refused(
                "budget.max-usd",
                "dollars cannot be counted without prices",
                "`[price]` in the endpoint file: in, cached, out",
            ));
        }
        Ok(Terms {
            model,
            models: self.models.clone(),
            temperature: self.temperature.0,
            seed: self.seed,
            window: Tokens(self.window.0),
            max_output: Tokens(self.max_output.0),
            omit: self.omit.clone(),
        })
    }
}

impl From<&Terms> for Endpoint {
    /// An endpoint of these terms, to replay what was recorded on them.
    fn from(terms: &Terms) -> Endpoint {
        Endpoint {
            model: Some(terms.model.clone()),
            models: terms.models.clone(),
            temperature: Temperature(terms.temperature),
            seed: terms.seed,
            window: Positive(terms.window.0),
            max_output: Positive(terms.max_output.0),
            omit: terms.omit.clone(),
            ..Endpoint::default()
        }
    }
}

/// An error that shows no value: a key may stand in any place where none belongs.
fn masked(mut error: Error) -> Error {
    if let Error::Toml { text, rule, .. } = &mut error {
        for word in text.lines().flat_map(values) {
            *rule = rule.replace(word.trim_end_matches(BETWEEN), "…");
        }
        let lines: Vec<String> = text.split('\n').map(masked_line).collect();
        *text = lines.join("\n");
    }
    error
}

/// What stands between values.
const BETWEEN: [char; 8] = [' ', '"', '\'', ',', '{', '}', '[', ']'];

/// The long words of a line that are no key of the table and no number.
fn values(line: &str) -> impl Iterator<Item = &str> {
    let is_head = line.trim_start().starts_with('[');
    let name = line.find('=').unwrap_or(if is_head { line.len() } else { 0 });
    let words = line[name..].split_inclusive(BETWEEN);
    words.filter(|word| word.len() >= 8 && word.parse::<f64>().is_err())
}

/// The line as long as it was, with long words that are no key of the table hidden.
fn masked_line(line: &str) -> String {
    let mut masked = line.to_owned();
    for word in values(line) {
        masked = masked.replace(word, &"*".repeat(word.len()));
    }
    masked
}

/// Whether a line sets something that is called as keys are, or an address with a user name.
fn holds_a_key(line: &str) -> bool {
    let Some((name, value)) = line.split_once('=') else { return false };
    let host = value.split_once("://").and_then(|(_, rest)| rest.split('/').next());
    if host.is_some_and(|host| host.contains('@')) {
        return true;
    }
    let letters = name.chars().filter(char::is_ascii_alphanumeric);
    let name: String = letters.map(|letter| letter.to_ascii_lowercase()).collect();
    let words = ["apikey", "secret", "password", "auth", "bearer", "accesstoken", "apitoken"];
    let words = words.iter().chain(&["credential", "header"]);
    words.into_iter().any(|word| name.contains(word))
        || name.ends_with("key") && name != "limitkey"
        || name == "token"
}

/// What of an endpoint decides answers: an input of the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Terms {
    /// The model that is asked where nothing else is said.
    pub model: String,
    /// Models by the name of a strategy, or the name that a profile has for its own.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub models: BTreeMap<String, String>,
    /// Sampling temperature.
    pub temperature: f64,
    /// Sampling seed of the first replicate.
    pub seed: u64,
    /// Largest prompt plus answer.
    pub window: Tokens,
    /// Most tokens of an answer.
    pub max_output: Tokens,
    /// Parameters that were left out.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub omit: BTreeSet<Omitted>,
}

impl Terms {
    /// The model that is asked for what a request names.
    pub fn model_for<'a>(&'a self, named: Option<&'a str>) -> &'a str {
        named.map_or(&self.model, |name| self.models.get(name).map_or(name, String::as_str))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endpoint_file_says_everything_but_the_key() {
        let text = r#"
            base-url = "http://127.0.0.1:8080/v1/"
            model = "large"
            temperature = 0.5
            seed = 7
            window = 32768
            max-output = 2048
            limit-key = "max_completion_tokens"
            omit = ["seed"]
            concurrency = 64
            requests-per-minute = 600
            tokens-per-minute = 100000
            retries = 2
            models = { forge-threshold = "small" }
            time-out = { connect = 2, first-byte = 30.5, total = 60 }
            backoff = { first = 0.25, longest = 20 }
            budget = { max-calls = 100, max-usd = 1.5 }
            price = { in = 2, cached = 0.5, out = 8 }
        "#;
        let endpoint = Endpoint::parse("e.toml", text).unwrap_or_else(|error| panic!("{error}"));
        let terms = endpoint.terms().unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(terms.model_for(None), "large");
        assert_eq!(terms.model_for(Some("forge-threshold")), "small");
        assert_eq!(terms.model_for(Some("its-own")), "its-own");
        let price = endpoint.price.expect("it is given");
        assert!((price.of(1_000_000, 400_000, 500_000) - 5.4).abs() < 1e-12);
    }

    #[test]
    fn what_is_wrong_is_pointed_at() {
        for (text, place, expected) in crate::cases::<(String, String, String)>("endpoints") {
            let Err(Error::Toml { span, rule, .. }) = Endpoint::parse("e.toml", &text) else {
                panic!("`{text}` is taken, or its place is not known");
            };
            assert!(rule.contains(&expected), "{text}: {rule}");
            assert!(text[span.clone()].starts_with(&place), "{text}: {:?}", &text[span]);
        }
    }

    #[test]
    fn a_key_in_the_file_is_refused_and_not_shown() {
        for line in crate::cases::<String>("keys") {
            let Err(error) = Endpoint::parse("e.toml", &format!("model = \"m\"\n{line}\n")) else {
                panic!("`{line}` is taken");
            };
            assert!(matches!(error, Error::Invalid { .. }), "{line}");
            assert!(error.to_string().starts_with("e.toml:2"), "{error}");
            assert!(!error.to_string().contains("sk-1"), "{error}");
        }
    }

    #[test]
    fn a_part_has_its_share_of_the_budget_and_of_the_rates() {
        let text = "model = 'm'\nrequests-per-minute = 10\ntokens-per-minute = 1000\n\
                    budget = { max-calls = 100, max-usd = 1.5 }";
        let whole = || Endpoint::parse("e.toml", text).unwrap_or_else(|error| panic!("{error}"));
        let part = whole().divided(3).unwrap_or_else(|error| panic!("{error}"));
        let budget = Budget { max_calls: Some(33), max_usd: Some(Dollars(0.5)) };
        assert_eq!((part.budget, part.requests_per_minute), (budget, Some(Positive(3))));
        assert_eq!(part.tokens_per_minute, Some(Positive(333)));
        assert!(whole().divided(101).is_err());
    }

    #[test]
    fn dollars_need_prices_and_requests_a_model() {
        let budget = Budget { max_usd: Some(Dollars(1.0)), ..Budget::default() };
        let model = Some("m".to_owned());
        let endpoint = Endpoint { model, budget, ..Endpoint::default() };
        assert!(endpoint.terms().is_err());
        assert!(Endpoint { model: None, ..Endpoint::default() }.terms().is_err());
    }
}
