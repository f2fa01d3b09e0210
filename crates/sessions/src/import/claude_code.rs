//! Claude Code: session files, and what `--output-format stream-json` prints. A prompt that was
//! rewound is left out with what followed it. A recorded compaction becomes a boundary, its summary
//! never a message.

mod branches;
mod wire;

use std::sync::LazyLock;

use serde_json::Value;

use self::branches::Branches;
use self::wire::{Block, Line};
use super::gather::{Answer, Gather, Outcome, Prompt};
use super::json::as_text;
use super::{Reads, Unusable, image};
use crate::log::Injected;
use crate::log::format::reason;
use crate::prelude::*;

/// What attachments are and where their text stands, by type.
static ATTACHMENTS: LazyLock<BTreeMap<String, Attached>> = LazyLock::new(|| {
    crate::parsed("attachments.toml", include_str!("claude_code/attachments.toml"))
});

#[derive(Deserialize)]
struct Attached {
    is: Injected,
    text: Vec<String>,
}

/// Stands before what a person said when refusing a call, inside its result.
const REFUSED: &str = "the user said:";
/// Ends it.
const REFUSED_END: &str = "\n\nNote: The user's next message";
/// Begins the result of a tool that put questions; the answers stand as `"question"="answer"`.
const ANSWERED: &str = "User has answered your questions:";

#[derive(Default)]
pub(super) struct ClaudeCode {
    /// Lines by `uuid`: a resumed session repeats the ones before.
    seen: FxHashSet<String>,
    branches: Branches,
    /// Typed while the agent was busy, oldest first.
    queue: Vec<String>,
    /// Of these, what was taken into a prompt: its text and number.
    taken: Vec<(String, usize)>,
    /// By `uuid`: the number of what was gathered from the line.
    numbers: FxHashMap<String, usize>,
}

impl Reads for ClaudeCode {
    fn take(&mut self, json: &str, gather: &mut Gather) -> Result<(), Unusable> {
        let line = serde_json::from_str::<Line>(json);
        self.line(line.map_err(|error| Unusable::Json(reason(&error)))?, gather)
    }

    fn end(&mut self, gather: &mut Gather) {
        for number in self.branches.rewound() {
            gather.take_out(number);
            gather.intake.skip("rewound message");
        }
    }
}

impl ClaudeCode {
    fn line(&mut self, line: Line, gather: &mut Gather) -> Result<(), Unusable> {
        if line.is_sidechain || line.parent_call.is_some() {
            gather.intake.sidechain_lines += 1;
            return Ok(());
        }
        if let Some(uuid) = &line.uuid
            && !self.seen.insert(uuid.clone())
        {
            gather.intake.skip("repeated line");
            return Ok(());
        }
        let parent = line.parent_uuid.clone().or(line.logical_parent_uuid.clone());
        let (uuid, before) = (line.uuid.clone(), gather.len());
        let is_prompt = line.kind == "user";
        let number = match line.kind.as_str() {
            "user" => self.user(line, gather)?,
            "assistant" => assistant(line, gather)?,
            "system" => {
                self.system(&line, gather);
                None
            }
            "queue-operation" => self.queued(&line, gather),
            "attachment" => self.attachment(&line, gather),
            _ => {
                gather.intake.skip(line.kind_for_people());
                None
            }
        };
        if let Some(uuid) = uuid {
            self.numbers.extend(number.map(|number| (uuid.clone(), number)));
            let opens = number.filter(|number| is_prompt && *number >= before);
            self.branches.line(uuid, parent, number, opens.is_some());
        }
        Ok(())
    }

    /// The number of its prompt, where it is one.
    fn user(&mut self, line: Line, gather: &mut Gather) -> Result<Option<usize>, Unusable> {
        let at = line.at();
        let message = line.message.ok_or(Unusable::Lacks("a user line", "message"))?;
        let blocks = wire::blocks(message.content.as_deref())?;
        gather.id = gather.id.take().or(line.session_id);
        let (text, images) = text_of(&blocks, gather);
        if line.is_compact_summary {
            gather.summary(Text::from(text));
            return Ok(None);
        }
        for block in blocks.iter().filter(|block| block.kind == "tool_result") {
            let id = block.tool_use_id.as_deref();
            let id = id.ok_or(Unusable::Lacks("a tool result", "tool_use_id"))?;
            let (content, images) = result_text(block, gather)?;
            let (failed, said) = (block.is_error.unwrap_or(false), said_in_result(&content));
            gather.result(CallId::new(id), Outcome { content, failed, said, images, at, line: 0 });
        }
        if text.trim().is_empty() {
            if blocks.iter().all(|block| block.kind != "tool_result") {
                gather.intake.skip("empty user line");
            }
            return Ok(None);
        }
        // Its own line comes out of the queue.
        if let Some(place) = self.queue.iter().position(|queued| queued.trim() == text.trim()) {
            self.queue.remove(place);
        }
        if let Some(place) = self.taken.iter().position(|(queued, _)| queued.trim() == text.trim())
        {
            // Its own line says better where it stood.
            gather.take_out(self.taken.remove(place).1);
        }
        let by = match (line.is_meta, line.plan_content) {
            (true, _) => Some(Author::Harness),
            (false, Some(_)) => Some(Author::Approved),
            (false, None) => None,
        };
        Ok(Some(gather.prompt(Prompt { text, by, images, at, ..Prompt::default() })))
    }

    fn system(&mut self, line: &Line, gather: &mut Gather) {
        let (metadata, action) = match line.subtype.as_deref() {
            Some("compact_boundary") => {
                (&line.compact_metadata, BoundaryAction::Summary(Text::from("")))
            }
            Some("microcompact_boundary") => {
                let cleared = line.microcompact_metadata.iter().flat_map(|m| &m.compacted_tool_ids);
                let cleared = cleared.map(|id| CallId::new(id)).collect();
                (&line.microcompact_metadata, BoundaryAction::Clear(cleared))
            }
            Some("init") => {
                gather.id = gather.id.take().or(line.session_id.clone());
                gather.tools.extend(line.tools.iter().cloned());
                return;
            }
            _ => return gather.intake.skip(line.kind_for_people()),
        };
        let manual = metadata.as_ref().and_then(|m| m.trigger.as_deref()) == Some("manual");
        let trigger = if manual { Trigger::Manual } else { Trigger::Auto };
        let pre_tokens = metadata.as_ref().and_then(|m| m.pre_tokens);
        let preserved = metadata.as_ref().and_then(|m| m.preserved_messages.as_ref());
        let kept = preserved.iter().flat_map(|preserved| &preserved.uuids);
        let kept = kept.filter_map(|uuid| self.numbers.get(uuid).copied()).collect();
        gather.boundary(trigger, action, pre_tokens, kept);
    }

    /// What was typed while the agent was busy: it is in the prompt once it is removed from the
    /// queue without a line of its own.
    fn queued(&mut self, line: &Line, gather: &mut Gather) -> Option<usize> {
        let at = line.at();
        let content = line.content.as_ref().map(as_text).filter(|text| !text.trim().is_empty());
        match (line.operation.as_deref(), content) {
            (Some("enqueue"), Some(text)) => self.queue.push(text),
            (Some("remove"), content) => {
                let named = content.and_then(|text| self.queue.iter().position(|one| *one == text));
                if named.is_some() || !self.queue.is_empty() {
                    let text = self.queue.remove(named.unwrap_or(0));
                    return self.busy(text, at, gather);
                }
            }
            (Some("dequeue"), _) if !self.queue.is_empty() => drop(self.queue.remove(0)),
            (Some("popAll"), _) => self.queue.clear(),
            _ => gather.intake.skip(line.kind_for_people()),
        }
        None
    }

    fn busy(&mut self, text: String, at: Option<i64>, gather: &mut Gather) -> Option<usize> {
        if self.taken.iter().any(|(known, _)| *known == text) {
            return None;
        }
        let number = gather.prompt(Prompt { text: text.clone(), at, ..Prompt::default() });
        self.taken.push((text, number));
        Some(number)
    }

    fn attachment(&mut self, line: &Line, gather: &mut Gather) -> Option<usize> {
        let attachment = line.attachment.as_ref()?;
        let kind = attachment.get("type").and_then(Value::as_str).unwrap_or_default();
        if kind == "queued_command" {
            let text = attachment.get("prompt").map(flat).unwrap_or_default();
            return if text.is_empty() { None } else { self.busy(text, line.at(), gather) };
        }
        let known = ATTACHMENTS.get(kind);
        let texts = known.iter().flat_map(|known| &known.text);
        let texts: Vec<String> = texts.filter_map(|at| attachment.pointer(at)).map(flat).collect();
        let text = texts.join("\n");
        let (Some(known), false) = (known, text.trim().is_empty()) else {
            gather.intake.skip(line.kind_for_people());
            return None;
        };
        Some(gather.injected(known.is, text, line.at()))
    }
}

fn assistant(line: Line, gather: &mut Gather) -> Result<Option<usize>, Unusable> {
    let at = line.at();
    let message = line.message.ok_or(Unusable::Lacks("an assistant line", "message"))?;
    if message.model.as_deref() == Some("<synthetic>") {
        gather.intake.skip("assistant <synthetic>");
        return Ok(None);
    }
    let blocks = wire::blocks(message.content.as_deref())?;
    gather.id = gather.id.take().or(line.session_id);
    let (text, _) = text_of(&blocks, gather);
    let mut calls = Vec::new();
    for block in blocks.into_iter().filter(|block| block.kind == "tool_use") {
        calls.push(call_of(block)?);
    }
    let id = message.id.or(line.uuid);
    let usage = message.usage.and_then(|usage| usage.prompt());
    Ok(Some(gather.answer(Answer { id, text, calls, usage, model: message.model, at })))
}

/// Text and image blocks, and the tokens of the images; tool blocks are the caller's, the rest is
/// counted.
fn text_of(blocks: &[Block], gather: &mut Gather) -> (String, Tokens) {
    let mut parts: Vec<&str> = Vec::new();
    let mut images = Tokens::ZERO;
    for block in blocks {
        match block.kind.as_str() {
            "text" => parts.extend(block.text.as_deref().filter(|text| !text.is_empty())),
            "image" => {
                gather.intake.images += 1;
                let data = block.source.as_ref().and_then(|source| source.data.as_deref());
                images += data.map_or(image::UNKNOWN, image::tokens);
                parts.push(image::MARK);
            }
            "thinking" | "redacted_thinking" => gather.intake.thinking += 1,
            "tool_use" | "tool_result" => {}
            other => gather.intake.skip(format!("{other} block")),
        }
    }
    (parts.join("\n\n"), images)
}

fn result_text(block: &Block, gather: &mut Gather) -> Result<(String, Tokens), Unusable> {
    let blocks = wire::blocks(block.content.as_deref())?;
    let (mut parts, mut images) = (Vec::new(), Tokens::ZERO);
    for block in &blocks {
        match block.kind.as_str() {
            "tool_reference" => {
                let tool = block.tool_name.as_deref().unwrap_or("unnamed");
                parts.push(format!("[tool reference: {tool}]"));
            }
            _ => {
                let (text, tokens) = text_of(std::slice::from_ref(block), gather);
                parts.push(text);
                images += tokens;
            }
        }
    }
    parts.retain(|part| !part.is_empty());
    Ok((parts.join("\n"), images))
}

fn call_of(block: Block) -> Result<Call, Unusable> {
    let id = block.id.ok_or(Unusable::Lacks("a tool call", "id"))?;
    let name = block.name.ok_or(Unusable::Lacks("a tool call", "name"))?;
    let args = block.input.as_ref().map_or("{}", |input| input.get());
    Ok(Call { id: CallId::new(&id), name: Text::from(name), args: Text::from(args) })
}

/// A value's texts: blocks and lists are joined.
fn flat(value: &Value) -> String {
    match value {
        Value::Array(values) => values.iter().map(flat).collect::<Vec<_>>().join("\n"),
        Value::Object(map) => match map.get("text").or_else(|| map.get("content")) {
            Some(text) => flat(text),
            None => value.to_string(),
        },
        value => as_text(value),
    }
}

/// What a person said inside a result: why a call was refused, or answers to questions.
fn said_in_result(content: &str) -> Vec<Range<usize>> {
    let trimmed = |part: Range<usize>| {
        let inner = &content[part.clone()];
        let start = part.start + inner.len() - inner.trim_start().len();
        start..start + inner.trim().len()
    };
    if content.starts_with("The user doesn't want to")
        && let Some(place) = content.find(REFUSED)
    {
        let from = place + REFUSED.len();
        let end = content[from..].find(REFUSED_END).map_or(content.len(), |end| from + end);
        return vec![trimmed(from..end)].into_iter().filter(|part| !part.is_empty()).collect();
    }
    if !content.starts_with(ANSWERED) {
        return Vec::new();
    }
    let (mut said, mut from) = (Vec::new(), 0);
    while let Some(place) = content[from..].find("\"=\"") {
        let start = from + place + 3;
        let Some(length) = content[start..].find('"') else { break };
        said.extend(Some(start..start + length).filter(|part| !part.is_empty()));
        from = start + length;
    }
    said
}

#[cfg(test)]
mod tests;
