//! Which endpoint a request is for, and what is not spoken.

use hyper::Method;
use hyper::http::request::Parts;

use crate::fault::Dialect;
use crate::prelude::*;

/// An endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Route {
    Chat,
    Responses,
    Messages,
    CountTokens,
    Models,
    Model(String),
}

/// The shape of a response: the path's, or where both have it the one that the headers tell.
pub(super) fn dialect(parts: &Parts) -> Dialect {
    let is_messages = parts.uri.path().starts_with("/v1/messages");
    match is_messages || parts.headers.contains_key("anthropic-version") {
        true => Dialect::Anthropic,
        false => Dialect::OpenAi,
    }
}

/// The endpoint of a method and path.
pub(super) fn route(method: &Method, path: &str) -> Result<Route, Fault> {
    let trimmed = path.trim_end_matches('/');
    let (route, takes, allow) = match trimmed {
        "/v1/chat/completions" => (Route::Chat, Method::POST, "POST"),
        "/v1/responses" => (Route::Responses, Method::POST, "POST"),
        "/v1/messages" => (Route::Messages, Method::POST, "POST"),
        "/v1/messages/count_tokens" => (Route::CountTokens, Method::POST, "POST"),
        "/v1/models" => (Route::Models, Method::GET, "GET"),
        _ => match trimmed.strip_prefix("/v1/models/") {
            Some(id) => (Route::Model(decoded(id)), Method::GET, "GET"),
            None => return Err(unspoken(trimmed)),
        },
    };
    if *method == takes { Ok(route) } else { Err(Fault::method(method.as_str(), trimmed, allow)) }
}

/// What both providers have and this endpoint has not, by the beginning of its path under `/v1`.
const UNSPOKEN: [(&str, &str); 21] = [
    ("assistants", "assistants"),
    ("audio", "audio"),
    ("batches", "batches"),
    ("completions", "completions without messages"),
    ("complete", "completions without messages"),
    ("containers", "containers"),
    ("conversations", "stored conversations"),
    ("embeddings", "embeddings"),
    ("evals", "evaluations"),
    ("files", "files"),
    ("fine_tuning", "fine-tuning"),
    ("images", "images"),
    ("messages", "batches of messages"),
    ("moderations", "moderation"),
    ("organization", "organizations"),
    ("realtime", "realtime sessions"),
    ("responses", "stored responses"),
    ("chat", "stored completions"),
    ("threads", "threads"),
    ("vector_stores", "vector stores"),
    ("videos", "videos"),
];

/// The endpoints, in words.
const SPOKEN: &str = "this endpoint speaks /v1/chat/completions, /v1/responses, /v1/messages, \
                      /v1/messages/count_tokens and /v1/models";

fn unspoken(path: &str) -> Fault {
    let under = path.strip_prefix("/v1/").unwrap_or_default();
    let head = under.split('/').next().unwrap_or_default();
    match UNSPOKEN.iter().find(|(known, _)| *known == head) {
        Some((_, what)) => {
            let message = format!("`{path}`: not spoken here: {what}; {SPOKEN}");
            Fault::new(Kind::UnspokenPath, message)
        }
        None => Fault::new(Kind::UnknownPath, format!("`{path}` is no path here; {SPOKEN}")),
    }
}

/// A part of a path without its percent signs.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let digits = after.get(..2).and_then(|two| std::str::from_utf8(two).ok());
        let escaped = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match escaped.filter(|_| byte == b'%') {
            Some(escaped) => {
                bytes.push(escaped);
                rest = &after[2..];
            }
            None => {
                bytes.push(byte);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_endpoint_has_its_path() {
        for (method, path, expected) in [
            (Method::POST, "/v1/chat/completions", Route::Chat),
            (Method::POST, "/v1/responses/", Route::Responses),
            (Method::POST, "/v1/messages", Route::Messages),
            (Method::POST, "/v1/messages/count_tokens", Route::CountTokens),
            (Method::GET, "/v1/models", Route::Models),
            (Method::GET, "/v1/models/a%2Fb%zz%", Route::Model("a/b%zz%".to_owned())),
        ] {
            assert_eq!(route(&method, path), Ok(expected), "{path}");
        }
    }

    #[test]
    fn what_is_not_spoken_says_so() {
        for (method, path, status, part) in [
            (Method::GET, "/v1/chat/completions", 405, "takes POST, not GET"),
            (Method::POST, "/v1/models", 405, "takes GET, not POST"),
            (Method::POST, "/v1/embeddings", 501, "not spoken here: embeddings"),
            (Method::POST, "/v1/audio/speech", 501, "not spoken here: audio"),
            (Method::GET, "/v1/responses/resp_1", 501, "stored responses"),
            (Method::POST, "/v1/messages/batches", 501, "batches of messages"),
            (Method::POST, "/chat/completions", 404, "is no path here"),
            (Method::GET, "/", 404, "this endpoint speaks"),
        ] {
            let fault = route(&method, path).expect_err(path);
            let body = fault.body(Dialect::OpenAi).to_string();
            assert_eq!(fault.status(), status, "{path}");
            assert!(body.contains(part), "{body}");
        }
    }
}
