//! The log: the immutable record of a session. Compaction never edits it, and it holds nothing of
//! what ought to be remembered: that is the truth (`truth.rs`), which this side cannot see.

pub mod calls;
pub mod files;
pub mod format;
pub mod turn;

pub use turn::{Step, opens_turn, opens_turn_as};

use std::fmt;

use crate::prelude::*;
use crate::record::JsonSchema;
use crate::words;

/// A recorded session.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Log {
    /// Name of the session: scenario and seed, or the transcript's own id.
    pub id: String,
    /// Where it came from, for people: a scenario digest or a transcript path.
    pub source: String,
    /// The system prompt as far as it is known.
    pub system: Text,
    /// The tool schemas as text, as far as they are known.
    pub tools: Text,
    /// Tokens of every prompt beyond system, schemas and messages (inferred from recorded usage).
    pub overhead: Tokens,
    /// The model that answered most, as the recording names it.
    pub model: Option<Text>,
    /// The context window of the recorded session, where it is known or can be inferred.
    pub window: Option<Tokens>,
    /// The provider's tokens per token of `o200k_base`, where recorded usage shows it. Reference
    /// counts of the session are multiplied by it, so that they and recorded figures have one unit.
    pub ratio: Option<f64>,
    /// The messages in order; `messages[i].id == MsgId(i)`.
    pub messages: Vec<Message>,
    /// Recorded compactions, in order. Metadata only: a recorded summary is never a message.
    pub boundaries: Vec<Boundary>,
    /// What the provider reported, per assistant message, in order.
    pub usage: Vec<Usage>,
}

impl Log {
    /// A session in which nothing has happened yet.
    pub fn new(id: impl Into<String>, source: impl Into<String>) -> Log {
        Log { id: id.into(), source: source.into(), ..Log::default() }
    }

    /// The message with this id, if the log has it.
    pub fn message(&self, id: MsgId) -> Option<&Message> {
        self.messages.get(id.index())
    }

    /// Whether a compaction is recorded.
    pub fn was_compacted(&self) -> bool {
        self.boundaries.iter().any(Boundary::took)
    }

    /// Whether a recorded compaction took anything away between two messages.
    pub fn was_compacted_between(&self, earlier: MsgId, later: MsgId) -> bool {
        let between = |one: &&Boundary| earlier < one.before && one.before <= later;
        self.boundaries.iter().filter(between).any(Boundary::took)
    }

    /// What a strategy may see of the log when so many messages of it have happened.
    pub fn past(&self, messages: usize) -> Past<'_> {
        let boundaries =
            self.boundaries.partition_point(|boundary| boundary.before.index() <= messages);
        Past { messages: &self.messages[..messages], boundaries: &self.boundaries[..boundaries] }
    }
}

/// The part of a log that has happened by a step.
#[derive(Clone, Copy, Debug)]
pub struct Past<'a> {
    /// Messages so far, in the view or not.
    pub messages: &'a [Message],
    /// Recorded compactions so far.
    pub boundaries: &'a [Boundary],
}

/// A recorded compaction point: what stood before `before` was compacted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Boundary {
    /// The first message after the boundary; may be one past the last message.
    pub before: MsgId,
    /// What set it off.
    pub trigger: Trigger,
    /// What was done.
    pub action: BoundaryAction,
    /// Messages before it that stayed in the prompt as they were, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kept: Vec<MsgId>,
    /// Prompt tokens recorded before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pre_tokens: Option<Tokens>,
    /// Prompt tokens recorded for the first call after it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub post_tokens: Option<Tokens>,
}

impl Boundary {
    /// Whether anything was taken away at it, as far as is recorded.
    pub fn took(&self) -> bool {
        self.action != BoundaryAction::Nothing
    }
}

/// What set off a recorded compaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Trigger {
    /// The harness, by its own rule.
    Auto,
    /// The user, by a command.
    Manual,
}

/// What a recorded compaction did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BoundaryAction {
    /// The history was replaced by this summary.
    Summary(Text),
    /// The results of these calls were cleared.
    Clear(Vec<CallId>),
    /// Nothing is recorded: the point was set beforehand, whatever anyone did there.
    #[serde(rename = "none")]
    Nothing,
}

/// Recorded usage of one model call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Usage {
    /// The assistant message the call produced.
    pub message: MsgId,
    /// Prompt tokens, cached ones included.
    pub prompt: Tokens,
    /// Of these, read from the cache.
    pub cached: Tokens,
}

/// Shared text: a log's words are stored once, however many views show them.
pub type Text = Arc<str>;

/// The provider's id of a tool call, unique in a log.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
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
    /// The model wrote it, a person approved it, and it was sent as the person's message: a plan.
    Approved,
}

words! {
    /// What the harness put into a prompt beside what was typed and what tools returned.
    pub enum Injected {
        /// What a command printed, or its name and its expansion.
        Command = "command",
        /// Facts of the surroundings: directory, date, permissions.
        Environment = "environment",
        /// A file that was attached, or how it was changed by others.
        File = "file",
        /// What a hook said.
        Hook = "hook",
        /// What is open or selected in an editor.
        Editor = "editor",
        /// Instructions kept in files, such as `CLAUDE.md` and `AGENTS.md`.
        Memory = "memory",
        /// An event: an interruption, a task that ended, a request to go on.
        Notice = "notice",
        /// A reminder of the harness.
        Reminder = "reminder",
    }
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
    /// The bytes of the content that a person typed, where that is not all of a person's message:
    /// behind what an editor added, or inside the result of a tool that put a question.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub said: Vec<(u32, u32)>,
    /// What put it there, where that is known (author harness only).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub injected: Option<Injected>,
    /// Tokens of its images. Their text in the content is a mark of each.
    #[serde(default, skip_serializing_if = "is_none")]
    pub images: Tokens,
}

fn is_none(tokens: &Tokens) -> bool {
    *tokens == Tokens::ZERO
}

impl Message {
    /// What a person typed of it: its parts, or all of a person's message.
    pub fn words(&self) -> Vec<&str> {
        let all =
            || (self.role == Role::User && self.author == Author::Human).then_some(&*self.content);
        let parts = self.said.iter();
        let said: Vec<&str> =
            parts.filter_map(|&(from, to)| self.content.get(from as usize..to as usize)).collect();
        if self.said.is_empty() { all().into_iter().collect() } else { said }
    }

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
            said: Vec::new(),
            injected: None,
            images: Tokens::ZERO,
        }
    }
}
