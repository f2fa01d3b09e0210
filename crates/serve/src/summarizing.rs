//! Answers from a summarizer: a request becomes a prompt, within the summarizer's limits.

mod meter;

use std::collections::BTreeSet;

pub use meter::{Caps, Totals};

use crate::count::Tokenizer;
use crate::log::Text;
use crate::model::{Answers, Reply};
use crate::prelude::*;
use crate::summarize::fault::CallIndex;
use crate::summarize::{Answer, Ask, Prompt, PromptMessage, Segment, cut_within};
use crate::unit::Tokens;
use meter::Meter;

/// A summarizer behind an endpoint.
///
/// Nothing is known of which words are whose: the system prompt is taken for the instruction, and
/// every message for material, also where there is only one. Sampling values of a request are let
/// pass, since the summarizer has its own, and so are tools.
pub struct Summarizing {
    ask: Arc<dyn Ask + Send>,
    models: BTreeSet<String>,
    meter: Meter,
}

impl Summarizing {
    /// Answers from this summarizer, up to the caps.
    pub fn new(ask: Arc<dyn Ask + Send>, caps: Caps) -> Summarizing {
        Summarizing { ask, models: BTreeSet::new(), meter: Meter::new(caps) }
    }

    /// Passes these names of models on to the summarizer. Others stand for its own.
    #[must_use]
    pub fn with_models(mut self, models: impl IntoIterator<Item = String>) -> Summarizing {
        self.models.extend(models);
        self
    }

    /// What was asked and answered so far.
    pub fn totals(&self) -> Totals {
        self.meter.totals()
    }

    /// The prompt that a request is.
    fn prompt(&self, request: &ModelRequest) -> Prompt {
        let most = self.ask.limits().max_output;
        Prompt {
            system: request.system.as_deref().map(Text::from),
            messages: request.messages.iter().map(message).collect(),
            max_tokens: request.max_tokens.map_or(most, |asked| most.min(Tokens(asked))),
            model: request.model.clone().filter(|name| self.models.contains(name)),
            replicate: 0,
        }
    }
}

impl Answers for Summarizing {
    fn answer(&self, request: ModelRequest) -> Reply {
        let prompt = self.prompt(&request);
        let tokens = tokens(&prompt);
        let window = self.ask.limits().window(Tokens::UNBOUNDED);
        if tokens + prompt.max_tokens > window {
            let message = format!(
                "{} tokens > {window} maximum ({tokens} in the prompt and {} for the answer)",
                tokens + prompt.max_tokens,
                prompt.max_tokens
            );
            return Err(Refusal::new(RefusalClass::Overflow, message));
        }
        let calls = self.meter.begin(tokens)?;
        let moment = CallIndex { step: calls.saturating_add(1), in_step: 0, in_cell: calls };
        let replies = self.ask.ask_at(std::slice::from_ref(&prompt), moment);
        let mut replies =
            replies.map_err(|stopped| Refusal::new(RefusalClass::Unavailable, stopped.reason))?;
        let Some(reply) = replies.pop() else {
            return Err(Refusal::new(RefusalClass::Error, "the summarizer gave no answer"));
        };
        let answer = reply.map_err(|error| Refusal::new(error.class, error.message))?;
        let answer = within(answer, prompt.max_tokens);
        let completion_tokens = Tokenizer::O200k.count(&answer.text);
        self.meter.end(completion_tokens);
        Ok(Completion {
            text: answer.text,
            finish: answer.finish,
            prompt_tokens: tokens.0,
            completion_tokens: completion_tokens.0,
        })
    }
}

/// An answer that is longer than it may be is cut off, as a model's is.
fn within(answer: Answer, most: Tokens) -> Answer {
    if Tokenizer::O200k.count(&answer.text) <= most {
        return answer;
    }
    Answer { text: cut_within(answer.text, most), finish: Finish::Length }
}

/// Calls are written as they are in a strategy's request that shows the agent's messages.
fn message(message: &ChatMessage) -> PromptMessage {
    let segment = |text: Text| Segment { text, material: true };
    let words = Some(Text::from(&*message.text)).filter(|text| !text.is_empty());
    let calls = message.calls.iter();
    let calls = calls.map(|call| Text::from(format!("\n[{} {}]", call.name, call.args)));
    let segments = words.into_iter().chain(calls).map(segment).collect();
    PromptMessage { role: message.role, segments }
}

fn tokens(prompt: &Prompt) -> Tokens {
    let system = prompt.system.iter();
    let texts = system.chain(prompt.segments().map(|segment| &segment.text));
    texts.map(|text| Tokenizer::O200k.count(text)).sum()
}

#[cfg(test)]
mod tests;
