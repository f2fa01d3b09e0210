//! The rules that every log keeps, on disk as in memory.

use rustc_hash::FxHashSet;

use crate::log::format::Line;
use crate::log::{Author, Boundary, Call, CallId, Message, Role, Usage};
use crate::prelude::*;

/// The rule, where it does not hold.
pub(crate) fn ensure(holds: bool, rule: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(rule()) }
}

pub(crate) fn in_order(what: &str, found: u32, expected: usize) -> Result<(), String> {
    ensure(found as usize == expected, || {
        format!("{what} id {found} is out of order (expected {expected})")
    })
}

#[derive(Default)]
pub(super) struct Checker {
    roles: Vec<Role>,
    calls: FxHashSet<CallId>,
    answered: FxHashSet<CallId>,
    last_at: Millis,
    last_usage: Option<MsgId>,
}

impl Checker {
    pub(super) fn line(&mut self, line: &Line) -> Result<(), String> {
        match line {
            Line::Message(message) => self.message(message),
            Line::Boundary(boundary) => self.boundary(boundary),
            Line::Usage(usage) => self.usage(usage),
        }
    }

    fn message(&mut self, message: &Message) -> Result<(), String> {
        in_order("message", message.id.0, self.roles.len())?;
        let (at, last) = (message.at, self.last_at);
        ensure(at >= last, || format!("`at` goes back from {} to {} ms", last.0, at.0))?;
        self.calls_of(message)?;
        self.answer_of(message)?;
        let mut begin = 0;
        for &(from, to) in &message.said {
            let part = message.content.get(from as usize..to as usize);
            ensure(begin <= from && part.is_some_and(|part| !part.is_empty()), || {
                format!("`said` names no part of the content behind the last: {from} to {to}")
            })?;
            begin = to;
        }
        let may_be_injected = message.injected.is_none() || message.author == Author::Harness;
        ensure(may_be_injected, || "only the harness's messages are `injected`".to_owned())?;
        self.last_at = message.at;
        self.roles.push(message.role);
        Ok(())
    }

    fn calls_of(&mut self, message: &Message) -> Result<(), String> {
        let may_call = message.role == Role::Assistant || message.calls.is_empty();
        ensure(may_call, || format!("a {} message cannot make calls", message.role.name()))?;
        message.calls.iter().try_for_each(|Call { id, .. }| {
            ensure(self.calls.insert(id.clone()), || format!("call id `{id}` is used twice"))
        })
    }

    fn answer_of(&mut self, message: &Message) -> Result<(), String> {
        let of_tool = message.role == Role::Tool;
        let Some(call) = &message.answers else {
            ensure(!of_tool, || "a tool message must say which call it `answers`".to_owned())?;
            return ensure(!message.failed, || "only a tool message can have `failed`".to_owned());
        };
        ensure(of_tool, || format!("a {} message cannot answer a call", message.role.name()))?;
        let is_known = self.calls.contains(call);
        ensure(is_known, || format!("the result answers an unknown call `{call}`"))?;
        let is_first = self.answered.insert(call.clone());
        ensure(is_first, || format!("call `{call}` is answered twice"))
    }

    /// A boundary stands right before the message that it names.
    fn boundary(&self, boundary: &Boundary) -> Result<(), String> {
        let (before, next) = (boundary.before.0, self.roles.len());
        ensure(boundary.before.index() == next, || {
            format!("boundary before message {before} stands before message {next}")
        })?;
        let in_order = boundary.kept.windows(2).all(|pair| pair[0] < pair[1]);
        let earlier = boundary.kept.last().is_none_or(|last| *last < boundary.before);
        ensure(in_order && earlier, || {
            "`kept` names messages before the boundary, each once and in order".to_owned()
        })
    }

    /// Usage follows its assistant message, in order, once.
    fn usage(&mut self, usage: &Usage) -> Result<(), String> {
        let Usage { message: id @ MsgId(number), prompt, cached } = *usage;
        ensure(self.roles.get(id.index()) == Some(&Role::Assistant), || {
            format!("usage names message {number}, which is no assistant message yet")
        })?;
        ensure(self.last_usage.is_none_or(|last| last < id), || {
            format!("usage of message {number} is out of order or given twice")
        })?;
        ensure(cached <= prompt, || {
            format!("{cached} cached tokens exceed the prompt's {prompt}")
        })?;
        self.last_usage = Some(id);
        Ok(())
    }
}
