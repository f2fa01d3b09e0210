//! Logs by hand, and what it takes to drive them.

use std::collections::VecDeque;

use crate::answer::Memo;
use crate::drive::{Cell, Limits, Mode, Session};
use crate::log::{Author, Call, CallId, Log, Message, Role, Text};
use crate::pipeline::Pipeline;
use crate::prelude::*;
use crate::price::PriceSheet;
use crate::summarize::{Ask, Stopped};
use crate::truth::{Demand, Fact, FactKind, Needle, Origin};

/// One message of a session.
#[derive(Clone, Copy, Debug)]
pub enum Line<'a> {
    /// A system message inside the conversation.
    System(&'a str),
    /// The person's words.
    User(&'a str),
    /// The harness in the user's role.
    Injected(&'a str),
    /// An answer without calls.
    Says(&'a str),
    /// Text and calls: id, tool, arguments.
    Calls(&'a str, &'a [(&'a str, &'a str, &'a str)]),
    /// The id of the call that it answers, and the output.
    Output(&'a str, &'a str),
}

/// The message with this index, a second after the one before it.
pub fn message(index: usize, line: Line) -> Message {
    let (role, author, content, calls, answers) = match line {
        Line::System(text) => (Role::System, Author::Harness, text, &[][..], None),
        Line::User(text) => (Role::User, Author::Human, text, &[][..], None),
        Line::Injected(text) => (Role::User, Author::Harness, text, &[][..], None),
        Line::Says(text) => (Role::Assistant, Author::Agent, text, &[][..], None),
        Line::Calls(text, calls) => (Role::Assistant, Author::Agent, text, calls, None),
        Line::Output(id, text) => (Role::Tool, Author::Harness, text, &[][..], Some(id)),
    };
    let call = |(id, name, args): &(&str, &str, &str)| Call {
        id: CallId::new(id),
        name: Text::from(*name),
        args: Text::from(*args),
    };
    let (id, at) = (MsgId(index as u32), Millis(1_000 * index as u64));
    let (calls, answers) = (calls.iter().map(call).collect(), answers.map(CallId::new));
    Message { calls, answers, ..Message::new(id, role, author, at, content) }
}

/// Calls that have no result yet, oldest first.
#[derive(Clone, Debug, Default)]
pub struct OpenCalls(VecDeque<String>);

impl OpenCalls {
    /// What a letter stands for: `y` system, `u` user, `h` harness as user, `c` a call, `2` two,
    /// `r` a call that reads, `t` the result of the oldest open call, any other an answer. Without a
    /// text it says its name.
    pub fn message(&mut self, index: usize, letter: char, text: Option<&str>) -> Message {
        let named = format!("{letter}{index}");
        let text = text.unwrap_or(&named);
        let made = [('c', 1), ('r', 1), ('2', 2)].into_iter().find(|(one, _)| *one == letter);
        let ids = (0..made.map_or(0, |(_, made)| made)).map(|number| format!("k{index}.{number}"));
        let ids: Vec<String> = ids.collect();
        let args = format!("{{\"n\":{index}}}");
        let tool = if letter == 'r' { "read" } else { "run" };
        let calls: Vec<(&str, &str, &str)> =
            ids.iter().map(|id| (id.as_str(), tool, args.as_str())).collect();
        self.0.extend(ids.iter().cloned());
        match letter {
            'y' => message(index, Line::System(text)),
            'u' => message(index, Line::User(text)),
            'h' => message(index, Line::Injected(text)),
            't' => {
                let answered = self.0.pop_front();
                let result = message(index, Line::Output("", text));
                Message { answers: answered.map(|id| CallId::new(&id)), ..result }
            }
            _ => message(index, Line::Calls(text, &calls)),
        }
    }
}

/// A log of these messages, with a short system prompt and one tool.
pub fn log(messages: Vec<Message>) -> Log {
    let (system, tools) = (Text::from("You are an agent."), Text::from("run"));
    Log { system, tools, messages, ..Log::new("by-hand", "by hand") }
}

/// A fact with one needle of code, which this message and no other holds.
pub fn fact(id: u32, kind: FactKind, needle: &str, born: u32) -> Fact {
    let needles = vec![Needle::Code(needle.to_owned())];
    let fact = Fact::new(FactId(id), kind, needle, needles);
    Fact { born: MsgId(born), mentions: vec![MsgId(born)], ..fact }
}

/// A planned need of a fact at a message of the assistant.
pub fn needed(fact: u32, at: u32) -> Demand {
    Demand { fact: FactId(fact), at: MsgId(at), origin: Origin::Planned }
}

/// Hands over a deployed cell at the shipped prices, without probes. Panics where it stops.
pub fn with_cell<T>(
    session: &Session,
    pipeline: &Pipeline,
    limits: Limits,
    ask: &dyn Ask,
    then: impl FnOnce(Cell) -> Result<T, Stopped>,
) -> T {
    let driven = then(Cell {
        session,
        pipeline,
        limits,
        mode: Mode::Deployed,
        ask,
        memo: &Memo::default(),
        sheet: &PriceSheet::embedded(),
        replicate: 0,
        probes: false,
        exchanges: None,
    });
    driven.expect("a summarizer of a test never stops")
}
