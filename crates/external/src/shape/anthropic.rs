//! The shape of the Anthropic messages API: results of tools are blocks of a user message.

use serde_json::json;

use super::{Returned, entry_id, input, role_of, text_of};
use crate::prelude::*;

pub(super) fn of(entries: &[Arc<Entry>]) -> Vec<Value> {
    let mut messages: Vec<Value> = Vec::with_capacity(entries.len());
    let mut last_role = None;
    for entry in entries {
        let blocks = blocks(entry);
        let grown = (last_role == Some(Role::Tool) && entry.role == Role::Tool)
            .then(|| messages.last_mut())
            .flatten()
            .and_then(|last| last["content"].as_array_mut());
        match grown {
            Some(content) => content.extend(blocks),
            None => {
                let role = if entry.role == Role::Assistant { "assistant" } else { "user" };
                let id = entry.id.0.to_string();
                messages.push(json!({ "id": id, "role": role, "content": blocks }));
            }
        }
        last_role = Some(entry.role);
    }
    messages
}

fn blocks(entry: &Entry) -> Vec<Value> {
    let text = entry.content();
    if let (Role::Tool, Some(id)) = (entry.role, &entry.answers) {
        return vec![json!({ "type": "tool_result", "tool_use_id": id, "content": &*text })];
    }
    let text = (!text.is_empty()).then(|| json!({ "type": "text", "text": &*text }));
    let calls = entry.calls.iter().map(|call| {
        json!({ "type": "tool_use", "id": call.id, "name": &*call.name, "input": input(&call.args) })
    });
    text.into_iter().chain(calls).collect()
}

/// A message, or each result of a tool in it and the rest.
pub(super) fn read(message: &Value) -> Result<Vec<Returned>, String> {
    let (id, role) = (entry_id(message.get("id")), role_of(message)?);
    let Some(Value::Array(blocks)) = message.get("content") else {
        let text = text_of(message.get("content"))?;
        return Ok(vec![Returned { id, role: Some(role), text, ..Returned::default() }]);
    };
    let mut all = Vec::new();
    let mut rest = Returned { role: Some(role), ..Returned::default() };
    let mut has_rest = blocks.is_empty();
    for block in blocks {
        let text = |key: &str| block.get(key).and_then(Value::as_str);
        match text("type") {
            Some("tool_result") => {
                let of = text("tool_use_id").ok_or("a `tool_result` has no `tool_use_id`")?;
                all.push(Returned {
                    role: Some(Role::Tool),
                    text: text_of(block.get("content"))?,
                    answers: Some(CallId::new(of)),
                    ..Returned::default()
                });
            }
            Some("tool_use") => {
                let of = text("id").ok_or("a `tool_use` has no `id`")?;
                let args = block.get("input").map(Value::to_string).unwrap_or_default();
                let name = text("name").unwrap_or_default().into();
                rest.calls.push(Call { id: CallId::new(of), name, args: args.into() });
                has_rest = true;
            }
            Some("text") => {
                rest.text.push_str(text("text").unwrap_or_default());
                has_rest = true;
            }
            _ => return Err("a block is none of text, tool_use, tool_result".to_owned()),
        }
    }
    if has_rest {
        // The id of a message of results is that of its first result, which goes by its call.
        rest.id = id.filter(|_| all.is_empty());
        all.push(rest);
    }
    Ok(all)
}
