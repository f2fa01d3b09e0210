//! Messages as LangChain has them: what its approximate counter counts, how many of them fit, and
//! how its prompt shows them.

use std::fmt::Write;

use super::python::{self, Length, Value};
use crate::log::Call;
use crate::prelude::*;

/// Characters of a token, and tokens that every message costs beside its text.
const CHARACTERS: u64 = 4;
const EXTRA: u64 = 3;

/// Most that the reported usage raises a count by.
const MOST_SCALE: f64 = 1.25;

/// No arguments.
static EMPTY: Value = Value::Table(Vec::new());

/// A message, with what is counted of it.
#[derive(Debug)]
pub(super) struct Message<'a> {
    pub(super) role: Role,
    content: Text,
    /// Calls whose arguments are a table. LangChain keeps others apart and forgets them.
    pub(super) calls: Vec<(&'a Call, Value)>,
    /// The call that it answers.
    pub(super) answers: Option<&'a CallId>,
    /// Characters that are counted beside the content.
    beside: u64,
    /// Tokens, without any scale.
    pub(super) tokens: u64,
    /// What the provider is taken to have reported with it.
    reported: Option<u64>,
}

impl<'a> Message<'a> {
    pub(super) fn of(entry: &'a Entry) -> Message<'a> {
        let made = entry.calls.iter();
        let calls = made.filter_map(|call| Some((call, Value::arguments(&call.args)?))).collect();
        let message = Message {
            role: entry.role,
            content: entry.content(),
            calls,
            answers: entry.answers.as_ref(),
            beside: 0,
            tokens: 0,
            reported: None,
        };
        let calls = if message.calls.is_empty() { 0 } else { length_of(&message.calls) };
        let answered = message.answers.map_or(0, |id| characters(&id.0));
        let beside = calls + answered + characters(message.role.name());
        let tokens = tokens(beside + characters(&message.content));
        Message { beside, tokens, ..message }
    }

    /// The call that it makes of this id.
    pub(super) fn call(&self, id: &CallId) -> Option<&'a Call> {
        self.calls.iter().find(|(call, _)| call.id == *id).map(|(call, _)| *call)
    }

    /// Its tokens with another content.
    pub(super) fn tokens_saying(&self, content: &str) -> u64 {
        tokens(self.beside + characters(content))
    }

    /// Its tokens where these calls have no arguments.
    pub(super) fn tokens_without(&self, cleared: &[&CallId]) -> u64 {
        let mut length = Length(0);
        let calls = self.calls.iter().map(|(call, args)| {
            let empty = cleared.contains(&&call.id);
            (*call, if empty { &EMPTY } else { args })
        });
        let _ = repr(calls, &mut length);
        let beside = self.beside - length_of(&self.calls) + length.0 as u64;
        tokens(beside + characters(&self.content))
    }

    /// As many of its last lines as fit; nothing where none does.
    fn last_lines(mut self, room: u64) -> Option<Message<'a>> {
        let content = self.content.clone();
        let mut starts: Vec<usize> =
            memchr::memrchr_iter(b'\n', content.as_bytes()).map(|place| place + 1).collect();
        starts.push(0);
        // As LangChain searches: with so many lines it fits.
        let (mut least, mut most) = (0, starts.len());
        while least < most {
            let middle = (least + most).div_ceil(2);
            match self.tokens_saying(&content[starts[middle - 1]..]) <= room {
                true => least = middle,
                false => most = middle - 1,
            }
        }
        let start = *starts.get(least.checked_sub(1)?)?;
        self.tokens = self.tokens_saying(&content[start..]);
        self.content = Text::from(&content[start..]);
        Some(self)
    }

    /// As `get_buffer_string(format="xml")` shows it.
    fn show(&self, out: &mut String) -> std::fmt::Result {
        let kind = match self.role {
            Role::System => "system",
            Role::User => "human",
            Role::Assistant => "ai",
            Role::Tool => "tool",
        };
        let content = escaped(&self.content);
        if self.calls.is_empty() {
            return write!(out, "<message type=\"{kind}\">{content}</message>");
        }
        writeln!(out, "<message type=\"{kind}\">")?;
        if !content.is_empty() {
            writeln!(out, "  <content>{content}</content>")?;
        }
        for (call, args) in &self.calls {
            let mut json = String::new();
            args.dumps(&mut json)?;
            let (id, name) = (attribute(&abbreviated(&call.id.0)), attribute(&call.name));
            let args = escaped(&json);
            writeln!(out, "  <tool_call id={id} name={name}>{args}</tool_call>")?;
        }
        out.write_str("</message>")
    }
}

fn characters(text: &str) -> u64 {
    text.chars().count() as u64
}

fn tokens(characters: u64) -> u64 {
    characters.div_ceil(CHARACTERS) + EXTRA
}

fn length_of(calls: &[(&Call, Value)]) -> u64 {
    let mut length = Length(0);
    let _ = repr(calls.iter().map(|(call, args)| (*call, args)), &mut length);
    length.0 as u64
}

/// `repr(message.tool_calls)`.
fn repr<'a>(
    calls: impl Iterator<Item = (&'a Call, &'a Value)>,
    out: &mut impl Write,
) -> std::fmt::Result {
    out.write_char('[')?;
    for (number, (call, args)) in calls.enumerate() {
        out.write_str(if number > 0 { ", {'name': " } else { "{'name': " })?;
        python::repr(&call.name, out)?;
        out.write_str(", 'args': ")?;
        args.repr(out)?;
        out.write_str(", 'id': ")?;
        python::repr(&call.id.0, out)?;
        out.write_str(", 'type': 'tool_call'}")?;
    }
    out.write_char(']')
}

/// `count_tokens_approximately` with `use_usage_metadata_scaling`. The order counts: the scale is
/// what was reported over what is counted up to there.
pub(super) fn count<'m, 'a: 'm>(messages: impl IntoIterator<Item = &'m Message<'a>>) -> u64 {
    let (mut sum, mut number, mut reported) = (0, 0, None);
    for message in messages {
        sum += message.tokens;
        number += 1;
        reported = message.reported.map(|total| (total, sum)).or(reported);
    }
    match reported {
        Some((total, counted)) if number > 1 => {
            let scale = (total as f64 / counted as f64).clamp(1.0, MOST_SCALE);
            (sum as f64 * scale).ceil() as u64
        }
        _ => sum,
    }
}

/// Notes the usage that a provider would have reported with the last answer: prompt and answer,
/// the agent's system prompt and schemas among it. `counted` are the messages by the pipeline's
/// counter; the share of them up to that answer is taken by LangChain's.
pub(super) fn report(messages: &mut [Message], counted: Tokens, fixed: Tokens) -> Option<u64> {
    let last = messages.iter().rposition(|message| message.role == Role::Assistant)?;
    let sum = |some: &[Message]| some.iter().map(|message| message.tokens).sum::<u64>();
    let share = sum(&messages[..=last]) as f64 / sum(messages) as f64;
    messages[last].reported = Some((fixed + counted.share(share)).0);
    messages[last].reported
}

/// What `trim_messages` leaves (`strategy="last"`, `start_on="human"`, `allow_partial`,
/// `include_system`): the newest messages that fit, from a message of the user on, of which the
/// last lines are enough; a first system message stays.
pub(super) fn trimmed(mut messages: Vec<Message>, most: u64) -> Vec<Message> {
    let is_system = |message: &Message| message.role == Role::System;
    let system = messages.first().is_some_and(is_system).then(|| messages.remove(0));
    let room = most.saturating_sub(system.as_ref().map_or(0, |system| system.tokens));
    messages.reverse();
    let mut kept = first_within(messages, room);
    while kept.last().is_some_and(|message| message.role != Role::User) {
        kept.pop();
    }
    kept.extend(system);
    kept.reverse();
    kept
}

/// The first messages that fit, and the end of the next.
fn first_within(mut messages: Vec<Message>, room: u64) -> Vec<Message> {
    if count(&messages) <= room {
        return messages;
    }
    // A scale can make more messages cost less, so the search is LangChain's own.
    let (mut least, mut most) = (0, messages.len());
    while least < most {
        let middle = (least + most).div_ceil(2);
        match count(&messages[..middle]) <= room {
            true => least = middle,
            false => most = middle - 1,
        }
    }
    let next = messages.drain(least..).next();
    let left = room.saturating_sub(count(&messages));
    messages.extend(next.and_then(|next| next.last_lines(left)));
    messages
}

/// The messages as text.
pub(super) fn shown(messages: &[Message]) -> String {
    let mut text = String::new();
    for (number, message) in messages.iter().enumerate() {
        text.push_str(if number > 0 { "\n" } else { "" });
        // OK because a string takes all.
        let _ = message.show(&mut text);
    }
    text
}

/// `xml.sax.saxutils.escape`.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('>', "&gt;").replace('<', "&lt;")
}

/// `xml.sax.saxutils.quoteattr`.
fn attribute(text: &str) -> String {
    let text = escaped(text).replace('\n', "&#10;").replace('\r', "&#13;").replace('\t', "&#9;");
    match (text.contains('"'), text.contains('\'')) {
        (false, _) => format!("\"{text}\""),
        (true, false) => format!("'{text}'"),
        (true, true) => format!("\"{}\"", text.replace('"', "&quot;")),
    }
}

/// An id of more than 64 characters, cut.
fn abbreviated(id: &str) -> String {
    match id.char_indices().nth(64) {
        Some((end, _)) => format!("{}...", &id[..end]),
        None => id.to_owned(),
    }
}
