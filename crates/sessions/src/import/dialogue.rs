//! Conversations without an agent: ShareGPT, LoCoMo, LongMemEval.

use serde_json::Value;

use super::Unusable;
use super::gather::{Answer, Gather, Outcome, Prompt};
use super::json::{Json, arguments, as_text};
use super::responses::call;
use crate::prelude::*;

/// ShareGPT. Calls have no ids: a result is of the oldest call that has none.
pub(super) fn sharegpt(value: &Value, gather: &mut Gather) -> Result<(), Unusable> {
    gather.id = value.text("id").map(str::to_owned);
    gather.system.extend(value.text("system").filter(|text| !text.is_empty()).map(str::to_owned));
    gather.tools.extend(value.text("tools").map(str::to_owned));
    for turn in value.list("conversations") {
        let text = turn.key("value").map(as_text).unwrap_or_default();
        match turn.text("from").unwrap_or_default() {
            "human" | "user" => drop(gather.prompt(Prompt { text, ..Prompt::default() })),
            "gpt" | "assistant" => drop(gather.answer(Answer { text, ..Answer::default() })),
            "system" => gather.system.push(text),
            "function_call" | "tool_call" => {
                let calls = made(&text);
                gather.answer(Answer { calls, ..Answer::default() });
            }
            "observation" | "tool" | "function_response" => {
                let outcome = Outcome { content: text, ..Outcome::default() };
                if !gather.next_result(outcome) {
                    gather.intake.skip("result without a call");
                }
            }
            from => gather.intake.skip(format!("turn of `{from}`")),
        }
    }
    Ok(())
}

/// Calls written as JSON: one, or a list.
fn made(text: &str) -> Vec<Call> {
    let of = |value: &Value| {
        let args = value.key("arguments").or(value.key("parameters"));
        call("", value.text("name").unwrap_or("unnamed"), arguments(args))
    };
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Array(values)) => values.iter().map(of).collect(),
        Ok(value) if value.is_object() => vec![of(&value)],
        _ => vec![call("", "unnamed", text.to_owned())],
    }
}

/// LoCoMo: the first speaker stands in the user's place, the second in the agent's. Its sessions
/// follow each other in one log.
pub(super) fn locomo(value: &Value, gather: &mut Gather) -> Result<(), Unusable> {
    gather.id = value.text("sample_id").map(str::to_owned);
    let conversation = value.key("conversation").unwrap_or(&Value::Null);
    let first = conversation.text("speaker_a");
    let numbers = conversation.as_object().into_iter().flat_map(|map| map.keys());
    let numbers = numbers.filter_map(|key| key.strip_prefix("session_")?.parse::<u32>().ok());
    let numbers: BTreeSet<u32> = numbers.collect();
    for number in numbers {
        for turn in conversation.list(&format!("session_{number}")) {
            let (said, caption) = (turn.text("text"), turn.text("blip_caption"));
            let shown = caption.map(|caption| format!("[image: {caption}]"));
            let text: Vec<&str> = said.into_iter().chain(shown.as_deref()).collect();
            let text = text.join("\n");
            if turn.text("speaker") == first {
                gather.prompt(Prompt { text, by: Some(Author::Human), ..Prompt::default() });
            } else {
                gather.answer(Answer { text, ..Answer::default() });
            }
        }
    }
    Ok(())
}

/// LongMemEval: the sessions of a haystack follow each other in one log, and the question ends it.
pub(super) fn longmemeval(value: &Value, gather: &mut Gather) -> Result<(), Unusable> {
    gather.id = value.text("question_id").map(str::to_owned);
    for turn in value.list("haystack_sessions").iter().filter_map(Value::as_array).flatten() {
        let text = turn.key("content").map(as_text).unwrap_or_default();
        match turn.text("role") {
            Some("assistant") => drop(gather.answer(Answer { text, ..Answer::default() })),
            _ => drop(gather.prompt(Prompt { text, ..Prompt::default() })),
        }
    }
    Ok(())
}
