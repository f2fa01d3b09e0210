//! goose's compaction (`goose`): crates/goose/src/context_mgmt/mod.rs of block/goose at 0036b81.
//!
//! Everything becomes a summary in the user's role. An answer of the assistant follows it that
//! tells the agent to go on, and then the last message of the user once more. It acts above 80 %
//! of the window (`GOOSE_AUTO_COMPACT_THRESHOLD`) when the user has just written, and where a
//! prompt is refused as too long. A summary is a message of the user to it, and is summarized
//! again.
//!
//! Where the summarizer refuses the history as too long, it is asked again without 10, 20, 50 and
//! at last all results of tools, from the middle outward. Faults kept: of an odd number of results
//! the last one is never left out, so that a single one always stays; and where there is no result
//! the same prompt is sent five times.
//!
//! Not known of the source, and ours: the words of the prompt and of the two answers, and that it
//! is checked when the user has written and at no other time (by its issues, not its code). Not as
//! in the source: the history stands in the message and not in the system prompt; a failure of
//! another kind is asked about again like a refusal for length, where goose asks its other model
//! once; what a user asks for by hand, without his message at the end, is no part of a replay.
//! Summaries of single tool calls exist in the source and are switched off there.

use crate::prelude::*;

const PROMPT: &str = include_str!("../prompts/goose.md");
const ASKED: &str = "Summarize this conversation as you were told.";
const CONVERSATION: &str = "\
The conversation was shortened: the message before this one sums it up. \
I go on from there, without a word about it.";
const TOOL_LOOP: &str = "\
The conversation was shortened: the message before this one sums it up. \
I go on with the task and call tools as I need them.";

/// Percent of the results that are left out, try by try.
const LEFT_OUT: [usize; 5] = [0, 10, 20, 50, 100];

parameters! {
    /// goose's compaction, as it comes.
    ///
    /// Keep-rule: the last message of the user. Pressure: the limit, in the pipeline file.
    pub struct Goose {}
}

impl Strategy for Goose {
    fn plan(&self, view: &View, context: &PlanContext) -> Decision {
        let Some(newest) = view.entries().last() else {
            return Decision::decline("the conversation is empty");
        };
        let is_turn = newest.role == Role::User;
        if !is_turn && !is_forced(context.occasion) {
            return Decision::decline("the user has not just written");
        }
        let says = |entry: &&Arc<Entry>| entry.role == Role::User && entry.content_len() > 0;
        let request = view.entries().iter().rfind(says).map(|entry| entry.id);
        let go_on = if request == Some(newest.id) { CONVERSATION } else { TOOL_LOOP };
        let tries = LEFT_OUT.into_iter().rev();
        let plan = tries.fold(None, |otherwise: Option<Box<Plan>>, percent| {
            let layout = Layout::Whole(layout(view, go_on, request));
            let plan = Plan::summarizing(layout, vec![summary_request(view, percent)]);
            Some(Box::new(Plan { otherwise, ..plan }))
        });
        plan.map_or(Decision::decline("there is no try"), |plan| Decision::Plan(*plan))
    }
}

/// The summary, the answer that goes on, and the last message of the user.
fn layout(view: &View, go_on: &str, request: Option<EntryId>) -> Vec<Slot> {
    let new = |role, kind, piece, covers| Slot::New(NewEntry::new(role, kind, vec![piece], covers));
    let summary = new(Role::User, Kind::Summary, Piece::answer(RequestId(0)), Covers::Rest);
    let go_on = new(Role::Assistant, Kind::Notice, Piece::literal(go_on), Covers::Nothing);
    let mut slots = cut_before(view, view.len(), vec![summary, go_on]);
    slots.extend(request.map(Slot::Keep));
    slots
}

/// The history as text, so many percent of its results left out.
fn summary_request(view: &View, percent: usize) -> SummaryRequest {
    let gone = left_out(view, percent);
    let mut asked = Vec::new();
    for (place, entry) in view.entries().iter().enumerate() {
        if entry.role == Role::System || gone.contains(&place) {
            continue;
        }
        let label = match entry.role {
            Role::Tool => "[user]: tool_response: ",
            Role::Assistant => "[assistant]: ",
            Role::User | Role::System => "[user]: ",
        };
        asked.extend([Piece::literal(label), Piece::quote(entry.id)]);
        for call in &entry.calls {
            asked.push(Piece::literal(format!("\ntool_request({}): ", call.name)));
            asked.push(Piece::arguments(entry.id, &call.id));
        }
        asked.push(Piece::literal("\n"));
    }
    asked.push(Piece::literal(ASKED));
    SummaryRequest::new(RequestId(0), Text::from(PROMPT), asked, Tokens::UNBOUNDED)
}

/// `filter_tool_responses`: the places of the results that are left out, from the middle outward.
fn left_out(view: &View, percent: usize) -> Vec<usize> {
    let entries = view.entries();
    let results: Vec<usize> =
        (0..view.len()).filter(|place| entries[*place].role == Role::Tool).collect();
    if percent == 0 || results.is_empty() {
        return Vec::new();
    }
    let count = (results.len() * percent / 100).max(1);
    let middle = results.len() / 2;
    let outward = |number: usize| match number % 2 {
        0 => middle.checked_sub(number / 2 + 1),
        _ => Some(middle + number / 2),
    };
    let chosen = (0..count).filter_map(|number| results.get(outward(number)?));
    chosen.copied().collect()
}
