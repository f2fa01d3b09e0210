//! Rollouts of OpenAI Codex: the items of the model's context, with what the screen was told beside
//! them, which is left out. After a compaction the context is what `replacement_history` lists.

use serde_json::Value;

use super::gather::Gather;
use super::json::Json;
use super::responses::{Items, text_of};
use super::{Reads, Unusable};
use crate::log::format::reason;
use crate::prelude::*;

#[derive(Default)]
pub(super) struct Codex {
    items: Items,
    /// The last answer, by number; its usage follows.
    last: Option<usize>,
    usage: Option<Tokens>,
    began: bool,
}

impl Reads for Codex {
    fn take(&mut self, json: &str, gather: &mut Gather) -> Result<(), Unusable> {
        let line: Value = serde_json::from_str(json).map_err(|e| Unusable::Json(reason(&e)))?;
        let at = line.time("timestamp");
        let kind = line.text("type").unwrap_or_default();
        let payload = line.key("payload").ok_or(Unusable::Lacks("a line", "payload"))?;
        match kind {
            "session_meta" => self.session(payload, gather),
            "turn_context" => {
                self.items.model =
                    payload.text("model").map(str::to_owned).or(self.items.model.take());
            }
            "response_item" => {
                let number = self.items.take(payload, at, gather);
                if payload.text("role") == Some("assistant") || is_call(payload) {
                    self.last = number;
                }
            }
            "event_msg" => self.event(payload, gather),
            "compacted" => self.compacted(payload, gather),
            kind => gather.intake.skip(kind),
        }
        Ok(())
    }
}

fn is_call(item: &Value) -> bool {
    item.text("type").is_some_and(|kind| kind.ends_with("_call"))
}

impl Codex {
    /// The first counts: resumed sessions repeat it.
    fn session(&mut self, payload: &Value, gather: &mut Gather) {
        if std::mem::replace(&mut self.began, true) {
            return gather.intake.skip("session_meta");
        }
        gather.id = payload.text("id").map(str::to_owned);
        let base = payload.key("base_instructions");
        let text = base.and_then(|base| base.as_str().or(base.text("text")));
        let text = text.or(payload.text("instructions"));
        gather.system.extend(text.map(str::to_owned));
        gather.tools.extend(payload.list("dynamic_tools").iter().map(Value::to_string));
    }

    fn event(&mut self, payload: &Value, gather: &mut Gather) {
        let kind = payload.text("type").unwrap_or_default();
        let info = payload.key("info").unwrap_or(payload);
        let window = info.tokens("model_context_window").or(payload.tokens("model_context_window"));
        gather.window = window.filter(|window| *window > Tokens::ZERO).or(gather.window);
        let last = info.key("last_token_usage");
        let prompt = last.and_then(|last| last.tokens("input_tokens"));
        let cached = last.and_then(|last| last.tokens("cached_input_tokens"));
        // Right behind a compaction none is given.
        let prompt = prompt.filter(|prompt| kind == "token_count" && *prompt > Tokens::ZERO);
        let Some(prompt) = prompt else { return gather.intake.skip(format!("event_msg/{kind}")) };
        self.usage = Some(prompt);
        self.items.end_reply();
        if let Some(last) = self.last.take() {
            gather.spent(last, (prompt, cached.unwrap_or_default()));
        }
    }

    /// Messages of the user's side that the new history lists stayed; a summary is given in plain
    /// text by older versions alone.
    fn compacted(&mut self, payload: &Value, gather: &mut Gather) {
        self.items.end_reply();
        let mut kept = Vec::new();
        for item in payload.list("replacement_history") {
            let (text, _) = text_of(item.get("content"), &mut Gather::default());
            let found = gather.prompts().filter(|(_, known)| *known == text).last();
            kept.extend(found.map(|(number, _)| number));
        }
        let summary = payload.text("message").unwrap_or_default();
        let summary = BoundaryAction::Summary(Text::from(summary));
        gather.boundary(Trigger::Auto, summary, self.usage, kept);
    }
}
