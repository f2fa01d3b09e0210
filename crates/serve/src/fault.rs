//! A request without an answer, as a status and as an error in the shape of either provider.

use std::time::Duration;

use http_body_util::Full;
use hyper::body::Bytes;
use hyper::header::{ALLOW, CONTENT_TYPE, HeaderMap, HeaderValue, RETRY_AFTER};
use hyper::{Response, StatusCode};
use serde_json::{Value, json};

use crate::model::{Refusal, RefusalClass};

/// Whose clients speak.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    OpenAi,
    Anthropic,
}

/// What kind of fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Invalid,
    /// A part of a request that is not spoken here.
    UnspokenPart,
    Overflow,
    Token,
    Host,
    UnknownPath,
    UnknownModel,
    Method,
    TooLarge,
    Encoding,
    Spent,
    Error,
    /// An endpoint of the provider that is not spoken here.
    UnspokenPath,
    Unavailable,
    TimeOut,
}

impl Kind {
    /// The status, and what the shapes call it: OpenAI's type and code, Anthropic's type.
    fn words(self) -> (u16, &'static str, Option<&'static str>, &'static str) {
        const INVALID: &str = "invalid_request_error";
        match self {
            Kind::Invalid => (400, INVALID, None, INVALID),
            Kind::UnspokenPart => (400, INVALID, Some("unsupported_value"), INVALID),
            Kind::Overflow => (400, INVALID, Some("context_length_exceeded"), INVALID),
            Kind::Token => (401, INVALID, Some("invalid_api_key"), "authentication_error"),
            Kind::Host => (403, INVALID, Some("host_not_loopback"), "permission_error"),
            Kind::UnknownPath => (404, INVALID, Some("unknown_url"), "not_found_error"),
            Kind::UnknownModel => (404, INVALID, Some("model_not_found"), "not_found_error"),
            Kind::Method => (405, INVALID, Some("method_not_allowed"), INVALID),
            Kind::TooLarge => (413, INVALID, Some("request_too_large"), "request_too_large"),
            Kind::Encoding => (415, INVALID, Some("unsupported_encoding"), INVALID),
            Kind::Spent => {
                (429, "insufficient_quota", Some("insufficient_quota"), "rate_limit_error")
            }
            Kind::Error => (500, "server_error", None, "api_error"),
            Kind::UnspokenPath => (501, INVALID, Some("not_implemented"), "api_error"),
            Kind::Unavailable => (503, "server_error", Some("unavailable"), "overloaded_error"),
            Kind::TimeOut => (504, "server_error", Some("timeout"), "timeout_error"),
        }
    }

    /// Whether it would be the same once more, although clients try again at its status.
    fn is_final(self) -> bool {
        matches!(self, Kind::Spent | Kind::UnspokenPath)
    }
}

/// A request without an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    kind: Kind,
    status: u16,
    message: String,
    /// The key of the request that is at fault.
    param: Option<String>,
    retry_after: Option<Duration>,
    allow: Option<&'static str>,
}

impl Fault {
    pub(crate) fn new(kind: Kind, message: impl Into<String>) -> Fault {
        let (status, ..) = kind.words();
        let message = message.into();
        Fault { kind, status, message, param: None, retry_after: None, allow: None }
    }

    /// A key of a request breaks a rule.
    pub(crate) fn at(param: impl Into<String>, rule: impl std::fmt::Display) -> Fault {
        Fault::of_key(Kind::Invalid, &param.into(), rule)
    }

    /// A key of a request asks for what is not spoken here.
    pub(crate) fn unspoken(param: impl Into<String>, rule: impl std::fmt::Display) -> Fault {
        Fault::of_key(Kind::UnspokenPart, &param.into(), rule)
    }

    fn of_key(kind: Kind, param: &str, rule: impl std::fmt::Display) -> Fault {
        Fault { param: Some(param.to_owned()), ..Fault::new(kind, format!("`{param}`: {rule}")) }
    }

    /// Another method than the path takes.
    pub(crate) fn method(method: &str, path: &str, allow: &'static str) -> Fault {
        let message = format!("`{path}` takes {allow}, not {method}");
        Fault { allow: Some(allow), ..Fault::new(Kind::Method, message) }
    }

    /// Whoever answers has refused. A refusal of the model is an answer and does not come here.
    pub(crate) fn refused(refusal: Refusal) -> Fault {
        let kind = match refusal.class {
            RefusalClass::Overflow => Kind::Overflow,
            RefusalClass::TimeOut => Kind::TimeOut,
            RefusalClass::Spent => Kind::Spent,
            RefusalClass::Unavailable => Kind::Unavailable,
            RefusalClass::Error | RefusalClass::Refusal => Kind::Error,
        };
        let status = if (400..600).contains(&refusal.status) { refusal.status } else { 500 };
        let param = (kind == Kind::Overflow).then(|| "messages".to_owned());
        let Refusal { message, retry_after, .. } = refusal;
        Fault { status, param, retry_after, ..Fault::new(kind, message) }
    }

    #[cfg(test)]
    pub(crate) fn status(&self) -> u16 {
        self.status
    }

    /// The body. Programs look for the words with which each provider tells of an overflow.
    pub(crate) fn body(&self, dialect: Dialect) -> Value {
        let (_, kind, code, anthropic) = self.kind.words();
        let message = &self.message;
        let overflows = self.kind == Kind::Overflow;
        match dialect {
            Dialect::OpenAi => {
                let message = match overflows {
                    true => format!("This model's maximum context length is exceeded: {message}"),
                    false => message.clone(),
                };
                let error =
                    json!({ "message": message, "type": kind, "param": self.param, "code": code });
                json!({ "error": error })
            }
            Dialect::Anthropic => {
                let message = match overflows {
                    true => format!("prompt is too long: {message}"),
                    false => message.clone(),
                };
                json!({ "type": "error", "error": { "type": anthropic, "message": message } })
            }
        }
    }

    /// The response.
    pub(crate) fn response(&self, dialect: Dialect) -> Response<Full<Bytes>> {
        let body = self.body(dialect).to_string();
        let mut response = Response::new(Full::new(Bytes::from(body)));
        let status = StatusCode::from_u16(self.status);
        *response.status_mut() = status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        self.write_headers(response.headers_mut());
        response
    }

    fn write_headers(&self, headers: &mut HeaderMap) {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if let Some(allow) = self.allow {
            headers.insert(ALLOW, HeaderValue::from_static(allow));
        }
        if self.kind.is_final() {
            headers.insert("x-should-retry", HeaderValue::from_static("false"));
        }
        if let Some(after) = self.retry_after {
            let millis = u64::try_from(after.as_millis()).unwrap_or(u64::MAX);
            headers.insert(RETRY_AFTER, HeaderValue::from(millis.div_ceil(1000)));
            headers.insert("retry-after-ms", HeaderValue::from(millis));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_has_the_status_and_the_words_of_both_providers() {
        for (class, status, code, kind) in [
            (
                RefusalClass::Overflow,
                400,
                json!("context_length_exceeded"),
                "invalid_request_error",
            ),
            (RefusalClass::Error, 500, Value::Null, "api_error"),
            (RefusalClass::TimeOut, 504, json!("timeout"), "timeout_error"),
            (RefusalClass::Spent, 429, json!("insufficient_quota"), "rate_limit_error"),
            (RefusalClass::Unavailable, 503, json!("unavailable"), "overloaded_error"),
        ] {
            let fault = Fault::refused(Refusal::new(class, "9 tokens > 5 maximum"));
            assert_eq!(fault.status(), status, "{class:?}");
            assert_eq!(fault.body(Dialect::OpenAi)["error"]["code"], code, "{class:?}");
            assert_eq!(fault.body(Dialect::Anthropic)["error"]["type"], kind, "{class:?}");
        }
    }

    #[test]
    fn an_overflow_has_the_words_that_programs_look_for() {
        let fault = Fault::refused(Refusal::new(RefusalClass::Overflow, "9 tokens > 5 maximum"));
        let message = |dialect| fault.body(dialect)["error"]["message"].clone();
        assert_eq!(message(Dialect::Anthropic), "prompt is too long: 9 tokens > 5 maximum");
        let openai = message(Dialect::OpenAi);
        assert!(openai.as_str().is_some_and(|text| text.contains("maximum context length")));
    }

    #[test]
    fn headers_say_when_to_try_again_and_when_not_to() {
        let mut refusal = Refusal::new(RefusalClass::Unavailable, "later");
        refusal.retry_after = Some(Duration::from_millis(1_200));
        let response = Fault::refused(refusal).response(Dialect::OpenAi);
        assert_eq!(response.headers()["retry-after"], "2");
        assert_eq!(response.headers()["retry-after-ms"], "1200");
        assert!(!response.headers().contains_key("x-should-retry"));
        let spent = Fault::refused(Refusal::new(RefusalClass::Spent, "none left"));
        assert_eq!(spent.response(Dialect::OpenAi).headers()["x-should-retry"], "false");
    }
}
