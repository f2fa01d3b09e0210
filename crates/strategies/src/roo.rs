//! Roo Code's context management (`roo`): RooCodeInc/Roo-Code at cb83656, src/core/condense and
//! src/core/context-management.
//!
//! Before a request, above a share of the window or where the prompt and the room for the answer
//! come to more than 90 % of it, the conversation is condensed: one message of the user with a
//! summary, a fresh start, takes the place of everything. Where that fails and the prompt is above
//! the second limit, the sliding window is cut instead: the first message stays, half of the
//! others, an even number of them, are hidden, and a marker says how many.
//!
//! A message is one of the source's: what the assistant says, or all results of its calls with what
//! the user adds. What `<command>` elements the first message of the task holds is repeated behind
//! each summary. Calls and results are shown to the summarizer as text, and a call without a result
//! gets one. Results whose calls were hidden go too; calls whose results were hidden stay, as
//! there.
//!
//! Read in the source: context-management at 0cc04f4, condense at e5353cf and 04fc2a0, the prompt at
//! b375498 (src/shared/support-prompt.ts). The fresh start, which is newer than what was read of
//! condense, is known by a description of cb83656 and by a copy that others changed. Truncation is
//! checked against the source's truncation.spec.ts and context-management.spec.ts.
//!
//! The analysis that the prompt asks for stays in the summary, as the source takes the whole answer.
//!
//! Not known of the source, and ours: all wording. Not here: outlines of the files that were read,
//! which a parser makes of the disk, and details of the editor, which no log holds; images; the
//! undo of a condensation. A prompt that is refused as too long is condensed at once; the source
//! does that at 75 % of the window. Without a model's own limit the source takes 8,192 tokens for an
//! answer, which is the limit of a summary here.

use std::sync::LazyLock;

use regex::Regex;

use crate::log::Past;
use crate::prelude::*;

const SYSTEM: &str = include_str!("../prompts/roo-system.md").trim_ascii_end();
const PROMPT: &str = include_str!("../prompts/roo.md").trim_ascii_end();
const HEADING: &str = "## Conversation Summary\n";
const WORKFLOWS: &str = "\n<system-reminder>\n## Active Workflows\nThese hold through every \
                         condensation to come:\n";
const REMINDED: &str = "\n</system-reminder>";
const DEFERRED: &str = "[Tool Result]\nNot run yet: the context was condensed first.";

/// The share of the window that prompt and room for the answer may take
/// (`TOKEN_BUFFER_PERCENTAGE`).
const ALLOWED: f64 = 0.9;

parameters! {
    /// Roo Code's condensation, with sliding-window truncation as its fallback.
    ///
    /// Keep-rule: `truncate-share`. Pressure: the limits, in the pipeline file.
    pub struct Roo {
        eligibility "truncate-share" truncate_share: f64 = 0.5,
            "share of the messages but the first that truncation hides, an even number of them";
        request "max-tokens" max_tokens: Tokens = Tokens(8_192), "most tokens of the summary";
    }
}

impl Strategy for Roo {
    fn check(&self) -> Result<(), String> {
        match (0.0..=1.0).contains(&self.truncate_share) {
            true => Ok(()),
            false => Err(format!("`truncate-share` {} is not from 0 to 1", self.truncate_share)),
        }
    }

    fn plan(&self, view: &View, context: &PlanContext) -> Decision {
        let messages = messages(view);
        let has_summary = view.entries().iter().any(|entry| entry.kind == Kind::Summary);
        if messages.len() <= 1 + usize::from(has_summary) {
            return Decision::decline("condensed recently, or not enough messages");
        }
        let mut pieces = vec![Piece::literal(HEADING)];
        pieces.push(Piece::Answer { first_of: vec![RequestId(0)], clean: Clean::Trim });
        pieces.extend(workflows(context.past));
        let mut slots = kept_before(view, view.len(), |entry| entry.role == Role::System);
        slots.push(Slot::New(NewEntry::new(Role::User, Kind::Summary, pieces, Covers::Rest)));
        let plan = Plan::summarizing(Layout::Whole(slots), vec![self.request(view)]);
        let otherwise = is_above(view, context).then(|| self.truncate(view, &messages)).flatten();
        Decision::Plan(Plan { otherwise: otherwise.map(Box::new), ..plan })
    }
}

impl Roo {
    fn request(&self, view: &View) -> SummaryRequest {
        let mut items: Vec<Item> = view
            .entries()
            .iter()
            .filter(|one| one.role != Role::System)
            .map(|one| item(one))
            .collect();
        let calls = view.entries().iter().flat_map(|entry| &entry.calls);
        let is_open = |id: &CallId| view.pair(id).is_none_or(|pair| pair.results.is_empty());
        let open = calls.filter(|call| is_open(&call.id)).map(|_| Item::Message {
            role: Role::User,
            pieces: vec![Piece::literal(DEFERRED)],
            answers: None,
        });
        items.extend(open);
        SummaryRequest {
            items,
            recover: BTreeMap::from([(FailureClass::Empty, Vec::new())]),
            ..SummaryRequest::new(
                RequestId(0),
                Text::from(SYSTEM),
                vec![Piece::literal(PROMPT)],
                self.max_tokens,
            )
        }
    }

    /// `truncateConversation`; nothing where too few messages would go.
    fn truncate(&self, view: &View, messages: &[Range<usize>]) -> Option<Plan> {
        let entries = view.entries();
        let is_visible = |message: &&Range<usize>| entries[message.start].kind != Kind::Notice;
        let visible: Vec<&Range<usize>> = messages.iter().filter(is_visible).collect();
        let share = (visible.len().saturating_sub(1) as f64 * self.truncate_share) as usize;
        let hidden = share - share % 2;
        if hidden == 0 {
            return None;
        }
        let mut gone: Vec<usize> =
            visible[1..=hidden].iter().flat_map(|one| (*one).clone()).collect();
        let end = visible[hidden].end;
        let orphans: Vec<usize> =
            (end..entries.len()).filter(|place| is_orphaned(view, *place, &gone)).collect();
        let text = format!("[Sliding window truncation: {hidden} messages hidden to save room]");
        let pieces = vec![Piece::literal(text)];
        let marker = NewEntry::new(Role::User, Kind::Notice, pieces, Covers::Nothing);
        // Before the first message that stays.
        let last = gone.last().copied()?;
        gone.extend(orphans);
        let marker = BTreeMap::from([(last, vec![Slot::New(marker)])]);
        Some(Plan::mechanical(Layout::Whole(replacing(view, &gone, marker))))
    }
}

/// Whether the call of a result is hidden.
fn is_orphaned(view: &View, place: usize, gone: &[usize]) -> bool {
    let answers = view.at(place).and_then(|entry| entry.answers.as_ref());
    let call = answers.and_then(|id| view.position(view.pair(id)?.call?));
    call.is_some_and(|call| gone.contains(&call))
}

/// The messages as the source has them: an answer, or what stands between two, with system messages
/// left out. Summaries and markers are messages of their own.
fn messages(view: &View) -> Vec<Range<usize>> {
    let entries = view.entries();
    let goes_on = |before: &Entry, entry: &Entry| {
        let added =
            |one: &Entry| matches!(one.role, Role::User | Role::Tool) && one.kind == Kind::Message;
        added(before) && added(entry)
    };
    let mut messages: Vec<Range<usize>> = Vec::new();
    for (place, entry) in entries.iter().enumerate().filter(|(_, one)| one.role != Role::System) {
        match messages.last_mut() {
            Some(last) if last.end == place && goes_on(&entries[place - 1], entry) => {
                last.end = place + 1;
            }
            _ => messages.push(place..place + 1),
        }
    }
    messages
}

/// Whether the prompt leaves no room for the answer within what is allowed.
fn is_above(view: &View, context: &PlanContext) -> bool {
    let budget = context.budget;
    let used = view.counted() + budget.system + budget.schemas + budget.max_output;
    used > budget.window.share(ALLOWED)
}

/// An entry as text, without calls and answers.
fn item(entry: &Entry) -> Item {
    let mut pieces = Vec::new();
    if entry.role == Role::Tool {
        pieces.push(Piece::literal("[Tool Result]\n"));
    }
    pieces.push(Piece::quote(entry.id));
    for call in &entry.calls {
        pieces.push(Piece::literal(format!("\n[Tool Use: {}]\n", call.name)));
        pieces.push(Piece::arguments(entry.id, &call.id));
    }
    let role = if entry.role == Role::Assistant { Role::Assistant } else { Role::User };
    Item::Message { role, pieces, answers: None }
}

/// The `<command>` elements of the first message of the task.
fn workflows(past: Past) -> Vec<Piece> {
    static COMMAND: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"(?s)<command[^>]*>.*?</command>").ok());
    let first = past.messages.iter().find(|message| message.role != Role::System);
    let (Some(first), Some(command)) = (first, COMMAND.as_ref()) else { return Vec::new() };
    let mut pieces = Vec::new();
    for found in command.find_iter(&first.content) {
        pieces.push(Piece::literal(if pieces.is_empty() { WORKFLOWS } else { "\n" }));
        let of = Source::Log(first.id);
        pieces.push(Piece::Quote { of, bytes: Some((found.start(), found.end())) });
    }
    if !pieces.is_empty() {
        pieces.push(Piece::literal(REMINDED));
    }
    pieces
}

#[cfg(test)]
mod tests;
