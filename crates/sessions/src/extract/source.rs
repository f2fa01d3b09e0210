//! What a person typed, and what a call was given.

use serde_json::Value;

use super::data::PROSE;
use crate::log::{Author, Call, Message, Role};

/// What a person typed, without what the harness put beside it.
pub(super) fn typed(message: &Message) -> Option<String> {
    let human = message.role == Role::User && message.author == Author::Human;
    human.then(|| PROSE.reminder.replace_all(&message.content, " ").into_owned())
}

/// The file that a call names.
pub(super) fn file(call: &Call) -> Option<String> {
    argument(call, &["file_path", "path", "filePath", "filename"])
}

/// A top-level string argument by one of these names.
pub(super) fn argument(call: &Call, names: &[&str]) -> Option<String> {
    let Ok(Value::Object(args)) = serde_json::from_str::<Value>(&call.args) else { return None };
    names.iter().find_map(|name| args.get(*name)?.as_str()).map(str::to_owned)
}
