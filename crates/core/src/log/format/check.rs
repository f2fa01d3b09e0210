//! The rules that every log keeps, on disk as in memory.

use rustc_hash::FxHashSet;

use crate::ident::MsgId;
use crate::log::format::Line;
use crate::log::{Boundary, CallId, Message, Role, Usage};
use crate::unit::Millis;

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
        let expected = self.roles.len();
        if message.id.index() != expected {
            let found = message.id.0;
            return Err(format!("message id {found} is out of order (expected {expected})"));
        }
        if message.at < self.last_at {
            let (at, last) = (message.at.0, self.last_at.0);
            return Err(format!("`at` goes back from {last} to {at} ms"));
        }
        self.calls_of(message)?;
        self.answer_of(message)?;
        self.last_at = message.at;
        self.roles.push(message.role);
        Ok(())
    }

    fn calls_of(&mut self, message: &Message) -> Result<(), String> {
        if message.role != Role::Assistant && !message.calls.is_empty() {
            return Err(format!("a {} message cannot make calls", message.role.name()));
        }
        for call in &message.calls {
            if !self.calls.insert(call.id.clone()) {
                return Err(format!("call id `{}` is used twice", call.id));
            }
        }
        Ok(())
    }

    fn answer_of(&mut self, message: &Message) -> Result<(), String> {
        let of_tool = message.role == Role::Tool;
        let Some(call) = &message.answers else {
            return if of_tool {
                Err("a tool message must say which call it `answers`".to_owned())
            } else if message.failed {
                Err("only a tool message can have `failed`".to_owned())
            } else {
                Ok(())
            };
        };
        if !of_tool {
            return Err(format!("a {} message cannot answer a call", message.role.name()));
        }
        if !self.calls.contains(call) {
            return Err(format!("the result answers an unknown call `{call}`"));
        }
        if !self.answered.insert(call.clone()) {
            return Err(format!("call `{call}` is answered twice"));
        }
        Ok(())
    }

    /// A boundary stands right before the message that it names.
    fn boundary(&self, boundary: &Boundary) -> Result<(), String> {
        let (before, next) = (boundary.before.0, self.roles.len());
        if boundary.before.index() == next {
            Ok(())
        } else {
            Err(format!("boundary before message {before} stands before message {next}"))
        }
    }

    /// Usage follows its assistant message, in order, once.
    fn usage(&mut self, usage: &Usage) -> Result<(), String> {
        let id = usage.message;
        if self.roles.get(id.index()) != Some(&Role::Assistant) {
            return Err(format!("usage names message {}, which is no assistant message yet", id.0));
        }
        if self.last_usage.is_some_and(|last| last >= id) {
            return Err(format!("usage of message {} is out of order or given twice", id.0));
        }
        if usage.cached > usage.prompt {
            let (cached, prompt) = (usage.cached, usage.prompt);
            return Err(format!("{cached} cached tokens exceed the prompt's {prompt}"));
        }
        self.last_usage = Some(id);
        Ok(())
    }
}
