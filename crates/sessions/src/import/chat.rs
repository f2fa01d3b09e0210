//! Messages of OpenAI's chat completions, as a list or in `messages`.

use serde_json::Value;

use super::Unusable;
use super::gather::{Answer, Gather, Outcome, Prompt};
use super::json::{Json, arguments, as_text};
use super::responses::{call, text_of};
use crate::prelude::*;

pub(super) fn read(value: &Value, gather: &mut Gather) -> Result<(), Unusable> {
    gather.id = value.text("id").or(value.text("session_id")).map(str::to_owned);
    gather.tools.extend(value.list("tools").iter().map(Value::to_string));
    let own = value.as_array().map_or(&[][..], Vec::as_slice);
    let model = value.text("model").map(str::to_owned);
    for one in own.iter().chain(value.list("messages")) {
        message(one, model.as_ref(), gather);
    }
    Ok(())
}

/// A message. What the first system messages say is the system prompt.
pub(super) fn message(one: &Value, model: Option<&String>, gather: &mut Gather) {
    let at =
        one.time("timestamp").or(one.pointer("/_metadata").and_then(|data| data.time("timestamp")));
    let (text, images) = text_of(one.get("content"), gather);
    match one.text("role").unwrap_or_default() {
        "system" | "developer" if gather.is_empty() => gather.system.push(text),
        "assistant" => {
            gather.answer(Answer {
                id: None,
                text,
                calls: calls(one),
                usage: usage(one),
                model: one.text("model").map(str::to_owned).or(model.cloned()),
                at,
            });
        }
        "tool" | "function" => {
            // Some converters put the text into a part of their own.
            let parts = one.list("content").iter().filter_map(|part| part.text("output"));
            let content = if text.is_empty() { parts.collect::<Vec<_>>().join("\n") } else { text };
            let failed = one.is("is_error");
            let outcome = Outcome { content, failed, images, at, ..Outcome::default() };
            match one
                .text("tool_call_id")
                .or(one.list("tool_call_ids").first().and_then(Value::as_str))
            {
                Some(id) => gather.result(CallId::new(id), outcome),
                None if gather.next_result(outcome) => {}
                None => gather.intake.skip("result without a call"),
            }
        }
        _ if text.trim().is_empty() => gather.intake.skip("empty message"),
        role => {
            let by = (role != "user").then_some(Author::Harness);
            gather.prompt(Prompt { text, by, images, at, ..Prompt::default() });
        }
    }
}

/// Calls, in `tool_calls` or in the older `function_call`.
fn calls(one: &Value) -> Vec<Call> {
    let of = |id: &str, function: &Value| {
        let name = function.text("name").unwrap_or("unnamed");
        call(id, name, arguments(function.key("arguments")))
    };
    let listed = one.list("tool_calls").iter().map(|listed| {
        let function = listed.key("function").unwrap_or(listed);
        of(listed.text("id").unwrap_or_default(), function)
    });
    listed.chain(one.key("function_call").map(|function| of("", function))).collect()
}

/// Prompt and cached tokens, where the message has its response's usage.
fn usage(one: &Value) -> Option<(Tokens, Tokens)> {
    let used = one.key("usage").or(one.pointer("/extra/response/usage"))?;
    let prompt = used.tokens("prompt_tokens").filter(|prompt| *prompt > Tokens::ZERO)?;
    let details = used.key("prompt_tokens_details");
    let cached = details.and_then(|details| details.tokens("cached_tokens"));
    Some((prompt, cached.unwrap_or_default()))
}

/// The text of a message, for formats that wrap it.
pub(super) fn words(one: &Value) -> String {
    one.key("content").map(as_text).unwrap_or_default()
}
