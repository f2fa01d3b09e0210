//! One conversation: its log, and what the model was last sent.

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::ident::MsgId;
use crate::log::{Author, Boundary, BoundaryAction, Log, Message, Text, Trigger, Usage};
use crate::prelude::*;
use crate::recording::fit::{Fit, Keyed, Known, Quoted, key};
use crate::unit::{Millis, Tokens};

const SOURCE: &str = "recorded by `proctor serve`";

/// A message of the view.
#[derive(Clone, Debug)]
struct Seen {
    key: u128,
    /// Its message in the log; none where a compaction made it.
    id: Option<MsgId>,
}

/// One conversation.
pub(super) struct Conversation {
    pub path: PathBuf,
    pub log: Log,
    view: Vec<Seen>,
    /// Where in the view begins what the last request added.
    last: usize,
    began: Millis,
    used: Millis,
    answer: String,
}

impl Conversation {
    /// Begins with a request; the answer comes after.
    pub(super) fn begin(path: PathBuf, request: &ModelRequest, asked: Millis) -> Conversation {
        let id = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let mut log = Log::new(id, SOURCE);
        log.system = request.system.as_deref().unwrap_or_default().into();
        let tools: Vec<&str> = request.tools.iter().map(|tool| &*tool.definition).collect();
        log.tools = tools.join("\n").into();
        let (view, last, answer) = Default::default();
        let mut begun = Conversation { path, log, view, last, began: asked, used: asked, answer };
        begun.append(&request.messages, asked);
        begun
    }

    /// When it was last answered.
    pub(super) fn last_used(&self) -> Millis {
        self.used
    }

    /// How a request goes on with it, and how much they have in common.
    pub(super) fn fit(&self, asked: &Keyed, quoted: Option<&Quoted>) -> Option<(Fit, usize)> {
        let view: Vec<u128> = self.view.iter().map(|seen| seen.key).collect();
        let known = Known {
            view: &view,
            last: self.last,
            exchanges: self.log.usage.len(),
            same_system: *self.log.system == *asked.request.system.as_deref().unwrap_or_default(),
            answer: &self.answer,
        };
        known.fit(asked, quoted)
    }

    /// Goes on with a request that fits so.
    pub(super) fn go_on(&mut self, request: &ModelRequest, fit: Fit, at: Millis, prompt: u64) {
        let messages = &request.messages;
        match fit {
            Fit::Extends => {
                self.last = self.view.len();
                self.append(&messages[self.last..], at);
            }
            Fit::Rewinds(to) => {
                self.take_back(to);
                self.last = to;
                self.append(&messages[to..], at);
            }
            Fit::Compacts { repeats, summary } => {
                self.compact(messages, &repeats, summary, at, prompt);
            }
        }
    }

    /// Takes the answer down.
    pub(super) fn answered(&mut self, completion: &Completion, at: Millis) {
        self.answer.clone_from(&completion.text);
        self.append(&[ChatMessage::new(Role::Assistant, &*completion.text)], at);
        let Some(message) = self.log.messages.last().map(|message| message.id) else { return };
        let prompt = Tokens(completion.prompt_tokens);
        self.log.usage.push(Usage { message, prompt, cached: Tokens::ZERO });
        self.used = at;
    }

    fn append(&mut self, messages: &[ChatMessage], at: Millis) {
        for message in messages {
            let id = self.push(message, at);
            self.view.push(Seen { key: key(message), id: Some(id) });
        }
    }

    /// Appends a message to the log as its rules want it: ids of calls are made unique, and a
    /// result of an unknown call is the harness's words.
    fn push(&mut self, message: &ChatMessage, at: Millis) -> MsgId {
        let id = MsgId(self.log.messages.len() as u32);
        let at = Millis(at.0.saturating_sub(self.began.0));
        let at = self.log.messages.last().map_or(at, |last| at.max(last.at));
        let answers = message.answers.as_ref().and_then(|raw| self.open_call(raw));
        let (role, author) = match message.role {
            Role::Tool if answers.is_none() => (Role::User, Author::Harness),
            Role::Assistant => (Role::Assistant, Author::Agent),
            Role::User => (Role::User, Author::Human),
            role @ (Role::Tool | Role::System) => (role, Author::Harness),
        };
        let mut calls: Vec<Call> = Vec::new();
        for call in &message.calls {
            let unique = self.unused_id(&call.id, &calls);
            calls.push(Call { id: unique, ..call.clone() });
        }
        let failed = message.failed && role == Role::Tool;
        let content: Text = message.text.as_str().into();
        let whole = Message::new(id, role, author, at, content);
        self.log.messages.push(Message { calls, answers, failed, ..whole });
        id
    }

    /// The call of this id, as clients know it, that has no result yet: the latest one.
    fn open_call(&self, raw: &CallId) -> Option<CallId> {
        let answered: BTreeSet<&CallId> =
            self.log.messages.iter().filter_map(|message| message.answers.as_ref()).collect();
        let calls = self.log.messages.iter().rev().flat_map(|message| &message.calls);
        let mut own = calls.map(|call| &call.id).filter(|id| is_of(id, raw));
        own.find(|id| !answered.contains(id)).cloned()
    }

    fn unused_id(&self, raw: &CallId, beside: &[Call]) -> CallId {
        let known: BTreeSet<&CallId> = self
            .log
            .messages
            .iter()
            .flat_map(|m| &m.calls)
            .chain(beside)
            .map(|call| &call.id)
            .collect();
        let numbered = |number: u32| match number {
            1 => raw.clone(),
            _ => CallId::new(&format!("{raw}{AGAIN}{number}")),
        };
        // OK because a log does not hold that many calls.
        (1..).map(numbered).find(|id| !known.contains(id)).unwrap_or_else(|| raw.clone())
    }

    /// Forgets what the view holds from this place on.
    fn take_back(&mut self, to: usize) {
        let first = self.view[to..].iter().find_map(|seen| seen.id);
        self.view.truncate(to);
        let Some(first) = first else { return };
        self.log.messages.truncate(first.index());
        self.log.usage.retain(|usage| usage.message < first);
        self.log.boundaries.retain(|boundary| boundary.before <= first);
    }

    fn compact(
        &mut self,
        messages: &[ChatMessage],
        repeats: &[Option<usize>],
        summary: Option<usize>,
        at: Millis,
        prompt: u64,
    ) {
        let ids: Vec<Option<MsgId>> = repeats.iter().map(|place| self.view[(*place)?].id).collect();
        let made_here = summary.is_some_and(|place| {
            messages[place].text.contains(self.answer.trim()) && !self.answer.trim().is_empty()
        });
        let last_is_kept = repeats.iter().flatten().any(|place| place + 2 >= self.view.len());
        let pre_tokens = self.log.usage.last().map(|usage| usage.prompt);
        if made_here && !last_is_kept {
            // The last exchange asked for the summary: a summary is never a message.
            let ask = self.view.len().saturating_sub(2).max(self.last);
            self.take_back(ask);
        }
        let last = repeats.iter().rposition(Option::is_some).max(summary);
        let from = last.map_or(0, |last| last + 1);
        let is_new = |(place, message): &(usize, &ChatMessage)| {
            *place >= from && !self.is_rewritten(message)
        };
        let (new, made): (Vec<_>, Vec<_>) = messages.iter().enumerate().partition(is_new);
        let made: Vec<&ChatMessage> = made
            .into_iter()
            .filter(|(place, _)| repeats[*place].is_none())
            .map(|(_, m)| m)
            .collect();
        let boundary = Boundary {
            before: MsgId(self.log.messages.len() as u32),
            trigger: Trigger::Auto,
            action: self.action(&made),
            kept: Vec::new(),
            pre_tokens,
            post_tokens: Some(Tokens(prompt)),
        };
        self.log.boundaries.push(boundary);
        let new: BTreeSet<usize> = new.into_iter().map(|(place, _)| place).collect();
        let mut view = Vec::with_capacity(messages.len());
        for (place, message) in messages.iter().enumerate() {
            let id = match new.contains(&place) {
                true => Some(self.push(message, at)),
                false => ids[place],
            };
            view.push(Seen { key: key(message), id });
        }
        self.view = view;
        self.last = from;
    }

    /// Whether a message has calls or answers one that the log has already: it is an old one with
    /// other words.
    fn is_rewritten(&self, message: &ChatMessage) -> bool {
        let mut own = message.calls.iter().map(|call| &call.id).chain(&message.answers).peekable();
        let is_result = message.role == Role::Tool;
        own.peek().is_some()
            && own.all(|raw| {
                let mut known = self.log.messages.iter();
                known.any(|message| match is_result {
                    true => message.answers.as_ref().is_some_and(|id| is_of(id, raw)),
                    false => message.calls.iter().any(|call| is_of(&call.id, raw)),
                }) && (!is_result || self.open_call(raw).is_none())
            })
    }

    /// What the compaction did, from the messages that it made.
    fn action(&self, made: &[&ChatMessage]) -> BoundaryAction {
        let (cleared, words): (Vec<&ChatMessage>, Vec<&ChatMessage>) =
            made.iter().partition(|message| message.role == Role::Tool);
        if !words.is_empty() {
            let texts: Vec<&str> = words.iter().map(|message| message.text.as_str()).collect();
            return BoundaryAction::Summary(texts.join("\n\n").into());
        }
        let known = |message: &&ChatMessage| {
            let raw = message.answers.as_ref()?;
            let answers = self.log.messages.iter().rev().filter_map(|m| m.answers.as_ref());
            answers.into_iter().find(|id| is_of(id, raw)).cloned()
        };
        let cleared: Vec<CallId> = cleared.iter().filter_map(known).collect();
        match cleared.is_empty() {
            true => BoundaryAction::Nothing,
            false => BoundaryAction::Clear(cleared),
        }
    }
}

/// Stands before the number of a call whose id is used again.
const AGAIN: char = '~';

/// Whether an id of the log stands for one that clients use.
fn is_of(id: &CallId, raw: &CallId) -> bool {
    let rest = id.0.strip_prefix(&*raw.0);
    rest.is_some_and(|rest| {
        let number = rest.strip_prefix(AGAIN);
        rest.is_empty() || number.is_some_and(|number| number.bytes().all(|b| b.is_ascii_digit()))
    })
}
