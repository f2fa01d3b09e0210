//! Claude Code session files. File order is kept; the `parentUuid` graph is not followed, so an
//! abandoned branch stays in. Lines that no model saw are counted; a recorded compaction becomes a
//! boundary, its summary never a message.

mod gather;
mod wire;

use std::io::BufRead;

use serde_json::value::RawValue;

use self::gather::Gather;
use self::wire::{Block, Line, Unusable};
use super::report::Intake;
use crate::log::format::lines::Lines;
use crate::log::format::reason;
use crate::prelude::*;

/// Stands for an image: its tokens are a matter of pixels, not of text.
const IMAGE: &str = "[image]";

/// Reads a session; `path` names it. Fails without a usable message.
pub(super) fn read(reader: impl BufRead, path: &Path) -> Result<(Log, Intake)> {
    let mut lines = Lines::new(reader);
    let mut importer = Importer::default();
    let too_long = lines.limit_rule();
    while let Some(line) = lines.next().map_err(|error| Error::io("read", path, error))? {
        if line.is_blank() {
            continue;
        }
        importer.intake.lines += 1;
        if line.too_long {
            importer.intake.bad_line(line.number, too_long.clone());
            continue;
        }
        let text = String::from_utf8_lossy(line.bytes);
        importer.intake.mended += usize::from(matches!(text, std::borrow::Cow::Owned(_)));
        importer.line(&text, line.number);
    }
    let Importer { intake, gather, session, .. } = importer;
    let id = session.unwrap_or_else(|| {
        path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned())
    });
    let (log, intake) = gather.finish(id, path.display().to_string(), intake);
    if log.messages.is_empty() { Err(nothing_usable(path, &intake)) } else { Ok((log, intake)) }
}

fn nothing_usable(path: &Path, intake: &Intake) -> Error {
    let Intake { lines, bad_lines, sidechain_lines, .. } = intake;
    let subagent = *sidechain_lines > 0;
    Error::Invalid {
        place: path.display().to_string(),
        rule: format!(
            "no usable message in {lines} lines ({bad_lines} bad, {sidechain_lines} of subagents)"
        ),
        hint: subagent.then(|| "this is a subagent's file: load the main session".to_owned()),
    }
}

#[derive(Default)]
struct Importer {
    intake: Intake,
    gather: Gather,
    session: Option<String>,
    /// Lines by `uuid`: a resumed session repeats the ones before.
    seen: FxHashSet<String>,
}

impl Importer {
    /// All objects on a line; there may be several where a line end was lost.
    fn line(&mut self, text: &str, number: usize) {
        let mut rest = text;
        let mut found = 0;
        loop {
            let mut stream = serde_json::Deserializer::from_str(rest).into_iter::<&RawValue>();
            let object = match stream.next() {
                None => return,
                Some(Ok(object)) => object.get(),
                Some(Err(error)) => return self.intake.bad_line(number, reason(&error)),
            };
            let used = stream.byte_offset();
            if let Err(rule) = self.object(object) {
                self.intake.bad_line(number, rule.to_string());
            } else if found > 0 {
                self.intake.recovered += 1;
            }
            found += 1;
            rest = &rest[used..];
        }
    }

    fn object(&mut self, text: &str) -> Result<(), Unusable> {
        let mended = wire::without_lone_surrogates(text);
        self.intake.mended += usize::from(mended.is_some());
        let line = serde_json::from_str::<Line>(mended.as_deref().unwrap_or(text));
        self.take(line.map_err(|error| Unusable::Json(reason(&error)))?)
    }

    fn take(&mut self, line: Line) -> Result<(), Unusable> {
        if line.is_sidechain {
            self.intake.sidechain_lines += 1;
            return Ok(());
        }
        if let Some(uuid) = &line.uuid
            && !self.seen.insert(uuid.clone())
        {
            self.intake.skip("repeated line");
            return Ok(());
        }
        match line.kind.as_str() {
            "user" => self.user(line),
            "assistant" => self.assistant(line),
            "system" => {
                self.system(&line);
                Ok(())
            }
            _ => {
                self.intake.skip(line.kind_for_people());
                Ok(())
            }
        }
    }

    fn user(&mut self, line: Line) -> Result<(), Unusable> {
        let at = line.at();
        let message = line.message.ok_or(Unusable::Lacks("a user line", "message"))?;
        let blocks = wire::blocks(message.content.as_deref())?;
        self.session = self.session.take().or(line.session_id);
        if line.is_compact_summary {
            let summary = self.text_of(&blocks);
            self.gather.summary(Text::from(summary));
            return Ok(());
        }
        for block in blocks.iter().filter(|block| block.kind == "tool_result") {
            let id = block.tool_use_id.as_deref();
            let id = id.ok_or(Unusable::Lacks("a tool result", "tool_use_id"))?;
            let content = self.result_text(block)?;
            let failed = block.is_error.unwrap_or(false);
            self.gather.result(CallId::new(id), content, failed, at);
        }
        let text = self.text_of(&blocks);
        if !text.trim().is_empty() {
            self.gather.prompt(author(&text, line.is_meta), text, at);
        } else if blocks.iter().all(|block| block.kind != "tool_result") {
            self.intake.skip("empty user line");
        }
        Ok(())
    }

    fn assistant(&mut self, line: Line) -> Result<(), Unusable> {
        let at = line.at();
        let message = line.message.ok_or(Unusable::Lacks("an assistant line", "message"))?;
        if message.model.as_deref() == Some("<synthetic>") {
            self.intake.skip("assistant <synthetic>");
            return Ok(());
        }
        let blocks = wire::blocks(message.content.as_deref())?;
        self.session = self.session.take().or(line.session_id);
        let text = self.text_of(&blocks);
        let mut calls = Vec::new();
        for block in blocks.into_iter().filter(|block| block.kind == "tool_use") {
            calls.push(call_of(block)?);
        }
        let id = message.id.or(line.uuid);
        self.gather.answer(id, text, calls, message.usage.and_then(|usage| usage.prompt()), at);
        Ok(())
    }

    fn system(&mut self, line: &Line) {
        let (metadata, action) = match line.subtype.as_deref() {
            Some("compact_boundary") => {
                (&line.compact_metadata, BoundaryAction::Summary(Text::from("")))
            }
            Some("microcompact_boundary") => {
                let cleared = line.microcompact_metadata.iter().flat_map(|m| &m.compacted_tool_ids);
                let cleared = cleared.map(|id| CallId::new(id)).collect();
                (&line.microcompact_metadata, BoundaryAction::Clear(cleared))
            }
            _ => return self.intake.skip(line.kind_for_people()),
        };
        let manual = metadata.as_ref().and_then(|m| m.trigger.as_deref()) == Some("manual");
        let trigger = if manual { Trigger::Manual } else { Trigger::Auto };
        let pre_tokens = metadata.as_ref().and_then(|m| m.pre_tokens);
        self.gather.boundary(trigger, action, pre_tokens);
    }

    /// Text and image blocks; tool blocks are the caller's, the rest is counted.
    fn text_of(&mut self, blocks: &[Block]) -> String {
        let mut parts: Vec<&str> = Vec::new();
        for block in blocks {
            match block.kind.as_str() {
                "text" => parts.extend(block.text.as_deref().filter(|text| !text.is_empty())),
                "image" => {
                    self.intake.images += 1;
                    parts.push(IMAGE);
                }
                "thinking" | "redacted_thinking" => self.intake.thinking += 1,
                "tool_use" | "tool_result" => {}
                other => self.intake.skip(format!("{other} block")),
            }
        }
        parts.join("\n\n")
    }

    fn result_text(&mut self, block: &Block) -> Result<String, Unusable> {
        let blocks = wire::blocks(block.content.as_deref())?;
        let mut parts: Vec<String> = Vec::new();
        for block in &blocks {
            match block.kind.as_str() {
                "tool_reference" => {
                    let tool = block.tool_name.as_deref().unwrap_or("unnamed");
                    parts.push(format!("[tool reference: {tool}]"));
                }
                _ => parts.push(self.text_of(std::slice::from_ref(block))),
            }
        }
        parts.retain(|part| !part.is_empty());
        Ok(parts.join("\n"))
    }
}

fn call_of(block: Block) -> Result<Call, Unusable> {
    let id = block.id.ok_or(Unusable::Lacks("a tool call", "id"))?;
    let name = block.name.ok_or(Unusable::Lacks("a tool call", "name"))?;
    let args = block.input.as_ref().map_or("{}", |input| input.get());
    Ok(Call { id: CallId::new(&id), name: Text::from(name), args: Text::from(args) })
}

/// What injected texts begin with: they are in the prompt, but open no turn.
const INJECTED: &str = include_str!("claude_code/injected.txt");

const REMINDER: (&str, &str) = ("<system-reminder>", "</system-reminder>");

fn author(text: &str, is_meta: bool) -> Author {
    let typed = typed(text);
    let injected = |text: &str| INJECTED.lines().any(|start| text.starts_with(start));
    if is_meta || typed.is_empty() || injected(typed) { Author::Harness } else { Author::Human }
}

/// The text behind any reminders at its beginning.
fn typed(text: &str) -> &str {
    let mut rest = text.trim();
    while let Some(reminder) = rest.strip_prefix(REMINDER.0) {
        let Some(end) = reminder.find(REMINDER.1) else { return "" };
        rest = reminder[end + REMINDER.1.len()..].trim_start();
    }
    rest
}

#[cfg(test)]
mod tests;
