//! `/v1/chat/completions`.

use super::{number, only_text, role, system, tool_choice};
use crate::events::{Events, pieces};
use crate::field::Field;
use crate::prelude::*;
use crate::token::Token;

const UNSPOKEN: [(&str, &str); 6] = [
    ("stop", "answers are not searched for words that end them"),
    ("logprobs", "there are no probabilities of tokens here"),
    ("prediction", "predicted outputs are not spoken here"),
    ("functions", "`functions` are not spoken here: offer `tools`"),
    ("web_search_options", "nothing is searched for here"),
    ("logit_bias", "there are no probabilities of tokens here"),
];

/// Reads a request.
pub(crate) fn read(body: &Value, token: Token) -> Result<Asked, Fault> {
    let body = Field::body(body)?;
    body.refuse(&super::UNSPOKEN)?;
    body.refuse(&UNSPOKEN)?;
    tool_choice(&body)?;
    only_text(body.get("response_format").as_ref())?;
    if let Some(number) = body.get("n").filter(|number| number.raw() != 1) {
        return Err(number.unspoken("there is one answer to a request: only 1 is spoken"));
    }
    for kind in body.get("modalities").map_or(Ok(Vec::new()), |modalities| modalities.list())? {
        if kind.text()? != "text" {
            return Err(kind.unspoken("answers here are text"));
        }
    }
    let mut messages = Vec::new();
    for one in body.need("messages")?.list()? {
        messages.push(message(&one)?);
    }
    let system = system(&mut messages);
    if messages.is_empty() {
        return Err(Fault::at("messages", "there is no message beside the system prompt"));
    }
    let limit = body.count_of("max_completion_tokens")?;
    let request = ModelRequest {
        token,
        model: body.text_of("model")?.map(str::to_owned),
        system,
        messages,
        tools: body.tools()?,
        max_tokens: limit.map_or_else(|| body.count_of("max_tokens"), |limit| Ok(Some(limit)))?,
        temperature: number(&body, "temperature")?,
        seed: body.get("seed").and_then(|seed| seed.raw().as_i64()),
    };
    let options = body.get("stream_options");
    let usage = options.map_or(Ok(false), |options| options.flag("include_usage"))?;
    Ok(Asked { request, stream: body.flag("stream")?, usage })
}

fn message(field: &Field) -> Result<ChatMessage, Fault> {
    let role = role(&field.need("role")?)?;
    field.refuse(&[("function_call", "`function_call` is not spoken here: use `tool_calls`")])?;
    let calls = field.get("tool_calls").map_or(Ok(Vec::new()), |calls| calls.list())?;
    let calls: Result<Vec<Call>, Fault> = calls.iter().map(call).collect();
    let (calls, content) = (calls?, field.get("content"));
    let text = match content {
        Some(content) => content.words(&["text"])?,
        None if role == Role::Assistant => field.text_of("refusal")?.unwrap_or("").to_owned(),
        None => field.needed_text("content")?.to_owned(),
    };
    let answers = match role {
        Role::Tool => Some(CallId::new(field.needed_text("tool_call_id")?)),
        _ => None,
    };
    if role != Role::Assistant && !calls.is_empty() {
        return Err(field.wrong("a message that may call tools: its role is not `assistant`"));
    }
    Ok(ChatMessage { calls, answers, ..ChatMessage::new(role, text) })
}

fn call(field: &Field) -> Result<Call, Fault> {
    let (function, args) = match field.get("custom") {
        Some(custom) => (custom.clone(), custom.needed_text("input")?),
        None => {
            let function = field.need("function")?;
            let args = function.needed_text("arguments")?;
            (function, args)
        }
    };
    Ok(Call {
        id: CallId::new(field.needed_text("id")?),
        name: function.needed_text("name")?.into(),
        args: args.into(),
    })
}

fn finish(spoken: &Spoken) -> &'static str {
    match spoken.ending {
        Ending::Stop => "stop",
        Ending::Length => "length",
        Ending::ToolCall => "tool_calls",
        Ending::Refused => "content_filter",
    }
}

fn usage(spoken: &Spoken) -> Value {
    json!({
        "prompt_tokens": spoken.prompt,
        "completion_tokens": spoken.completion,
        "total_tokens": spoken.prompt + spoken.completion,
        "prompt_tokens_details": { "cached_tokens": 0, "audio_tokens": 0 },
        "completion_tokens_details": { "reasoning_tokens": 0, "audio_tokens": 0 },
    })
}

fn tool_calls(spoken: &Spoken) -> Value {
    let function = json!({ "name": spoken.tool, "arguments": "{}" });
    let id = format!("call_{}", spoken.id);
    json!([{ "index": 0, "id": id, "type": "function", "function": function }])
}

/// What a whole answer and a stream have in common.
fn envelope(spoken: &Spoken, object: &str, choices: &Value) -> Value {
    json!({
        "id": format!("chatcmpl-{}", spoken.id),
        "object": object,
        "created": 0,
        "model": spoken.model,
        "system_fingerprint": null,
        "choices": choices,
    })
}

/// The answer as one object.
pub(crate) fn whole(spoken: &Spoken) -> Value {
    let mut message = json!({ "role": "assistant", "content": spoken.text, "refusal": null });
    match spoken.ending {
        Ending::Refused => {
            message["content"] = Value::Null;
            message["refusal"] = spoken.text.as_str().into();
        }
        Ending::ToolCall => message["tool_calls"] = tool_calls(spoken),
        Ending::Stop | Ending::Length => {}
    }
    let choice = json!({
        "index": 0, "message": message, "logprobs": null, "finish_reason": finish(spoken),
    });
    let mut answer = envelope(spoken, "chat.completion", &json!([choice]));
    answer["usage"] = usage(spoken);
    answer
}

/// The answer as events.
pub(crate) fn stream(spoken: &Spoken, with_usage: bool) -> String {
    let mut events = Events::default();
    let mut send = |delta: Value, finish: Option<&str>| {
        let choice =
            json!({ "index": 0, "delta": delta, "logprobs": null, "finish_reason": finish });
        let mut chunk = envelope(spoken, "chat.completion.chunk", &json!([choice]));
        if with_usage {
            chunk["usage"] = Value::Null;
        }
        events.data(&chunk);
    };
    let key = if spoken.ending == Ending::Refused { "refusal" } else { "content" };
    send(json!({ "role": "assistant", key: "" }), None);
    pieces(&spoken.text).for_each(|piece| send(json!({ key: piece }), None));
    if spoken.ending == Ending::ToolCall {
        send(json!({ "tool_calls": tool_calls(spoken) }), None);
    }
    send(json!({}), Some(finish(spoken)));
    if with_usage {
        let mut last = envelope(spoken, "chat.completion.chunk", &json!([]));
        last["usage"] = usage(spoken);
        events.data(&last);
    }
    events.done();
    events.into_text()
}

#[cfg(test)]
mod tests;
