//! `/v1/responses`: the conversation as items. Nothing is kept, so each request brings all of it.

mod answer;

pub(crate) use answer::{stream, whole};

use super::{number, only_text, role, system, tool_choice};
use crate::field::Field;
use crate::prelude::*;
use crate::token::Token;

const UNSPOKEN: [(&str, &str); 4] = [
    ("previous_response_id", "no answer is kept here: send the whole conversation as `input`"),
    ("conversation", "no conversation is kept here: send the whole of it as `input`"),
    ("prompt", "no prompt is kept here: send `instructions` and `input`"),
    ("context_management", "nothing is compacted here"),
];

/// Types of parts that hold text.
const TEXTS: [&str; 3] = ["input_text", "output_text", "text"];

/// Reads a request.
pub(crate) fn read(body: &Value, token: Token) -> Result<Asked, Fault> {
    let body = Field::body(body)?;
    body.refuse(&super::UNSPOKEN)?;
    body.refuse(&UNSPOKEN)?;
    tool_choice(&body)?;
    only_text(body.get("text").and_then(|text| text.get("format")).as_ref())?;
    let input = body.need("input")?;
    let mut messages = Vec::new();
    if input.is_text() {
        messages.push(ChatMessage::new(Role::User, input.text()?));
    } else {
        input.list()?.iter().try_for_each(|one| item(one, &mut messages))?;
    }
    let of_messages = system(&mut messages);
    if messages.is_empty() {
        return Err(Fault::at("input", "there is no message beside the system prompt"));
    }
    let instructions = body.text_of("instructions")?.map(str::to_owned);
    let systems: Vec<String> = instructions.into_iter().chain(of_messages).collect();
    let request = ModelRequest {
        token,
        model: body.text_of("model")?.map(str::to_owned),
        system: (!systems.is_empty()).then(|| systems.join("\n\n")),
        messages,
        tools: body.tools()?,
        max_tokens: body.count_of("max_output_tokens")?,
        temperature: number(&body, "temperature")?,
        seed: None,
    };
    Ok(Asked { request, stream: body.flag("stream")?, usage: false })
}

/// Adds an item to the conversation. Calls belong to the assistant's message before them.
fn item(field: &Field, messages: &mut Vec<ChatMessage>) -> Result<(), Fault> {
    let kind = field.text_of("type")?.unwrap_or("message");
    match kind {
        "message" => {
            let role = role(&field.need("role")?)?;
            let text = field.need("content")?.words(&TEXTS)?;
            messages.push(ChatMessage::new(role, text));
        }
        "function_call" | "custom_tool_call" => {
            let args = if kind == "function_call" { "arguments" } else { "input" };
            let call = Call {
                id: CallId::new(field.needed_text("call_id")?),
                name: field.needed_text("name")?.into(),
                args: field.needed_text(args)?.into(),
            };
            match messages.last_mut().filter(|last| last.role == Role::Assistant) {
                Some(last) => last.calls.push(call),
                None => messages.push(ChatMessage {
                    calls: vec![call],
                    ..ChatMessage::new(Role::Assistant, "")
                }),
            }
        }
        "function_call_output" | "custom_tool_call_output" => {
            let answers = Some(CallId::new(field.needed_text("call_id")?));
            let text = field.need("output")?.words(&TEXTS)?;
            messages.push(ChatMessage { answers, ..ChatMessage::new(Role::Tool, text) });
        }
        // What a model thought is not a part of what was said.
        "reasoning" => {}
        other => {
            let rule = format!(
                "items of type `{other}` are not spoken here, only messages, calls \
                                of functions and their outputs"
            );
            return Err(field.unspoken(rule));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
