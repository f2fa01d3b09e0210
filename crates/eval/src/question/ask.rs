//! Asking: prompts to the one seam that models sit behind, from a view as it was sent or from the
//! log, and what comes back.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::drive::{Observer, Sent, Session};
use crate::ident::EntryId;
use crate::log::{Call, Role, Text};
use crate::prelude::*;
use crate::question::Sheet;
use crate::summarize::{
    Answer, Ask, FailureClass, Finish, Prompt, PromptMessage, Reply, Segment, Stopped,
};
use crate::token::Counter;

pub(super) const INSTRUCTION: &str =
    include_str!("../../data/question-instruction.txt").trim_ascii_end();

/// What a judge is told. Part of `QUESTIONS_VERSION`.
pub(super) const JUDGE_INSTRUCTION: &str =
    include_str!("../../data/judge-instruction.txt").trim_ascii_end();

/// What stands before the words of the question; a reader finds them behind it.
pub(super) const QUESTION: &str = "\nThe question:\n";
const NOTHING: &str = "(nothing)\n\n";
const MAX_TOKENS: Tokens = Tokens(200);
const MAX_VERDICT: Tokens = Tokens(16);

pub(super) type ReaderReply = Result<String, FailureClass>;

/// Who is asked.
pub struct Reader<'a> {
    /// Behind the seam.
    pub ask: &'a dyn Ask,
    /// Whether its answers are judged as well, by the same model.
    pub judged: bool,
    /// Answers so far, by digest of the prompt, for all cells that share it.
    known: FxHashMap<u128, ReaderReply>,
    /// Prompts put to it.
    pub calls: usize,
}

impl<'a> Reader<'a> {
    /// Of this seam.
    pub fn new(ask: &'a dyn Ask, judged: bool) -> Reader<'a> {
        Reader { ask, judged, known: FxHashMap::default(), calls: 0 }
    }

    /// The question from this context; `None` where the reader does not admit so much.
    pub(super) fn prompt(&self, context: &Context, question: &str) -> Option<Prompt> {
        let limits = self.ask.limits();
        let max_tokens = MAX_TOKENS.min(limits.max_output);
        let count = |text: &str| Counter::REFERENCE.tokenizer.count(text);
        let tokens = context.tokens + count(INSTRUCTION) + count(question);
        if tokens + max_tokens > limits.window(Tokens::ZERO) {
            return None;
        }
        let mut segments = vec![own("The conversation:\n\n")];
        if context.segments.is_empty() {
            segments.push(own(NOTHING));
        }
        segments.extend(context.segments.iter().cloned());
        segments.push(own(&format!("{QUESTION}{question}")));
        Some(self.request(INSTRUCTION, segments, max_tokens))
    }

    pub(super) fn verdict_prompt(&self, question: &str, reference: &str, answer: &str) -> Prompt {
        let words = format!("Question: {question}\n\nReference: {reference}\n\nAnswer: {answer}\n");
        let max_tokens = MAX_VERDICT.min(self.ask.limits().max_output);
        self.request(JUDGE_INSTRUCTION, vec![own(&words)], max_tokens)
    }

    fn request(&self, system: &str, segments: Vec<Segment>, max_tokens: Tokens) -> Prompt {
        Prompt {
            system: Some(Text::from(system)),
            messages: vec![PromptMessage { role: Role::User, segments }],
            max_tokens,
            model: None,
            replicate: 0,
        }
    }

    /// The replies to these prompts, in order; none is asked twice.
    pub(super) fn ask(&mut self, prompts: &[Option<Prompt>]) -> Result<Vec<ReaderReply>, Stopped> {
        let keys: Vec<Option<u128>> =
            prompts.iter().map(|prompt| prompt.as_ref().map(Prompt::fingerprint)).collect();
        let mut new = FxHashSet::default();
        let named =
            prompts.iter().zip(&keys).filter_map(|(prompt, key)| Some((prompt.as_ref()?, (*key)?)));
        let fresh = named.filter(|(_, key)| !self.known.contains_key(key) && new.insert(*key));
        let (fresh, names): (Vec<Prompt>, Vec<u128>) =
            fresh.map(|(prompt, key)| (prompt.clone(), key)).unzip();
        self.calls += fresh.len();
        let replies = if fresh.is_empty() { Vec::new() } else { self.ask.ask(&fresh)? };
        self.known.extend(names.into_iter().zip(replies.into_iter().map(reader_reply)));
        let known = |key: &Option<u128>| {
            let key = key.ok_or(FailureClass::Overflow)?;
            // A seam that answers fewer prompts than it was asked has failed.
            self.known.get(&key).cloned().unwrap_or(Err(FailureClass::Error))
        };
        Ok(keys.iter().map(known).collect())
    }

    /// Forgets what was asked: no other session has the same words.
    pub fn clear(&mut self) {
        self.known.clear();
    }
}

fn own(words: &str) -> Segment {
    Segment { text: words.into(), material: false }
}

fn reader_reply(reply: Reply) -> ReaderReply {
    let Answer { text, finish } = reply.map_err(|error| error.class)?;
    match finish {
        Finish::ToolCall => Err(FailureClass::ToolCall),
        Finish::Stop | Finish::Length if text.trim().is_empty() => Err(FailureClass::Empty),
        Finish::Stop | Finish::Length => Ok(text.trim().to_owned()),
    }
}

/// Reference tokens of the line that names a message's role.
const HEADING: Tokens = Tokens(6);

#[derive(Clone, Debug, Default)]
pub(super) struct Context {
    pub(super) segments: Vec<Segment>,
    /// Their reference tokens, as counted message by message.
    pub(super) tokens: Tokens,
}

impl Context {
    pub(super) fn push(&mut self, role: &str, content: Text, calls: &[Call], tokens: Tokens) {
        let shown = |text: Text| Segment { text, material: true };
        self.segments.extend([own(&format!("[{role}]\n")), shown(content)]);
        for call in calls {
            let head = own(&format!("\n[calls {}]\n", call.name));
            self.segments.extend([head, shown(call.args.clone())]);
        }
        self.segments.push(own("\n\n"));
        self.tokens += tokens + HEADING;
    }

    pub(super) fn of_log(session: &Session, step: usize) -> Context {
        let mut context = Context::default();
        let end = session.steps.get(step).map_or(0, |step| step.appended.start);
        for message in &session.log.messages[..end] {
            let tokens = session.reference.messages[message.id.index()].total();
            let role = name_of(message.role);
            context.push(role, message.content.clone(), &message.calls, tokens);
        }
        context
    }

    /// A prompt as it was sent, less what came with the need: what was appended since
    /// the call before does not count as remembered, here as in every other figure.
    fn of_sent(sent: &Sent) -> Context {
        let mut context = Context::default();
        let entries = sent.view.entries();
        let recent = entries.iter().rev().take_while(|entry| entry.id >= sent.fresh);
        let fresh: Vec<EntryId> =
            recent.filter(|entry| entry.origin.is_some()).map(|entry| entry.id).collect();
        let kept = entries.iter().filter(|entry| !fresh.contains(&entry.id));
        let kept = kept.map(|entry| sent.overlay.of(entry.id).unwrap_or(entry));
        for entry in kept.chain(sent.overlay.behind()) {
            context.push(name_of(entry.role), entry.content(), &entry.calls, entry.tokens());
        }
        context
    }
}

fn name_of(role: Role) -> &'static str {
    match role {
        Role::Tool => "tool result",
        Role::System | Role::User | Role::Assistant => role.name(),
    }
}

/// Takes the view at the steps of a sheet while a cell is driven.
#[derive(Debug, Default)]
pub struct Collector {
    /// By step, from 1.
    wanted: BTreeMap<u32, Option<Context>>,
}

impl Collector {
    /// For the steps of these questions.
    pub fn new(sheet: &Sheet) -> Collector {
        Collector { wanted: sheet.items.iter().map(|item| (item.step, None)).collect() }
    }

    /// The view at a step; `None` where the session did not come to it.
    pub(super) fn at(&self, step: u32) -> Option<&Context> {
        self.wanted.get(&step).and_then(Option::as_ref)
    }
}

impl Observer for Collector {
    fn sending(&mut self, sent: &Sent) {
        if let Some(wanted) = self.wanted.get_mut(&sent.step) {
            *wanted = Some(Context::of_sent(sent));
        }
    }
}
