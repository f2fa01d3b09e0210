//! Events of OpenHands: a list of them, or a row of an evaluation with its `history`. Actions that
//! share a model's response are one answer; an observation names the action that caused it.

use serde_json::Value;

use super::Unusable;
use super::gather::{Answer, Gather, Outcome, Prompt};
use super::json::{Json, as_text};
use super::responses::{call, text_of};
use crate::log::Injected;
use crate::prelude::*;

pub(super) fn read(value: &Value, gather: &mut Gather) -> Result<(), Unusable> {
    gather.id = value.text("instance_id").map(str::to_owned);
    let model = value.pointer("/metadata/llm_config/model").and_then(Value::as_str);
    let own = value.as_array().map_or(&[][..], Vec::as_slice);
    let mut events = Events { model, ..Events::default() };
    for event in own.iter().chain(value.list("history")) {
        match event.text("kind") {
            Some(kind) => second(kind, event, gather),
            None => events.take(event, gather),
        }
    }
    Ok(())
}

/// Events of the first version.
#[derive(Default)]
struct Events<'a> {
    model: Option<&'a str>,
    /// By action: its call.
    calls: FxHashMap<u64, CallId>,
}

impl Events<'_> {
    fn take(&mut self, event: &Value, gather: &mut Gather) {
        let at = time(event);
        let text = |pointer: &str| event.pointer(pointer).and_then(Value::as_str);
        let action = event.text("action").unwrap_or_default();
        match (event.text("source").unwrap_or_default(), action) {
            _ if event.key("observation").is_some() => self.observed(event, at, gather),
            (_, "system") => {
                gather.system.extend(text("/args/content").map(str::to_owned));
                let tools = event.pointer("/args/tools").and_then(Value::as_array);
                gather.tools.extend(tools.into_iter().flatten().map(Value::to_string));
            }
            ("user", "message") => {
                let words = text("/args/content").or(event.text("message")).unwrap_or_default();
                gather.prompt(Prompt { text: words.to_owned(), at, ..Prompt::default() });
            }
            ("agent", "recall" | "change_agent_state" | "condensation_request") | ("user", _) => {
                gather.intake.skip(format!("action {action}"));
            }
            ("agent", "condensation") => condensed(event.key("args"), gather),
            ("agent", _) => self.acted(action, event, at, gather),
            (source, action) => gather.intake.skip(format!("{source} action {action}")),
        }
    }

    fn acted(&mut self, action: &str, event: &Value, at: Option<i64>, gather: &mut Gather) {
        let metadata = event.key("tool_call_metadata");
        let response = metadata.and_then(|metadata| metadata.key("model_response"));
        let args = event.key("args").unwrap_or(&Value::Null);
        let said = response.and_then(|response| response.pointer("/choices/0/message/content"));
        let said = said.and_then(Value::as_str).or(args.text("thought"));
        let words = if action == "message" { args.text("content") } else { said };
        let function = metadata.and_then(|metadata| metadata.text("function_name"));
        let mut calls = Vec::new();
        if let Some(name) = function.or((action != "message").then_some(action)) {
            let id = metadata.and_then(|metadata| metadata.text("tool_call_id"));
            let own = format!("action-{}", event.tokens("id").unwrap_or_default());
            let made =
                call(id.unwrap_or(&own), name, written(response, id).unwrap_or(args.to_string()));
            if let Some(number) = event.get("id").and_then(Value::as_u64) {
                self.calls.insert(number, made.id.clone());
            }
            calls.push(made);
        }
        let part = |key: &str| {
            response.and_then(|one| one.pointer(key)?.as_u64()).map_or(Tokens::ZERO, Tokens)
        };
        let prompt = part("/usage/prompt_tokens");
        let id = response.and_then(|response| response.text("id")).map(str::to_owned);
        // The parts of one response say its text once.
        let text = if gather.knows(id.as_deref()) { "" } else { words.unwrap_or_default() };
        gather.answer(Answer {
            id,
            text: text.to_owned(),
            calls,
            usage: (prompt > Tokens::ZERO)
                .then(|| (prompt, part("/usage/prompt_tokens_details/cached_tokens"))),
            model: response.and_then(|one| one.text("model")).or(self.model).map(str::to_owned),
            at,
        });
    }

    fn observed(&mut self, event: &Value, at: Option<i64>, gather: &mut Gather) {
        let kind = event.text("observation").unwrap_or_default();
        let content = event.key("content").map(as_text).unwrap_or_default();
        let cause = event.get("cause").and_then(Value::as_u64);
        let named = event.pointer("/tool_call_metadata/tool_call_id").and_then(Value::as_str);
        let call = named.map(CallId::new).or_else(|| self.calls.get(&cause?).cloned());
        match (kind, call) {
            ("null" | "agent_state_changed", _) => {
                gather.intake.skip(format!("observation {kind}"));
            }
            (_, Some(call)) => {
                let code = event.pointer("/extras/metadata/exit_code").and_then(Value::as_i64);
                let failed = kind == "error" || code.is_some_and(|code| code > 0);
                gather.result(call, Outcome { content, failed, at, ..Outcome::default() });
            }
            // What was added stands in the prompt in another form than the event shows.
            ("recall", None) => gather.intake.skip("observation recall"),
            ("error", None) => drop(gather.injected(Injected::Notice, content, at)),
            (kind, None) => gather.intake.skip(format!("observation {kind} without a call")),
        }
    }
}

/// The arguments of a call as the model wrote them.
fn written(response: Option<&Value>, id: Option<&str>) -> Option<String> {
    let calls = response?.pointer("/choices/0/message/tool_calls")?.as_array()?;
    let own = calls.iter().find(|call| call.text("id") == id)?;
    own.pointer("/function/arguments").map(as_text)
}

fn condensed(args: Option<&Value>, gather: &mut Gather) {
    let summary = args.and_then(|args| args.text("summary")).unwrap_or_default();
    let summary = BoundaryAction::Summary(Text::from(summary));
    gather.boundary(Trigger::Auto, summary, None, Vec::new());
}

/// An event of the second version.
fn second(kind: &str, event: &Value, gather: &mut Gather) {
    let at = time(event);
    match kind {
        "SystemPromptEvent" => {
            let prompt = event.key("system_prompt").and_then(|one| one.text("text"));
            gather.system.extend(prompt.map(str::to_owned));
            gather.tools.extend(event.list("tools").iter().map(Value::to_string));
        }
        "MessageEvent" => {
            let message = event.key("llm_message").unwrap_or(event);
            let (text, images) = text_of(message.get("content"), gather);
            if event.text("source") == Some("agent") {
                gather.answer(Answer { text, at, ..Answer::default() });
            } else {
                gather.prompt(Prompt { text, images, at, ..Prompt::default() });
            }
        }
        "ActionEvent" => {
            let (text, _) = text_of(event.get("thought"), gather);
            let name = event.text("tool_name").unwrap_or("unnamed");
            let written = event.pointer("/tool_call/arguments");
            let written = written.or(event.pointer("/tool_call/function/arguments"));
            let args = written.or(event.key("action")).map(as_text).unwrap_or_default();
            let made = call(event.text("tool_call_id").unwrap_or_default(), name, args);
            let id = event.text("llm_response_id").map(str::to_owned);
            gather.answer(Answer { id, text, calls: vec![made], at, ..Answer::default() });
        }
        "ObservationEvent" | "AgentErrorEvent" | "UserRejectObservation" => {
            let observation = event.key("observation").unwrap_or(event);
            let content = observation.get("content").or(observation.get("error"));
            let (content, images) = text_of(content, gather);
            let failed = kind == "AgentErrorEvent" || observation.is("is_error");
            let outcome = Outcome { content, failed, images, at, ..Outcome::default() };
            match event.text("tool_call_id") {
                Some(id) => gather.result(CallId::new(id), outcome),
                None => gather.intake.skip("observation without a call"),
            }
        }
        "Condensation" => condensed(Some(event), gather),
        kind => gather.intake.skip(kind),
    }
}

/// Times are given without a zone: UTC is as good as any, since only differences count.
fn time(event: &Value) -> Option<i64> {
    let text = event.text("timestamp")?;
    event.time("timestamp").or_else(|| super::json::at(&format!("{text}Z")))
}
