//! Gemini CLI: recorded chats, where a call and its result stand in one message, and exported
//! histories, which are lists of `Content`. Qwen Code, a fork of it, writes `Content` a line.

use serde_json::Value;

use super::gather::{Answer, Gather, Outcome, Prompt};
use super::json::{Json, arguments, as_text};
use super::responses::{call, text_of};
use super::{Reads, Unusable, image};
use crate::log::Injected;
use crate::log::format::reason;
use crate::prelude::*;

/// Begins the summary that takes the place of a compressed history.
const SNAPSHOT: &str = "<state_snapshot>";

/// A recorded chat: one document, or its messages a line each behind a header.
#[derive(Default)]
pub(super) struct Session {}

impl Reads for Session {
    fn take(&mut self, json: &str, gather: &mut Gather) -> Result<(), Unusable> {
        let value: Value = serde_json::from_str(json).map_err(|e| Unusable::Json(reason(&e)))?;
        if let Some(id) = value.text("sessionId") {
            gather.id = Some(id.to_owned());
        }
        if value.key("messages").is_some() || value.key("projectHash").is_some() {
            value.list("messages").iter().for_each(|one| message(one, gather));
        } else {
            message(&value, gather);
        }
        Ok(())
    }
}

fn message(value: &Value, gather: &mut Gather) {
    let at = value.time("timestamp");
    match value.text("type").unwrap_or_default() {
        "user" => {
            let (text, images) = text_of(value.get("content"), gather);
            prompt(text, images, at, gather);
        }
        "gemini" => {
            gather.intake.thinking += value.list("thoughts").len();
            let (text, _) = text_of(value.get("content"), gather);
            let (mut calls, mut results) = (Vec::new(), Vec::new());
            for one in value.list("toolCalls") {
                let name = one.text("name").unwrap_or("unnamed");
                let id = one.text("id").unwrap_or_default();
                calls.push(call(id, name, arguments(one.key("args"))));
                let responses = one.list("result").iter().filter_map(response);
                let content = responses.collect::<Vec<String>>().join("\n");
                let failed = matches!(one.text("status"), Some("error" | "cancelled"));
                if one.key("result").is_some() {
                    let outcome = Outcome { content, failed, at, ..Outcome::default() };
                    results.push((CallId::new(id), outcome));
                }
            }
            let used = value.key("tokens");
            let part = |key: &str| used.and_then(|used| used.tokens(key)).unwrap_or_default();
            let prompt = part("input");
            gather.answer(Answer {
                id: value.text("id").map(str::to_owned),
                text,
                calls,
                usage: (prompt > Tokens::ZERO).then(|| (prompt, part("cached"))),
                model: value.text("model").map(str::to_owned),
                at,
            });
            results.into_iter().for_each(|(id, outcome)| gather.result(id, outcome));
        }
        kind => gather.intake.skip(format!("{kind} message")),
    }
}

/// What a tool returned, of a `functionResponse`.
fn response(part: &Value) -> Option<String> {
    let response =
        part.key("functionResponse").map_or(part, |one| one.key("response").unwrap_or(one));
    let said = ["output", "error", "content"].iter().find_map(|key| response.key(key));
    Some(as_text(said.unwrap_or(response))).filter(|text| !text.is_empty())
}

fn prompt(text: String, images: Tokens, at: Option<i64>, gather: &mut Gather) {
    if text.trim_start().starts_with(SNAPSHOT) {
        gather.boundary(Trigger::Auto, BoundaryAction::Summary(Text::from(text)), None, Vec::new());
    } else if !text.trim().is_empty() {
        gather.prompt(Prompt { text, images, at, ..Prompt::default() });
    }
}

/// An exported history.
pub(super) fn contents(value: &Value, gather: &mut Gather) -> Result<(), Unusable> {
    for content in value.as_array().map_or(&[][..], Vec::as_slice) {
        self::content(content, None, None, gather);
    }
    Ok(())
}

/// A `Content`, with the usage of its call.
fn content(value: &Value, used: Option<(Tokens, Tokens)>, at: Option<i64>, gather: &mut Gather) {
    let (mut texts, mut calls, mut images) = (Vec::new(), Vec::new(), Tokens::ZERO);
    for part in value.list("parts") {
        if part.is("thought") {
            gather.intake.thinking += 1;
        } else if let Some(text) = part.text("text") {
            texts.push(text);
        } else if let Some(one) = part.key("functionCall") {
            let name = one.text("name").unwrap_or("unnamed");
            calls.push(call(one.text("id").unwrap_or_default(), name, arguments(one.key("args"))));
        } else if let Some(one) = part.key("functionResponse") {
            let content = response(part).unwrap_or_default();
            let failed =
                one.key("response").is_some_and(|response| response.key("error").is_some());
            let outcome = Outcome { content, failed, at, ..Outcome::default() };
            match one.text("id") {
                Some(id) => gather.result(CallId::new(id), outcome),
                None => drop(gather.next_result(outcome)),
            }
        } else if part.key("inlineData").is_some() {
            gather.intake.images += 1;
            let data = part.pointer("/inlineData/data").and_then(Value::as_str);
            images += data.map_or(image::UNKNOWN, image::tokens);
            texts.push(image::MARK);
        } else {
            gather.intake.skip("unknown part");
        }
    }
    let text = texts.join("\n\n");
    if value.text("role") == Some("model") {
        let answer = Answer { text, calls, usage: used, at, ..Answer::default() };
        gather.answer(answer);
    } else {
        prompt(text, images, at, gather);
    }
}

/// A session of Qwen Code: lines as Claude Code's, messages as `Content`.
#[derive(Default)]
pub(super) struct Qwen {
    seen: FxHashSet<String>,
}

impl Reads for Qwen {
    fn take(&mut self, json: &str, gather: &mut Gather) -> Result<(), Unusable> {
        let line: Value = serde_json::from_str(json).map_err(|e| Unusable::Json(reason(&e)))?;
        let at = line.time("timestamp");
        gather.id = gather.id.take().or(line.text("sessionId").map(str::to_owned));
        if line.text("uuid").is_some_and(|uuid| !self.seen.insert(uuid.to_owned())) {
            gather.intake.skip("repeated line");
            return Ok(());
        }
        let kind = line.text("type").unwrap_or_default();
        let message = line.key("message");
        match (kind, line.text("subtype"), message) {
            ("user", Some(subtype), Some(message)) if subtype != "mid_turn_user_message" => {
                let (text, _) = text_of(message.get("parts"), gather);
                gather.injected(Injected::Notice, text, at);
            }
            ("tool_result", _, Some(message)) => {
                let failed = line.pointer("/toolCallResult/status") == Some(&Value::from("error"));
                for part in message.list("parts") {
                    let one = part.key("functionResponse");
                    let id = one.and_then(|one| one.text("id")).unwrap_or_default();
                    let content = response(part).unwrap_or_default();
                    gather.result(
                        CallId::new(id),
                        Outcome { content, failed, at, ..Outcome::default() },
                    );
                }
            }
            ("user" | "assistant", _, Some(message)) => {
                let used = line.key("usageMetadata");
                let part = |key: &str| used.and_then(|used| used.tokens(key));
                let cached = part("cachedContentTokenCount").unwrap_or_default();
                let usage = part("promptTokenCount").filter(|prompt| *prompt > Tokens::ZERO);
                content(message, usage.map(|prompt| (prompt, cached)), at, gather);
            }
            ("system", Some("chat_compression"), _) => {
                let snapshot = line.pointer("/systemPayload/compressedHistory");
                let first = snapshot.and_then(|all| all.as_array()?.first());
                let texts = first.map_or(&[][..], |one| one.list("parts")).iter();
                let text: Vec<&str> = texts.filter_map(|part| part.text("text")).collect();
                let info = line.pointer("/systemPayload/info");
                let before = info.and_then(|info| info.tokens("originalTokenCount"));
                let summary = BoundaryAction::Summary(Text::from(text.join("\n")));
                gather.boundary(Trigger::Auto, summary, before, Vec::new());
            }
            (kind, subtype, _) => gather.intake.skip(format!("{kind}/{}", subtype.unwrap_or("-"))),
        }
        Ok(())
    }
}
