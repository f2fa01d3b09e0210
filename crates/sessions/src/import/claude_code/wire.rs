//! The lines as they stand in the file; keys that no rule needs are not read.

use chrono::DateTime;
use serde_json::value::RawValue;
use thiserror::Error;

use crate::log::format::reason;
use crate::prelude::*;

#[derive(Debug, Error)]
pub(super) enum Unusable {
    #[error("{0} without `{1}`")]
    Lacks(&'static str, &'static str),
    #[error("{0}")]
    Json(String),
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Line {
    #[serde(rename = "type", default)]
    pub(super) kind: String,
    pub(super) subtype: Option<String>,
    pub(super) uuid: Option<String>,
    pub(super) session_id: Option<String>,
    pub(super) timestamp: Option<String>,
    #[serde(default)]
    pub(super) is_sidechain: bool,
    #[serde(default)]
    pub(super) is_meta: bool,
    #[serde(default)]
    pub(super) is_compact_summary: bool,
    pub(super) message: Option<Message>,
    pub(super) compact_metadata: Option<Compaction>,
    pub(super) microcompact_metadata: Option<Compaction>,
    data: Option<Typed>,
    attachment: Option<Typed>,
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
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Compaction {
    pub(super) trigger: Option<String>,
    pub(super) pre_tokens: Option<Tokens>,
    #[serde(default)]
    pub(super) compacted_tool_ids: Vec<String>,
}

impl Line {
    /// Milliseconds since 1970, where the line has a readable time.
    pub(super) fn at(&self) -> Option<i64> {
        let timestamp = DateTime::parse_from_rfc3339(self.timestamp.as_deref()?).ok()?;
        Some(timestamp.timestamp_millis())
    }

    /// The kind as a report names it: `system/turn_duration`.
    pub(super) fn kind_for_people(&self) -> String {
        let typed = self.data.as_ref().or(self.attachment.as_ref());
        let part = self.subtype.as_ref().or(typed.and_then(|typed| typed.kind.as_ref()));
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

/// The JSON with halves of character pairs, as a writer leaves that truncates inside an emoji,
/// replaced; `None` where it has none.
pub(super) fn without_lone_surrogates(json: &str) -> Option<String> {
    if !json.contains("\\ud") && !json.contains("\\uD") {
        return None;
    }
    let mut mended = String::new();
    let (mut done, mut from) = (0, 0);
    while let Some(found) = json[from..].find('\\') {
        let place = from + found;
        let unit = unit_at(json, place);
        from = match unit {
            Some(0xD800..=0xDBFF) if is_low(unit_at(json, place + 6)) => place + 12,
            Some(0xD800..=0xDFFF) => {
                mended.push_str(&json[done..place]);
                mended.push_str("\\ufffd");
                done = place + 6;
                done
            }
            // The escape's second byte is ASCII in valid JSON; never cut elsewhere.
            _ => place + 1 + usize::from(json.as_bytes().get(place + 1).is_some_and(u8::is_ascii)),
        };
    }
    (done > 0).then(|| mended + &json[done..])
}

fn is_low(unit: Option<u32>) -> bool {
    matches!(unit, Some(0xDC00..=0xDFFF))
}

/// The code unit that four hexadecimal digits behind `\u` name at this place.
fn unit_at(json: &str, place: usize) -> Option<u32> {
    let digits = json.get(place..place + 6)?.strip_prefix("\\u")?;
    u32::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_character_pair_is_replaced_and_a_whole_one_kept() {
        for (json, mended) in crate::cases::<(String, Vec<String>)>("surrogates") {
            assert_eq!(without_lone_surrogates(&json).as_slice(), mended, "{json}");
        }
    }
}
