//! Messages of Anthropic's Messages API, as a list or in `messages`, and the histories of Cline and
//! Roo Code, which give a tool's result as text.

use serde_json::Value;

use super::gather::{Answer, Gather, Outcome, Prompt};
use super::json::{Json, arguments};
use super::responses::{call, text_of};
use super::{Unusable, injected};
use crate::log::Injected;
use crate::prelude::*;

pub(super) fn read(value: &Value, gather: &mut Gather) -> Result<(), Unusable> {
    gather.id = value.text("id").or(value.text("session_id")).map(str::to_owned);
    if let Some(system) = value.key("system") {
        let (text, _) = text_of(Some(system), gather);
        gather.system.push(text);
    }
    gather.tools.extend(value.list("tools").iter().map(Value::to_string));
    let own = value.as_array().map_or(&[][..], Vec::as_slice);
    for message in own.iter().chain(value.list("messages")) {
        let model = message.text("model").or(value.text("model"));
        match message.text("role") {
            Some("assistant") => assistant(message, model, gather),
            _ => user(message, gather),
        }
    }
    Ok(())
}

fn assistant(message: &Value, model: Option<&str>, gather: &mut Gather) {
    let (text, _) = text_of(message.get("content"), gather);
    let blocks = message.list("content").iter();
    let calls = blocks.filter(|block| block.text("type") == Some("tool_use")).map(|block| {
        let name = block.text("name").unwrap_or("unnamed");
        call(block.text("id").unwrap_or_default(), name, arguments(block.key("input")))
    });
    let used = message.key("usage");
    let part = |key: &str| used.and_then(|used| used.tokens(key)).unwrap_or_default();
    let cached = part("cache_read_input_tokens");
    let prompt = part("input_tokens") + part("cache_creation_input_tokens") + cached;
    gather.answer(Answer {
        id: message.text("id").map(str::to_owned),
        text,
        calls: calls.collect(),
        usage: (prompt > Tokens::ZERO).then_some((prompt, cached)),
        model: model.map(str::to_owned),
        at: message.time("timestamp").or(message.time("ts")),
    });
}

fn user(message: &Value, gather: &mut Gather) {
    let at = message.time("timestamp").or(message.time("ts"));
    for block in
        message.list("content").iter().filter(|one| one.text("type") == Some("tool_result"))
    {
        let (content, images) = text_of(block.get("content"), gather);
        let failed = block.is("is_error");
        let outcome = Outcome { content, failed, images, at, ..Outcome::default() };
        match block.text("tool_use_id") {
            Some(id) => gather.result(CallId::new(id), outcome),
            None => gather.intake.skip("result without `tool_use_id`"),
        }
    }
    let (text, images) = text_of(message.get("content"), gather);
    if !text.trim().is_empty() {
        gather.prompt(Prompt { text, images, at, ..Prompt::default() });
    }
}

/// A history of Cline or Roo Code: as above, but results may be texts, each of the oldest call that
/// waits for one.
pub(super) fn cline(value: &Value, gather: &mut Gather) -> Result<(), Unusable> {
    let own = value.as_array().map_or(&[][..], Vec::as_slice);
    for message in own.iter().chain(value.list("messages")) {
        if message.text("role") == Some("assistant") {
            let model = message.pointer("/modelInfo/modelId").and_then(Value::as_str);
            assistant(message, model, gather);
            let used = message.pointer("/metrics/tokens");
            let part = |key: &str| used.and_then(|used| used.tokens(key)).unwrap_or_default();
            let prompt = part("prompt") + part("cached");
            if prompt > Tokens::ZERO {
                gather.spent(gather.len() - 1, (prompt, part("cached")));
            }
        } else if message.list("content").iter().any(|one| one.text("type") == Some("tool_result"))
        {
            user(message, gather);
        } else {
            texts(message, gather);
            gather.close_calls();
        }
    }
    Ok(())
}

/// Ends the head of a result that is given as text: `[read_file for 'x'] Result:`.
const RESULT: &str = "] Result:";
const UNDONE: &str = "was not executed because a tool has already been used";

/// The texts of a message: results, and what a person or the harness said.
fn texts(message: &Value, gather: &mut Gather) {
    let at = message.time("ts");
    let blocks = message.list("content").iter().filter_map(|block| block.text("text"));
    // The text behind the head of a result that stands alone is the result.
    let (mut awaits, mut rest) = (false, Vec::new());
    for text in blocks.chain(message.text("content")) {
        let head = text.lines().next().unwrap_or_default();
        let is_result = text.starts_with('[') && head.contains(RESULT);
        let body = text.split_once(RESULT).map_or("", |(_, body)| body.trim_start());
        let is_whole = (is_result && !body.is_empty()) || text.contains(UNDONE) || awaits;
        if gather.waits() && is_result && body.is_empty() {
            awaits = true;
        } else if gather.waits() && is_whole {
            let content = if is_result { body } else { text }.to_owned();
            let said = std::mem::take(&mut awaits).then(|| injected::typed(&content, &FEEDBACK));
            let said = said.flatten().into_iter().collect();
            gather.next_result(Outcome { content, said, at, ..Outcome::default() });
        } else {
            rest.push(text);
        }
    }
    let text = rest.join("\n\n");
    if text.trim().is_empty() {
        return;
    }
    let said = injected::typed(&text, &["task", "user_message", "feedback", "answer"]);
    let is_aside = text.starts_with("[ERROR]") || text.starts_with('[');
    let injected = (said.is_none() && is_aside).then_some(Injected::Reminder);
    let by = said.is_some().then_some(Author::Human);
    let said = said.into_iter().collect();
    gather.prompt(Prompt { text, said, by, injected, at, ..Prompt::default() });
}

/// What a person answers to a tool that asks stands in these.
const FEEDBACK: [&str; 2] = ["feedback", "answer"];
