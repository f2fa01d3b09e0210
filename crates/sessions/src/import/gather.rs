//! From what a reader finds to a log, for every format: parts of one API message by its id, results
//! behind their calls, boundaries before what follows them.

use std::collections::VecDeque;
use std::collections::hash_map::Entry;

use super::injected;
use super::report::Intake;
use super::units;
use crate::log::Injected;
use crate::prelude::*;

/// Stands for the result of a call that has none.
const NO_RESULT: &str = "[no result recorded]";

/// One session on its way into a log.
#[derive(Default)]
pub(super) struct Gather {
    pub(super) intake: Intake,
    /// The session's own name.
    pub(super) id: Option<String>,
    /// Parts of the system prompt.
    pub(super) system: Vec<String>,
    /// Tool schemas.
    pub(super) tools: Vec<String>,
    /// The context window, where the file says it.
    pub(super) window: Option<Tokens>,
    /// The line of the file that is read now, from 1.
    pub(super) line: usize,
    drafts: Vec<Draft>,
    /// The first time that is given.
    start: Option<i64>,
    answers: FxHashMap<String, usize>,
    results: FxHashMap<CallId, Outcome>,
    made: FxHashSet<CallId>,
    /// By the id that the file gives: the latest call's own.
    latest: FxHashMap<CallId, CallId>,
    /// Calls from the oldest one without a result on, for formats that have no ids.
    open: VecDeque<CallId>,
    /// By id that several calls have: how many do.
    doubled: FxHashMap<CallId, usize>,
    /// The last boundary that has a summary.
    summarized: Option<usize>,
    has_goal: bool,
    repeated: usize,
    models: BTreeMap<String, usize>,
}

/// A message on the user's side.
#[derive(Default)]
pub(super) struct Prompt {
    pub(super) text: String,
    /// The bytes that a person typed, where not all are.
    pub(super) said: Vec<Range<usize>>,
    /// Who wrote it, where its text does not tell.
    pub(super) by: Option<Author>,
    pub(super) injected: Option<Injected>,
    pub(super) images: Tokens,
    pub(super) at: Option<i64>,
}

/// A message of the model, or a part of one.
#[derive(Default)]
pub(super) struct Answer {
    /// Of the API message. Parts with the same id are one message.
    pub(super) id: Option<String>,
    pub(super) text: String,
    pub(super) calls: Vec<Call>,
    /// Tokens of the prompt, and of these the cached ones.
    pub(super) usage: Option<(Tokens, Tokens)>,
    pub(super) model: Option<String>,
    pub(super) at: Option<i64>,
}

/// What a tool returned.
#[derive(Default)]
pub(super) struct Outcome {
    pub(super) content: String,
    pub(super) failed: bool,
    /// The bytes that a person typed.
    pub(super) said: Vec<Range<usize>>,
    pub(super) images: Tokens,
    pub(super) at: Option<i64>,
    /// The line of the file that it stands on.
    pub(super) line: usize,
}

struct Draft {
    what: What,
    at: Option<i64>,
    line: usize,
    dropped: bool,
}

enum What {
    Prompt(Prompt, Author),
    Answer {
        texts: Vec<String>,
        calls: Vec<Call>,
        usage: Option<(Tokens, Tokens)>,
    },
    /// Its place is known where its messages are counted; the drafts that it kept are named.
    Boundary(Boundary, Vec<usize>),
}

impl Gather {
    /// A message on the user's side; its number among what was gathered. Who wrote it is told from
    /// its text where the format does not say.
    pub(super) fn prompt(&mut self, mut prompt: Prompt) -> usize {
        let known = injected::read(&prompt.text);
        let author = prompt.by.or(prompt.injected.map(|_| Author::Harness)).unwrap_or(known.author);
        if author == Author::Harness {
            prompt.injected = prompt.injected.or(known.injected);
        } else {
            prompt.injected = None;
            if prompt.said.is_empty() && known.author == author {
                prompt.said.extend(known.said);
            }
        }
        self.has_goal |= author == Author::Human;
        let at = prompt.at;
        self.push(What::Prompt(prompt, author), at)
    }

    /// What the harness put into the prompt.
    pub(super) fn injected(&mut self, what: Injected, text: String, at: Option<i64>) -> usize {
        self.prompt(Prompt { text, injected: Some(what), at, ..Prompt::default() })
    }

    /// A part of an API message, which stands where its first part stood, with the largest usage.
    pub(super) fn answer(&mut self, answer: Answer) -> usize {
        let next = self.drafts.len();
        let place = answer.id.map_or(next, |id| *self.answers.entry(id).or_insert(next));
        if place == next {
            let (texts, calls) = (Vec::new(), Vec::new());
            self.push(What::Answer { texts, calls, usage: None }, answer.at);
            if let Some(model) = answer.model {
                *self.models.entry(model).or_default() += 1;
            }
        }
        let mut new = Vec::new();
        for mut call in answer.calls {
            let given = call.id.clone();
            if self.made.contains(&given) && place != next {
                // A part of the message that streamed again.
                continue;
            }
            call.id = self.unused(&given);
            self.made.insert(call.id.clone());
            self.open.push_back(call.id.clone());
            self.latest.insert(given, call.id.clone());
            new.push(call);
        }
        let Some(Draft { what: What::Answer { texts, calls, usage }, .. }) =
            self.drafts.get_mut(place)
        else {
            return place;
        };
        texts.extend(Some(answer.text).filter(|text| !text.is_empty()));
        calls.extend(new);
        *usage = (*usage).max(answer.usage);
        place
    }

    /// What the prompt of an answer had, where the file says it later.
    pub(super) fn spent(&mut self, number: usize, tokens: (Tokens, Tokens)) {
        if let Some(Draft { what: What::Answer { usage, .. }, .. }) = self.drafts.get_mut(number) {
            *usage = (*usage).max(Some(tokens));
        }
    }

    /// An id that no call has: the given one, or another where a later call has the same.
    fn unused(&mut self, given: &CallId) -> CallId {
        let named = |number: usize| match (&*given.0, number) {
            ("", number) => CallId::new(&format!("call-{}", self.made.len() + number)),
            (_, 1) => given.clone(),
            (given, number) => CallId::new(&format!("{given}~{number}")),
        };
        let known = self.doubled.get(given).copied().unwrap_or(0);
        let free = (known + 1..).find(|number| !self.made.contains(&named(*number)));
        // OK because a file does not hold that many calls.
        let number = free.unwrap_or(known);
        let id = named(number);
        self.doubled.insert(given.clone(), number);
        id
    }

    /// A tool result; the first of its call counts.
    pub(super) fn result(&mut self, call: CallId, mut outcome: Outcome) {
        outcome.line = self.line;
        let call = self.latest.get(&call).cloned().unwrap_or(call);
        match self.results.entry(call) {
            Entry::Occupied(_) => self.repeated += 1,
            Entry::Vacant(vacant) => {
                vacant.insert(outcome);
            }
        }
        while self.open.front().is_some_and(|call| self.results.contains_key(call)) {
            self.open.pop_front();
        }
    }

    /// A tool result of a format without ids: of the oldest call that has none. False where every
    /// call has its result.
    pub(super) fn next_result(&mut self, outcome: Outcome) -> bool {
        let Some(call) = self.open.front().cloned() else { return false };
        self.result(call, outcome);
        true
    }

    /// Whether a call waits for its result.
    pub(super) fn waits(&self) -> bool {
        !self.open.is_empty()
    }

    /// No call of before gets a result any more.
    pub(super) fn close_calls(&mut self) {
        self.open.clear();
    }

    /// A recorded compaction; the text of a summary may follow on a later line. `kept` are numbers
    /// of what stayed in the prompt.
    pub(super) fn boundary(
        &mut self,
        trigger: Trigger,
        action: BoundaryAction,
        pre_tokens: Option<Tokens>,
        kept: Vec<usize>,
    ) {
        let boundary = Boundary {
            before: MsgId(0),
            trigger,
            action,
            kept: Vec::new(),
            pre_tokens,
            post_tokens: None,
        };
        let is_summary = matches!(boundary.action, BoundaryAction::Summary(_));
        let number = self.push(What::Boundary(boundary, kept), None);
        self.summarized = if is_summary { Some(number) } else { self.summarized };
    }

    /// The text of a recorded summary: of the last boundary, or of one that the file does not show.
    pub(super) fn summary(&mut self, text: Text) {
        let last = self.summarized.and_then(|number| self.drafts.get_mut(number));
        match last.map(|draft| &mut draft.what) {
            Some(What::Boundary(Boundary { action: BoundaryAction::Summary(summary), .. }, _))
                if summary.is_empty() =>
            {
                *summary = text;
            }
            _ => self.boundary(Trigger::Auto, BoundaryAction::Summary(text), None, Vec::new()),
        }
    }

    /// Takes out what stands in the file and was in no later prompt.
    pub(super) fn take_out(&mut self, number: usize) {
        if let Some(draft) = self.drafts.get_mut(number) {
            draft.dropped = true;
        }
    }

    /// The numbers of what was gathered so far, and the text of each on the user's side.
    pub(super) fn prompts(&self) -> impl Iterator<Item = (usize, &str)> {
        self.drafts.iter().enumerate().filter_map(|(number, draft)| match &draft.what {
            What::Prompt(prompt, _) => Some((number, prompt.text.as_str())),
            _ => None,
        })
    }

    /// Whether a part of this API message was gathered.
    pub(super) fn knows(&self, id: Option<&str>) -> bool {
        id.is_some_and(|id| self.answers.contains_key(id))
    }

    /// Whether a person has said something.
    pub(super) fn has_goal(&self) -> bool {
        self.has_goal
    }

    /// How much was gathered.
    pub(super) fn len(&self) -> usize {
        self.drafts.len()
    }

    /// Whether nothing was gathered.
    pub(super) fn is_empty(&self) -> bool {
        self.drafts.is_empty()
    }

    fn push(&mut self, what: What, at: Option<i64>) -> usize {
        self.start = self.start.or(at);
        self.drafts.push(Draft { what, at, line: self.line, dropped: false });
        self.drafts.len() - 1
    }

    /// The log, the counts with what only the whole file could tell, and by message its line. `name` is taken where the
    /// session has none of its own.
    pub(super) fn finish(self, name: &str, source: String) -> (Log, Intake, Vec<usize>) {
        let mut intake = self.intake;
        let mut build = Build { start: self.start, results: self.results, ..Build::default() };
        for draft in self.drafts {
            build.draft(draft);
        }
        intake.synthesized = build.synthesized;
        intake.orphans = self.repeated + build.results.len();
        let Build { messages, mut boundaries, usage, lines, .. } = build;
        for boundary in &mut boundaries {
            let first = usage.partition_point(|usage| usage.message < boundary.before);
            boundary.post_tokens = usage.get(first).map(|usage| usage.prompt);
        }
        let model = self.models.into_iter().max_by_key(|(_, answers)| *answers);
        let id = self.id.unwrap_or_else(|| name.to_owned());
        let mut log = Log {
            system: Text::from(self.system.join("\n\n")),
            tools: Text::from(self.tools.join("\n")),
            model: model.map(|(name, _)| Text::from(name)),
            window: self.window,
            messages,
            boundaries,
            usage,
            ..Log::new(id, source)
        };
        units::infer(&mut log);
        (log, intake, lines)
    }
}

#[derive(Default)]
struct Build {
    start: Option<i64>,
    last_at: Millis,
    messages: Vec<Message>,
    boundaries: Vec<Boundary>,
    usage: Vec<Usage>,
    results: FxHashMap<CallId, Outcome>,
    synthesized: usize,
    /// By draft: its messages.
    places: Vec<Range<u32>>,
    /// By message.
    lines: Vec<usize>,
}

impl Build {
    fn draft(&mut self, draft: Draft) {
        let from = self.messages.len() as u32;
        match draft.what {
            What::Answer { calls, .. } if draft.dropped => {
                calls.iter().for_each(|call| drop(self.results.remove(&call.id)));
            }
            _ if draft.dropped => {}
            What::Prompt(prompt, author) => {
                let message = self.push(Role::User, author, &prompt.text, draft.at);
                (message.said, message.images) = (spans(prompt.said), prompt.images);
                message.injected = prompt.injected;
            }
            What::Answer { texts, calls, usage } => {
                let message = MsgId(from);
                self.usage.extend(usage.map(|(prompt, cached)| Usage {
                    message,
                    prompt,
                    cached: cached.min(prompt),
                }));
                let ids: Vec<CallId> = calls.iter().map(|call| call.id.clone()).collect();
                let text = texts.join("\n\n");
                self.push(Role::Assistant, Author::Agent, &text, draft.at).calls = calls;
                self.lines.push(draft.line);
                ids.into_iter().for_each(|id| self.result(id));
            }
            What::Boundary(boundary, kept) => {
                let kept = kept.iter().filter_map(|number| self.places.get(*number).cloned());
                let kept: BTreeSet<MsgId> = kept.flatten().map(MsgId).collect();
                let kept = kept.into_iter().collect();
                self.boundaries.push(Boundary { before: MsgId(from), kept, ..boundary });
            }
        }
        self.lines.resize(self.messages.len(), draft.line);
        self.places.push(from..self.messages.len() as u32);
    }

    /// Providers want all results of a message right behind it, whatever came between.
    fn result(&mut self, id: CallId) {
        let found = self.results.remove(&id);
        self.synthesized += usize::from(found.is_none());
        let none = || Outcome { content: NO_RESULT.to_owned(), ..Outcome::default() };
        let result = found.unwrap_or_else(none);
        // What stands before it was gathered from the answer's line.
        let line =
            if result.line == 0 { self.lines.last().copied().unwrap_or(0) } else { result.line };
        let message = self.push(Role::Tool, Author::Harness, &result.content, result.at);
        (message.answers, message.failed) = (Some(id), result.failed);
        (message.said, message.images) = (spans(result.said), result.images);
        self.lines.resize(self.messages.len(), line);
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

fn spans(parts: Vec<Range<usize>>) -> Vec<(u32, u32)> {
    let parts = parts.into_iter().filter(|part| !part.is_empty());
    parts.map(|part| (part.start as u32, part.end as u32)).collect()
}
