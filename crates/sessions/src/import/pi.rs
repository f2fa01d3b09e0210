//! Sessions of pi. A compaction keeps the entries from `firstKeptEntryIndex` (a line of the file,
//! from 0) or, in later versions, from the entry `firstKeptEntryId`.

use serde_json::Value;

use super::gather::{Answer, Gather, Outcome, Prompt};
use super::json::{Json, arguments, as_text};
use super::responses::{call, text_of};
use super::{Reads, Unusable};
use crate::log::Injected;
use crate::log::format::reason;
use crate::prelude::*;

#[derive(Default)]
pub(super) struct Pi {
    /// By entry, in the file's order: its id, and how much was gathered before it.
    entries: Vec<(Option<String>, usize)>,
}

impl Reads for Pi {
    fn take(&mut self, json: &str, gather: &mut Gather) -> Result<(), Unusable> {
        let line: Value = serde_json::from_str(json).map_err(|e| Unusable::Json(reason(&e)))?;
        self.entries.push((line.text("id").map(str::to_owned), gather.len()));
        let at = line.time("timestamp");
        match line.text("type").unwrap_or_default() {
            "session" => gather.id = line.text("id").map(str::to_owned),
            "message" => {
                let message = line.key("message").ok_or(Unusable::Lacks("a line", "message"))?;
                take(message, at, gather)?;
            }
            "compaction" => {
                let index = line.tokens("firstKeptEntryIndex").map(|index| index.0 as usize);
                let id = line.text("firstKeptEntryId");
                let of_id = || {
                    self.entries.iter().position(|(own, _)| own.is_some() && own.as_deref() == id)
                };
                let first = index.or_else(of_id).and_then(|index| self.entries.get(index));
                let kept = first.map_or(0..0, |(_, from)| *from..gather.len()).collect();
                let summary = Text::from(line.text("summary").unwrap_or_default());
                let summary = BoundaryAction::Summary(summary);
                gather.boundary(Trigger::Auto, summary, line.tokens("tokensBefore"), kept);
            }
            "custom_message" => {
                let (text, _) = text_of(line.get("content"), gather);
                gather.injected(Injected::Notice, text, at);
            }
            "branch_summary" => {
                let text = line.text("summary").unwrap_or_default().to_owned();
                gather.injected(Injected::Notice, text, at);
            }
            kind => gather.intake.skip(kind),
        }
        Ok(())
    }
}

fn take(message: &Value, at: Option<i64>, gather: &mut Gather) -> Result<(), Unusable> {
    match message.text("role").unwrap_or_default() {
        "user" => {
            let (text, images) = text_of(message.get("content"), gather);
            gather.prompt(Prompt { text, images, at, ..Prompt::default() });
        }
        "assistant" => {
            let (text, _) = text_of(message.get("content"), gather);
            let calls = message.list("content").iter();
            let calls = calls.filter(|block| block.text("type") == Some("toolCall"));
            let calls = calls.map(|block| {
                let name = block.text("name").unwrap_or("unnamed");
                let id = block.text("id").unwrap_or_default();
                call(id, name, arguments(block.key("arguments")))
            });
            let used = message.key("usage");
            let part = |key: &str| used.and_then(|used| used.tokens(key)).unwrap_or_default();
            let cached = part("cacheRead");
            let prompt = part("input") + cached + part("cacheWrite");
            gather.answer(Answer {
                id: None,
                text,
                calls: calls.collect(),
                usage: (prompt > Tokens::ZERO).then_some((prompt, cached)),
                model: message.text("model").map(str::to_owned),
                at,
            });
        }
        "toolResult" => {
            let id = message.text("toolCallId");
            let id = id.ok_or(Unusable::Lacks("a tool result", "toolCallId"))?;
            let (content, images) = text_of(message.get("content"), gather);
            let failed = message.is("isError");
            let outcome = Outcome { content, failed, images, at, ..Outcome::default() };
            gather.result(CallId::new(id), outcome);
        }
        "bashExecution" => {
            let part = |key: &str| message.key(key).map(as_text).unwrap_or_default();
            let text = format!("Ran `{}`\n{}", part("command"), part("output"));
            gather.injected(Injected::Command, text, at);
        }
        role => gather.intake.skip(format!("{role} message")),
    }
    Ok(())
}
