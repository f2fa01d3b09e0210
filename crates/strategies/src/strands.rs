//! Strands' conversation managers (`strands-sliding-window`, `strands-summarizing`):
//! src/strands/agent/conversation_manager of strands-agents/sdk-python at 1232230.
//!
//! [`SlidingWindow`] keeps the newest 40 messages. It looks at them when an invocation is over, and
//! where a prompt is refused. Then it first cuts the results of the oldest message that has any to
//! their first and last 200 characters, and drops messages where those are cut or short already:
//! so many that 40 stay, or two where there are no more than that. What stays begins with a message
//! of the user that is no result, or else with a call that its results follow.
//!
//! [`Summarizing`] acts where a prompt is refused, and at no other time. The oldest 30 % of the
//! messages become a summary in the user's role, but the newest 10 stay. The split moves on where
//! it would leave a result at the start. A summary is a message like any other and is summarized
//! again. A failure ends the session.
//!
//! A message of the source holds all results of one answer, and so results in a row are one here.
//! Fault kept: only the oldest message with results is looked at, so that newer ones stay whole.
//!
//! Not known of the source, and ours: the words of the prompt and of the notice in a cut result.
//! Other versions cut a result whenever there are too many messages, and then drop none. Not as in
//! the source: where nothing can be dropped or split off, an error ends the session there; here
//! nothing is done, and the refused prompt ends it. Images do not exist here. Compaction ahead of
//! time, which is off by itself, is no part of this.

use crate::prelude::*;

/// Bytes of a cut result that stay at each end.
const ENDS: usize = 200;

const SYSTEM: &str = include_str!("../prompts/strands.md");
const ASKED: &str = "Summarize this conversation.";

parameters! {
    /// `SlidingWindowConversationManager`.
    ///
    /// Keep-rules: `window-size`, `should-truncate-results`. Pressure: none of its own.
    pub struct SlidingWindow {
        eligibility "window-size" window_size: usize = 40, "messages that stay";
        eligibility "should-truncate-results" truncates: bool = true,
            "whether results are cut where a prompt is refused";
    }
}

impl Strategy for SlidingWindow {
    fn asks(&self) -> bool {
        false
    }

    fn plan(&self, view: &View, context: &PlanContext) -> Decision {
        let messages = messages(view);
        let is_forced = is_forced(context.occasion);
        if messages.len() <= self.window_size && !is_forced {
            return Decision::decline("the window holds all messages");
        }
        let cut = truncated(view, &messages);
        if is_forced && self.truncates && !cut.is_empty() {
            return mechanical(rewording(view, cut));
        }
        let over = messages.len().checked_sub(self.window_size).filter(|over| *over > 0);
        match first_kept(view, &messages, over.unwrap_or(2)) {
            Some(first) => mechanical(cut_before(view, messages[first].start, Vec::new())),
            None => Decision::decline("no message can be the first"),
        }
    }
}

/// The messages as the source has them, by place: results in a row are one. System messages are
/// not among them.
fn messages(view: &View) -> Vec<Range<usize>> {
    let mut messages: Vec<Range<usize>> = Vec::new();
    for (place, entry) in view.entries().iter().enumerate() {
        match messages.last_mut() {
            _ if entry.role == Role::System => {}
            Some(last) if is_result(view, &(place..place)) && is_result(view, last) => {
                last.end = place + 1;
            }
            _ => messages.push(place..place + 1),
        }
    }
    messages
}

fn is_result(view: &View, message: &Range<usize>) -> bool {
    view.entries()[message.start].role == Role::Tool
}

fn calls(view: &View, message: &Range<usize>) -> bool {
    !view.entries()[message.start].calls.is_empty()
}

/// Whether a call is followed by results.
fn is_answered(view: &View, messages: &[Range<usize>], number: usize) -> bool {
    messages.get(number + 1).is_some_and(|next| is_result(view, next))
}

/// The results of the oldest message that has any, cut where they are long and whole.
fn truncated(view: &View, messages: &[Range<usize>]) -> BTreeMap<usize, Vec<Piece>> {
    let oldest = messages.iter().find(|message| is_result(view, message));
    let long = oldest.cloned().unwrap_or_default().filter(|place| {
        let entry = &view.entries()[*place];
        !entry.rewritten && entry.content_len() > 2 * ENDS
    });
    long.map(|place| {
        let entry = &view.entries()[place];
        let length = entry.content_len();
        let notice = format!("\n[... {} characters cut ...]\n", length - 2 * ENDS);
        (place, Piece::middle_cut(&Source::Entry(entry.id), length, 2 * ENDS, &notice))
    })
    .collect()
}

/// The first message from a number on that what stays can begin with.
fn first_kept(view: &View, messages: &[Range<usize>], from: usize) -> Option<usize> {
    let is_users = |number: &usize| view.entries()[messages[*number].start].role == Role::User;
    let is_call =
        |number: &usize| calls(view, &messages[*number]) && is_answered(view, messages, *number);
    let mut numbers = from..messages.len();
    numbers.clone().find(is_users).or_else(|| numbers.find(is_call))
}

parameters! {
    /// `SummarizingConversationManager`.
    ///
    /// Keep-rules: `summary-ratio`, `preserve-recent-messages`. Pressure: none of its own.
    pub struct Summarizing {
        eligibility "summary-ratio" summary_ratio: f64 = 0.3,
            "share of the messages that is summarized, from 0.1 to 0.8";
        eligibility "preserve-recent-messages" preserve_recent: usize = 10,
            "messages at the end that stay";
    }
}

impl Strategy for Summarizing {
    fn plan(&self, view: &View, _: &PlanContext) -> Decision {
        let messages = messages(view);
        let share = messages.len() as f64 * self.summary_ratio.clamp(0.1, 0.8);
        let count =
            (share as usize).max(1).min(messages.len().saturating_sub(self.preserve_recent));
        let Some(split) = split(view, &messages, count).filter(|_| count > 0) else {
            return Decision::decline("there are too few messages");
        };
        let (head, tail) = messages.split_at(split);
        let items = head.iter().cloned().flatten();
        let request = SummaryRequest {
            items: items.map(|place| Item::Entry(view.entries()[place].id)).collect(),
            ..SummaryRequest::new(
                RequestId(0),
                Text::from(SYSTEM),
                vec![Piece::literal(ASKED)],
                Tokens::UNBOUNDED,
            )
        };
        let answer = vec![Piece::answer(RequestId(0))];
        let summary = NewEntry::new(Role::User, Kind::Summary, answer, Covers::Rest);
        let end = tail.first().map_or(view.len(), |first| first.start);
        summarizing(cut_before(view, end, vec![Slot::New(summary)]), request)
    }
}

/// The split moved on past results, and past calls without results that something follows. Where
/// it would pass the last message there is none; at the very end it stays.
fn split(view: &View, messages: &[Range<usize>], count: usize) -> Option<usize> {
    let is_torn = |number: usize| {
        let is_last = number + 1 == messages.len();
        let is_open = !is_last && !is_answered(view, messages, number);
        is_result(view, &messages[number]) || calls(view, &messages[number]) && is_open
    };
    if count == messages.len() {
        return Some(count);
    }
    (count..messages.len()).find(|number| !is_torn(*number))
}
