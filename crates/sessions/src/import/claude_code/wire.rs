//! The lines as they stand in the file; keys that no rule needs are not read.

use serde_json::Value;
use serde_json::value::RawValue;

use super::super::Unusable;
use super::super::json::at;
use crate::log::format::reason;
use crate::prelude::*;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Line {
    #[serde(rename = "type", default)]
    pub(super) kind: String,
    pub(super) subtype: Option<String>,
    pub(super) uuid: Option<String>,
    pub(super) parent_uuid: Option<String>,
    pub(super) logical_parent_uuid: Option<String>,
    #[serde(alias = "session_id")]
    pub(super) session_id: Option<String>,
    timestamp: Option<String>,
    #[serde(default)]
    pub(super) is_sidechain: bool,
    /// Of a subagent, in `stream-json`.
    #[serde(rename = "parent_tool_use_id")]
    pub(super) parent_call: Option<String>,
    #[serde(default)]
    pub(super) is_meta: bool,
    #[serde(default)]
    pub(super) is_compact_summary: bool,
    pub(super) plan_content: Option<String>,
    pub(super) message: Option<Message>,
    #[serde(alias = "compact_metadata")]
    pub(super) compact_metadata: Option<Compaction>,
    pub(super) microcompact_metadata: Option<Compaction>,
    pub(super) operation: Option<String>,
    pub(super) content: Option<Value>,
    pub(super) attachment: Option<Value>,
    /// Names of the tools, in `stream-json`.
    #[serde(default)]
    pub(super) tools: Vec<String>,
    data: Option<Typed>,
}

#[derive(Deserialize)]
struct Typed {
    #[serde(rename = "type")]
    kind: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Message {
    pub(super) id: Option<String>,
    pub(super) model: Option<String>,
    pub(super) content: Option<Box<RawValue>>,
    pub(super) usage: Option<Usage>,
}

/// What the provider reported. Output tokens were written while a message streamed: not read.
#[derive(Deserialize)]
pub(super) struct Usage {
    #[serde(default)]
    input_tokens: Option<u64>,
    #[serde(default)]
    cache_creation_input_tokens: Option<u64>,
    #[serde(default)]
    cache_read_input_tokens: Option<u64>,
}

impl Usage {
    /// Prompt and cached tokens; `None` where nothing was sent.
    pub(super) fn prompt(&self) -> Option<(Tokens, Tokens)> {
        let of = |part: Option<u64>| Tokens(part.unwrap_or(0).min(u64::from(u32::MAX)));
        let cached = of(self.cache_read_input_tokens);
        let prompt = of(self.input_tokens) + of(self.cache_creation_input_tokens) + cached;
        (prompt > Tokens::ZERO).then_some((prompt, cached))
    }
}

#[derive(Default, Deserialize)]
pub(super) struct Block {
    #[serde(rename = "type", default)]
    pub(super) kind: String,
    pub(super) text: Option<String>,
    pub(super) id: Option<String>,
    pub(super) name: Option<String>,
    pub(super) tool_name: Option<String>,
    pub(super) input: Option<Box<RawValue>>,
    pub(super) tool_use_id: Option<String>,
    pub(super) content: Option<Box<RawValue>>,
    pub(super) is_error: Option<bool>,
    pub(super) source: Option<Image>,
}

#[derive(Default, Deserialize)]
pub(super) struct Image {
    pub(super) data: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Compaction {
    pub(super) trigger: Option<String>,
    #[serde(alias = "pre_tokens")]
    pub(super) pre_tokens: Option<Tokens>,
    #[serde(default)]
    pub(super) compacted_tool_ids: Vec<String>,
    pub(super) preserved_messages: Option<Preserved>,
}

#[derive(Deserialize)]
pub(super) struct Preserved {
    #[serde(default)]
    pub(super) uuids: Vec<String>,
}

impl Line {
    /// Milliseconds since 1970, where the line has a readable time.
    pub(super) fn at(&self) -> Option<i64> {
        at(self.timestamp.as_deref()?)
    }

    /// The kind as a report names it: `system/turn_duration`.
    pub(super) fn kind_for_people(&self) -> String {
        let attached = self.attachment.as_ref().and_then(|one| one.get("type")?.as_str());
        let typed = self.data.as_ref().and_then(|typed| typed.kind.as_deref());
        let part = self.subtype.as_deref().or(typed).or(attached).or(self.operation.as_deref());
        let kind = if self.kind.is_empty() { "untyped line" } else { &self.kind };
        part.map_or_else(|| kind.to_owned(), |part| format!("{kind}/{part}"))
    }
}

/// The blocks of a content that is a string, a list of blocks, or absent.
pub(super) fn blocks(content: Option<&RawValue>) -> Result<Vec<Block>, Unusable> {
    let Some(content) = content else { return Ok(Vec::new()) };
    let text = content.get();
    let wrong = |error: serde_json::Error| Unusable::Json(format!("content: {}", reason(&error)));
    if text.starts_with('"') {
        let text: String = serde_json::from_str(text).map_err(wrong)?;
        return Ok(vec![Block { kind: "text".to_owned(), text: Some(text), ..Block::default() }]);
    }
    if text == "null" {
        return Ok(Vec::new());
    }
    serde_json::from_str(text).map_err(wrong)
}
