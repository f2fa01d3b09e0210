//! Entries as a program is sent them, and messages as it returns them.

mod anthropic;
mod entries;
mod openai;

use crate::prelude::*;
use crate::protocol::{Hello, Level, MessageShape};

/// How a program is sent a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    pub(crate) level: Level,
    messages: MessageShape,
}

/// Before a program has said what it is, only a digest is made.
impl Default for Shape {
    fn default() -> Shape {
        Shape { level: Level::List, messages: MessageShape::Openai }
    }
}

impl From<&Hello> for Shape {
    fn from(hello: &Hello) -> Shape {
        Shape { level: hello.level, messages: hello.shape }
    }
}

/// A message as a program returned it, or shows it to a model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Returned {
    /// The entry that it names.
    pub id: Option<EntryId>,
    /// Its role on the wire.
    pub role: Option<Role>,
    /// Its text.
    pub text: String,
    /// The calls that it makes.
    pub calls: Vec<Call>,
    /// The call that it answers.
    pub answers: Option<CallId>,
}

impl Shape {
    pub(crate) fn groups_results(self) -> bool {
        self.messages == MessageShape::Anthropic
    }

    /// Entries as a JSON list.
    pub(crate) fn write(self, entries: &[Arc<Entry>]) -> String {
        let written = match (self.level, self.messages) {
            (Level::Plan, _) => serde_json::to_string(&entries::of(entries)),
            (Level::List, MessageShape::Openai) => serde_json::to_string(&openai::of(entries)),
            (Level::List, MessageShape::Anthropic) => {
                serde_json::to_string(&anthropic::of(entries))
            }
        };
        // OK because texts, numbers and lists can always be written as JSON.
        written.expect("entries can be written as JSON")
    }

    /// Messages that a program returned, or what is wrong with one.
    pub(crate) fn read(self, messages: &[Value]) -> Result<Vec<Returned>, String> {
        let mut read = Vec::with_capacity(messages.len());
        for (number, message) in messages.iter().enumerate() {
            let parsed = match self.messages {
                MessageShape::Openai => openai::read(message).map(|one| read.push(one)),
                MessageShape::Anthropic => anthropic::read(message).map(|all| read.extend(all)),
            };
            parsed.map_err(|rule| format!("message {}: {rule}", number + 1))?;
        }
        Ok(read)
    }
}

/// The entry that an `id` names, where it is one of ours.
fn entry_id(id: Option<&Value>) -> Option<EntryId> {
    match id? {
        Value::String(text) => text.parse().ok().map(EntryId),
        Value::Number(number) => u32::try_from(number.as_u64()?).ok().map(EntryId),
        _ => None,
    }
}

/// Arguments as the JSON object that they mean; text that is none stands under one key.
fn input(args: &str) -> Value {
    match serde_json::from_str(args) {
        Ok(object @ Value::Object(_)) => object,
        _ => serde_json::json!({ "raw": args }),
    }
}

/// The text of a content that is a text or a list of blocks; `None` where a block is something else.
fn text_of(content: Option<&Value>) -> Result<String, String> {
    match content {
        None | Some(Value::Null) => Ok(String::new()),
        Some(Value::String(text)) => Ok(text.clone()),
        Some(Value::Array(blocks)) => {
            let mut all = String::new();
            for block in blocks {
                let text = block.as_str().or_else(|| block.get("text")?.as_str());
                all.push_str(text.ok_or("a block of its content holds no text")?);
            }
            Ok(all)
        }
        Some(_) => Err("its content is neither text nor a list of blocks".to_owned()),
    }
}

fn role_of(message: &Value) -> Result<Role, String> {
    let name = message.get("role").and_then(Value::as_str).ok_or("it has no `role`")?;
    let name = if name == "developer" { "system" } else { name };
    Role::named(name)
        .ok_or_else(|| format!("`role` is `{name}`, and none of system, user, assistant, tool"))
}
