//! `/v1/messages`: reads a request.

use crate::field::Field;
use crate::prelude::*;
use crate::token::Token;

const UNSPOKEN: [(&str, &str); 5] = [
    ("stop_sequences", "answers are not searched for words that end them"),
    ("mcp_servers", "no server is asked from here"),
    ("container", "nothing is run here"),
    ("context_management", "nothing is compacted here"),
    ("output_format", "answers here are text"),
];

/// Reads a request.
pub(crate) fn read(body: &Value, token: Token) -> Result<Asked, Fault> {
    let field = Field::body(body)?;
    let max_tokens = Some(field.need("max_tokens")?.count()?);
    let asked = read_to_count(body, token)?;
    let request = ModelRequest { max_tokens, ..asked.request };
    Ok(Asked { request, stream: field.flag("stream")?, usage: false })
}

/// Reads a request of which only the tokens are wanted.
pub(crate) fn read_to_count(body: &Value, token: Token) -> Result<Asked, Fault> {
    let body = Field::body(body)?;
    body.refuse(&UNSPOKEN)?;
    tool_choice(&body)?;
    let format = body.get("output_config").and_then(|config| config.get("format"));
    if let Some(format) = format {
        return Err(format.unspoken("answers here are text"));
    }
    let mut messages = Vec::new();
    for one in body.need("messages")?.list()? {
        message(&one, &mut messages)?;
    }
    if messages.is_empty() {
        return Err(Fault::at("messages", "there is no message"));
    }
    let temperature = body.get("temperature");
    let request = ModelRequest {
        token,
        model: body.text_of("model")?.map(str::to_owned),
        system: body.get("system").map(|system| system.words(&["text"])).transpose()?,
        messages,
        tools: body.tools()?,
        max_tokens: None,
        temperature: temperature.and_then(|temperature| temperature.raw().as_f64()),
        seed: None,
    };
    Ok(Asked { request, stream: false, usage: false })
}

/// Tools may be offered; that one be called may not be asked.
fn tool_choice(body: &Field) -> Result<(), Fault> {
    let Some(choice) = body.get("tool_choice") else { return Ok(()) };
    match choice.needed_text("type")? {
        "auto" | "none" => Ok(()),
        _ => Err(choice.unspoken(
            "answers here are text, tools are never called: only `auto` and `none` are spoken",
        )),
    }
}

/// Adds a message: results of tools are messages of their own, words around them too.
fn message(field: &Field, messages: &mut Vec<ChatMessage>) -> Result<(), Fault> {
    let name = field.need("role")?;
    let role = match name.text()? {
        "user" => Role::User,
        "assistant" => Role::Assistant,
        "system" => Role::System,
        other => {
            return Err(name.unspoken(format!("messages of role `{other}` are not spoken here")));
        }
    };
    let content = field.need("content")?;
    if content.is_text() {
        messages.push(ChatMessage::new(role, content.text()?));
        return Ok(());
    }
    let mut words = ChatMessage::new(role, "");
    let mut is_open = false;
    for block in content.list()? {
        let kind = block.needed_text("type")?;
        match kind {
            "text" => {
                words.text.push_str(block.needed_text("text")?);
                is_open = true;
            }
            "tool_use" if role == Role::Assistant => {
                words.calls.push(call(&block)?);
                is_open = true;
            }
            "tool_result" if role == Role::User => {
                if std::mem::take(&mut is_open) {
                    messages.push(std::mem::replace(&mut words, ChatMessage::new(role, "")));
                }
                messages.push(result(&block)?);
            }
            // What a model thought is not a part of what was said.
            "thinking" | "redacted_thinking" => is_open = true,
            _ => return Err(block.not_text(kind)),
        }
    }
    if is_open {
        messages.push(words);
    }
    Ok(())
}

fn call(block: &Field) -> Result<Call, Fault> {
    Ok(Call {
        id: CallId::new(block.needed_text("id")?),
        name: block.needed_text("name")?.into(),
        args: block.need("input")?.raw().to_string().into(),
    })
}

fn result(block: &Field) -> Result<ChatMessage, Fault> {
    let text =
        block.get("content").map_or(Ok(String::new()), |content| content.words(&["text"]))?;
    let answers = Some(CallId::new(block.needed_text("tool_use_id")?));
    let failed = block.flag("is_error")?;
    Ok(ChatMessage { answers, failed, ..ChatMessage::new(Role::Tool, text) })
}

#[cfg(test)]
mod tests;
