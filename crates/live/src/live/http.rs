//! One attempt over HTTP, within its time-outs, read to an end.

use std::borrow::Cow;
use std::error::Error as _;
use std::sync::Once;

use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue, RETRY_AFTER};
use reqwest::{Client, Response, redirect};
use serde_json::{Map, Value, json};
use tokio::time::{Instant, timeout_at};

use crate::cassette::CanonicalRequest;
use crate::live::api_key::ApiKey;
use crate::live::endpoint::{Endpoint, LimitKey, Omitted, Terms, TimeOuts};
use crate::live::response::{self, AttemptResult, Failure, RetryAction};
use crate::live::wait;
use crate::prelude::*;

/// Most bytes of a response: far more than any answer within its limit.
const MOST_BYTES: usize = 16 << 20;

/// Makes the attempts of calls.
pub(super) trait Transport: Clone + Send + 'static {
    /// Sends a body and reads the response to its end. Nothing in the result holds the key.
    fn attempt(&self, body: Vec<u8>) -> impl Future<Output = AttemptResult> + Send;
}

/// The body of a call.
pub(super) fn body(request: &CanonicalRequest, terms: &Terms, limit: LimitKey) -> Vec<u8> {
    let messages = request.messages.iter();
    let messages: Vec<Value> = messages
        .map(|message| json!({ "role": message.role.name(), "content": message.text }))
        .collect();
    let limit = match limit {
        LimitKey::MaxTokens => "max_tokens",
        LimitKey::MaxCompletionTokens => "max_completion_tokens",
    };
    let mut body = Map::new();
    let mut put = |name: &str, value: Value| body.insert(name.to_owned(), value);
    put("model", request.model.clone().into());
    put("messages", messages.into());
    put(limit, request.max_tokens.into());
    if !terms.omit.contains(&Omitted::Temperature) {
        put("temperature", request.temperature.into());
    }
    if !terms.omit.contains(&Omitted::Seed) {
        put("seed", request.seed.into());
    }
    put("stream", false.into());
    Value::Object(body).to_string().into_bytes()
}

/// Sends requests to one address over HTTP.
#[derive(Clone)]
pub(super) struct HttpTransport {
    client: Client,
    address: String,
    key: Option<ApiKey>,
    time_out: TimeOuts,
}

impl Transport for HttpTransport {
    async fn attempt(&self, body: Vec<u8>) -> AttemptResult {
        let result = self.send(body).await;
        let Some(key) = &self.key else { return result };
        let outcome =
            result.outcome.map(|answer| Answer { text: key.scrub(&answer.text), ..answer });
        let scrubbed =
            |failure: Failure| Failure { message: key.scrub(&failure.message), ..failure };
        AttemptResult { outcome: outcome.map_err(scrubbed), ..result }
    }
}

impl HttpTransport {
    pub(super) fn new(endpoint: &Endpoint) -> Result<HttpTransport> {
        let Some(base) = &endpoint.base_url else {
            let hint = "`--base-url URL`, or `base-url` in the endpoint file";
            return Err(refused("base-url", "there is no address to ask", hint));
        };
        install_cryptography();
        let mut builder = Client::builder()
            .user_agent(concat!("proctor/", env!("CARGO_PKG_VERSION")))
            // A redirect would carry the conversation, and perhaps the key, elsewhere.
            .redirect(redirect::Policy::none())
            .connect_timeout(endpoint.time_out.connect.duration())
            .pool_max_idle_per_host(endpoint.concurrency.0)
            .default_headers(headers(endpoint.key.as_ref())?);
        if base.is_loopback() {
            builder = builder.no_proxy();
        }
        if !base.is_encrypted() {
            // No certificate is looked at: there may be none on this machine.
            builder = builder.tls_certs_only([]);
        }
        let client = builder.build().map_err(|error| {
            Error::invalid(base.as_str(), format!("no client: {}", chain(&error)))
        })?;
        let address = base.join("chat/completions");
        let (key, time_out) = (endpoint.key.clone(), endpoint.time_out);
        Ok(HttpTransport { client, address, key, time_out })
    }

    async fn send(&self, body: Vec<u8>) -> AttemptResult {
        let began = Instant::now();
        let total = began + self.time_out.total.duration();
        let first = total.min(began + self.time_out.first_byte.duration());
        let request = self.client.post(&self.address).body(body);
        let begun = timeout_at(first, async {
            let mut response = request.send().await?;
            let chunk = response.chunk().await?;
            Ok((response, chunk))
        });
        let (response, chunk) = match begun.await {
            Ok(Ok(begun)) => begun,
            Ok(Err(error)) => return broken(&error),
            Err(_) => return timed_out("no byte of an answer came", first - began),
        };
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let body = match timeout_at(total, rest(response, chunk)).await {
            Ok(Ok(body)) => body,
            Ok(Err(failure)) => return failure,
            Err(_) => return timed_out("the answer did not come to an end", total - began),
        };
        let header = |name| headers.get(name).and_then(|value| value.to_str().ok());
        let after = header(RETRY_AFTER);
        let after = after.and_then(|value| wait::retry_after(value, chrono::Utc::now()));
        let text = String::from_utf8_lossy(&body);
        let is_text = matches!(text, Cow::Borrowed(_));
        // Before it is cut to an excerpt, which might cut a key in two.
        let text = self.key.as_ref().map_or(text.clone(), |key| key.scrub(&text).into());
        let body = if is_text { Ok(&*text) } else { Err(&*text) };
        response::read(status, header(CONTENT_TYPE), after, body)
    }
}

/// The rest of a body, up to the bound.
async fn rest<B: AsRef<[u8]>>(
    mut response: Response,
    first: Option<B>,
) -> Result<Vec<u8>, AttemptResult> {
    let mut body = first.map_or_else(Vec::new, |first| first.as_ref().to_vec());
    if body.is_empty() {
        return Ok(body);
    }
    while let Some(chunk) = response.chunk().await.map_err(|error| broken(&error))? {
        if body.len() + chunk.len() > MOST_BYTES {
            let message = format!("the answer is larger than {} MiB", MOST_BYTES >> 20);
            return Err(AttemptResult::failure(FailureClass::Error, message, RetryAction::None)
                .may_be_billed());
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

fn timed_out(what: &str, after: Duration) -> AttemptResult {
    let message = format!("{what} within {} s", crate::unit::float(after.as_secs_f64()));
    AttemptResult::failure(FailureClass::TimeOut, message, RetryAction::None).may_be_billed()
}

/// A connection that could not be made, or that broke.
fn broken(error: &reqwest::Error) -> AttemptResult {
    if error.is_connect() {
        let message = format!("no connection: {}", chain(error));
        return AttemptResult::failure(FailureClass::Error, message, RetryAction::Unreachable);
    }
    let message = format!("the connection broke: {}", chain(error));
    AttemptResult::failure(FailureClass::Error, message, RetryAction::SOON).may_be_billed()
}

/// An error with its causes, which say what it was; without the address.
fn chain(error: &reqwest::Error) -> String {
    let mut words: Vec<String> = Vec::new();
    for cause in std::iter::successors(error.source(), |&cause| cause.source()) {
        let said = cause.to_string();
        if !words.iter().any(|word| word.contains(&said)) {
            words.push(said);
        }
    }
    if words.is_empty() { "no reason given".to_owned() } else { words.join(": ") }
}

fn headers(key: Option<&ApiKey>) -> Result<HeaderMap> {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    if let Some(key) = key {
        let value = HeaderValue::from_str(&key.bearer());
        let mut value = value.map_err(|_| Error::invalid("key", "no header can carry it"))?;
        value.set_sensitive(true);
        headers.insert(AUTHORIZATION, value);
    }
    Ok(headers)
}

/// The cryptography of TLS is chosen once for the process.
fn install_cryptography() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // An error says that someone has chosen already.
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
}
