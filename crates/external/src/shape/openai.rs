//! The shape of the OpenAI chat API.

use super::{Returned, entry_id, role_of, text_of};
use crate::prelude::*;

#[derive(Serialize)]
pub(super) struct Message<'a> {
    id: String,
    role: Role,
    content: Text,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<ToolCall<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_call_id: Option<&'a CallId>,
}

#[derive(Serialize)]
struct ToolCall<'a> {
    id: &'a CallId,
    #[serde(rename = "type")]
    kind: &'static str,
    function: Function<'a>,
}

#[derive(Serialize)]
struct Function<'a> {
    name: &'a str,
    arguments: &'a str,
}

pub(super) fn of(entries: &[Arc<Entry>]) -> Vec<Message<'_>> {
    entries.iter().map(message).collect()
}

fn message(entry: &Arc<Entry>) -> Message<'_> {
    Message {
        id: entry.id.0.to_string(),
        role: entry.role,
        content: entry.content(),
        tool_calls: entry.calls.iter().map(tool_call).collect(),
        tool_call_id: entry.answers.as_ref(),
    }
}

fn tool_call(call: &Call) -> ToolCall<'_> {
    let function = Function { name: &call.name, arguments: &call.args };
    ToolCall { id: &call.id, kind: "function", function }
}

pub(super) fn read(message: &Value) -> Result<Returned, String> {
    let calls = match message.get("tool_calls") {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::Array(calls)) => calls.iter().map(read_call).collect::<Result<_, _>>()?,
        Some(_) => return Err("`tool_calls` is no list".to_owned()),
    };
    Ok(Returned {
        id: entry_id(message.get("id")),
        role: Some(role_of(message)?),
        text: text_of(message.get("content"))?,
        calls,
        answers: message.get("tool_call_id").and_then(Value::as_str).map(CallId::new),
    })
}

fn read_call(call: &Value) -> Result<Call, String> {
    let text = |value: Option<&Value>| value.and_then(Value::as_str).map(Text::from);
    let function = call.get("function");
    let field = |name: &str| text(function.and_then(|function| function.get(name)));
    let id = call.get("id").and_then(Value::as_str).ok_or("a tool call has no `id`")?;
    let name = field("name").ok_or("a tool call has no `function.name`")?;
    Ok(Call { id: CallId::new(id), name, args: field("arguments").unwrap_or_default() })
}
