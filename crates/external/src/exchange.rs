//! A question with its answer, as it is recorded.

use crate::ident::{Digest, key_of};
use crate::plan::{Decision, SummaryRequest};
use crate::prelude::*;
use crate::pressure::Occasion;
use crate::strategy::{Called, Desk, PlanContext};
use crate::summarize::{AskError, FailureClass, Stopped};

/// What a program was asked and answered, without the view, which the key stands for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Exchange {
    /// Model calls that it made on the way, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) calls: Vec<CallMade>,
    /// What it decided.
    pub(crate) decision: Decision,
    /// What it left for the next question, where that is something else than before.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    pub(crate) memory: Option<Option<Text>>,
}

/// `null` is a value here: it forgets.
fn given<'de, D: serde::Deserializer<'de>>(json: D) -> Result<Option<Option<Text>>, D::Error> {
    Option::deserialize(json).map(Some)
}

/// A model call, with a digest of the reply: another reply leads to another answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CallMade {
    pub(crate) request: SummaryRequest,
    pub(crate) reply: Digest,
}

/// What a question is recorded under.
pub(crate) fn key(
    contestant: &Digest,
    view: u128,
    counted: Tokens,
    context: &PlanContext,
    memory: Option<&str>,
) -> u128 {
    let budget = context.budget;
    let reading = context.reading.map(|one| [one.used.0, one.limit.0, one.target.0]);
    let numbers = [budget.window, budget.max_output, budget.system, budget.schemas, counted];
    let head = format!("{numbers:?} {reading:?} {}", context.turn);
    let occasion = context.occasion.name();
    let view = view.to_le_bytes();
    let memory = memory.map(|memory| ["memory", memory]);
    let texts = [&*contestant.0, &head, occasion].into_iter().chain(memory.into_iter().flatten());
    key_of(texts.map(str::as_bytes).chain([&view[..]]))
}

/// Whether the strategy is to act whatever its own threshold says.
pub(crate) fn is_forced(occasion: Occasion) -> bool {
    matches!(occasion, Occasion::FloorProbe | Occasion::Boundary) || occasion.is_reactive()
}

/// The model calls of one evaluation, each made once: a program that is asked a second time, or
/// after a record that did not fit, gets the replies that there are.
pub(crate) struct Calls<'a> {
    desk: &'a Desk<'a>,
    made: Vec<(SummaryRequest, Called)>,
    next: usize,
    /// Whether new ones are made.
    is_open: bool,
}

impl<'a> Calls<'a> {
    pub(crate) fn new(desk: &'a Desk<'a>) -> Calls<'a> {
        Calls { desk, made: Vec::new(), next: 0, is_open: true }
    }

    /// Begins again; from here new calls are made or not.
    pub(crate) fn again(&mut self, is_open: bool) {
        (self.next, self.is_open) = (0, is_open);
    }

    /// How many were made since.
    pub(crate) fn count(&self) -> usize {
        self.next
    }

    pub(crate) fn call(&mut self, request: SummaryRequest) -> Result<Called, Stopped> {
        if let Some((known, called)) = self.made.get(self.next)
            && *known == request
        {
            self.next += 1;
            return Ok(called.clone());
        }
        if !self.is_open {
            let error = AskError::new(FailureClass::Error, "this was not asked before");
            let request = RequestId(u32::MAX);
            return Ok(Called { request, reply: Err(error) });
        }
        self.made.truncate(self.next);
        let called = self.desk.call(request.clone())?;
        self.made.push((request, called.clone()));
        self.next += 1;
        Ok(called)
    }

    /// The calls so far, as they are recorded.
    pub(crate) fn recorded(&self) -> Vec<CallMade> {
        let made = self.made[..self.next].iter();
        made.map(|(request, called)| CallMade { request: request.clone(), reply: digest(called) })
            .collect()
    }
}

pub(crate) fn digest(called: &Called) -> Digest {
    match &called.reply {
        Ok(answer) => Digest::of_json(&(answer.finish.name(), &answer.text)),
        Err(error) => Digest::of_json(&("failed", error.class.name())),
    }
}

/// The exchange of several whose calls are replied to as they were, if there is one.
pub(crate) fn replay(kept: Vec<Exchange>, calls: &mut Calls) -> Result<Option<Exchange>, Stopped> {
    let mut fitting = kept;
    for number in 0.. {
        fitting.sort_by_key(|one| one.calls.len());
        if let Some(place) = fitting.iter().position(|one| one.calls.len() == number) {
            return Ok(Some(fitting.swap_remove(place)));
        }
        let Some(first) = fitting.first() else { break };
        let request = first.calls[number].request.clone();
        let reply = digest(&calls.call(request.clone())?);
        let fits = |call: &CallMade| call.request == request && call.reply == reply;
        fitting.retain(|one| fits(&one.calls[number]));
    }
    Ok(None)
}
