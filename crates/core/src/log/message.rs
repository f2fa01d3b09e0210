//! Messages, tool calls and who wrote them.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::ident::MsgId;
use crate::unit::Millis;
use crate::words;

/// Shared text: a log's words are stored once, however many views show them.
pub type Text = Arc<str>;

/// The provider's id of a tool call, unique in a log.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CallId(pub Text);

impl CallId {
    /// From any text.
    pub fn new(id: &str) -> CallId {
        CallId(Text::from(id))
    }
}

impl fmt::Display for CallId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

words! {
    /// Role of a message as the provider sees it.
    pub enum Role {
        /// Instructions of the harness.
        System = "system",
        /// The user side, typed or injected (see [`Author`]).
        User = "user",
        Assistant = "assistant",
        /// The result of one tool call.
        Tool = "tool",
    }
}

/// Who really wrote a message. Profiles that classify by role or by text must not read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Author {
    /// A person typed it.
    Human,
    /// The model wrote it.
    Agent,
    /// The harness put it there: tool results, reminders, notices.
    Harness,
}

/// One tool call inside an assistant message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Call {
    /// Pairs it with its result.
    pub id: CallId,
    /// The tool.
    pub name: Text,
    /// Its arguments, usually JSON.
    pub args: Text,
}

/// One message of a log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Message {
    /// Its index in the log.
    pub id: MsgId,
    /// Role on the wire.
    pub role: Role,
    /// Who wrote it.
    pub author: Author,
    /// Time since the start of the session.
    pub at: Millis,
    /// Text without the calls.
    pub content: Text,
    /// Tool calls (assistant only).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<Call>,
    /// The call that this message answers (tool only).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<CallId>,
    /// The tool reported an error (tool only).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub failed: bool,
}

impl Message {
    /// A message without calls that answers none.
    pub fn new(
        id: MsgId,
        role: Role,
        author: Author,
        at: Millis,
        content: impl Into<Text>,
    ) -> Message {
        Message {
            id,
            role,
            author,
            at,
            content: content.into(),
            calls: Vec::new(),
            answers: None,
            failed: false,
        }
    }
}
