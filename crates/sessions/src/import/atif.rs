//! Trajectories in ATIF, with what its dialects do otherwise: results as steps of their own, calls
//! whose ids and arguments have other keys, commands inside the model's text.

use serde_json::Value;

use super::Unusable;
use super::gather::{Answer, Gather, Outcome, Prompt};
use super::json::{Json, arguments, as_text};
use super::responses::call;
use crate::log::Injected;
use crate::prelude::*;

pub(super) fn read(value: &Value, gather: &mut Gather) -> Result<(), Unusable> {
    gather.id = value.text("session_id").map(str::to_owned);
    let agent = value.key("agent").unwrap_or(&Value::Null);
    let model = agent.text("model_name").or(agent.text("model"));
    let model = model.or(agent.pointer("/model/name").and_then(Value::as_str));
    let of_terminal = agent.text("name").is_some_and(|name| name.contains("terminus"));
    for step in value.list("steps") {
        let at = step.time("timestamp");
        let text = step.key("message").map(as_text).unwrap_or_default();
        match step.text("source").unwrap_or_default() {
            // What the terminal shows is given in the user's place.
            "user" => {
                let injected = (of_terminal && gather.has_goal()).then_some(Injected::Command);
                gather.prompt(Prompt { text, injected, at, ..Prompt::default() });
            }
            "agent" => {
                let metrics = step.key("metrics");
                let part =
                    |key: &str| metrics.and_then(|metrics| metrics.tokens(key)).unwrap_or_default();
                let prompt = part("prompt_tokens");
                gather.intake.thinking += usize::from(step.key("reasoning_content").is_some());
                gather.answer(Answer {
                    id: None,
                    text,
                    calls: step.list("tool_calls").iter().map(made).collect(),
                    usage: (prompt > Tokens::ZERO).then(|| (prompt, part("cached_tokens"))),
                    model: step.text("model_name").or(model).map(str::to_owned),
                    at,
                });
                for result in step
                    .pointer("/observation/results")
                    .and_then(Value::as_array)
                    .into_iter()
                    .flatten()
                {
                    let content = result.key("content").map(as_text).unwrap_or_default();
                    let outcome = Outcome { content, at, ..Outcome::default() };
                    match result.text("source_call_id") {
                        Some(id) => gather.result(CallId::new(id), outcome),
                        None if gather.waits() => drop(gather.next_result(outcome)),
                        None => drop(gather.injected(Injected::Command, outcome.content, at)),
                    }
                }
            }
            "system" => system(step, text, at, gather),
            source => gather.intake.skip(format!("step of `{source}`")),
        }
    }
    Ok(())
}

fn made(one: &Value) -> Call {
    let id = one.text("tool_call_id").or(one.text("id")).unwrap_or_default();
    let name = one.text("function_name").or(one.text("name")).unwrap_or("unnamed");
    call(id, name, arguments(one.key("arguments")))
}

/// A system prompt, or a result in a step of its own, which may come before its call.
fn system(step: &Value, text: String, at: Option<i64>, gather: &mut Gather) {
    let Some(observation) = step.key("observation") else {
        if gather.is_empty() {
            gather.system.push(text);
        } else {
            gather.injected(Injected::Notice, text, at);
        }
        return;
    };
    const NAMED: &str = "Tool result for ";
    let id = observation.text("source_call_id").or(observation.text("tool_use_id"));
    let id = id.or(text.strip_prefix(NAMED)).map(|id| CallId::new(id.trim()));
    let content = observation.key("content").map(as_text).unwrap_or_default();
    let failed = observation.pointer("/result/success") == Some(&Value::Bool(false));
    let outcome = Outcome { content, failed, at, ..Outcome::default() };
    match id {
        Some(id) => gather.result(id, outcome),
        None if gather.waits() => drop(gather.next_result(outcome)),
        None => drop(gather.injected(Injected::Command, outcome.content, at)),
    }
}
