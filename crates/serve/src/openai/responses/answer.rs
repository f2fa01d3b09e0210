//! The answer as a response object, and as its events.

use crate::events::{Events, pieces};
use crate::prelude::*;

/// The response object. `output` is empty while it is in progress.
fn response(spoken: &Spoken, status: &str, output: &Value) -> Value {
    let is_over = status != "in_progress";
    let reason = match spoken.ending {
        Ending::Length => Some("max_output_tokens"),
        Ending::Refused => Some("content_filter"),
        Ending::Stop | Ending::ToolCall => None,
    };
    json!({
        "id": format!("resp_{}", spoken.id),
        "object": "response",
        "created_at": 0,
        "status": status,
        "error": null,
        "incomplete_details": reason.filter(|_| is_over).map(|reason| json!({ "reason": reason })),
        "instructions": null,
        "max_output_tokens": null,
        "metadata": {},
        "model": spoken.model,
        "output": output,
        "parallel_tool_calls": true,
        "previous_response_id": null,
        "store": false,
        "temperature": null,
        "text": { "format": { "type": "text" } },
        "tool_choice": "auto",
        "tools": [],
        "top_p": null,
        "truncation": "disabled",
        "usage": is_over.then(|| usage(spoken)),
    })
}

fn usage(spoken: &Spoken) -> Value {
    json!({
        "input_tokens": spoken.prompt,
        "input_tokens_details": { "cached_tokens": 0, "cache_write_tokens": 0 },
        "output_tokens": spoken.completion,
        "output_tokens_details": { "reasoning_tokens": 0 },
        "total_tokens": spoken.prompt + spoken.completion,
    })
}

fn status(spoken: &Spoken) -> &'static str {
    match spoken.ending {
        Ending::Stop | Ending::ToolCall => "completed",
        Ending::Length | Ending::Refused => "incomplete",
    }
}

fn part(spoken: &Spoken, text: &str) -> Value {
    match spoken.ending {
        Ending::Refused => json!({ "type": "refusal", "refusal": text }),
        _ => json!({ "type": "output_text", "text": text, "annotations": [], "logprobs": [] }),
    }
}

fn message(spoken: &Spoken, status: &str, content: &Value) -> Value {
    json!({
        "id": message_id(spoken), "type": "message", "role": "assistant", "status": status,
        "content": content,
    })
}

fn message_id(spoken: &Spoken) -> String {
    format!("msg_{}", spoken.id)
}

fn call_id(spoken: &Spoken) -> String {
    format!("fc_{}", spoken.id)
}

fn call(spoken: &Spoken, status: &str, arguments: &str) -> Value {
    json!({
        "id": call_id(spoken), "type": "function_call", "status": status,
        "call_id": format!("call_{}", spoken.id), "name": spoken.tool, "arguments": arguments,
    })
}

fn output(spoken: &Spoken) -> Value {
    let mut items = Vec::new();
    if spoken.ending != Ending::ToolCall || !spoken.text.is_empty() {
        items.push(message(spoken, status(spoken), &json!([part(spoken, &spoken.text)])));
    }
    if spoken.ending == Ending::ToolCall {
        items.push(call(spoken, "completed", "{}"));
    }
    items.into()
}

/// The answer as one object.
pub(crate) fn whole(spoken: &Spoken) -> Value {
    response(spoken, status(spoken), &output(spoken))
}

/// The answer as events.
pub(crate) fn stream(spoken: &Spoken) -> String {
    let mut stream = Stream { spoken, events: Events::default(), number: 0 };
    let begun = response(spoken, "in_progress", &json!([]));
    stream.send("response.created", json!({ "response": begun }));
    stream.send("response.in_progress", json!({ "response": begun }));
    let output = output(spoken);
    for (place, item) in output.as_array().into_iter().flatten().enumerate() {
        match item["type"].as_str() {
            Some("message") => stream.message(place, item),
            _ => stream.call(place, item),
        }
    }
    let last = format!("response.{}", status(spoken));
    stream.send(&last, json!({ "response": whole(spoken) }));
    stream.events.into_text()
}

struct Stream<'a> {
    spoken: &'a Spoken,
    events: Events,
    number: u32,
}

impl Stream<'_> {
    fn send(&mut self, kind: &str, mut event: Value) {
        event["type"] = kind.into();
        event["sequence_number"] = self.number.into();
        self.number += 1;
        self.events.named(&event);
    }

    /// An event of the text of a message.
    fn of_text(&mut self, kind: &str, place: usize, mut event: Value) {
        event["item_id"] = message_id(self.spoken).into();
        event["output_index"] = place.into();
        event["content_index"] = 0.into();
        self.send(kind, event);
    }

    fn message(&mut self, place: usize, item: &Value) {
        let spoken = self.spoken;
        let begun = message(spoken, "in_progress", &json!([]));
        self.send("response.output_item.added", json!({ "output_index": place, "item": begun }));
        self.of_text("response.content_part.added", place, json!({ "part": part(spoken, "") }));
        if spoken.ending == Ending::Refused {
            for piece in pieces(&spoken.text) {
                self.of_text("response.refusal.delta", place, json!({ "delta": piece }));
            }
            self.of_text("response.refusal.done", place, json!({ "refusal": spoken.text }));
        } else {
            for piece in pieces(&spoken.text) {
                let delta = json!({ "delta": piece, "logprobs": [] });
                self.of_text("response.output_text.delta", place, delta);
            }
            let done = json!({ "text": spoken.text, "logprobs": [] });
            self.of_text("response.output_text.done", place, done);
        }
        let part = part(spoken, &spoken.text);
        self.of_text("response.content_part.done", place, json!({ "part": part }));
        self.send("response.output_item.done", json!({ "output_index": place, "item": item }));
    }

    fn call(&mut self, place: usize, item: &Value) {
        let (id, name) = (call_id(self.spoken), &self.spoken.tool);
        let begun = call(self.spoken, "in_progress", "");
        self.send("response.output_item.added", json!({ "output_index": place, "item": begun }));
        let delta = json!({ "item_id": id, "output_index": place, "delta": "{}" });
        self.send("response.function_call_arguments.delta", delta);
        let done = json!({ "item_id": id, "output_index": place, "name": name, "arguments": "{}" });
        self.send("response.function_call_arguments.done", done);
        self.send("response.output_item.done", json!({ "output_index": place, "item": item }));
    }
}
