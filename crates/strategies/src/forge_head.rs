//! Forge's three tiers as its code has them (`forge-head`): entrhq/forge at 0bff338 (March
//! 2026), `pkg/agent/context`, wired in `cmd/forge/main.go` as ToolCall(20, 10, 40),
//! Threshold(80 %), GoalBatch(20, 3, 6) before every model call. Faults are kept.
//!
//! Where a summary fails, the records fail the turn; the code skips the later tiers and sends
//! the prompt of before the pass (`on-error = "abort-pass-send-stale"`). No tier looks at the
//! answer. Forge's wire is text: an assistant message with calls stands for one with `<tool>`
//! in it, and a pair that a cut parts offends no provider of Forge's.
//!
//! What the manager compares with the window holds the system prompt before the first tier
//! that acts and not after it. So that tier reports as saved what was never there
//! (`overstated_by` in the note of each new entry, in the pipeline's own tokens), and a later
//! tier of the pass sees too little.
//!
//! The prompts are ours; headings, labels and what is shown follow the source. `max-tokens` is
//! ours too. Forge takes its default for a parameter of 0; here 0 means none, or is refused.

use crate::forge::{self, Fold, Wording, closed_turns, folding, role, show};
use crate::prelude::*;
use crate::pressure::Occasion;

/// The newest entry.
pub(crate) fn newest(view: &View) -> Option<&Entry> {
    view.entry(EntryId(view.next_id().0.saturating_sub(1))).map(|entry| &**entry)
}

/// Whether a tier has acted in this pass: then the newest entry is its summary, as
/// every call of the model appends a message before the next pass.
fn recounted(view: &View) -> bool {
    newest(view).is_some_and(|entry| entry.kind.is_summary())
}

/// Tokens that the manager counts before the pass's first act and not after it.
fn uncounted_later(context: &PlanContext) -> Tokens {
    context.budget.system + context.budget.schemas
}

/// A note with what the manager reports as saved beyond the real saving.
pub(crate) fn note(counted: &str, view: &View, context: &PlanContext) -> String {
    let over = if recounted(view) { Tokens::ZERO } else { uncounted_later(context) };
    format!("{counted} overstated_by={}", over.0)
}

/// Whether the manager's recount keeps the threshold tier from acting. Only a deployed pass
/// has a manager; elsewhere the pressure is taken as met.
pub(crate) fn below_by_recount(view: &View, context: &PlanContext) -> bool {
    context.occasion == Occasion::BeforeCall
        && recounted(view)
        && context
            .reading
            .is_some_and(|reading| reading.used - uncounted_later(context) < reading.limit)
}

parameters! {
    /// Tier 1, Forge's `ToolCallSummarizationStrategy` (`tool_call_strategy.go`).
    ///
    /// Old are all messages but the last 20. When 10 tool messages among them are not summarized
    /// yet, or the first of them is 40 messages back, all go into one request and become one block
    /// where the first stood. Kept from the source: calls and results both count towards the 10,
    /// though its comment says that results do not, so it fires at five pairs; the window is cut
    /// at a message, so a result may be left and folded alone later; a batch that spans several
    /// user turns puts all their work behind the first user message; the goal that the summarizer
    /// is told is the last user message of the old window, be it newer than the work or a notice
    /// of the harness; a group may reach across an existing block.
    ///
    /// Where ADR-0014 disagrees: age in turns (10), a summary per call. ADR-0018's excluded
    /// tools are gone from the code.
    ///
    /// Keep-rules: all three numbers, in messages. Pressure: none.
    pub struct ToolCall {
        eligibility "older-than-messages" older_than_messages: usize = 20,
            "messages at the end never touched";
        eligibility "min-tool-messages" min_tool_messages: usize = 10,
            "old calls and results that make a batch";
        eligibility "max-distance" max_distance: usize = 40,
            "age in messages at which one makes a batch alone";
        request "max-tokens" max_tokens: Tokens = Tokens(600), "most tokens of one summary";
        + model
    }
}

/// The tool messages that are due, in groups, as places.
#[derive(Clone, Debug)]
pub(crate) struct Operations {
    groups: Vec<Vec<usize>>,
    /// The last user message before the recent ones.
    goal: Option<EntryId>,
    /// Where the recent messages begin.
    pub(crate) recent: usize,
}

/// An assistant message with calls, or a result, that is no summary.
fn is_tool_message(entry: &Entry) -> bool {
    let calls = entry.role == Role::Assistant && !entry.calls.is_empty();
    !entry.kind.is_summary() && (calls || entry.role == Role::Tool)
}

impl Strategy for ToolCall {
    fn check(&self) -> Result<(), String> {
        none_is_zero(&[("min-tool-messages", self.min_tool_messages as u64)])
    }

    fn plan(&self, view: &View, context: &PlanContext) -> Decision {
        let fold = |due| folding(view, vec![self.fold(view, &due, context)]);
        self.due(view).map_or_else(|decline| decline, fold)
    }
}

impl ToolCall {
    /// The operations that are due, or why none are.
    pub(crate) fn due(&self, view: &View) -> Result<Operations, Decision> {
        let recent = view.len().saturating_sub(self.older_than_messages);
        let old: Vec<usize> = places(view, Class::Work)
            .take_while(|place| *place < recent)
            .filter(|place| is_tool_message(&view.entries()[*place]))
            .collect();
        let Some(first) = old.first().copied() else {
            return Err(Decision::decline("no tool message is old enough"));
        };
        if old.len() < self.min_tool_messages && view.len() - first < self.max_distance {
            let reason = "too few tool messages are old, and none is old enough alone";
            return Err(Decision::decline(reason));
        }
        let users = view.of(Class::User);
        let before = users.partition_point(|id| view.position(*id).is_some_and(|p| p < recent));
        let goal = before.checked_sub(1).map(|last| users[last]);
        Ok(Operations { groups: groups(view, first, recent), goal, recent })
    }

    /// The block that stands for these operations. The request shows the goal, the task
    /// and the numbered operations.
    pub(crate) fn fold(&self, view: &View, operations: &Operations, context: &PlanContext) -> Fold {
        let mut body = Vec::new();
        let goal = operations.goal.and_then(|id| view.entry(id));
        if let Some(goal) = goal.filter(|goal| goal.content_len() > 0) {
            body.extend([Piece::literal("## User Goal\n"), Piece::quote(goal.id)]);
            body.push(Piece::literal("\n\n---\n\n"));
        }
        body.push(Piece::literal(include_str!("../prompts/forge-operations.md")));
        for (number, group) in (1..).zip(&operations.groups) {
            body.push(Piece::literal(format!("\n--- Operation {number} ---")));
            for entry in group.iter().map(|place| &view.entries()[*place]) {
                show(&role(0, entry), entry, &mut body);
            }
            body.push(Piece::literal("\n"));
        }
        let counted = format!("group_count={}", operations.groups.len());
        let covers = operations.groups.iter().flatten().map(|place| view.entries()[*place].id);
        let fold = Fold::new(Kind::Summarized, covers, body, self.max_tokens, &self.model);
        fold.noted(note(&counted, view, context))
    }
}

/// Runs of tool messages: a result closes its group, and so does a message that is
/// neither tool message, summary nor system message. Summaries and system messages in
/// between leave a group open.
fn groups(view: &View, first: usize, recent: usize) -> Vec<Vec<usize>> {
    let (mut groups, mut open) = (Vec::new(), Vec::new());
    for place in first..recent {
        let entry = &view.entries()[place];
        if entry.kind.is_summary() || entry.role == Role::System {
            continue;
        }
        let tool = is_tool_message(entry);
        if tool {
            open.push(place);
        }
        if !open.is_empty() && (!tool || entry.role == Role::Tool) {
            groups.push(std::mem::take(&mut open));
        }
    }
    if !open.is_empty() {
        groups.push(open);
    }
    groups
}

/// Least messages, system messages aside, that can be halved.
const LEAST: usize = 4;

parameters! {
    /// Tier 2, Forge's `ThresholdSummarizationStrategy` (`threshold_strategy.go`), the
    /// half-compaction.
    ///
    /// At its pressure, with at least four messages that are no system message, the older half
    /// of these by number (rounded down) becomes one block behind the system messages. Kept
    /// from the source: tokens that sit in the newer half stay, so the tier fires again before
    /// the next call, until three messages are left and it gives up above the threshold; user
    /// messages, pairs, turns and earlier blocks are all cut and folded alike; the half is sent
    /// whole however long it is; the conversation then begins with an assistant message.
    ///
    /// The pressure in the pipeline file is the manager's first count, system prompt included.
    /// Where a tier acted before this one in the pass, source and tier compare the recount,
    /// which leaves the system prompt out.
    ///
    /// Where the records disagree: ADR-0014 names a half-compaction and a target of 50 %, then
    /// describes groups of messages; ADR-0041 describes the older code (`forge-g2`). There is
    /// no target here. The threshold is a fraction there and a percentage here.
    ///
    /// Keep-rules: the newer half, the least of four. Pressure: the threshold.
    pub struct Threshold {
        request "max-tokens" max_tokens: Tokens = Tokens(600), "most tokens of one summary";
        + model
    }
}

impl Strategy for Threshold {
    fn plan(&self, view: &View, context: &PlanContext) -> Decision {
        if below_by_recount(view, context) {
            return Decision::decline("below the threshold by the recount without system prompt");
        }
        let is_system = |entry: &Entry| entry.role == Role::System;
        let entries = view.entries().iter().map(|entry| &**entry);
        let talk: Vec<&Entry> = entries.filter(|entry| !is_system(entry)).collect();
        if talk.len() < LEAST {
            return Decision::decline("fewer than four messages");
        }
        let (older, newer) = talk.split_at(talk.len() / 2);
        let numbered = |number, entry: &Entry| format!("{number}. {}", role(number, entry));
        let (most, model) = (self.max_tokens, &self.model);
        let task = include_str!("../prompts/forge-older-half.md");
        let fold = Fold::of(Kind::Summarized, older, task, numbered, most, model);
        let counted = format!("summary_count={}", older.len());
        let (summary, request) = fold.noted(note(&counted, view, context)).parts(RequestId(0));
        let mut slots = kept_before(view, view.len(), is_system);
        slots.push(summary);
        slots.extend(newer.iter().map(|entry| Slot::Keep(entry.id)));
        summarizing(slots, request)
    }
}

/// Tier 3, Forge's `GoalBatchCompactionStrategy` (`goal_batch_strategy.go`; the same since
/// 151df56 but for names).
///
/// Among all messages but the last 20, a turn is a user message and the run of `[SUMMARIZED]`
/// blocks directly behind it, told by metadata. When there are three, the oldest, at most six,
/// become one block where the first stood. Kept from the source: a turn counts as complete as
/// soon as one block follows its user message, so the turn that is still going on can be
/// taken, though ADR-0041 says that an incomplete turn is never eligible; blocks behind a raw
/// message are left without their user message; a turn is cut where the window ends, though
/// the source says that turns are never split; `[GOAL BATCH]` blocks are never batched again;
/// token pressure plays no part.
///
/// Keep-rules: `older-than-messages`, `min-turns`. Pressure: none. `max-turns` bounds a
/// request, not what is eligible.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct GoalBatch(pub forge::GoalBatch);

impl GoalBatch {
    /// Those of the records' tier.
    pub const PARAMETERS: &'static [Parameter] = forge::GoalBatch::PARAMETERS;
}

const WORDING: Wording = Wording {
    block: |block| format!("[summary {block}]: "),
    gap: "\n\n",
    too_few: "too few turns with a summary are old enough",
};

impl Strategy for GoalBatch {
    fn claims_whole_turns(&self) -> bool {
        self.0.claims_whole_turns()
    }

    fn check(&self) -> Result<(), String> {
        self.0.check_adjacent()?;
        self.0.check_numbers()
    }

    fn plan(&self, view: &View, context: &PlanContext) -> Decision {
        let old = self.0.old(view);
        let turns = closed_turns(view, old).map(|turn| turn.start..turn.end.min(old));
        let turns = turns.filter(|turn| turn.len() > 1);
        self.0.batch(view, turns, &WORDING, |counted| note(&counted, view, context))
    }
}

#[cfg(test)]
mod tests;
