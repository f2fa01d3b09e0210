//! Which format a file has, told from its records.

use std::collections::VecDeque;

use serde_json::Value;

use super::Format;
use super::json::Json;
use super::records::Record;
use crate::prelude::*;

/// Records that are looked at.
pub(super) const LOOKED_AT: usize = 200;

/// Whether the file begins as our own log does.
pub(super) fn is_native(head: &[u8]) -> bool {
    let text = String::from_utf8_lossy(head);
    let first = text.trim_start_matches('\u{feff}').trim_start().lines().next();
    first.is_some_and(|first| first.starts_with('{') && first.contains("\"proctor\":"))
}

/// The format of the first record that shows one; else what the file shows, for people.
pub(super) fn format(records: &VecDeque<Record>) -> Result<Format, String> {
    let mut first = None;
    for record in records {
        let Ok(value) = serde_json::from_str::<Value>(&record.json) else { continue };
        if let Some(format) = of(&value) {
            return Ok(format);
        }
        first.get_or_insert_with(|| format!("line {} is {}", record.line, shape(&value)));
    }
    Err(first.unwrap_or_else(|| "no line is JSON".to_owned()))
}

/// What a value is, by its keys.
fn shape(value: &Value) -> String {
    match value {
        Value::Object(map) => {
            let keys: Vec<String> = map.keys().take(8).map(|key| format!("`{key}`")).collect();
            format!("an object with the keys {}", keys.join(", "))
        }
        Value::Array(values) => match values.first() {
            Some(first) => format!("a list; its first element is {}", shape(first)),
            None => "an empty list".to_owned(),
        },
        Value::String(_) => "a text".to_owned(),
        _ => "a bare value".to_owned(),
    }
}

/// The values that are sessions: those of a list of sessions, or the value itself.
pub(super) fn sessions(value: &Value) -> Vec<&Value> {
    match value {
        Value::Array(values) if values.first().is_some_and(|first| session(first).is_some()) => {
            values.iter().collect()
        }
        value => vec![value],
    }
}

fn of(value: &Value) -> Option<Format> {
    if let Value::Array(values) = value {
        let of_first = values.first().and_then(session);
        return of_first.or_else(|| list(values));
    }
    line(value).or_else(|| session(value))
}

/// The format of a record that is a part of a session.
fn line(value: &Value) -> Option<Format> {
    let kind = value.text("type").unwrap_or_default();
    let has = |key: &str| value.key(key).is_some();
    let is_gemini = has("projectHash") && has("sessionId");
    if is_gemini {
        return Some(Format::GeminiSession);
    }
    if has("sessionId") && value.key("message").is_some_and(|m| m.key("parts").is_some()) {
        return Some(Format::Qwen);
    }
    let of_claude = (has("sessionId")
        && (value.get("parentUuid").is_some() || kind.starts_with("queue-")))
        || (has("leafUuid") && kind == "summary")
        || (has("messageId") && kind == "file-history-snapshot");
    if of_claude {
        return Some(Format::ClaudeCode);
    }
    let streams = has("session_id") && matches!(kind, "system" | "assistant" | "user" | "result");
    if streams && (has("message") || has("subtype")) {
        return Some(Format::ClaudeStream);
    }
    const CODEX: [&str; 5] =
        ["session_meta", "response_item", "turn_context", "event_msg", "compacted"];
    if CODEX.contains(&kind) && value.key("payload").is_some_and(Value::is_object) {
        return Some(Format::Codex);
    }
    if kind.contains('.') && value.key("data").is_some_and(Value::is_object) {
        return Some(Format::Copilot);
    }
    let of_pi = (kind == "session" && has("cwd") && has("id"))
        || (kind == "message" && value.key("message").is_some_and(|m| m.text("role").is_some()));
    of_pi.then_some(Format::Pi)
}

/// The format of a value that is a whole session.
fn session(value: &Value) -> Option<Format> {
    let has = |key: &str| value.key(key).is_some();
    let first = |key: &str| value.list(key).first();
    if has("haystack_sessions") {
        return Some(Format::LongMemEval);
    }
    if value.key("conversation").is_some_and(|one| one.key("speaker_a").is_some()) {
        return Some(Format::LoCoMo);
    }
    if first("conversations")
        .is_some_and(|one| one.key("from").is_some() && one.key("value").is_some())
    {
        return Some(Format::ShareGpt);
    }
    if has("trajectory") && has("history") {
        return Some(Format::SweAgent);
    }
    if has("trajectory_format") || (has("info") && value["info"].key("mini_version").is_some()) {
        return Some(Format::MiniSweAgent);
    }
    if first("history").is_some_and(is_event) {
        return Some(Format::OpenHands);
    }
    if value.list("steps").iter().any(|step| step.key("source").is_some()) {
        return Some(Format::Atif);
    }
    if first("messages").is_some_and(|one| one.key("info").is_some() && one.key("parts").is_some())
    {
        return Some(Format::OpenCode);
    }
    if has("messages") {
        let format = list(value.list("messages"))?;
        let is_anthropic = value.key("system").is_some() && format == Format::OpenAiChat;
        return Some(if is_anthropic { Format::AnthropicMessages } else { format });
    }
    if has("input") { list(value.list("input")) } else { None }
}

/// The format of a session that is a list of messages, items or events.
fn list(values: &[Value]) -> Option<Format> {
    if values.iter().take(3).any(is_event) {
        return Some(Format::OpenHands);
    }
    if values.iter().any(|one| one.key("parts").is_some_and(Value::is_array)) {
        return Some(Format::GeminiContents);
    }
    let item = |one: &Value| {
        let kind = one.text("type").unwrap_or_default();
        matches!(kind, "function_call" | "function_call_output" | "reasoning" | "custom_tool_call")
            || (kind == "message" && one.text("role").is_some())
    };
    if values.iter().any(item) {
        return Some(Format::OpenAiResponses);
    }
    let role = |one: &&Value| one.text("role").is_some();
    let messages: Vec<&Value> = values.iter().filter(role).collect();
    if messages.is_empty() {
        return None;
    }
    let blocks = || messages.iter().flat_map(|one| one.list("content"));
    let text_has = |mark: &str| {
        let texts = messages[0].list("content").iter().filter_map(|block| block.text("text"));
        texts.chain(messages[0].text("content")).any(|text| text.contains(mark))
    };
    if text_has("<environment_details>") || (text_has("<task>") && blocks().next().is_some()) {
        return Some(Format::Cline);
    }
    let of_anthropic = |block: &Value| {
        let kind = block.text("type").unwrap_or_default();
        matches!(kind, "tool_use" | "tool_result" | "thinking") && one_of_anthropic(block)
    };
    let observed =
        |one: &&Value| one.text("content").is_some_and(|text| text.starts_with("<returncode>"));
    if messages.iter().any(observed) {
        return Some(Format::MiniSweAgent);
    }
    let is_anthropic = blocks().any(of_anthropic);
    Some(if is_anthropic { Format::AnthropicMessages } else { Format::OpenAiChat })
}

fn one_of_anthropic(block: &Value) -> bool {
    ["tool_use_id", "input", "thinking"].iter().any(|key| block.key(key).is_some())
}

/// An event of OpenHands, of its first version or its second.
fn is_event(value: &Value) -> bool {
    let has = |key: &str| value.text(key).is_some();
    (has("source") && (has("action") || has("observation"))) || (has("kind") && has("source"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_format_is_detected_from_the_content() {
        for (head, expected) in crate::cases::<(String, Vec<String>)>("heads") {
            let records = (1..).zip(head.lines());
            let records = records.map(|(line, json)| Record { line, json: json.to_owned() });
            let native = is_native(head.as_bytes()).then_some(Format::Proctor);
            let found = native.or(format(&records.collect()).ok()).map(Format::name);
            assert_eq!(found.as_slice(), expected, "{head}");
        }
    }
}
