//! Items of OpenAI's Responses: a list of them, or the `input` (and `output`) of a request. Codex
//! writes the same items.

use serde_json::Value;

use super::gather::{Answer, Gather, Outcome, Prompt};
use super::json::{Json, arguments, as_text};
use super::{Unusable, image};
use crate::prelude::*;

/// Reads a list of items, or an object with them.
pub(super) fn read(value: &Value, gather: &mut Gather) -> Result<(), Unusable> {
    let mut items = Items::default();
    gather.id = value.text("id").map(str::to_owned);
    gather.system.extend(value.text("instructions").map(str::to_owned));
    gather.tools.extend(value.list("tools").iter().map(Value::to_string));
    let own = value.as_array().map_or(&[][..], Vec::as_slice);
    for item in own.iter().chain(value.list("input")).chain(value.list("output")) {
        items.take(item, None, gather);
    }
    let used = value.key("usage");
    let prompt =
        used.and_then(|used| used.tokens("input_tokens")).filter(|one| *one > Tokens::ZERO);
    let details = used.and_then(|used| used.key("input_tokens_details"));
    let cached = details.and_then(|details| details.tokens("cached_tokens")).unwrap_or_default();
    if let (Some(prompt), Some(last)) = (prompt, items.last) {
        gather.spent(last, (prompt, cached));
    }
    Ok(())
}

/// Items on their way into messages. Those of the model that follow each other are one answer.
#[derive(Default)]
pub(super) struct Items {
    /// The answer that the next item of the model belongs to.
    reply: Option<String>,
    replies: usize,
    /// The last answer, by number.
    last: Option<usize>,
    pub(super) model: Option<String>,
}

impl Items {
    /// Takes an item; the number of its prompt or answer.
    pub(super) fn take(
        &mut self,
        item: &Value,
        at: Option<i64>,
        gather: &mut Gather,
    ) -> Option<usize> {
        let kind = item.text("type").unwrap_or("message");
        match (kind, item.text("role")) {
            ("message", Some("assistant")) => {
                let (text, _) = text_of(item.get("content"), gather);
                Some(self.answer(text, None, at, gather))
            }
            ("message", Some(role)) => {
                self.reply = None;
                let (text, images) = text_of(item.get("content"), gather);
                if text.trim().is_empty() {
                    gather.intake.skip("empty message");
                    return None;
                }
                if role != "user" && gather.is_empty() {
                    gather.system.push(text);
                    return None;
                }
                let by = (role != "user").then_some(Author::Harness);
                Some(gather.prompt(Prompt { text, by, images, at, ..Prompt::default() }))
            }
            ("reasoning", _) => {
                gather.intake.thinking += 1;
                None
            }
            (
                "function_call" | "custom_tool_call" | "local_shell_call" | "tool_search_call"
                | "web_search_call" | "mcp_call" | "computer_call",
                _,
            ) => {
                let args = ["arguments", "input", "action"];
                let args = args.iter().find_map(|key| item.key(key));
                let name = item.text("name").unwrap_or(kind.trim_end_matches("_call"));
                let id = item.text("call_id").or(item.text("id")).unwrap_or_default();
                let call = call(id, name, arguments(args));
                Some(self.answer(String::new(), Some(call), at, gather))
            }
            (
                "function_call_output"
                | "custom_tool_call_output"
                | "local_shell_call_output"
                | "tool_search_output"
                | "computer_call_output",
                _,
            ) => {
                self.reply = None;
                returned(item, at, gather);
                None
            }
            (kind, _) => {
                gather.intake.skip(kind);
                None
            }
        }
    }

    /// What follows is no part of the answer before.
    pub(super) fn end_reply(&mut self) {
        self.reply = None;
    }

    fn answer(
        &mut self,
        text: String,
        call: Option<Call>,
        at: Option<i64>,
        gather: &mut Gather,
    ) -> usize {
        if self.reply.is_none() {
            self.replies += 1;
            self.reply = Some(format!("reply {}", self.replies));
        }
        let (id, model, calls) =
            (self.reply.clone(), self.model.clone(), call.into_iter().collect());
        let number = gather.answer(Answer { id, text, calls, usage: None, model, at });
        self.last = Some(number);
        number
    }
}

/// The result of a call.
fn returned(item: &Value, at: Option<i64>, gather: &mut Gather) {
    let Some(id) = item.text("call_id") else {
        return gather.intake.skip("result without `call_id`");
    };
    let output = item.key("output").or(item.key("tools"));
    let nested = output.and_then(|output| output.key("content"));
    let (content, images) = text_of(nested.or(output), gather);
    let unsuccessful = output.and_then(|one| one.get("success")) == Some(&Value::Bool(false));
    let failed = unsuccessful || item.text("status") == Some("failed");
    let outcome = Outcome { content, failed, images, at, ..Outcome::default() };
    gather.result(CallId::new(id), outcome);
}

/// A call with this id, or with one of our own where it is empty.
pub(super) fn call(id: &str, name: &str, args: String) -> Call {
    Call { id: CallId::new(id), name: Text::from(name), args: Text::from(args) }
}

/// The text of a content: a string, or parts of several types; and the tokens of its images.
pub(super) fn text_of(content: Option<&Value>, gather: &mut Gather) -> (String, Tokens) {
    let Some(Value::Array(parts)) = content else {
        return (content.map(as_text).unwrap_or_default(), Tokens::ZERO);
    };
    let (mut texts, mut images) = (Vec::new(), Tokens::ZERO);
    for part in parts {
        let kind = part.text("type").unwrap_or("text");
        if let Value::String(text) = part {
            texts.push(text.clone());
        } else if kind.contains("image") {
            gather.intake.images += 1;
            let nested = part.key("image_url").and_then(|one| one.text("url"));
            let data = part.text("image_url").or(nested).or(part.text("data"));
            images += data.map_or(image::UNKNOWN, image::tokens);
            texts.push(image::MARK.to_owned());
        } else if let Some(text) = part.text("text").or(part.text("refusal")) {
            texts.extend(Some(text.to_owned()).filter(|text| !text.is_empty()));
        } else if matches!(kind, "thinking" | "reasoning" | "redacted_thinking") {
            gather.intake.thinking += 1;
        } else if !matches!(kind, "tool_call" | "tool_use" | "toolCall" | "tool_result") {
            gather.intake.skip(format!("{kind} part"));
        }
    }
    (texts.join("\n\n"), images)
}
