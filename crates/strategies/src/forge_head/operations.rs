//! Which tool messages are old, whether it is time to fold them, and how a prompt shows
//! them: common to both generations of the tool-call tier.

use crate::forge;
use crate::forge_head::prompt;
use crate::ident::EntryId;
use crate::log::Role;
use crate::plan::Piece;
use crate::view::{Class, Entry, View};

/// When old tool messages are folded. Every number is in messages.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Trigger {
    pub(crate) older_than_messages: usize,
    pub(crate) min_tool_messages: usize,
    pub(crate) max_distance: usize,
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

impl Trigger {
    /// What is wrong with the numbers, if anything.
    pub(crate) fn check(self) -> Result<(), String> {
        if self.min_tool_messages == 0 {
            return Err("`min-tool-messages` is at least 1".to_owned());
        }
        Ok(())
    }

    /// The operations that are due, or why none are.
    pub(crate) fn due(self, view: &View) -> Result<Operations, &'static str> {
        let recent = view.len().saturating_sub(self.older_than_messages);
        let work = view.of(Class::Work).iter().filter_map(|id| view.position(*id));
        let old: Vec<usize> = work
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

/// What the summarizer is shown: the goal, the task, the numbered operations.
pub(crate) fn body(view: &View, operations: &Operations) -> Vec<Piece> {
    let mut body = Vec::new();
    let goal = operations.goal.and_then(|id| view.entry(id));
    if let Some(goal) = goal.filter(|goal| goal.content_len() > 0) {
        body.push(Piece::literal("## User Goal\n"));
        body.push(Piece::quote(goal.id));
        body.push(Piece::literal("\n\n---\n\n"));
    }
    body.push(Piece::Literal(prompt::operations()));
    for (number, group) in operations.groups.iter().enumerate() {
        body.push(Piece::literal(format!("\n--- Operation {} ---", number + 1)));
        for place in group {
            let entry = &view.entries()[*place];
            forge::told(&format!("[{}]", entry.role.name()), entry, &mut body);
        }
        body.push(Piece::literal("\n"));
    }
    body
}
