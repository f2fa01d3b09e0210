//! The texts that facts may be born in.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use crate::log::{Author, Call, Message, Role};

/// Who shows an artifact: it decides which patterns are trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Speaker {
    /// A person typed it.
    Human,
    /// An argument of a call.
    Call,
    /// The result of a call.
    Result,
}

// OK because the pattern is a constant and every test compiles it.
static REMINDER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?s)<system-reminder>.*?(?:</system-reminder>|\z)").expect("a valid pattern")
});

/// What a person typed, without what the harness put beside it.
pub(super) fn typed(message: &Message) -> Option<String> {
    let human = message.role == Role::User && message.author == Author::Human;
    human.then(|| REMINDER.replace_all(&message.content, " ").into_owned())
}

/// The texts of a message in which artifacts are looked for. The prose of the
/// model is not among them: it names things that it only means to make.
pub(super) fn texts(message: &Message) -> Vec<(Speaker, String)> {
    match message.role {
        Role::System => Vec::new(),
        Role::User => typed(message).map(|text| (Speaker::Human, text)).into_iter().collect(),
        Role::Tool => vec![(Speaker::Result, message.content.to_string())],
        Role::Assistant => {
            let strings = message.calls.iter().flat_map(strings);
            strings.map(|text| (Speaker::Call, text)).collect()
        }
    }
}

/// The strings of a call's arguments, unescaped.
pub(super) fn strings(call: &Call) -> Vec<String> {
    let Ok(args) = serde_json::from_str::<Value>(&call.args) else {
        return vec![call.args.to_string()];
    };
    let mut strings = Vec::new();
    collect(args, &mut strings);
    strings
}

/// A top-level string argument by one of these names.
pub(super) fn argument(call: &Call, names: &[&str]) -> Option<String> {
    let Ok(Value::Object(args)) = serde_json::from_str::<Value>(&call.args) else { return None };
    names.iter().find_map(|name| args.get(*name)?.as_str()).map(str::to_owned)
}

fn collect(value: Value, strings: &mut Vec<String>) {
    match value {
        Value::String(text) => strings.push(text),
        Value::Array(values) => values.into_iter().for_each(|value| collect(value, strings)),
        Value::Object(values) => values.into_iter().for_each(|(_, value)| collect(value, strings)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
