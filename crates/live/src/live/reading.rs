//! What a server said, read: an answer, or a failure and what may be done about it.
//!
//! Servers differ in how they put things (OpenAI, Anthropic's compatible endpoint, vLLM,
//! llama.cpp, Ollama, `OpenRouter`, `DeepSeek`); nothing that they send makes this fail.

mod complaint;

use std::time::Duration;

use serde_json::Value;

use crate::cassette::Usage;
use crate::summarize::{FailureClass, Finish};

use complaint::Complaint;

/// What one attempt came to.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Came {
    pub(super) what: What,
    pub(super) usage: Option<Usage>,
    /// Whether the provider may bill it although it says nothing of tokens.
    pub(super) worked: bool,
}

/// An answer or none.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum What {
    Answer { text: String, finish: Finish },
    Failed { class: FailureClass, message: String, next: Next },
}

/// What may be done about a failure.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Next {
    /// Nothing: it is what the model has to say.
    Nothing,
    /// Ask again, at the earliest after so long.
    Again { after: Option<Duration>, everyone: bool },
    /// Ask again; where that is of no use, no call is.
    Unreached,
    /// No further call is of use; the remedy.
    Stop(&'static str),
}

impl Came {
    /// A failure of which the provider has not said that it worked.
    pub(super) fn failed(class: FailureClass, message: impl Into<String>, next: Next) -> Came {
        let what = What::Failed { class, message: message.into(), next };
        Came { what, usage: None, worked: false }
    }

    /// The same, of a call on which the model may have worked.
    pub(super) fn worked(self) -> Came {
        Came { worked: true, ..self }
    }
}

/// Reads a whole response.
pub(super) fn read(
    status: u16,
    content_type: Option<&str>,
    retry_after: Option<Duration>,
    body: &[u8],
) -> Came {
    let json: Result<Value, _> = serde_json::from_slice(body);
    if !(200..300).contains(&status) {
        let complaint = match &json {
            Ok(json) => Complaint::of(json),
            Err(_) => Complaint::in_words(&String::from_utf8_lossy(body)),
        };
        return complaint.judge(status, retry_after);
    }
    let json = match json {
        Ok(json) => json,
        Err(error) => return illegible(status, content_type, body, &error),
    };
    match json.get("error").or_else(|| json.pointer("/choices/0/error")) {
        Some(error) if !error.is_null() => {
            let judged = Complaint::of(&json).judge(status, retry_after);
            Came { usage: usage(&json), ..judged }
        }
        _ => Came { what: choice(&json), usage: usage(&json), worked: true },
    }
}

fn illegible(
    status: u16,
    content_type: Option<&str>,
    body: &[u8],
    error: &serde_json::Error,
) -> Came {
    let said = complaint::beginning(&String::from_utf8_lossy(body));
    let message = match content_type {
        _ if body.is_empty() => format!("HTTP {status} with an empty body"),
        Some(kind) if !kind.contains("json") => {
            let kind = complaint::beginning(kind);
            format!("HTTP {status} with content of type `{kind}` and no JSON: {said}")
        }
        _ => format!("HTTP {status} with invalid JSON ({error}): {said}"),
    };
    Came::failed(FailureClass::Error, message, Next::Nothing).worked()
}

/// The first choice of a completion.
fn choice(json: &Value) -> What {
    let failed = |class, message: &str, next| {
        let message = message.to_owned();
        What::Failed { class, message, next }
    };
    let Some(choice) = json.pointer("/choices/0") else {
        return failed(FailureClass::Error, "the answer has no choices", Next::Nothing);
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
        let message = format!("the model refused: {}", complaint::beginning(&words));
        return failed(FailureClass::Refusal, &message, Next::Nothing);
    }
    let finish = match finish {
        "content_filter" | "refusal" | "safety" => {
            let message = "the answer was withheld by a content filter";
            return failed(FailureClass::Refusal, message, Next::Nothing);
        }
        "error" | "abort" => {
            let message = format!("the answer broke off with finish reason `{finish}`");
            let next = Next::Again { after: None, everyone: false };
            return failed(FailureClass::Error, &message, next);
        }
        "length" | "max_tokens" | "model_length" => Finish::Length,
        "tool_calls" | "function_call" | "tool_use" => Finish::ToolCall,
        _ if calls_tool && text.is_none() => Finish::ToolCall,
        _ => Finish::Stop,
    };
    match text {
        None if message.get("content").is_none() && finish == Finish::Stop => {
            failed(FailureClass::Error, "the answer has no message content", Next::Nothing)
        }
        text => What::Answer { text: text.unwrap_or_default(), finish },
    }
}

/// The words of a message, and those with which it refuses.
fn content(message: &Value) -> (Option<String>, Option<String>) {
    let spoken = |value: &Value, key: &str| {
        let words = value.get(key).and_then(Value::as_str);
        words.filter(|words| !words.is_empty()).map(str::to_owned)
    };
    let refusal = spoken(message, "refusal");
    match message.get("content") {
        Some(Value::String(text)) => (Some(text.clone()), refusal),
        Some(Value::Array(parts)) => {
            let texts = parts.iter().filter_map(|part| part.get("text").and_then(Value::as_str));
            let refused = parts.iter().find_map(|part| spoken(part, "refusal"));
            (Some(texts.collect()), refusal.or(refused))
        }
        _ => (None, refusal),
    }
}

/// Tokens as the provider counted them. Anthropic counts what is read from the cache and
/// written to it apart from the rest of the prompt; the others count it in.
fn usage(json: &Value) -> Option<Usage> {
    let usage = json.get("usage")?;
    let number = |path: &str| usage.pointer(path).and_then(Value::as_u64);
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
    Some(Usage { prompt, completion: completion.unwrap_or(0), cached })
}
