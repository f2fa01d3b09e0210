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

/// Begins a result that Cline gives as text: `[read_file for 'x'] Result:`.
const RESULT: &str = "] Result:";

/// A history of Cline or Roo Code: as above, but results may be texts, each of the oldest call that
/// waits for one; the first message holds the task.
pub(super) fn cline(value: &Value, gather: &mut Gather) -> Result<(), Unusable> {
    let own = value.as_array().map_or(&[][..], Vec::as_slice);
    for message in own.iter().chain(value.list("messages")) {
        let at = message.time("ts");
        if message.text("role") == Some("assistant") {
            assistant(
                message,
                message.pointer("/modelInfo/modelId").and_then(Value::as_str),
                gather,
            );
            if let Some(metrics) = message.pointer("/metrics/tokens") {
                let part = |key: &str| metrics.tokens(key).unwrap_or_default();
                let prompt = part("prompt");
                if prompt > Tokens::ZERO && !gather.is_empty() {
                    gather.spent(gather.len() - 1, (prompt, part("cached")));
                }
            }
            continue;
        }
        if message.list("content").iter().any(|one| one.text("type") == Some("tool_result")) {
            user(message, gather);
            continue;
        }
        let texts = message.list("content").iter().filter_map(|block| block.text("text"));
        let mut awaited = None;
        for text in texts.chain(message.text("content")) {
            let is_result = text.starts_with('[')
                && text.lines().next().is_some_and(|first| first.contains(RESULT));
            if is_result && gather.waits() {
                let (_, rest) = text.split_once(RESULT).unwrap_or_default();
                let rest = rest.trim_start().to_owned();
                // A head alone: the text behind it is the result.
                if rest.is_empty() {
                    awaited = Some(text);
                } else {
                    gather.next_result(Outcome { content: rest, at, ..Outcome::default() });
                }
            } else if awaited.take().is_some() {
                let content = text.to_owned();
                gather.next_result(Outcome { content, at, ..Outcome::default() });
            } else if !text.trim().is_empty() {
                let read = injected::read(text);
                let is_aside = text.starts_with("# task_progress") || text.starts_with("[ERROR]");
                let injected = is_aside.then_some(Injected::Reminder).or(read.injected);
                gather.prompt(Prompt { text: text.to_owned(), injected, at, ..Prompt::default() });
            }
        }
        gather.close_calls();
    }
    Ok(())
}
