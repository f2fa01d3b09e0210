//! Summary requests as data: what is shown, what is asked, what to do on failure.

use crate::log::{CallId, Role, Text};
use crate::plan::Piece;
use crate::prelude::*;
use crate::record::JsonSchema;
use crate::summarize::FailureClass;

/// One request to the summarizer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct SummaryRequest {
    /// Its number within the plan.
    pub id: RequestId,
    /// Whose system prompt and tools it carries.
    pub frame: Frame,
    /// The conversation that is shown, as messages.
    #[serde(default)]
    pub items: Vec<Item>,
    /// What is asked, as one last user message; may quote.
    pub instruction: Vec<Piece>,
    /// Most tokens of the answer.
    pub max_tokens: Tokens,
    /// A model of its own, where the profile names one.
    pub model: Option<String>,
    /// By class of failure: how the request is changed and asked again. `empty`, `inflated`,
    /// `truncated` and `tool-call` answers that are not named here are accepted.
    #[serde(default)]
    pub recover: BTreeMap<FailureClass, Vec<Recovery>>,
    /// What stands for the answer when every remedy is spent.
    #[serde(default)]
    pub give_up: GiveUp,
    /// The same where a profile tells failures apart; these classes go before `give-up`.
    #[serde(default)]
    pub give_up_on: BTreeMap<FailureClass, GiveUp>,
}

impl SummaryRequest {
    /// A request with its own system prompt, all in one user message, whose failure fails the plan.
    pub fn new(id: RequestId, system: Text, instruction: Vec<Piece>, max_tokens: Tokens) -> Self {
        SummaryRequest {
            id,
            frame: Frame::Own(system),
            items: Vec::new(),
            instruction,
            max_tokens,
            model: None,
            recover: BTreeMap::new(),
            give_up: GiveUp::FailPlan,
            give_up_on: BTreeMap::new(),
        }
    }
}

/// Whose system prompt a request carries.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Frame {
    /// The agent's own conversation goes on: such a request can read the prompt cache.
    Agent {
        /// Whether the tool schemas are sent.
        tools: bool,
    },
    /// A fresh conversation with this system prompt.
    Own(Text),
}

/// One message that a request shows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Item {
    /// An entry of the view, with its calls.
    Entry(EntryId),
    /// A message written for the request.
    Message {
        /// Role on the wire.
        role: Role,
        /// Its content.
        pieces: Vec<Piece>,
        /// The call that it answers.
        answers: Option<CallId>,
    },
}

/// One remedy after a failed request. Remedies are tried in order, each until it is spent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Recovery {
    /// Ask again, so many times.
    Retry(u32),
    /// Drop the oldest item and ask again, while more than `leave` remain.
    TrimOldest {
        /// A dropped call takes its results along, and the other way round.
        pairs: bool,
        /// Items that stay.
        leave: usize,
    },
}

/// What stands for an answer when every remedy is spent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum GiveUp {
    /// Nothing: the plan fails.
    #[default]
    FailPlan,
    /// This text.
    Say(String),
    /// The empty text, or the next answer where a piece names another request too.
    Nothing,
}
