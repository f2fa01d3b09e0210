//! Keys of values whose shape is not sure: what is missing or of another type is absent.

use serde_json::Value;

use crate::prelude::*;

/// Values by key.
pub(super) trait Json {
    /// The value of a key, where it is there and not null.
    fn key(&self, key: &str) -> Option<&Value>;
    /// A text.
    fn text(&self, key: &str) -> Option<&str>;
    /// The values of a list; none where it is no list.
    fn list(&self, key: &str) -> &[Value];
    /// A count of tokens.
    fn tokens(&self, key: &str) -> Option<Tokens>;
    /// Whether it is `true`.
    fn is(&self, key: &str) -> bool;
    /// A time, in milliseconds since 1970: a number, or a text as RFC 3339 has it.
    fn time(&self, key: &str) -> Option<i64>;
}

impl Json for Value {
    fn key(&self, key: &str) -> Option<&Value> {
        self.get(key).filter(|value| !value.is_null())
    }

    fn text(&self, key: &str) -> Option<&str> {
        self.get(key)?.as_str()
    }

    fn list(&self, key: &str) -> &[Value] {
        self.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    fn tokens(&self, key: &str) -> Option<Tokens> {
        let count = self.get(key)?;
        let whole = count.as_u64().or_else(|| Some(count.as_f64().filter(|n| *n >= 0.0)? as u64));
        whole.map(|count| Tokens(count.min(u64::from(u32::MAX))))
    }

    fn is(&self, key: &str) -> bool {
        self.get(key).and_then(Value::as_bool).unwrap_or(false)
    }

    fn time(&self, key: &str) -> Option<i64> {
        let value = self.get(key)?;
        value.as_i64().or_else(|| at(value.as_str()?))
    }
}

/// A time as RFC 3339 has it, in milliseconds since 1970.
pub(super) fn at(text: &str) -> Option<i64> {
    Some(chrono::DateTime::parse_from_rfc3339(text).ok()?.timestamp_millis())
}

/// A value as the text that a model would read: a text as it is, else its JSON.
pub(super) fn as_text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        value => value.to_string(),
    }
}

/// Arguments of a call: JSON, which some formats keep as a text.
pub(super) fn arguments(value: Option<&Value>) -> String {
    let text = value.map(as_text).unwrap_or_default();
    if text.trim().is_empty() { "{}".to_owned() } else { text }
}
