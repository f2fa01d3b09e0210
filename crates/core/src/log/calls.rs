//! What a tool call is about, by the names that agents give its arguments.

use serde_json::Value;

use crate::log::Call;

/// The file that a call names.
pub fn file(call: &Call) -> Option<String> {
    argument(call, &["file_path", "path", "filePath", "filename"])
}

/// The command that a call runs.
pub fn command(call: &Call) -> Option<String> {
    argument(call, &["command", "cmd", "script"])
}

/// The first of these arguments of a call that is a text.
pub fn argument(call: &Call, names: &[&str]) -> Option<String> {
    let Ok(Value::Object(args)) = serde_json::from_str::<Value>(&call.args) else { return None };
    names.iter().find_map(|name| args.get(*name)?.as_str()).map(str::to_owned)
}

/// Whether a call reads a part of a file, by the name of its tool.
pub fn is_read(call: &Call) -> bool {
    is_named(call, &["read", "view", "open"])
}

/// Whether a call changes a file.
pub fn is_edit(call: &Call) -> bool {
    is_whole_write(call) || is_named(call, &["edit", "patch", "replace"])
}

/// Whether a call writes a file whole.
pub fn is_whole_write(call: &Call) -> bool {
    is_named(call, &["write", "create"])
}

fn is_named(call: &Call, words: &[&str]) -> bool {
    let name = call.name.to_lowercase();
    words.iter().any(|word| name.contains(word))
}

/// Whether a call writes down what is to be done, and does nothing of it.
pub fn is_plan(call: &Call) -> bool {
    is_named(call, &["todo", "plan"])
}

/// Whether a call searches or lists: its result names what nobody asked for.
pub fn is_listing(call: &Call) -> bool {
    const TOOLS: [&str; 5] = ["glob", "grep", "search", "list", "find"];
    const COMMANDS: [&str; 7] = ["ls", "find", "rg", "grep", "fd", "tree", "git ls-files"];
    let name = call.name.to_lowercase();
    let command = command(call).unwrap_or_default();
    let first = |known: &str| {
        command.strip_prefix(known).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    };
    TOOLS.iter().any(|tool| name.contains(tool)) || COMMANDS.iter().any(|known| first(known))
}
