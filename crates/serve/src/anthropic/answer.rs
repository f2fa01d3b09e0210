//! The answer as a message, and as its events.

use crate::events::{Events, pieces};
use crate::prelude::*;

fn stop_reason(spoken: &Spoken) -> &'static str {
    match spoken.ending {
        Ending::Stop => "end_turn",
        Ending::Length => "max_tokens",
        Ending::ToolCall => "tool_use",
        Ending::Refused => "refusal",
    }
}

/// The words of a refusal. No category of the provider's fits.
fn stop_details(spoken: &Spoken) -> Value {
    match spoken.ending {
        Ending::Refused => {
            json!({ "type": "refusal", "category": null, "explanation": spoken.text })
        }
        Ending::Stop | Ending::Length | Ending::ToolCall => Value::Null,
    }
}

fn usage(prompt: u64, completion: u64) -> Value {
    json!({
        "input_tokens": prompt,
        "output_tokens": completion,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
    })
}

/// A block of text, and a call where there is one. A refusal has no words in its message.
fn content(spoken: &Spoken) -> Vec<Value> {
    let text = json!({ "type": "text", "text": spoken.text });
    match spoken.ending {
        Ending::Refused => Vec::new(),
        Ending::Stop | Ending::Length => vec![text],
        Ending::ToolCall if spoken.text.is_empty() => vec![tool_use(spoken)],
        Ending::ToolCall => vec![text, tool_use(spoken)],
    }
}

fn tool_use(spoken: &Spoken) -> Value {
    let id = format!("toolu_{}", spoken.id);
    json!({ "type": "tool_use", "id": id, "name": spoken.tool, "input": {} })
}

fn message(spoken: &Spoken) -> Value {
    json!({
        "id": format!("msg_{}", spoken.id),
        "type": "message",
        "role": "assistant",
        "model": spoken.model,
        "content": [],
        "stop_reason": null,
        "stop_sequence": null,
        "usage": usage(spoken.prompt, 0),
    })
}

/// The answer as one object.
pub(crate) fn whole(spoken: &Spoken) -> Value {
    let mut message = message(spoken);
    message["content"] = content(spoken).into();
    message["stop_reason"] = stop_reason(spoken).into();
    message["stop_details"] = stop_details(spoken);
    message["usage"] = usage(spoken.prompt, spoken.completion);
    message
}

/// The answer as events.
pub(crate) fn stream(spoken: &Spoken) -> String {
    let mut events = Events::default();
    events.named(&json!({ "type": "message_start", "message": message(spoken) }));
    for (place, mut block) in content(spoken).into_iter().enumerate() {
        let is_text = block["type"] == "text";
        if is_text {
            block["text"] = "".into();
        }
        let start =
            json!({ "type": "content_block_start", "index": place, "content_block": block });
        events.named(&start);
        let mut send = |delta: Value| {
            events.named(&json!({ "type": "content_block_delta", "index": place, "delta": delta }));
        };
        if is_text {
            pieces(&spoken.text).for_each(|piece| {
                send(json!({ "type": "text_delta", "text": piece }));
            });
        } else {
            send(json!({ "type": "input_json_delta", "partial_json": "{}" }));
        }
        events.named(&json!({ "type": "content_block_stop", "index": place }));
    }
    let delta = json!({
        "stop_reason": stop_reason(spoken), "stop_sequence": null,
        "stop_details": stop_details(spoken),
    });
    let usage = usage(spoken.prompt, spoken.completion);
    events.named(&json!({ "type": "message_delta", "delta": delta, "usage": usage }));
    events.named(&json!({ "type": "message_stop" }));
    events.into_text()
}
