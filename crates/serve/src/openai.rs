//! The shapes of OpenAI.

pub(crate) mod chat;
pub(crate) mod responses;

use crate::field::Field;
use crate::prelude::*;

/// Who owns the models of a list.
const OWNER: &str = "proctor";

/// What neither of the two endpoints does.
const UNSPOKEN: [(&str, &str); 2] = [
    ("background", "no answer is kept here: ask again without it"),
    ("audio", "answers are text: audio is not spoken here"),
];

/// The entry of a model. Nothing here has a date.
pub(crate) fn model(id: &str) -> Value {
    json!({ "id": id, "object": "model", "created": 0, "owned_by": OWNER })
}

/// The list of models.
pub(crate) fn models(ids: &[String]) -> Value {
    let data: Vec<Value> = ids.iter().map(|id| model(id)).collect();
    json!({ "object": "list", "data": data })
}

/// Tools may be offered; that one be called may not be asked.
fn tool_choice(body: &Field) -> Result<(), Fault> {
    match body.get("tool_choice") {
        Some(choice) if !choice.is_text() || !matches!(choice.text()?, "auto" | "none") => {
            let rule = "answers here are text, tools are never called: only `auto` and `none` are \
                        spoken";
            Err(choice.unspoken(rule))
        }
        _ => Ok(()),
    }
}

/// The format of the answer is text. `format` is where the shape has it.
fn only_text(format: Option<&Field>) -> Result<(), Fault> {
    match format {
        Some(format) if format.needed_text("type")? != "text" => {
            Err(format.unspoken("answers here are text: only `{\"type\": \"text\"}` is spoken"))
        }
        _ => Ok(()),
    }
}

fn role(field: &Field) -> Result<Role, Fault> {
    match field.text()? {
        "system" | "developer" => Ok(Role::System),
        "user" => Ok(Role::User),
        "assistant" => Ok(Role::Assistant),
        "tool" => Ok(Role::Tool),
        other => Err(field.unspoken(format!("messages of role `{other}` are not spoken here"))),
    }
}

/// Takes the system messages off the beginning.
fn system(messages: &mut Vec<ChatMessage>) -> Option<String> {
    let rest = messages.iter().position(|message| message.role != Role::System);
    let leading: Vec<ChatMessage> = messages.drain(..rest.unwrap_or(messages.len())).collect();
    let texts: Vec<String> = leading.into_iter().map(|message| message.text).collect();
    (!texts.is_empty()).then(|| texts.join("\n\n"))
}

/// A sampling value as given.
fn number(body: &Field, key: &str) -> Result<Option<f64>, Fault> {
    let Some(field) = body.get(key) else { return Ok(None) };
    field.raw().as_f64().map(Some).ok_or_else(|| field.wrong("a number"))
}
