//! Reads a response: an answer, or a failure and what can be done about it. Nothing that servers
//! send makes this fail (OpenAI, Anthropic's compatible endpoint, vLLM, llama.cpp, Ollama,
//! `OpenRouter`, `DeepSeek`).

mod server_error;

use serde_json::Value;

use crate::cassette::Usage;
use crate::prelude::*;

use server_error::{ServerError, excerpt};

/// The result of one attempt.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct AttemptResult {
    pub(super) outcome: Result<Answer, Failure>,
    pub(super) usage: Option<Usage>,
    /// Whether the provider may bill it although it reports no tokens.
    pub(super) may_be_billed: bool,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Failure {
    pub(super) class: FailureClass,
    pub(super) message: String,
    pub(super) action: RetryAction,
}

/// What may be done about a failure.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum RetryAction {
    /// Nothing: it is the model's answer.
    None,
    /// Ask again, at the earliest after so long.
    Again { after: Option<Duration>, everyone: bool },
    /// Ask again; where that is of no use, no call is.
    Unreachable,
    /// No further call is of use; the remedy.
    Stop(&'static str),
}

impl RetryAction {
    /// Ask again after the usual wait.
    pub(super) const SOON: RetryAction = RetryAction::Again { after: None, everyone: false };
}

impl AttemptResult {
    /// A failure that the provider does not bill.
    pub(super) fn failure(
        class: FailureClass,
        message: impl Into<String>,
        action: RetryAction,
    ) -> AttemptResult {
        let outcome = Err(Failure { class, message: message.into(), action });
        AttemptResult { outcome, usage: None, may_be_billed: false }
    }

    /// The same, of a call on which the model may have worked.
    pub(super) fn may_be_billed(self) -> AttemptResult {
        AttemptResult { may_be_billed: true, ..self }
    }
}

/// Reads a whole response: its text, or what can be shown of bytes that are none.
pub(super) fn read(
    status: u16,
    content_type: Option<&str>,
    retry_after: Option<Duration>,
    body: Result<&str, &str>,
) -> AttemptResult {
    let (Ok(shown) | Err(shown)) = body;
    let json: Result<Value, String> = match body {
        Ok(text) => serde_json::from_str(text).map_err(|error| format!("invalid JSON ({error})")),
        Err(_) => Err("bytes that are no UTF-8".to_owned()),
    };
    if !(200..300).contains(&status) {
        let error = match &json {
            Ok(json) => ServerError::parse(json),
            Err(_) => ServerError::from_text(shown),
        };
        return error.classify(status, retry_after);
    }
    let json = match json {
        Ok(json) => json,
        Err(why) => return unreadable(status, content_type, shown, &why),
    };
    match json.get("error").or_else(|| json.pointer("/choices/0/error")) {
        Some(error) if !error.is_null() => {
            let classified = ServerError::parse(&json).classify(status, retry_after);
            AttemptResult { usage: usage(&json), ..classified }
        }
        _ => AttemptResult { outcome: choice(&json), usage: usage(&json), may_be_billed: true },
    }
}

fn unreadable(status: u16, content_type: Option<&str>, body: &str, why: &str) -> AttemptResult {
    let body_text = excerpt(body);
    let message = match content_type {
        _ if body.is_empty() => format!("HTTP {status} with an empty body"),
        Some(kind) if !kind.contains("json") => {
            let kind = excerpt(kind);
            format!("HTTP {status} with content of type `{kind}` and no JSON: {body_text}")
        }
        _ => format!("HTTP {status} with {why}: {body_text}"),
    };
    AttemptResult::failure(FailureClass::Error, message, RetryAction::None).may_be_billed()
}

/// The first choice of a completion.
fn choice(json: &Value) -> Result<Answer, Failure> {
    let failed =
        |class, message: &str, action| Err(Failure { class, message: message.to_owned(), action });
    let Some(choice) = json.pointer("/choices/0") else {
        return failed(FailureClass::Error, "the answer has no choices", RetryAction::None);
    };
    let message = choice.get("message").unwrap_or(&Value::Null);
    let (text, refused) = content(message);
    let calls = |key: &str| match message.get(key) {
        Some(Value::Array(calls)) => !calls.is_empty(),
        Some(Value::Object(_)) => true,
        _ => false,
    };
    let calls_tool = calls("tool_calls") || calls("function_call");
    let finish = choice.get("finish_reason").and_then(Value::as_str).unwrap_or_default();
    if let Some(words) = refused {
        let message = format!("the model refused: {}", excerpt(&words));
        return failed(FailureClass::Refusal, &message, RetryAction::None);
    }
    let finish = match finish {
        "content_filter" | "refusal" | "safety" => {
            let message = "the answer was withheld by a content filter";
            return failed(FailureClass::Refusal, message, RetryAction::None);
        }
        "error" | "abort" => {
            let message = format!("the answer broke off with finish reason `{finish}`");
            return failed(FailureClass::Error, &message, RetryAction::SOON);
        }
        "length" | "max_tokens" | "model_length" => Finish::Length,
        "tool_calls" | "function_call" | "tool_use" => Finish::ToolCall,
        _ if calls_tool && text.is_none() => Finish::ToolCall,
        _ => Finish::Stop,
    };
    match text {
        None if !matches!(message.get("content"), None | Some(Value::Null)) => {
            failed(FailureClass::Error, "the content of the answer is no text", RetryAction::None)
        }
        None if message.get("content").is_none() && finish == Finish::Stop => {
            failed(FailureClass::Error, "the answer has no message content", RetryAction::None)
        }
        text => Ok(Answer { text: text.unwrap_or_default(), finish }),
    }
}

/// The words of a message, and those with which it refuses.
fn content(message: &Value) -> (Option<String>, Option<String>) {
    let nonempty = |value: &Value, key: &str| {
        let words = value.get(key).and_then(Value::as_str);
        words.filter(|words| !words.is_empty()).map(str::to_owned)
    };
    let refusal = nonempty(message, "refusal");
    match message.get("content") {
        Some(Value::String(text)) => (Some(text.clone()), refusal),
        Some(Value::Array(parts)) if parts.iter().all(Value::is_object) => {
            let texts = parts.iter().filter_map(|part| part.get("text").and_then(Value::as_str));
            let refused = parts.iter().find_map(|part| nonempty(part, "refusal"));
            (Some(texts.collect()), refusal.or(refused))
        }
        _ => (None, refusal),
    }
}

/// Tokens as the provider counted them. Anthropic counts what is read from the cache and
/// written to it apart from the rest of the prompt; the others count it in. `None` where what is
/// said is no count: then our own holds.
fn usage(json: &Value) -> Option<Usage> {
    /// No model reads or writes as much in one call.
    const MOST: u64 = 100_000_000;
    let usage = json.get("usage")?;
    let number = |path: &str| usage.pointer(path)?.as_u64().filter(|count| *count <= MOST);
    let read = number("/cache_read_input_tokens");
    let cached = number("/prompt_tokens_details/cached_tokens")
        .or_else(|| number("/input_tokens_details/cached_tokens"))
        .or_else(|| number("/prompt_cache_hit_tokens"))
        .or_else(|| number("/cached_tokens"))
        .or(read);
    let completion = number("/completion_tokens").or_else(|| number("/output_tokens"));
    let prompt = number("/prompt_tokens").or_else(|| {
        let fresh = number("/input_tokens")?;
        let written = number("/cache_creation_input_tokens").unwrap_or(0);
        Some(fresh.saturating_add(read.unwrap_or(0)).saturating_add(written))
    })?;
    Some(Usage {
        prompt,
        completion: completion?,
        cached: cached.filter(|cached| *cached <= prompt),
    })
}
