//! Flags of a live model, its interrupts, and what is said of its calls.

mod interrupts;
mod rehearsal;

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use crate::cli::prelude::*;
use crate::error::Broken;
use crate::matrix::{Suite, Summarizer, SummarizerName};
use crate::number::tokens;
use crate::run::{self, Plan, live};
use crate::run_dir::partition::Partition;
use crate::summarize::cassette::Cassette;
use crate::summarize::live::{
    ApiKey, BaseUrl, Concurrency, Dollars, Endpoint, Live, Positive, Temperature, Totals,
};

pub(super) use interrupts::{Interrupts, Kept};
pub(super) use rehearsal::OfSession;

const CASSETTE: &str = "cassette.jsonl";
/// Stands before a file of parameters.
const FITTED: &str = "simulated:";

/// Who answers, where it is no offline summarizer.
#[derive(Debug, Args)]
#[command(next_help_heading = "Summarizer")]
pub(super) struct LiveArguments {
    /// The summarizer in place of the suite's: extractive, empty, ..., http, or simulated:FILE with the
    /// parameters of `proctor fit`
    #[arg(long, value_name = "NAME")]
    summarizer: Option<Answering>,
    /// Draws of a stochastic summarizer, such as http, in place of the suite's
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    replicates: Option<u32>,
    /// Probe floors also where a model answers, and is paid for it
    #[arg(long)]
    probes: bool,
    #[command(flatten)]
    at: EndpointArguments,
}

/// A summarizer by name, or by the file of its parameters.
#[derive(Clone, Debug)]
enum Answering {
    Named(Summarizer),
    Fitted(PathBuf),
}

impl FromStr for Answering {
    type Err = Broken;

    fn from_str(text: &str) -> std::result::Result<Answering, Broken> {
        match text.strip_prefix(FITTED) {
            Some(path) => Ok(Answering::Fitted(PathBuf::from(path))),
            None => text.parse().map(Answering::Named),
        }
    }
}

impl fmt::Display for Answering {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Answering::Named(summarizer) => summarizer.fmt(f),
            Answering::Fitted(path) => write!(f, "{FITTED}{}", path.display()),
        }
    }
}

/// The model that answers, and where its calls are kept.
#[derive(Debug, Args)]
pub(super) struct EndpointArguments {
    /// Settings of the endpoint, as TOML; flags go before them
    #[arg(long, value_name = "FILE")]
    endpoint: Option<PathBuf>,
    /// Address that `/chat/completions` is appended to, e.g. http://127.0.0.1:8080/v1
    #[arg(long, value_name = "URL")]
    base_url: Option<BaseUrl>,
    /// The model to ask
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// Environment variable that holds the key
    #[arg(long, value_name = "VAR", conflicts_with = "api_key_file")]
    api_key_env: Option<String>,
    /// File that holds the key and nothing else
    #[arg(long, value_name = "FILE")]
    api_key_file: Option<PathBuf>,
    /// Sampling temperature [default: 0]
    #[arg(long, value_name = "T")]
    temperature: Option<Temperature>,
    /// Sampling seed of the first replicate [default: 1]
    #[arg(long, value_name = "N")]
    model_seed: Option<u64>,
    /// Largest prompt plus answer that the model takes [default: 128000]
    #[arg(long, value_name = "TOKENS")]
    model_window: Option<Positive>,
    /// Longest answer that is asked for [default: 8192]
    #[arg(long, value_name = "TOKENS")]
    max_output: Option<Positive>,
    /// Calls in flight at once [default: 8]
    #[arg(long, value_name = "N")]
    concurrency: Option<Concurrency>,
    /// Stop before more HTTP requests than these
    #[arg(long, value_name = "N")]
    max_calls: Option<u64>,
    /// Stop before more dollars than these, at the endpoint file's prices
    #[arg(long, value_name = "USD")]
    max_usd: Option<Dollars>,
    /// Where calls are recorded and found again [default: cassette.jsonl in the run directory]
    #[arg(long, value_name = "FILE")]
    cassette: Option<PathBuf>,
    /// Answer from this cassette alone, without a network
    #[arg(long, value_name = "FILE", conflicts_with = "cassette")]
    replay: Option<PathBuf>,
    /// Ask again where the cassette holds a failure
    #[arg(long, conflicts_with = "replay")]
    retry_failures: bool,
}

impl LiveArguments {
    pub(super) fn apply(&self, suite: &mut Suite) -> Result<()> {
        let named = match &self.summarizer {
            Some(Answering::Named(name)) => Some(*name),
            Some(Answering::Fitted(path)) => {
                Some(Summarizer::sound(SummarizerName::Fitted(suite.fitted.load(path)?)))
            }
            None => None,
        };
        if let Some(name) = named {
            suite.summarizer = name;
            suite.brackets.retain(|bracket| *bracket != name);
        }
        if let Some(replicates) = self.replicates {
            suite.replicates = replicates;
        }
        suite.probes = self.probes || suite.probes && suite.summarizer.name != SummarizerName::Http;
        suite.check_fitted()
    }

    /// What of it decides figures and is not in the terms of the endpoint, as words.
    pub(super) fn words(&self) -> Vec<String> {
        let summarizer = self.summarizer.as_ref().map(|name| format!("--summarizer {name}"));
        let replicates = self.replicates.map(|number| format!("--replicates {number}"));
        let probes = self.probes.then(|| "--probes".to_owned());
        summarizer.into_iter().chain(replicates).chain(probes).collect()
    }

    /// Whether the files that it names are there.
    pub(super) fn check(&self, plan: &Plan) -> Result<()> {
        if !plan.asks_a_model() {
            return self.at.unused().map_or(Ok(()), Err);
        }
        let EndpointArguments { endpoint, replay, api_key_file, .. } = &self.at;
        there([endpoint, replay, api_key_file].into_iter().flatten())
    }

    /// The model that a plan asks; none where it asks none. `out` is the run directory.
    /// One part of a run may take its share of what the whole may.
    pub(super) fn open(
        &self,
        plan: &Plan,
        out: &Path,
        resume: bool,
        part: Option<Partition>,
    ) -> Result<Option<Arc<Live>>> {
        if !plan.asks_a_model() {
            return self.at.unused().map_or(Ok(None), Err);
        }
        let own = || {
            run::is_free(out, resume)?;
            std::fs::create_dir_all(out).map_err(|source| Error::io("create", out, source))?;
            Ok(out.join(CASSETTE))
        };
        self.at.open_part(own, part.map_or(1, |part| part.of)).map(Some)
    }
}

/// Whether all files are there.
pub(super) fn there<'a>(mut files: impl Iterator<Item = &'a PathBuf>) -> Result<()> {
    files.try_for_each(|path| match std::fs::metadata(path) {
        Ok(_) => Ok(()),
        Err(source) => Err(Error::io("read", path, source)),
    })
}

impl EndpointArguments {
    /// The model, or the recording that answers for it; `own` is where calls are kept by default.
    pub(super) fn open(&self, own: impl FnOnce() -> Result<PathBuf>) -> Result<Arc<Live>> {
        self.open_part(own, 1)
    }

    /// The same for one of several parts.
    fn open_part(&self, own: impl FnOnce() -> Result<PathBuf>, of: u32) -> Result<Arc<Live>> {
        let mut endpoint = self.endpoint()?.divided(of)?;
        if let Some(path) = &self.replay {
            let cassette = Cassette::replay(path)?;
            if endpoint.model.is_none() {
                endpoint.model = only_model(&cassette)?;
            }
            return Ok(Arc::new(Live::replay(endpoint, cassette)?));
        }
        if endpoint.base_url.is_none() {
            return Err(live::no_endpoint());
        }
        endpoint.terms()?;
        endpoint.key = self.key()?;
        endpoint.retry_failures = self.retry_failures;
        let path = match &self.cassette {
            Some(path) => path.clone(),
            None => own()?,
        };
        Ok(Arc::new(Live::start(endpoint, Cassette::record(&path)?)?))
    }

    /// The endpoint file with the flags before it; without a key.
    fn endpoint(&self) -> Result<Endpoint> {
        let mut endpoint = match &self.endpoint {
            Some(path) => Endpoint::load(path)?,
            None => Endpoint::default(),
        };
        put(&mut endpoint.temperature, self.temperature);
        put(&mut endpoint.seed, self.model_seed);
        put(&mut endpoint.window, self.model_window);
        put(&mut endpoint.max_output, self.max_output);
        put(&mut endpoint.concurrency, self.concurrency);
        endpoint.base_url = self.base_url.clone().or(endpoint.base_url);
        endpoint.model = self.model.clone().or(endpoint.model);
        endpoint.budget.max_calls = self.max_calls.or(endpoint.budget.max_calls);
        endpoint.budget.max_usd = self.max_usd.or(endpoint.budget.max_usd);
        Ok(endpoint)
    }

    fn key(&self) -> Result<Option<ApiKey>> {
        match (&self.api_key_env, &self.api_key_file) {
            (Some(variable), _) => ApiKey::from_environment(variable).map(Some),
            (None, Some(path)) => ApiKey::from_file(path).map(Some),
            (None, None) => Ok(None),
        }
    }

    pub(super) fn unused(&self) -> Option<Error> {
        let hint = "`--summarizer http` puts one in the place of the suite's";
        Some(Error::refused(self.given()?, "no cell of this run asks a model", hint))
    }

    /// Most calls, where they are limited.
    #[cfg(feature = "serve")]
    pub(super) fn max_calls(&self) -> Option<u64> {
        self.max_calls
    }

    /// The first flag that is given and means nothing without a model.
    pub(super) fn given(&self) -> Option<&'static str> {
        let flags = [
            ("--endpoint", self.endpoint.is_some()),
            ("--base-url", self.base_url.is_some()),
            ("--model", self.model.is_some()),
            ("--api-key-env", self.api_key_env.is_some()),
            ("--api-key-file", self.api_key_file.is_some()),
            ("--cassette", self.cassette.is_some()),
            ("--replay", self.replay.is_some()),
            ("--retry-failures", self.retry_failures),
        ];
        flags.into_iter().find(|(_, given)| *given).map(|(flag, _)| flag)
    }
}

fn put<T>(place: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *place = value;
    }
}

/// The model of a cassette that was recorded with one.
fn only_model(cassette: &Cassette) -> Result<Option<String>> {
    let models: Vec<String> = cassette.models().into_iter().collect();
    match models.as_slice() {
        [one] => Ok(Some(one.clone())),
        several => {
            let all = several.join(", ");
            let rule = format!("it holds calls of {} models: {all}", several.len());
            let hint = "name the main one with `--model`, or the `--endpoint` file";
            Err(Error::refused(cassette.path().display().to_string(), rule, hint))
        }
    }
}

/// A recorded cell that cannot be driven again: the recording lacks an answer.
pub(super) fn summary_line(totals: &Totals, priced: bool) -> String {
    let nothing = totals.answered == 0 && totals.failed > 0;
    let mut words = format!(
        "{} calls ({} repeated): {} answers, {} failures; {} answered by the cassette; {} prompt \
         and {} answer tokens",
        totals.calls,
        totals.repeated,
        totals.answered,
        totals.failed,
        totals.replayed,
        tokens(totals.prompt as f64),
        tokens(totals.completion as f64)
    );
    if priced {
        words = format!("{words}; ${:.4}", totals.usd);
    }
    if nothing {
        words.push_str("\nwarning: the model answered no call; the figures are those of failures");
    }
    words
}

pub(super) fn progress_line(totals: &Totals, priced: bool) -> String {
    let tokens = tokens((totals.prompt + totals.completion) as f64);
    let words = format!("{} calls  {tokens} tokens", totals.calls);
    if priced { format!("{words}  ${:.2}", totals.usd) } else { words }
}
