//! Sessions of OpenCode as it exports them. A tool's call and result are one part; outputs that were
//! pruned are stored still, with the time when the prompt lost them.

use serde_json::Value;

use super::Unusable;
use super::gather::{Answer, Gather, Outcome, Prompt};
use super::json::{Json, arguments, as_text};
use super::responses::call;
use crate::prelude::*;

pub(super) fn read(value: &Value, gather: &mut Gather) -> Result<(), Unusable> {
    gather.id = value.key("info").and_then(|info| info.text("id")).map(str::to_owned);
    // When outputs were pruned, and which calls' they were.
    let mut pruned: BTreeMap<i64, Vec<CallId>> = BTreeMap::new();
    for part in value.list("messages").iter().flat_map(|message| message.list("parts")) {
        let time = part.pointer("/state/time/compacted").and_then(Value::as_i64);
        if let (Some(time), Some(id)) = (time, part.text("callID")) {
            pruned.entry(time).or_default().push(CallId::new(id));
        }
    }
    for message in value.list("messages") {
        let info = message.key("info").ok_or(Unusable::Lacks("a message", "info"))?;
        let created = info.pointer("/time/created").and_then(Value::as_i64);
        // What was pruned between two messages is one compaction.
        let mut cleared = Vec::new();
        while let Some(first) = pruned.first_entry().filter(|one| Some(*one.key()) < created) {
            cleared.extend(first.remove());
        }
        if !cleared.is_empty() {
            gather.boundary(Trigger::Auto, BoundaryAction::Clear(cleared), None, Vec::new());
        }
        match info.text("role") {
            Some("assistant") => assistant(message, info, created, gather),
            _ => user(message, created, gather),
        }
    }
    let cleared: Vec<CallId> = pruned.into_values().flatten().collect();
    if !cleared.is_empty() {
        gather.boundary(Trigger::Auto, BoundaryAction::Clear(cleared), None, Vec::new());
    }
    Ok(())
}

fn user(message: &Value, at: Option<i64>, gather: &mut Gather) {
    // What the harness added is marked as synthetic.
    let (mut text, mut said, mut all_typed) = (String::new(), Vec::new(), true);
    for part in message.list("parts") {
        match part.text("type").unwrap_or_default() {
            "text" => {
                let words = part.text("text").unwrap_or_default().trim();
                if words.is_empty() {
                    continue;
                }
                if !text.is_empty() {
                    text.push_str("\n\n");
                }
                if part.is("synthetic") {
                    all_typed = false;
                } else {
                    said.push(text.len()..text.len() + words.len());
                }
                text.push_str(words);
            }
            "compaction" => {
                let manual = part.get("auto") == Some(&Value::Bool(false));
                let trigger = if manual { Trigger::Manual } else { Trigger::Auto };
                let summary = BoundaryAction::Summary(Text::from(""));
                gather.boundary(trigger, summary, None, Vec::new());
            }
            kind => gather.intake.skip(format!("{kind} part")),
        }
    }
    if !text.is_empty() {
        let by = said.is_empty().then_some(Author::Harness);
        let said = if all_typed { Vec::new() } else { said };
        gather.prompt(Prompt { text, said, by, at, ..Prompt::default() });
    }
}

fn assistant(message: &Value, info: &Value, at: Option<i64>, gather: &mut Gather) {
    let (mut texts, mut calls, mut results) = (Vec::new(), Vec::new(), Vec::new());
    for part in message.list("parts") {
        match part.text("type").unwrap_or_default() {
            "text" => texts.extend(part.text("text").filter(|text| !text.is_empty())),
            "reasoning" => gather.intake.thinking += 1,
            "tool" => {
                let id = part.text("callID").unwrap_or_default();
                let state = part.key("state").unwrap_or(&Value::Null);
                let name = part.text("tool").unwrap_or("unnamed");
                calls.push(call(id, name, arguments(state.key("input"))));
                let failed = state.text("status") == Some("error");
                let output = state.key("output").or(state.key("error")).map(as_text);
                if let Some(content) = output {
                    let end = state.pointer("/time/end").and_then(Value::as_i64);
                    let outcome = Outcome { content, failed, at: end, ..Outcome::default() };
                    results.push((CallId::new(id), outcome));
                }
            }
            kind => gather.intake.skip(format!("{kind} part")),
        }
    }
    let text = texts.join("\n\n");
    if info.is("summary") {
        gather.summary(Text::from(text));
        return;
    }
    let part = |key: &str| info.pointer(key).and_then(Value::as_u64).map_or(Tokens::ZERO, Tokens);
    let cached = part("/tokens/cache/read");
    let prompt = part("/tokens/input") + cached + part("/tokens/cache/write");
    gather.answer(Answer {
        id: info.text("id").map(str::to_owned),
        text,
        calls,
        usage: (prompt > Tokens::ZERO).then_some((prompt, cached)),
        model: info.text("modelID").map(str::to_owned),
        at,
    });
    for (id, outcome) in results {
        gather.result(id, outcome);
    }
}
