//! The messages of the strategy protocol, version 1. `docs/protocol.md` says what they mean, and
//! `docs/protocol.schema.json` is made from these types.

use schemars::JsonSchema;
use serde_json::value::RawValue;

use crate::prelude::*;
use crate::pressure::{Budget, Occasion, Reading};
use crate::summarize::{FailureClass, Finish};

/// The version that this program speaks.
pub const VERSION: u32 = 1;

/// What Proctor sends.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum Sent<'a> {
    /// The first message to a program.
    Hello {
        /// The version of the protocol.
        protocol: u32,
        /// The table `parameters` of the stage.
        parameters: &'a serde_json::Map<String, Value>,
    },
    /// Another session begins.
    Reset,
    /// The program is asked for the next view.
    Evaluate(Evaluate<'a>),
    /// The model's answer to a `complete`.
    Completion {
        /// The answer.
        text: &'a str,
        /// Why it ended: `stop`, `length` or `tool-call`.
        finish: Finish,
        /// The number under which a plan may use it.
        request: u32,
    },
    /// The model did not answer a `complete`.
    Failure {
        /// `overflow`, `error`, `time-out` or `refusal`.
        class: FailureClass,
        /// The status that an HTTP endpoint gives for it.
        status: u16,
        /// The provider's words.
        message: &'a str,
        /// The number of the request.
        request: u32,
    },
    /// The program is to exit.
    Shutdown,
}

/// A question.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Evaluate<'a> {
    /// Why the program is asked.
    pub hook: Occasion,
    /// Whether it is to compact whatever its own threshold says.
    pub forced: bool,
    /// User messages so far.
    pub turn: u32,
    /// What there is room for.
    pub budget: Room,
    /// Tokens of the view, by the pipeline's counter.
    pub tokens: u64,
    /// What the stage's pressure reads, where it has one.
    pub pressure: Option<Pressed>,
    /// What the program's last answer in this session left.
    #[schemars(with = "Option<Value>")]
    pub memory: Option<&'a RawValue>,
    /// Messages at the beginning that are as they were in the question before.
    pub keep: usize,
    /// The messages behind those: in the OpenAI or Anthropic shape, or entries.
    #[schemars(with = "Vec<Value>")]
    pub view: &'a RawValue,
}

/// What there is room for, in tokens.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Room {
    /// The context window.
    pub window: u64,
    /// The longest answer.
    pub max_output: u64,
    /// The system prompt, which is no part of the view.
    pub system: u64,
    /// The tool schemas, which are no part of the view.
    pub schemas: u64,
}

impl From<&Budget> for Room {
    fn from(budget: &Budget) -> Room {
        let Budget { window, max_output, system, schemas } = *budget;
        Room { window: window.0, max_output: max_output.0, system: system.0, schemas: schemas.0 }
    }
}

/// A pressure, read, in tokens.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Pressed {
    /// Used.
    pub used: u64,
    /// Where it is met.
    pub limit: u64,
    /// Where a stage that repeats stops.
    pub target: u64,
}

impl From<Reading> for Pressed {
    fn from(reading: Reading) -> Pressed {
        let Reading { used, limit, target, .. } = reading;
        Pressed { used: used.0, limit: limit.0, target: target.0 }
    }
}

/// What a program answers.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Received {
    /// To `hello`.
    Hello(Hello),
    /// To `reset`.
    Ready {},
    /// At level `list`: the next messages.
    Messages {
        /// In the program's shape.
        messages: Vec<Value>,
        /// Left for the next question; as it was where absent.
        #[serde(default, deserialize_with = "given")]
        memory: Option<Value>,
    },
    /// At level `plan`: the next view in terms of the present one.
    Plan {
        /// The plan.
        #[schemars(with = "crate::plan::Plan")]
        plan: Value,
        /// Left for the next question; as it was where absent.
        #[serde(default, deserialize_with = "given")]
        memory: Option<Value>,
    },
    /// The view stays as it is.
    Decline {
        /// Why.
        #[serde(default)]
        reason: String,
        /// Left for the next question; as it was where absent.
        #[serde(default, deserialize_with = "given")]
        memory: Option<Value>,
    },
    /// The session cannot go on.
    Raise {
        /// Why.
        reason: String,
    },
    /// The model is asked.
    #[serde(rename_all = "kebab-case")]
    Complete {
        /// The system prompt.
        #[serde(default)]
        system: Option<String>,
        /// The messages, in the shape that the program is sent.
        messages: Vec<Value>,
        /// Most tokens of the answer.
        #[serde(default)]
        max_tokens: Option<u64>,
        /// The model by name.
        #[serde(default)]
        model: Option<String>,
    },
}

/// `null` is a value here: it forgets.
fn given<'de, D: serde::Deserializer<'de>>(json: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(json).map(Some)
}

/// What a program is.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Hello {
    /// The version of the protocol that it speaks.
    pub protocol: u32,
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// What it is sent and returns.
    pub level: Level,
    /// The shape of its messages, at level `list`.
    #[serde(default)]
    pub shape: MessageShape,
    /// Whether it remembers the messages of the last question.
    #[serde(default)]
    pub keeps_view: bool,
    /// What ranges of text are counted in, at level `plan`.
    #[serde(default)]
    pub ranges: Ranges,
}

/// What a program is sent and returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// Messages.
    List,
    /// Entries, and a plan.
    Plan,
}

/// The shape of messages at level `list`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MessageShape {
    /// As the OpenAI chat API has them.
    #[default]
    Openai,
    /// As the Anthropic messages API has them.
    Anthropic,
}

/// What ranges of text are counted in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Ranges {
    /// Bytes of UTF-8.
    #[default]
    Bytes,
    /// Unicode code points.
    Characters,
}

/// The status that an HTTP endpoint gives for a failure.
pub fn status(class: FailureClass) -> u16 {
    match class {
        FailureClass::Overflow | FailureClass::Refusal => 400,
        FailureClass::TimeOut => 504,
        _ => 500,
    }
}

/// Every message as a JSON Schema.
pub fn schema() -> Value {
    let mut generator = schemars::generate::SchemaSettings::draft2020_12().into_generator();
    let sent = generator.subschema_for::<Sent>();
    let received = generator.subschema_for::<Received>();
    serde_json::json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "The strategy protocol, version 1",
        "description": "A line is one of these: `Sent` by Proctor, or `Received` from a program.",
        "anyOf": [sent, received],
        "$defs": generator.definitions(),
    })
}
