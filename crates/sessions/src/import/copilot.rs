//! Events of GitHub Copilot CLI. `transformedContent` is what the model saw of a prompt; hooks repeat
//! results and are left out.

use serde_json::Value;

use super::gather::{Answer, Gather, Outcome, Prompt};
use super::json::{Json, arguments, as_text};
use super::responses::call;
use super::{Reads, Unusable};
use crate::log::format::reason;
use crate::prelude::*;

#[derive(Default)]
pub(super) struct Copilot {
    model: Option<String>,
}

impl Reads for Copilot {
    fn take(&mut self, json: &str, gather: &mut Gather) -> Result<(), Unusable> {
        let line: Value = serde_json::from_str(json).map_err(|e| Unusable::Json(reason(&e)))?;
        let at = line.time("timestamp");
        let kind = line.text("type").unwrap_or_default();
        let data = line.key("data").ok_or(Unusable::Lacks("a line", "data"))?;
        match kind {
            "session.start" => gather.id = data.text("sessionId").map(str::to_owned),
            "session.model_change" => self.model = data.text("newModel").map(str::to_owned),
            "system.message" => {
                let text = data.text("content").unwrap_or_default().to_owned();
                // It is repeated at each turn.
                if !gather.system.contains(&text) {
                    gather.system = vec![text];
                }
            }
            "user.message" => {
                let typed = data.text("content").unwrap_or_default();
                let text = data.text("transformedContent").unwrap_or(typed).to_owned();
                let begin = text.find(typed.trim()).filter(|_| !typed.trim().is_empty());
                let said = begin.map(|begin| begin..begin + typed.trim().len());
                let said = said.filter(|said| said.len() < text.len()).into_iter().collect();
                let by = Some(Author::Human);
                gather.prompt(Prompt { text, said, by, at, ..Prompt::default() });
            }
            "assistant.message" => {
                let requests = data.list("toolRequests").iter().map(|request| {
                    let name = request.text("name").unwrap_or("unnamed");
                    let id = request.text("toolCallId").unwrap_or_default();
                    call(id, name, arguments(request.key("arguments")))
                });
                gather.intake.thinking += usize::from(data.key("reasoningText").is_some());
                gather.answer(Answer {
                    id: data.text("messageId").map(str::to_owned),
                    text: data.text("content").unwrap_or_default().to_owned(),
                    calls: requests.collect(),
                    usage: data.tokens("inputTokens").map(|prompt| (prompt, Tokens::ZERO)),
                    model: data.text("model").map(str::to_owned).or(self.model.clone()),
                    at,
                });
            }
            "tool.execution_complete" => {
                let id =
                    data.text("toolCallId").ok_or(Unusable::Lacks("a result", "toolCallId"))?;
                let said = data.key("result").and_then(|result| result.key("content"));
                let error = data.key("error").map(|error| error.key("message").unwrap_or(error));
                let content = said.or(error).map(as_text).unwrap_or_default();
                let failed = data.get("success") == Some(&Value::Bool(false));
                gather
                    .result(CallId::new(id), Outcome { content, failed, at, ..Outcome::default() });
            }
            "session.compaction_complete" => {
                let text = data.text("summaryContent").unwrap_or_default();
                let summary = BoundaryAction::Summary(Text::from(text));
                let before = data.tokens("preCompactionTokens");
                gather.boundary(Trigger::Auto, summary, before, Vec::new());
            }
            kind => gather.intake.skip(kind),
        }
        Ok(())
    }
}
