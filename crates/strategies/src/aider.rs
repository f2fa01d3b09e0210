//! aider's summary of the chat history (`aider`): aider/history.py of Aider-AI/aider at 5dc9490,
//! with its use in aider/coders/base_coder.py and its limit in aider/models.py.
//!
//! When a turn is over and the history has more tokens than a sixteenth of what the model takes (at
//! least 1,024, at most 8,192), its older part becomes a summary, written as if the user told it.
//! The newest messages stay as long as they have less than half of that limit together. What is
//! summarized ends with an answer of the assistant, and is everything where four messages or fewer
//! would be left of it. An answer `Ok.` ends the history where no answer does. Where summary and
//! rest still reach the limit, the summary is summarized again with what follows it, up to four
//! times more, the last time with everything.
//!
//! Only what user and assistant say is shown. Fault kept: it is read from the oldest on, as much as
//! the summarizer takes less 512 tokens, and the rest of it leaves unseen. A failure is asked
//! about once more (aider has a weak and a strong model), and then the history stays.
//!
//! Not known of the source, and ours: the words of prompt and prefix. What the model takes is the
//! window less the longest answer, for both models. aider knows no tools: here a call with its
//! results is one message of the assistant, whose results count as tokens and are not shown. In the
//! source it runs beside the next turn, and its result is dropped where the history has changed.

use crate::prelude::*;
use crate::pressure::Budget;

const PROMPT: &str = include_str!("../prompts/aider.md");
const PREFIX: &str = "You and I have discussed all this before.\n";
const ACKNOWLEDGED: &str = "Ok.";

/// Fewest messages that are split off, less one.
const LEAST: usize = 4;

/// How often a summary is summarized again before everything is.
const DEPTH: usize = 3;

/// Tokens of the summarizer's input that are left free.
const FREE: Tokens = Tokens(512);

/// What a summary says of itself that is not to be summarized again.
const FINAL: &str = "final";

parameters! {
    /// aider's `ChatSummary`.
    ///
    /// Keep-rules: all parameters. Pressure: none of its own.
    pub struct Aider {
        eligibility "history-share" share: f64 = 0.0625,
            "share of what the model takes that the history may have";
        eligibility "history-least" least: Tokens = Tokens(1_024), "least tokens of that";
        eligibility "history-most" most: Tokens = Tokens(8_192), "most tokens of that";
    }
}

impl Strategy for Aider {
    fn plan(&self, view: &View, context: &PlanContext) -> Decision {
        let messages = messages(view);
        let total: Tokens = messages.iter().map(|message| tokens(view, message)).sum();
        let input = context.budget.window - context.budget.max_output;
        let limit = self.limit(context.budget);
        let depth = match depth(view) {
            Some(FINAL) => return Decision::decline("everything is summarized"),
            Some(depth) if total >= limit => depth.len() + 1,
            None if total > limit || is_forced(context.occasion) => 0,
            _ => return Decision::decline("the history is not too big"),
        };
        if messages.is_empty() {
            return Decision::decline("there is no message");
        }
        match split(view, &messages, limit).filter(|_| depth <= DEPTH) {
            Some(split) => {
                let shown = readable(view, &messages[..split], input - FREE);
                folding(view, messages[split..].first(), shown, &"+".repeat(depth))
            }
            None => folding(view, None, &messages, FINAL),
        }
    }
}

impl Aider {
    fn limit(&self, budget: &Budget) -> Tokens {
        let share = (budget.window - budget.max_output).share(self.share);
        share.max(self.least).min(self.most)
    }
}

/// Messages by place: an answer with the results of its calls is one. System messages are not among
/// them, and neither is the `Ok.` of an earlier time.
fn messages(view: &View) -> Vec<Range<usize>> {
    let mut messages: Vec<Range<usize>> = Vec::new();
    for (place, entry) in view.entries().iter().enumerate() {
        match messages.last_mut() {
            _ if entry.role == Role::System || entry.kind == Kind::Notice => {}
            Some(last) if entry.role == Role::Tool && last.end == place => last.end = place + 1,
            _ => messages.push(place..place + 1),
        }
    }
    messages
}

fn tokens(view: &View, message: &Range<usize>) -> Tokens {
    view.entries()[message.clone()].iter().map(|entry| entry.counted).sum()
}

/// What the last summary says of itself, where nothing was said since.
fn depth(view: &View) -> Option<&str> {
    let summary = view.entry(*view.of(Class::Summary).last()?)?;
    let is_older = |entry: &Arc<Entry>| entry.id <= summary.id || entry.kind == Kind::Notice;
    view.entries().iter().all(is_older).then(|| summary.note.as_deref().unwrap_or(FINAL))
}

/// The first message that stays; none where everything is to be summarized.
fn split(view: &View, messages: &[Range<usize>], limit: Tokens) -> Option<usize> {
    let half = Tokens(limit.0 / 2);
    let mut tail = Tokens::ZERO;
    let fits = |number: &usize| {
        tail += tokens(view, &messages[*number]);
        tail < half
    };
    let fitting = (0..messages.len()).rev().take_while(fits).count();
    let ends = |number: &usize| view.entries()[messages[*number - 1].start].role == Role::Assistant;
    (1..=messages.len() - fitting).rev().find(ends).filter(|split| *split > LEAST)
}

/// The oldest messages that fit.
fn readable<'a>(view: &View, head: &'a [Range<usize>], room: Tokens) -> &'a [Range<usize>] {
    let mut used = Tokens::ZERO;
    let fits = |message: &&Range<usize>| {
        used += tokens(view, message);
        used <= room
    };
    &head[..head.iter().take_while(fits).count()]
}

/// A summary of what is shown in place of all before the first message that stays.
fn folding(
    view: &View,
    first: Option<&Range<usize>>,
    shown: &[Range<usize>],
    note: &str,
) -> Decision {
    let mut said = Vec::new();
    for entry in shown.iter().map(|message| &view.entries()[message.start]) {
        let role = match entry.role {
            Role::User => "# USER\n",
            Role::Assistant => "# ASSISTANT\n",
            Role::System | Role::Tool => continue,
        };
        said.extend([Piece::literal(role), Piece::quote(entry.id), Piece::literal("\n")]);
    }
    let classes =
        [FailureClass::Error, FailureClass::TimeOut, FailureClass::Refusal, FailureClass::Overflow];
    let request = SummaryRequest {
        recover: classes.map(|class| (class, vec![Recovery::Retry(1)])).into(),
        ..SummaryRequest::new(RequestId(0), Text::from(PROMPT), said, Tokens::UNBOUNDED)
    };
    let pieces = vec![Piece::literal(PREFIX), Piece::answer(RequestId(0))];
    let summary = NewEntry::new(Role::User, Kind::Summary, pieces, Covers::Rest);
    let summary = Slot::New(NewEntry { note: Some(note.to_owned()), ..summary });
    let start = first.map_or(view.len(), |first| first.start);
    let stays = |entry: &&Arc<Entry>| entry.kind != Kind::Notice;
    let mut slots = kept_before(view, start, |entry| entry.role == Role::System);
    slots.push(summary);
    let tail: Vec<&Arc<Entry>> = view.entries()[start..].iter().filter(stays).collect();
    slots.extend(tail.iter().map(|entry| Slot::Keep(entry.id)));
    if tail.last().is_none_or(|last| !matches!(last.role, Role::Assistant | Role::Tool)) {
        let said = vec![Piece::literal(ACKNOWLEDGED)];
        let new = NewEntry::new(Role::Assistant, Kind::Notice, said, Covers::Nothing);
        slots.push(Slot::New(new));
    }
    let plan = Plan::summarizing(Layout::Whole(slots), vec![request]);
    Decision::Plan(Plan { then: Then::Continue, ..plan })
}
