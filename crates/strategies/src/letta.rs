//! Letta's compaction: letta-ai/letta, letta/services/summarizer. [`SlidingWindow`] is the mode
//! `sliding_window`, the default (summarizer_sliding_window.py at 63d3146, compact.py at 1a4b119),
//! and [`PartialEvict`] the older `partial_evict_message_buffer` (summarizer.py at 080305c).
//!
//! Both count messages, the system prompt as the first. The sliding window evicts a share of them
//! from the beginning, 40 % at first and 10 % more each time, up to the last message of the
//! assistant before that point, until what stays is below 70 % of the window by an estimate with a
//! margin of 1.3. Where no such point is found, or the summary fails, everything becomes one
//! summary (`all`). The older mode evicts 70 %, on to the next message of the assistant. A summary
//! in the user's role takes the place of what was evicted, behind the system prompt; the next
//! compaction reads it again. Shares are rounded to even where they fall between two messages, as
//! Python does.
//!
//! Where documents and code disagree: the settings call the sliding window's percentage what is
//! kept afterwards; the code keeps the rest. Comments of the older mode speak of 30 % evicted and
//! keep 30 %.
//!
//! Not known of the source, and ours: the words of prompts and notes (with the source's sections)
//! and the limit of an answer. Not here: pending approvals, which no log holds; the second summary
//! where the first did not bring the prompt below the trigger, which drops that one unseen; the
//! fallbacks of a prompt that is too long for the summarizer (tool results cut to 5,000 characters,
//! then the middle of the transcript left out), in whose place the oldest messages are left out;
//! what is said behind a summary that was cut to 50,000 characters, here bytes. A compaction that
//! would evict nothing is declined.

use crate::prelude::*;

const SLIDING: &str = include_str!("../prompts/letta-sliding.md").trim_ascii_end();
const ALL: &str = include_str!("../prompts/letta-all.md").trim_ascii_end();
const ACKNOWLEDGED: &str =
    "Understood. I will answer with a summary of the transcript, and nothing else.";
const ASKED: &str = "That was the transcript. Write the summary.";
const BEFORE: &str = "This is a summary of the earlier messages:\n";

/// What is added to the evicted share each time.
const STEP: f64 = 0.10;

parameters! {
    /// Letta's `sliding_window`, with `all` as its fallback.
    ///
    /// Keep-rules: `sliding-window-percentage`, `safety-margin`. Pressure: the limit, in the
    /// pipeline file.
    pub struct SlidingWindow {
        eligibility "sliding-window-percentage" percentage: f64 = 0.30,
            "share of the messages that is not enough to evict; the rest of the window is the goal";
        eligibility "safety-margin" margin: f64 = 1.3, "factor on the tokens that would stay";
        request "clip-chars" clip_chars: usize = 50_000, "most bytes of a summary";
        request "max-tokens" max_tokens: Tokens = Tokens(4_096), "most tokens of an answer";
    }
}

impl Strategy for SlidingWindow {
    fn check(&self) -> Result<(), String> {
        check_share("sliding-window-percentage", self.percentage)
    }

    fn plan(&self, view: &View, context: &PlanContext) -> Decision {
        let messages = messages(view);
        if messages.is_empty() {
            return Decision::decline("the history is empty");
        }
        let summary = Summary { clip_chars: self.clip_chars, max_tokens: self.max_tokens };
        let all = summary.plan(view, &messages, messages.len(), (ALL, false));
        match self.cutoff(view, &messages, context) {
            Some(0) => Decision::decline("nothing would be evicted"),
            Some(cutoff) => {
                let plan = summary.plan(view, &messages, cutoff, (SLIDING, false));
                Decision::Plan(Plan { otherwise: Some(Box::new(all)), ..plan })
            }
            None => Decision::Plan(all),
        }
    }
}

impl SlidingWindow {
    /// Which message is the first that stays; none where the source raises.
    fn cutoff(&self, view: &View, messages: &[usize], context: &PlanContext) -> Option<usize> {
        let window = context.budget.window.as_f64();
        let goal = (1.0 - self.percentage) * window;
        let (mut share, mut tokens, mut found) = (self.percentage, window, None);
        while tokens >= goal && share < 1.0 {
            share += STEP;
            // The system prompt is a message.
            let end = rounded(share, messages.len() + 1).min(messages.len());
            found = messages[..end].iter().rposition(|place| is_assistant(view, *place));
            let Some(cutoff) = found else { continue };
            let counted = |place: &usize| view.entries()[*place].counted;
            let stays: Tokens = messages[cutoff..].iter().map(counted).sum();
            tokens = (context.budget.system + stays).as_f64() * self.margin;
        }
        found.filter(|cutoff| share < 1.0 && cutoff + 1 < messages.len())
    }
}

parameters! {
    /// Letta's `partial_evict_message_buffer`. It raises where no message of the assistant follows.
    ///
    /// Keep-rule: `partial-evict-summarizer-percentage`. Pressure: the limit, in the pipeline file.
    pub struct PartialEvict {
        eligibility "partial-evict-summarizer-percentage" percentage: f64 = 0.30,
            "share of the messages at the end that stays";
        request "max-tokens" max_tokens: Tokens = Tokens(4_096), "most tokens of an answer";
    }
}

impl Strategy for PartialEvict {
    fn check(&self) -> Result<(), String> {
        check_share("partial-evict-summarizer-percentage", self.percentage)
    }

    fn plan(&self, view: &View, _: &PlanContext) -> Decision {
        let messages = messages(view);
        if messages.is_empty() {
            return Decision::decline("the history is empty");
        }
        // The system prompt is a message, and stays.
        let start = rounded(1.0 - self.percentage, messages.len() + 1).saturating_sub(1);
        let stays = messages.iter().skip(start).position(|place| is_assistant(view, *place));
        match stays.map(|behind| start + behind) {
            Some(0) => Decision::decline("nothing would be evicted"),
            Some(cutoff) => {
                let summary = Summary { clip_chars: usize::MAX, max_tokens: self.max_tokens };
                Decision::Plan(summary.plan(view, &messages, cutoff, (ALL, true)))
            }
            None => Decision::Raise("no message of the assistant could be the first".to_owned()),
        }
    }
}

/// How a summary is asked for.
struct Summary {
    clip_chars: usize,
    max_tokens: Tokens,
}

impl Summary {
    /// A summary of the messages before one, by a prompt that the summarizer acknowledges or not.
    fn plan(
        &self,
        view: &View,
        messages: &[usize],
        cutoff: usize,
        (prompt, acknowledged): (&str, bool),
    ) -> Plan {
        let clean = match self.clip_chars {
            usize::MAX => Clean::AsIs,
            most => Clean::Part(0, most),
        };
        let answer = Piece::Answer { first_of: vec![RequestId(0)], clean };
        let pieces = vec![Piece::literal(BEFORE), answer];
        let summary = NewEntry::new(Role::User, Kind::Summary, pieces, Covers::Rest);
        let place = messages.get(cutoff).copied().unwrap_or(view.len());
        let slots = cut_before(view, place, vec![Slot::New(summary)]);
        let shown = messages[..cutoff].iter().map(|place| item(&view.entries()[*place]));
        let trim = Recovery::TrimOldest { pairs: false, leave: 1 };
        let request = SummaryRequest {
            items: acknowledged.then(acknowledgement).into_iter().chain(shown).collect(),
            recover: BTreeMap::from([(FailureClass::Overflow, vec![trim])]),
            ..SummaryRequest::new(
                RequestId(0),
                Text::from(prompt),
                vec![Piece::literal(ASKED)],
                self.max_tokens,
            )
        };
        Plan::summarizing(Layout::Whole(slots), vec![request])
    }
}

fn acknowledgement() -> Item {
    let pieces = vec![Piece::literal(ACKNOWLEDGED)];
    Item::Message { role: Role::Assistant, pieces, answers: None }
}

/// A line of the transcript, with the calls behind the text.
fn item(entry: &Entry) -> Item {
    let mut pieces = vec![Piece::literal(format!("[{}] ", entry.role.name()))];
    pieces.push(Piece::quote(entry.id));
    for (number, call) in entry.calls.iter().enumerate() {
        let before = if number > 0 { ", " } else { " -> " };
        pieces.push(Piece::literal(format!("{before}{}(", call.name)));
        pieces.extend([Piece::arguments(entry.id, &call.id), Piece::literal(")")]);
    }
    Item::Message { role: Role::User, pieces, answers: None }
}

/// The places of the messages behind the system prompt.
fn messages(view: &View) -> Vec<usize> {
    let stands = |place: &usize| view.entries()[*place].role != Role::System;
    (0..view.len()).filter(stands).collect()
}

fn is_assistant(view: &View, place: usize) -> bool {
    view.entries()[place].role == Role::Assistant
}

/// `round`: to even where it falls between two.
fn rounded(share: f64, count: usize) -> usize {
    (share * count as f64).round_ties_even() as usize
}

fn check_share(name: &str, share: f64) -> Result<(), String> {
    match (0.0..=1.0).contains(&share) {
        true => Ok(()),
        false => Err(format!("`{name}` {share} is not from 0 to 1")),
    }
}

#[cfg(test)]
mod tests;
