//! State shared by the threads of the cells, the broker and progress reporting.

use std::sync::{MutexGuard, OnceLock};

use crate::cassette::{Cassette, Outcome, Recorded, RequestKey};
use crate::live::endpoint::{Endpoint, Terms};
use crate::prelude::*;

/// Progress of a live run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Totals {
    /// HTTP requests.
    pub calls: u64,
    /// Those of them that were retries.
    pub repeated: u64,
    /// Requests that got an answer.
    pub answered: u64,
    /// Requests that failed for good.
    pub failed: u64,
    /// Requests that the cassette answered.
    pub replayed: u64,
    /// Prompt tokens of the calls, as the provider says, or else by our count.
    pub prompt: u64,
    /// Tokens of the answers, likewise.
    pub completion: u64,
    /// Dollars at the endpoint's prices.
    pub usd: f64,
}

/// A line of `calls.csv`: one request, however often it was sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallRow {
    /// Key in the cassette.
    pub key: String,
    /// The model that was asked.
    pub model: String,
    /// `stop`, `length` or `tool-call`, or the class of the failure.
    pub result: String,
    /// Attempts.
    pub tries: u32,
    /// Milliseconds from the first attempt to the end of the last.
    pub latency_ms: u64,
    /// Prompt tokens as the provider says.
    pub provider_prompt: Option<u64>,
    /// Answer tokens as the provider says.
    pub provider_completion: Option<u64>,
    /// Prompt tokens that the provider read from its cache.
    pub provider_cached: Option<u64>,
    /// Reference tokens of the prompt.
    pub prompt_tokens: u64,
    /// Reference tokens of the answer.
    pub answer_tokens: u64,
}

/// The requests that were answered.
#[derive(Default)]
struct Calls {
    rows: BTreeMap<RequestKey, CallRow>,
    /// Those that no file has yet.
    unwritten: Vec<CallRow>,
}

pub(super) struct Shared {
    pub(super) endpoint: Endpoint,
    pub(super) terms: Terms,
    pub(super) cassette: Cassette,
    stopped: OnceLock<Stopped>,
    calls: Mutex<Calls>,
    totals: Mutex<Totals>,
}

impl Shared {
    /// Errors as for [`Endpoint::terms`].
    pub(super) fn new(endpoint: Endpoint, cassette: Cassette) -> Result<Arc<Shared>> {
        let (stopped, calls, totals) = Default::default();
        let terms = endpoint.terms()?;
        Ok(Arc::new(Shared { endpoint, terms, cassette, stopped, calls, totals }))
    }

    pub(super) fn stopped(&self) -> Option<&Stopped> {
        self.stopped.get()
    }

    /// The first reason holds.
    pub(super) fn stop(&self, stopped: Stopped) {
        // OK to ignore: an earlier reason led to the others.
        let _ = self.stopped.set(stopped);
    }

    pub(super) fn totals(&self) -> MutexGuard<'_, Totals> {
        held(&self.totals)
    }

    pub(super) fn rows(&self) -> Vec<CallRow> {
        held(&self.calls).rows.values().cloned().collect()
    }

    /// Our count of a request's prompt, where it was asked before.
    pub(super) fn known_prompt(&self, key: &RequestKey) -> Option<u64> {
        held(&self.calls).rows.get(key).map(|row| row.prompt_tokens)
    }

    /// Notes the result of a request, once.
    pub(super) fn note(&self, prompt_tokens: u64, recorded: &Recorded) {
        let (result, answer) = match &recorded.outcome {
            Outcome::Answer { text, finish } => (finish.name(), &**text),
            Outcome::Failure { class, .. } => (class.name(), ""),
        };
        let mut calls = held(&self.calls);
        if calls.rows.get(&recorded.key).is_some_and(|row| row.result == result) {
            return;
        }
        let row = CallRow {
            key: recorded.key.to_string(),
            model: recorded.model.clone(),
            result: result.to_owned(),
            tries: recorded.tries,
            latency_ms: recorded.latency_ms,
            provider_prompt: recorded.usage.map(|usage| usage.prompt),
            provider_completion: recorded.usage.map(|usage| usage.completion),
            provider_cached: recorded.usage.and_then(|usage| usage.cached),
            prompt_tokens,
            answer_tokens: Tokenizer::O200k.count(answer).0,
        };
        calls.unwritten.push(row.clone());
        calls.rows.insert(recorded.key, row);
    }

    /// Hands out the rows that were not handed out before, unless they cannot be written.
    pub(super) fn hand_out(&self, write: impl FnOnce(&[CallRow]) -> Result<()>) -> Result<()> {
        let mut calls = held(&self.calls);
        write(&calls.unwritten)?;
        calls.unwritten.clear();
        Ok(())
    }
}
