//! The one blocking seam: a summarizer sees a [`Prompt`] and nothing else, no log, no view, no
//! truth. Those that ship are in other crates.

pub mod fault;
pub mod own;

use std::borrow::Cow;

use crate::log::{Role, Text};
use crate::memo::key_of;
use crate::prelude::*;
use crate::token::Tokenizer;
use crate::words;
use fault::{CallIndex, FaultKind};

/// A rendered summary request: exactly what a model would be sent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Prompt {
    /// System prompt, where the frame sets one.
    pub system: Option<Text>,
    /// The conversation, in order.
    pub messages: Vec<PromptMessage>,
    /// Most tokens that the answer may have.
    pub max_tokens: Tokens,
    /// Model named by the profile; the summarizer's own where absent.
    pub model: Option<String>,
    /// Which of several draws of a stochastic summarizer this is.
    pub replicate: u32,
}

/// One message of a prompt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PromptMessage {
    /// Role on the wire.
    pub role: Role,
    /// Its text in order.
    pub segments: Vec<Segment>,
}

/// A stretch of prompt text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Segment {
    /// The words.
    pub text: Text,
    /// Quoted from the conversation, not written by the strategy: offline summarizers are told.
    pub material: bool,
}

impl PromptMessage {
    /// The whole text.
    pub fn text(&self) -> String {
        self.segments.iter().map(|segment| &*segment.text).collect()
    }
}

impl Prompt {
    /// A request of one message of the user: its texts, and whether each is material.
    pub fn of_user<'a>(
        segments: impl IntoIterator<Item = (&'a str, bool)>,
        max_tokens: u64,
    ) -> Prompt {
        let segments = segments.into_iter();
        let segments = segments.map(|(text, material)| Segment { text: text.into(), material });
        let messages = vec![PromptMessage { role: Role::User, segments: segments.collect() }];
        let max_tokens = Tokens(max_tokens);
        Prompt { system: None, messages, max_tokens, model: None, replicate: 0 }
    }

    /// What determines the answer, as a key of this process: text, roles, limit, model, replicate.
    pub fn fingerprint(&self) -> u128 {
        let head = format!("{} {}", self.max_tokens, self.replicate);
        let (system, model) = (self.system.as_deref(), self.model.as_deref());
        let head = [system.unwrap_or_default(), model.unwrap_or_default(), &head];
        let messages = self.messages.iter().flat_map(|message| {
            let segments = message.segments.iter();
            let texts = segments.flat_map(|s| [if s.material { "+" } else { "-" }, &s.text]);
            [message.role.name()].into_iter().chain(texts)
        });
        key_of(head.into_iter().chain(messages))
    }

    /// The instruction: everything the strategy wrote, in order.
    pub fn instruction(&self) -> String {
        self.segments().filter(|s| !s.material).map(|s| &*s.text).collect()
    }

    /// What of it is quoted from the conversation, in order.
    pub fn material(&self) -> impl Iterator<Item = &str> {
        self.segments().filter(|segment| segment.material).map(|segment| &*segment.text)
    }

    /// All segments in order.
    pub fn segments(&self) -> impl Iterator<Item = &Segment> {
        self.messages.iter().flat_map(|message| &message.segments)
    }
}

/// What a summarizer gives back.
pub type Reply = Result<Answer, AskError>;

/// A model's answer to one prompt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// The text; may be empty.
    pub text: String,
    /// Why it ended.
    pub finish: Finish,
}

impl Answer {
    /// An answer that ended of itself.
    pub fn complete(text: impl Into<String>) -> Answer {
        Answer { text: text.into(), finish: Finish::Stop }
    }
}

words! {
    /// Why an answer ended.
    pub enum Finish {
        Stop = "stop",
        /// It was cut off at the output limit.
        Length = "length",
        /// It called a tool instead of answering.
        ToolCall = "tool-call",
    }
}

words! {
    /// Why there is no answer, or none that the profile accepts.
    pub enum FailureClass {
        /// The prompt exceeds what the summarizer admits.
        Overflow = "overflow",
        Error = "error",
        TimeOut = "time-out",
        Refusal = "refusal",
        /// The answer is empty (a failure only for a request that names it).
        Empty = "empty",
        /// The answer is longer than what it summarizes (only if named).
        Inflated = "inflated",
        /// The answer was cut off at its limit (only if named).
        Truncated = "truncated",
        /// The model called a tool (only if named).
        ToolCall = "tool-call",
    }
}

impl FailureClass {
    /// Whether an answer came all the same: it is billed.
    pub fn has_answer(self) -> bool {
        use FailureClass::{Error, Overflow, Refusal, TimeOut};
        !matches!(self, Overflow | Error | TimeOut | Refusal)
    }
}

/// A failed call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AskError {
    /// What kind of failure.
    pub class: FailureClass,
    /// The provider's words.
    pub message: Cow<'static, str>,
}

impl AskError {
    /// A failure of this class, in the provider's words.
    pub fn new(class: FailureClass, message: impl Into<Cow<'static, str>>) -> AskError {
        AskError { class, message: message.into() }
    }

    /// Where a summarizer answers fewer prompts than it was asked.
    pub(crate) fn unanswered() -> AskError {
        AskError::new(FailureClass::Error, "the summarizer left the request unanswered")
    }
}

/// Why no answer will come: budget, interrupt, unreachable model. It is never recorded as a failed
/// call: it ends the cell, which is not written, and then the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stopped {
    /// What happened, with the figures.
    pub reason: String,
    /// What to do about it, beside resuming the run later.
    pub remedy: Option<String>,
}

impl Stopped {
    /// Without a remedy.
    pub fn new(reason: impl Into<String>) -> Stopped {
        Stopped { reason: reason.into(), remedy: None }
    }
}

impl std::fmt::Display for Stopped {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.reason)
    }
}

impl std::error::Error for Stopped {}

impl From<Stopped> for crate::error::Error {
    fn from(stopped: Stopped) -> crate::error::Error {
        let hint = stopped.remedy.unwrap_or_else(|| "try it again".to_owned());
        crate::error::Error::Stopped { reason: stopped.reason, hint }
    }
}

/// What a summarizer admits and answers with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Largest prompt plus answer; `None` as [`Limits::window`] has it.
    pub window: Option<Tokens>,
    /// Longest answer.
    pub max_output: Tokens,
}

impl Limits {
    /// Least window of offline summarizers: that of the models whose recorded compactions we have.
    pub const WINDOW: Tokens = Tokens(200_000);
    /// Longest answer of offline summarizers where nothing else is said.
    pub const MAX_OUTPUT: Tokens = Tokens(8_192);

    /// Largest prompt plus answer beside an agent of this window. Where none is set, a summarizer is
    /// no smaller than the agent, or a full window could never be summarized.
    pub fn window(self, agent: Tokens) -> Tokens {
        let agent = if agent == Tokens::UNBOUNDED { Limits::WINDOW } else { agent };
        self.window.unwrap_or(Limits::WINDOW.max(agent))
    }

    /// Most tokens that the answer to this prompt may have.
    pub fn allowed(self, prompt: &Prompt) -> Tokens {
        self.max_output.min(prompt.max_tokens)
    }
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { window: None, max_output: Limits::MAX_OUTPUT }
    }
}

/// Something that answers summary requests: offline a function, live a channel to the network.
pub trait Ask: Sync {
    /// What it admits and answers with; the driver refuses larger prompts with `overflow`.
    fn limits(&self) -> Limits {
        Limits::default()
    }

    /// Answers each prompt, in order, equal ones alike. A call that fails is an `Err` among the
    /// replies, [`Stopped`] ends the run.
    fn ask(&self, batch: &[Prompt]) -> Result<Vec<Reply>, Stopped>;

    /// The same, the first asked at this moment. Only a summarizer that is made to fail heeds it.
    fn ask_at(&self, batch: &[Prompt], _first: CallIndex) -> Result<Vec<Reply>, Stopped> {
        self.ask(batch)
    }

    /// The fault that it shows at this moment, whatever it is asked.
    fn fault_at(&self, _moment: CallIndex) -> Option<FaultKind> {
        None
    }

    /// Whether remembering answers is worth more than computing them again.
    fn memoizes(&self) -> bool {
        true
    }
}

/// A summarizer that is a function of its prompt: it needs no network and never fails.
pub trait Offline: Sync {
    /// Whether remembering answers is worth more than computing them again.
    const MEMOIZES: bool = true;

    /// What it admits and answers with.
    fn limits(&self) -> Limits {
        Limits::default()
    }

    /// The answer.
    fn answer(&self, prompt: &Prompt) -> String;
}

impl<T: Offline> Ask for T {
    fn limits(&self) -> Limits {
        Offline::limits(self)
    }

    fn ask(&self, batch: &[Prompt]) -> Result<Vec<Reply>, Stopped> {
        Ok(batch.iter().map(|prompt| Ok(Answer::complete(self.answer(prompt)))).collect())
    }

    fn memoizes(&self) -> bool {
        T::MEMOIZES
    }
}

/// The text cut to this many tokens: at the last line, else word, else character.
pub fn cut_within(mut text: String, most: Tokens) -> String {
    text.truncate(text.trim_end().len());
    if most == Tokens::ZERO {
        return String::new();
    }
    // A token is at least a byte, at most 128 of them.
    let longest = usize::try_from(most.0).unwrap_or(usize::MAX).saturating_mul(128);
    text.truncate(text.floor_char_boundary(longest));
    while text.len() as u64 > most.0 {
        let count = Tokenizer::O200k.count(&text);
        if count <= most {
            break;
        }
        // In proportion, and always by a byte at least, so that this ends.
        let target = (text.len() as f64 * most.over(count)) as usize;
        let target = text.floor_char_boundary(target.min(text.len() - 1));
        let end = ['\n', ' ']
            .into_iter()
            .find_map(|gap| text[..target].rfind(gap).filter(|&end| end >= target / 2))
            .unwrap_or(target);
        text.truncate(text[..end].trim_end().len());
    }
    text
}
