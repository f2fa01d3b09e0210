//! What stands between the wire and the model: a request as it was read, an answer to be written.

use crate::fault::Fault;
use crate::ident::key_of;
use crate::model::{Completion, ModelRequest, Refusal, RefusalClass, Reply};
use crate::summarize::Finish;

/// A request that was read.
#[derive(Debug)]
pub(crate) struct Asked {
    pub request: ModelRequest,
    /// Whether the answer is a stream of events.
    pub stream: bool,
    /// Whether the stream of a chat completion ends with the tokens.
    pub usage: bool,
}

/// Why an answer ended, refusals among them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    Stop,
    Length,
    /// It calls a tool and has no arguments for it.
    ToolCall,
    /// The words are those of a refusal.
    Refused,
}

/// An answer as all shapes write it.
#[derive(Clone, Debug)]
pub(crate) struct Spoken {
    /// Follows from request and answer, so that equal calls are equal on the wire.
    pub id: String,
    pub model: String,
    pub text: String,
    pub ending: Ending,
    /// The tool that is called, where one is.
    pub tool: String,
    pub prompt: u64,
    pub completion: u64,
}

/// The tool that is called where none was offered.
const NO_TOOL: &str = "not_offered";

/// What an answer needs of its request, which whoever answers takes.
pub(crate) struct Frame {
    pub id: String,
    model: String,
    tool: String,
}

impl Frame {
    /// `body` is the request's; `model` stands where it names none.
    pub(crate) fn new(request: &ModelRequest, body: &[u8], model: &str) -> Frame {
        let tool = request.tools.first().map_or(NO_TOOL, |tool| &tool.name);
        Frame {
            id: format!("{:032x}", key_of([body])),
            model: request.model.as_deref().unwrap_or(model).to_owned(),
            tool: tool.to_owned(),
        }
    }

    /// The reply as it is written, or the fault that it is.
    pub(crate) fn spoken(self, reply: Reply) -> Result<Spoken, Fault> {
        let (text, ending, prompt, completion) = match reply {
            Ok(Completion { text, finish, prompt_tokens, completion_tokens }) => {
                let ending = match finish {
                    Finish::Stop => Ending::Stop,
                    Finish::Length => Ending::Length,
                    Finish::ToolCall => Ending::ToolCall,
                };
                (text, ending, prompt_tokens, completion_tokens)
            }
            // Nobody counted its tokens.
            Err(Refusal { class: RefusalClass::Refusal, message, .. }) => {
                (message, Ending::Refused, 0, 0)
            }
            Err(refusal) => return Err(Fault::refused(refusal)),
        };
        let id = format!("{:032x}", key_of([&self.id, &text]));
        let Frame { model, tool, .. } = self;
        Ok(Spoken { id, model, text, ending, tool, prompt, completion })
    }
}
