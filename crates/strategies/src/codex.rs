//! OpenAI Codex, local compaction, as it is (`codex`): `codex-rs/core/src/compact.rs` of
//! openai/codex at 0100b10, with `truncate.rs` and `event_mapping.rs` of that time; the
//! triggers from the turn loop. Remote compaction is not this profile.
//!
//! What stays is the initial context, then the user's own messages, newest first within 20,000
//! tokens (a quarter of the bytes, rounded up); the first that does not fit is cut in the
//! middle and ends the selection. The summary, behind a fixed prefix, is the last message, in
//! the user role. The whole history is shown, in the agent's own frame without tools, so
//! summaries are summarized again, and there is always one.
//!
//! Faults that are part of it: a message is told to be a summary by its prefix alone, so a user
//! who quotes it loses the message; an empty answer leaves the prefix alone. A refused prompt
//! loses its oldest item, with the other half of its pair, until it fits: what is trimmed is
//! folded unseen. Other failures are tried again five times; then the turn goes on.
//!
//! Newer versions put the initial context before the last user message within a turn, and end
//! the turn on a failure. Here it comes first, and is what the view holds of it: system
//! messages, project instructions, the last environment block. Where the answer is a tool call,
//! the text that came with it is taken (in the source, the last assistant message). `max-tokens`
//! and the words of prompt and prefix are ours.

use crate::prelude::*;

/// What every summary begins with, a line of its own, and how one is told from others.
pub const SUMMARY_PREFIX: &str = "\
Another model has worked on this task before and left the summary below of what it did and thought. \
Its tools and their effects are where it left them. Build on its work rather than doing it again:";

/// What is asked, as the last user message.
const PROMPT: &str = include_str!("../prompts/codex.md").trim_ascii_end();

/// Tries after a failure that is not about length (the source's default for streams).
const RETRIES: u32 = 5;

parameters! {
    /// Codex's local compaction.
    ///
    /// Keep-rule: `user-tokens`. Pressure: the limit, in the pipeline file.
    pub struct Codex {
        eligibility "user-tokens" user_tokens: Tokens = Tokens(20_000),
            "tokens of user messages kept, 4 bytes each";
        request "max-tokens" max_tokens: Tokens = Tokens(2_000), "most tokens of the summary";
    }
}

impl Strategy for Codex {
    /// By role and prefix alone, as the source does.
    fn takes_for(&self, role: Role, content: &str, _: bool) -> Option<Taken> {
        Some(match sort(role, content) {
            Some(Sort::Summary) => Taken::Summary,
            Some(Sort::Words) => Taken::Human,
            Some(Sort::Instructions | Sort::Environment) | None => Taken::Other,
        })
    }

    fn plan(&self, view: &View, _: &PlanContext) -> Decision {
        if view.is_empty() {
            return Decision::decline("the history is empty");
        }
        let mut slots = initial_context(view);
        slots.extend(self.recent_users(view));
        let prefix = Piece::literal(format!("{SUMMARY_PREFIX}\n"));
        let pieces = vec![prefix, Piece::answer(RequestId(0))];
        slots.push(Slot::New(NewEntry::new(Role::User, Kind::Summary, pieces, Covers::Rest)));
        summarizing(slots, self.request(view))
    }
}

impl Codex {
    fn request(&self, view: &View) -> SummaryRequest {
        // The prompt is an item of the source's history, so all others may go before it.
        let trim = Recovery::TrimOldest { pairs: true, leave: 0 };
        let again = [FailureClass::Error, FailureClass::TimeOut, FailureClass::Refusal];
        let again = again.map(|class| (class, vec![Recovery::Retry(RETRIES)]));
        let prompt = vec![Piece::literal(PROMPT)];
        SummaryRequest {
            frame: Frame::Agent { tools: false },
            items: view.entries().iter().map(|entry| Item::Entry(entry.id)).collect(),
            recover: [(FailureClass::Overflow, vec![trim])].into_iter().chain(again).collect(),
            ..SummaryRequest::new(RequestId(0), Text::from(""), prompt, self.max_tokens)
        }
    }

    /// User messages within the budget, the oldest first.
    fn recent_users(&self, view: &View) -> Vec<Slot> {
        let is_users =
            |entry: &&Arc<Entry>| sort(entry.role, &entry.content()) == Some(Sort::Words);
        let mut left = self.user_tokens.0 as usize;
        let mut slots = Vec::new();
        for entry in view.entries().iter().rev().filter(is_users) {
            let tokens = entry.content_len().div_ceil(4);
            if left == 0 {
                break;
            }
            if tokens > left {
                slots.push(cut(entry, left));
                break;
            }
            slots.push(Slot::Keep(entry.id));
            left -= tokens;
        }
        slots.reverse();
        slots
    }
}

/// A message cut in the middle to so many tokens.
fn cut(entry: &Entry, tokens: usize) -> Slot {
    let (length, keep) = (entry.content_len(), tokens.saturating_mul(4));
    let removed = length.saturating_sub(keep).div_ceil(4);
    let notice = format!("…{removed} tokens truncated…");
    let pieces = Piece::middle_cut(&Source::Entry(entry.id), length, keep, &notice);
    reworded(entry, pieces)
}

/// What the source takes a message of the user's role for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sort {
    Instructions,
    Environment,
    Summary,
    /// The user's own words.
    Words,
}

/// `None` for other roles. The tag is told without regard to case, as in the source.
fn sort(role: Role, text: &str) -> Option<Sort> {
    const TAG: &str = "<environment_context>";
    let tagged = |start: &str| start.eq_ignore_ascii_case(TAG);
    let is_summary = |rest: &str| rest.starts_with('\n');
    (role == Role::User).then(|| match text {
        _ if text.starts_with("# AGENTS.md instructions for ") => Sort::Instructions,
        _ if text.get(..TAG.len()).is_some_and(tagged) => Sort::Environment,
        _ if text.strip_prefix(SUMMARY_PREFIX).is_some_and(is_summary) => Sort::Summary,
        _ => Sort::Words,
    })
}

/// System messages, project instructions and the last environment block.
fn initial_context(view: &View) -> Vec<Slot> {
    let sort_of = |entry: &Entry| sort(entry.role, &entry.content());
    let environment = |entry: &&Arc<Entry>| sort_of(entry) == Some(Sort::Environment);
    let last = view.entries().iter().rfind(environment).map(|entry| entry.id);
    kept_before(view, view.len(), |entry| {
        entry.role == Role::System
            || sort_of(entry) == Some(Sort::Instructions)
            || last == Some(entry.id)
    })
}

#[cfg(test)]
mod tests;
