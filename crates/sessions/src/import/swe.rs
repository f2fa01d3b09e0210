//! Trajectories of SWE-agent and of mini-swe-agent: messages as in chat completions, but what the
//! environment said stands in the user's role behind the first of them.

use serde_json::Value;

use super::gather::{Gather, Prompt};
use super::json::Json;
use super::{Unusable, chat};
use crate::log::Injected;
use crate::prelude::*;

/// SWE-agent: `history` is what the model saw. A demonstration is no session.
pub(super) fn agent(value: &Value, gather: &mut Gather) -> Result<(), Unusable> {
    gather.id = value.text("environment").map(str::to_owned);
    for message in value.list("history") {
        let is_demo =
            message.is("is_demo") || message.text("message_type") == Some("demonstration");
        take(message, is_demo, gather);
    }
    Ok(())
}

/// mini-swe-agent: `messages`, or the list itself.
pub(super) fn mini(value: &Value, gather: &mut Gather) -> Result<(), Unusable> {
    gather.id = value.text("instance_id").map(str::to_owned);
    let own = value.as_array().map_or(&[][..], Vec::as_slice);
    for message in own.iter().chain(value.list("messages")) {
        take(message, false, gather);
    }
    Ok(())
}

fn take(message: &Value, is_demo: bool, gather: &mut Gather) {
    let role = message.text("role").unwrap_or_default();
    let at = message.time("timestamp");
    if role == "user" {
        let text = chat::words(message);
        let injected = match (is_demo, gather.has_goal()) {
            (true, _) => Some(Injected::Memory),
            (false, false) => None,
            (false, true) => Some(Injected::Command),
        };
        let by = injected.is_none().then_some(Author::Human);
        if !text.trim().is_empty() {
            gather.prompt(Prompt { text, by, injected, at, ..Prompt::default() });
        }
        return;
    }
    if role == "exit" {
        return gather.intake.skip("exit message");
    }
    let model = message.pointer("/extra/response/model").and_then(Value::as_str).map(str::to_owned);
    chat::message(message, model.as_ref(), gather);
}
