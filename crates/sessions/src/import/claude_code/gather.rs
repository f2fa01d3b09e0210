//! From lines to messages: parts of one API message by its id, results behind their calls.

use std::collections::hash_map::Entry;

use super::super::report::{Intake, growth_per_counted};
use crate::prelude::*;

/// Stands for the result of a call that has none.
const NO_RESULT: &str = "[no result recorded]";

/// Fewer steps than this show no ratio.
const LEAST_STEPS: usize = 5;

#[derive(Default)]
pub(super) struct Gather {
    drafts: Vec<Draft>,
    /// The first time that is given.
    start: Option<i64>,
    answers: FxHashMap<String, usize>,
    results: FxHashMap<CallId, ResultDraft>,
    made: FxHashSet<CallId>,
    repeated: usize,
}

enum Draft {
    Prompt {
        author: Author,
        text: String,
        at: Option<i64>,
    },
    Answer {
        texts: Vec<String>,
        calls: Vec<Call>,
        usage: Option<(Tokens, Tokens)>,
        at: Option<i64>,
    },
    /// Its place is known where its messages are counted.
    Boundary(Boundary),
}

struct ResultDraft {
    content: String,
    failed: bool,
    at: Option<i64>,
}

impl Gather {
    pub(super) fn prompt(&mut self, author: Author, text: String, at: Option<i64>) {
        self.start = self.start.or(at);
        self.drafts.push(Draft::Prompt { author, text, at });
    }

    /// A part of an API message, which stands where its first part stood, with the largest usage.
    pub(super) fn answer(
        &mut self,
        id: Option<String>,
        text: String,
        calls: Vec<Call>,
        usage: Option<(Tokens, Tokens)>,
        at: Option<i64>,
    ) {
        let next = self.drafts.len();
        let place = id.map_or(next, |id| *self.answers.entry(id).or_insert(next));
        if place == next {
            self.start = self.start.or(at);
            let (texts, calls) = (Vec::new(), Vec::new());
            self.drafts.push(Draft::Answer { texts, calls, usage: None, at });
        }
        let Some(Draft::Answer { texts, calls: own, usage: largest, .. }) =
            self.drafts.get_mut(place)
        else {
            return;
        };
        texts.extend(Some(text).filter(|text| !text.is_empty()));
        own.extend(calls.into_iter().filter(|call| self.made.insert(call.id.clone())));
        *largest = (*largest).max(usage);
    }

    /// A tool result; the first of its call counts.
    pub(super) fn result(&mut self, call: CallId, content: String, failed: bool, at: Option<i64>) {
        match self.results.entry(call) {
            Entry::Occupied(_) => self.repeated += 1,
            Entry::Vacant(vacant) => {
                vacant.insert(ResultDraft { content, failed, at });
            }
        }
    }

    /// A recorded compaction; the text of a summary follows on a later line.
    pub(super) fn boundary(
        &mut self,
        trigger: Trigger,
        action: BoundaryAction,
        pre_tokens: Option<Tokens>,
    ) {
        let (before, post_tokens) = (MsgId(0), None);
        let boundary = Boundary { before, trigger, action, pre_tokens, post_tokens };
        self.drafts.push(Draft::Boundary(boundary));
    }

    /// The text of a recorded summary: of the last boundary, or of one that the file does not show.
    pub(super) fn summary(&mut self, text: Text) {
        let last = self.drafts.iter_mut().rev().find_map(|draft| match draft {
            Draft::Boundary(boundary) => match &mut boundary.action {
                BoundaryAction::Summary(summary) => Some(summary),
                _ => None,
            },
            _ => None,
        });
        match last {
            Some(summary) if summary.is_empty() => *summary = text,
            _ => self.boundary(Trigger::Auto, BoundaryAction::Summary(text), None),
        }
    }

    /// The log, and the counts with what only the whole file could tell.
    pub(super) fn finish(self, id: String, source: String, mut intake: Intake) -> (Log, Intake) {
        let mut build = Build { start: self.start, results: self.results, ..Build::default() };
        for draft in self.drafts {
            build.draft(draft);
        }
        intake.synthesized = build.synthesized;
        intake.orphans = self.repeated + build.results.len();
        let Build { messages, mut boundaries, usage, .. } = build;
        for boundary in &mut boundaries {
            let first = usage.iter().find(|usage| usage.message >= boundary.before);
            boundary.post_tokens = first.map(|usage| usage.prompt);
        }
        let mut log = Log { messages, boundaries, usage, ..Log::new(id, source) };
        log.overhead = overhead(&log);
        (log, intake)
    }
}

/// What the first recorded prompt held beyond the messages before it, in reference tokens: the
/// provider's count is divided by what the session's own prompts show a reference token to be.
/// In the provider's tokens where fewer than [`LEAST_STEPS`] show that.
fn overhead(log: &Log) -> Tokens {
    let Some(first) = log.usage.first() else { return Tokens::ZERO };
    let table = TokenTable::new(log, Tokenizer::O200k);
    let before = &table.messages[..first.message.index()];
    let counted: Tokens = before.iter().map(MessageTokens::total).sum();
    let ratio = growth_per_counted(log, &table).filter(|(_, steps)| *steps >= LEAST_STEPS);
    let ratio = ratio.map_or(1.0, |(ratio, _)| ratio);
    Tokens((first.prompt.as_f64() / ratio).round() as u64) - counted
}

#[derive(Default)]
struct Build {
    start: Option<i64>,
    last_at: Millis,
    messages: Vec<Message>,
    boundaries: Vec<Boundary>,
    usage: Vec<Usage>,
    results: FxHashMap<CallId, ResultDraft>,
    synthesized: usize,
}

impl Build {
    fn draft(&mut self, draft: Draft) {
        match draft {
            Draft::Prompt { author, text, at } => {
                self.push(Role::User, author, &text, at);
            }
            Draft::Answer { texts, calls, usage, at } => {
                let message = MsgId(self.messages.len() as u32);
                self.usage.extend(usage.map(|(prompt, cached)| Usage { message, prompt, cached }));
                let ids: Vec<CallId> = calls.iter().map(|call| call.id.clone()).collect();
                self.push(Role::Assistant, Author::Agent, &texts.join("\n\n"), at).calls = calls;
                ids.into_iter().for_each(|id| self.result(id));
            }
            Draft::Boundary(boundary) => {
                let before = MsgId(self.messages.len() as u32);
                self.boundaries.push(Boundary { before, ..boundary });
            }
        }
    }

    /// Providers want all results of a message right behind it, whatever came between.
    fn result(&mut self, id: CallId) {
        let found = self.results.remove(&id);
        self.synthesized += usize::from(found.is_none());
        let none = ResultDraft { content: NO_RESULT.to_owned(), failed: false, at: None };
        let result = found.unwrap_or(none);
        let message = self.push(Role::Tool, Author::Harness, &result.content, result.at);
        (message.answers, message.failed) = (Some(id), result.failed);
    }

    fn push(&mut self, role: Role, author: Author, text: &str, at: Option<i64>) -> &mut Message {
        let since = at.zip(self.start).map_or(0, |(at, start)| at.saturating_sub(start).max(0));
        // Clocks and late results may go back; the log does not.
        self.last_at = self.last_at.max(Millis(since.unsigned_abs()));
        let id = MsgId(self.messages.len() as u32);
        self.messages.push(Message::new(id, role, author, self.last_at, text));
        &mut self.messages[id.index()]
    }
}
