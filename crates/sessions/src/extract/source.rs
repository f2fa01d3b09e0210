//! The texts that facts may be born in.

use serde_json::Value;

use crate::log::artifact::leaves;
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

patterns! {
    REMINDER = r"(?s)<system-reminder>.*?(?:</system-reminder>|\z)";
}

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
            let strings = message.calls.iter().flat_map(|call| leaves(&call.args));
            strings.map(|(_, text)| (Speaker::Call, text)).collect()
        }
    }
}

/// A top-level string argument by one of these names.
pub(super) fn argument(call: &Call, names: &[&str]) -> Option<String> {
    let Ok(Value::Object(args)) = serde_json::from_str::<Value>(&call.args) else { return None };
    names.iter().find_map(|name| args.get(*name)?.as_str()).map(str::to_owned)
}
