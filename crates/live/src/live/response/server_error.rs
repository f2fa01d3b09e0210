//! Errors as servers put them.

use serde_json::Value;

use crate::live::response::{AttemptResult, RetryAction};
use crate::prelude::*;

/// Most characters of a server's words that are kept.
const KEPT: usize = 300;

/// Codes and types that say: larger than the context.
const OVERFLOW_CODES: &str = include_str!("overflow-codes.txt");

/// The same, in words, of servers that have no code for it.
const OVERFLOW_WORDS: &str = include_str!("overflow.txt");

/// Codes that say: there is no such model.
const MODEL_CODES: [&str; 3] = ["model_not_found", "invalid_model", "model_not_available"];

/// An error, taken apart.
#[derive(Debug, Default)]
pub(super) struct ServerError {
    words: String,
    /// Codes and types, in lower case.
    codes: Vec<String>,
    /// An HTTP status that the body gives.
    status: Option<u16>,
}

impl ServerError {
    /// Of a body that is JSON.
    pub(super) fn parse(json: &Value) -> ServerError {
        // Gemini's compatible endpoint puts the object into a list.
        let json = json.get(0).unwrap_or(json);
        let error = json.get("error").filter(|error| !error.is_null());
        let error = error.or_else(|| json.pointer("/choices/0/error")).unwrap_or(json);
        let mut found = ServerError::default();
        let said = |value: &Value| match value {
            Value::String(words) => words.clone(),
            Value::Null => String::new(),
            other => other.to_string(),
        };
        let words = ["message", "detail", "msg", "error"].iter().filter_map(|key| error.get(key));
        found.words = words.map(said).find(|words| !words.is_empty()).unwrap_or_default();
        if let Value::String(words) = error {
            found.words.clone_from(words);
        }
        for key in ["code", "type", "status"] {
            match error.get(key) {
                Some(Value::String(code)) => found.codes.push(code.to_lowercase()),
                Some(Value::Number(number)) => {
                    let status = number.as_u64().and_then(|number| u16::try_from(number).ok());
                    found.status = found.status.or(status);
                }
                _ => {}
            }
        }
        if found.words.is_empty() && found.codes.is_empty() {
            found.words = json.to_string();
        }
        found
    }

    /// Of a body that is not.
    pub(super) fn from_text(text: &str) -> ServerError {
        ServerError { words: text.to_owned(), ..ServerError::default() }
    }

    /// What it means under a status; a status of success says nothing, the body may.
    pub(super) fn classify(&self, status: u16, retry_after: Option<Duration>) -> AttemptResult {
        let success = (200..300).contains(&status);
        let in_body = self.status.filter(|status| success && (400..600).contains(status));
        let message = self.message(status);
        if self.is_overflow(in_body.unwrap_or(status)) {
            return AttemptResult::failure(FailureClass::Overflow, message, RetryAction::None);
        }
        let (class, action) = self.action(in_body.unwrap_or(status), retry_after);
        AttemptResult::failure(class, message, action)
    }

    fn action(&self, status: u16, after: Option<Duration>) -> (FailureClass, RetryAction) {
        let action = match status {
            _ if self.has(&MODEL_CODES) => RetryAction::Stop(NO_MODEL),
            300..=399 => RetryAction::Stop("name the address that it leads to with `--base-url`"),
            401 | 403 => {
                RetryAction::Stop("`--api-key-env VAR` or `--api-key-file FILE` names the key")
            }
            402 => RetryAction::Stop("the provider wants to be paid first"),
            404 => RetryAction::Stop(NO_MODEL),
            429 if self.has(&["insufficient_quota"]) => {
                RetryAction::Stop("the provider's quota is used up")
            }
            429 => RetryAction::Again { after, everyone: true },
            408 | 500..=599 => RetryAction::Again { after, everyone: false },
            _ => RetryAction::None,
        };
        let class = match status {
            408 | 504 => FailureClass::TimeOut,
            _ if self.has(&["content_filter", "content_policy_violation"]) => FailureClass::Refusal,
            _ => FailureClass::Error,
        };
        (class, action)
    }

    fn has(&self, codes: &[&str]) -> bool {
        self.codes.iter().any(|code| codes.contains(&&**code))
    }

    fn is_overflow(&self, status: u16) -> bool {
        // A rate limit speaks of tokens too, and so may a page that says who may enter.
        if matches!(status, 300..=399 | 401..=404 | 429) {
            return false;
        }
        let words = self.words.to_lowercase();
        let coded = self.codes.iter().any(|code| OVERFLOW_CODES.lines().any(|known| known == code));
        coded || OVERFLOW_WORDS.lines().any(|known| words.contains(known))
    }

    fn message(&self, status: u16) -> String {
        let said = excerpt(&self.words);
        let codes: Vec<String> = self.codes.iter().map(|code| excerpt(code)).collect();
        let codes =
            if codes.is_empty() { String::new() } else { format!(" ({})", codes.join(", ")) };
        let said = if said.is_empty() { said } else { format!(": {said}") };
        format!("HTTP {status}{codes}{said}")
    }
}

const NO_MODEL: &str = "see what models the server has (GET BASE-URL/models) and name one with \
    `--model`; `[models]` in the endpoint file renames those of profiles; a base URL usually ends \
    in `/v1`";

/// What is kept of a server's words.
pub(super) fn excerpt(text: &str) -> String {
    beginning(text, KEPT)
}
