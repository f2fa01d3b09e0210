//! Tier 1: old tool calls become one `[SUMMARIZED]` block. Which tool messages are old,
//! whether it is time to fold them and how a prompt shows them is common to both versions
//! of the tier.

use serde::{Deserialize, Serialize};

use crate::forge::{Fold, folding, prompt, role, show};
use crate::forge_head::note;
use crate::ident::EntryId;
use crate::log::Role;
use crate::plan::{Decision, Piece};
use crate::slots::places;
use crate::strategy::{Parameter, PlanContext, Strategy};
use crate::unit::Tokens;
use crate::view::{Class, Entry, Kind, View};
use crate::{none_is_zero, parameters};

parameters! {
    /// When old tool messages are folded. Every number is in messages.
    pub struct OldCalls {
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
    pub(crate) groups: Vec<Vec<usize>>,
    /// The last user message before the recent ones.
    pub(crate) goal: Option<EntryId>,
    /// Where the recent messages begin.
    pub(crate) recent: usize,
}

impl Operations {
    /// Places of all grouped messages, ascending.
    pub(crate) fn places(&self) -> impl Iterator<Item = usize> + '_ {
        self.groups.iter().flatten().copied()
    }
}

/// An assistant message with calls, or a result, that is no summary.
pub(crate) fn is_tool_message(entry: &Entry) -> bool {
    let calls = entry.role == Role::Assistant && !entry.calls.is_empty();
    !entry.kind.is_summary() && (calls || entry.role == Role::Tool)
}

impl OldCalls {
    /// What is wrong with the numbers, if anything.
    pub(crate) fn check(&self) -> Result<(), String> {
        none_is_zero(&[("min-tool-messages", self.min_tool_messages as u64)])
    }

    /// The operations that are due, or why none are.
    pub(crate) fn due(&self, view: &View) -> Result<Operations, &'static str> {
        let recent = view.len().saturating_sub(self.older_than_messages);
        let old: Vec<usize> = places(view, Class::Work)
            .take_while(|place| *place < recent)
            .filter(|place| is_tool_message(&view.entries()[*place]))
            .collect();
        let Some(first) = old.first().copied() else {
            return Err("no tool message is old enough");
        };
        if old.len() < self.min_tool_messages && view.len() - first < self.max_distance {
            return Err("too few tool messages are old, and none is old enough alone");
        }
        let users = view.of(Class::User);
        let before = users.partition_point(|id| view.position(*id).is_some_and(|p| p < recent));
        Ok(Operations {
            groups: groups(view, first, recent),
            goal: before.checked_sub(1).map(|last| users[last]),
            recent,
        })
    }

    /// The block that stands for these operations. The request shows the goal, the task
    /// and the numbered operations.
    pub(crate) fn fold(&self, view: &View, operations: &Operations, context: &PlanContext) -> Fold {
        let mut body = Vec::new();
        let goal = operations.goal.and_then(|id| view.entry(id));
        if let Some(goal) = goal.filter(|goal| goal.content_len() > 0) {
            body.push(Piece::literal("## User Goal\n"));
            body.push(Piece::quote(goal.id));
            body.push(Piece::literal("\n\n---\n\n"));
        }
        body.push(Piece::literal(prompt::OPERATIONS));
        for (number, group) in operations.groups.iter().enumerate() {
            body.push(Piece::literal(format!("\n--- Operation {} ---", number + 1)));
            for entry in group.iter().map(|place| &view.entries()[*place]) {
                show(&role(0, entry), entry, &mut body);
            }
            body.push(Piece::literal("\n"));
        }
        let counted = format!("group_count={}", operations.groups.len());
        let covers = operations.places().map(|place| view.entries()[place].id);
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

/// Forge's `ToolCallSummarizationStrategy` at 0bff338 (`tool_call_strategy.go`).
///
/// Old are all messages but the last 20. When 10 tool messages among them are not
/// summarized yet, or when the first such message is 40 messages back, all of them go
/// into one request and become one block, where the first of them stood. Kept from the
/// source: calls and results both count towards the 10, though its comment says that
/// results do not, so it fires at five pairs; the window is cut at a message, so a call
/// may be folded and its result left (the result is folded alone later); a batch that
/// spans several user turns puts all their work behind the first user message; the
/// goal that the summarizer is told is the last user message of the old window, be it
/// newer than the work or a notice of the harness; a group may reach across an existing
/// block.
///
/// Where ADR-0014 disagrees: age in turns (10), a summary per call. ADR-0018's excluded
/// tools are gone from the code.
///
/// Keep-rules: all three numbers. Pressure: none.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ToolCall(pub OldCalls);

impl Strategy for ToolCall {
    fn parameters(&self) -> &'static [Parameter] {
        OldCalls::PARAMETERS
    }

    fn check(&self) -> Result<(), String> {
        self.0.check()
    }

    fn plan(&self, view: &View, context: &PlanContext) -> Decision {
        match self.0.due(view) {
            Ok(operations) => folding(view, vec![self.0.fold(view, &operations, context)]),
            Err(reason) => Decision::decline(reason),
        }
    }
}
