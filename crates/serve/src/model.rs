//! What a model is asked and answers, whichever shape a client speaks.

use std::time::Duration;

use proctor_core::words;

use crate::count::Tokenizer;
use crate::log::{Call, CallId, Role};
use crate::summarize::{FailureClass, Finish};
use crate::token::Token;
use crate::unit::Tokens;

/// A request, as a client made it.
#[derive(Clone, Debug)]
pub struct ModelRequest {
    /// With which it was let in.
    pub token: Token,
    /// The model that it names.
    pub model: Option<String>,
    /// The instructions before the conversation.
    pub system: Option<String>,
    /// The conversation, in order; never empty.
    pub messages: Vec<ChatMessage>,
    /// Tools that the model may call. No summarizer calls one.
    pub tools: Vec<Tool>,
    /// Most tokens that the answer may have.
    pub max_tokens: Option<u64>,
    /// Sampling temperature as given.
    pub temperature: Option<f64>,
    /// Sampling seed as given.
    pub seed: Option<i64>,
}

/// A message of a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChatMessage {
    /// Who speaks. A tool message is the result of one call.
    pub role: Role,
    /// The words; several parts are joined as they are.
    pub text: String,
    /// Tool calls (assistant only).
    pub calls: Vec<Call>,
    /// The call that it answers (tool only).
    pub answers: Option<CallId>,
    /// Whether the tool failed, where the client says so (tool only).
    pub failed: bool,
}

impl ChatMessage {
    /// A message of words alone.
    pub fn new(role: Role, text: impl Into<String>) -> ChatMessage {
        ChatMessage { role, text: text.into(), calls: Vec::new(), answers: None, failed: false }
    }
}

/// A tool that is offered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tool {
    /// Its name, or its kind where it has none.
    pub name: String,
    /// The whole offer as JSON.
    pub definition: String,
}

impl ModelRequest {
    /// Tokens of all that it says (o200k): system prompt, messages, calls and offered tools.
    pub fn tokens(&self) -> Tokens {
        let count = |text: &str| Tokenizer::O200k.count(text);
        let messages = self.messages.iter().map(|message| {
            let calls = message.calls.iter();
            count(&message.text)
                + calls.map(|call| count(&call.name) + count(&call.args)).sum::<Tokens>()
        });
        let tools = self.tools.iter().map(|tool| count(&tool.definition));
        let system = self.system.as_deref().map_or(Tokens::ZERO, count);
        system + messages.sum::<Tokens>() + tools.sum::<Tokens>()
    }
}

/// An answer of the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// The words; may be empty.
    pub text: String,
    /// Why it ended.
    pub finish: Finish,
    /// Tokens of the prompt.
    pub prompt_tokens: u64,
    /// Tokens of the answer.
    pub completion_tokens: u64,
}

impl Completion {
    /// An answer that ended of itself, with both sides counted in o200k.
    pub fn complete(request: &ModelRequest, text: impl Into<String>) -> Completion {
        let text = text.into();
        let completion_tokens = Tokenizer::O200k.count(&text).0;
        Completion {
            text,
            finish: Finish::Stop,
            prompt_tokens: request.tokens().0,
            completion_tokens,
        }
    }
}

words! {
    /// Why a request has no answer.
    pub enum RefusalClass {
        /// The prompt is longer than the model admits.
        Overflow = "overflow",
        Error = "error",
        TimeOut = "time-out",
        /// The model declined: a response without words, not an error.
        Refusal = "refusal",
        /// A cap on calls or tokens is reached. Clients are told to not try again.
        Spent = "spent",
        /// Nobody answers now.
        Unavailable = "unavailable",
    }
}

impl RefusalClass {
    /// The status that the official clients take for this. They try again at 500 and above.
    pub fn status(self) -> u16 {
        match self {
            RefusalClass::Refusal => 200,
            RefusalClass::Overflow => 400,
            RefusalClass::Spent => 429,
            RefusalClass::Error => 500,
            RefusalClass::Unavailable => 503,
            RefusalClass::TimeOut => 504,
        }
    }
}

impl From<FailureClass> for RefusalClass {
    fn from(class: FailureClass) -> RefusalClass {
        match class {
            FailureClass::Overflow => RefusalClass::Overflow,
            FailureClass::TimeOut => RefusalClass::TimeOut,
            FailureClass::Refusal => RefusalClass::Refusal,
            FailureClass::Error
            | FailureClass::Empty
            | FailureClass::Inflated
            | FailureClass::Truncated
            | FailureClass::ToolCall => RefusalClass::Error,
        }
    }
}

/// A request without an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Status of the response; a class has one of its own.
    pub status: u16,
    /// What kind it is.
    pub class: RefusalClass,
    /// The provider's words.
    pub message: String,
    /// After how long the client may try again.
    pub retry_after: Option<Duration>,
}

impl Refusal {
    /// With the status of the class.
    pub fn new(class: impl Into<RefusalClass>, message: impl Into<String>) -> Refusal {
        let class = class.into();
        Refusal { status: class.status(), class, message: message.into(), retry_after: None }
    }
}

/// What becomes of a request.
pub type Reply = Result<Completion, Refusal>;

/// Something that answers requests. It may block: each request has a thread of its own.
pub trait Answers: Send + Sync {
    /// The answer. A client that gives up does not end it.
    fn answer(&self, request: ModelRequest) -> Reply;
}

impl<F: Fn(ModelRequest) -> Reply + Send + Sync> Answers for F {
    fn answer(&self, request: ModelRequest) -> Reply {
        self(request)
    }
}
