//! Context management of the Claude API, as its documentation has it
//! (platform.claude.com/docs/en/build-with-claude: context-editing and compaction, 2025 and 2026):
//! [`ClearToolUses`] is `clear_tool_uses_20250919` and [`Compact`] is `compact_20260112`.
//!
//! The first clears old tool results in each prompt above a threshold, on the server: the history
//! of the client keeps them. The second has the model write a summary when the prompt reaches a
//! threshold. The summary is a block of the assistant's answer, and all before it is ignored from
//! then on.
//!
//! The documents of compaction say "exceed" the trigger at first and "reach" it later; the later
//! wording holds here. They name the text of no placeholder, and the prompt for a summary only as
//! one that asks for an element `<summary>` with what the task needs in a later window: both are
//! ours, and so is the limit of the answer.
//!
//! Not known of the source, and ours: what is freed is counted without the placeholder; results of
//! excluded tools count among those that are kept; a result without a call stays. A threshold can
//! also be a number of tool uses, `clear_tool_inputs` a list of tools, and `pause_after_compaction`
//! lets a client add messages behind the summary; none of these is here.
//!
//! The third edit, `clear_thinking_20251015`, drops thinking of earlier turns. No log holds
//! thinking, so that there is nothing to drop, and no strategy for it.

use crate::plan::Base;
use crate::prelude::*;
use crate::strategy::Scope;

const PLACEHOLDER: &str = "[This result was cleared to save room]";
const PROMPT: &str = include_str!("../prompts/anthropic-compact.md").trim_ascii_end();

parameters! {
    /// `clear_tool_uses_20250919`: all tool results but the newest give way to a placeholder in
    /// what is sent. `clear-at-least` is a gate: where less would be freed, nothing is cleared.
    ///
    /// The floor is that of the history, which nothing leaves.
    ///
    /// Keep-rules: `keep`, `exclude-tools`. Pressure: `clear-at-least`, and the trigger in the
    /// pipeline file.
    pub struct ClearToolUses {
        eligibility "keep" keep: usize = 3, "tool uses at the end whose results stay";
        eligibility "exclude-tools" exclude_tools: Vec<String> = Vec::new(),
            "tools whose results stay";
        eligibility "clear-tool-inputs" clear_tool_inputs: bool = false,
            "whether the arguments of a cleared result's call go too";
        pressure "clear-at-least" clear_at_least: Tokens = Tokens(0),
            "reference tokens that are freed, or nothing is cleared";
    }
}

impl Strategy for ClearToolUses {
    fn scope(&self) -> Scope {
        Scope::Request
    }

    fn asks(&self) -> bool {
        false
    }

    fn plan(&self, view: &View, _: &PlanContext) -> Decision {
        let entries = view.entries();
        let is_result = |place: &usize| entries[*place].role == Role::Tool;
        let results: Vec<usize> = (0..entries.len()).filter(is_result).collect();
        let (mut edits, mut freed) = (Vec::new(), Tokens::ZERO);
        for &place in &results[..results.len().saturating_sub(self.keep)] {
            let Some((owner, number)) = owner(view, place) else { continue };
            let call = &entries[owner].calls[number];
            if self.exclude_tools.iter().any(|tool| *tool == *call.name) {
                continue;
            }
            freed += entries[place].counts.content;
            edits.push(cleared(view, place, Some(PLACEHOLDER), None));
            if self.clear_tool_inputs {
                freed += entries[owner].counts.calls.get(number).copied().unwrap_or_default();
                edits.push(cleared(view, owner, None, Some(&call.id)));
            }
        }
        if edits.is_empty() || freed < self.clear_at_least {
            return Decision::decline("too little can be cleared");
        }
        Decision::Plan(Plan::mechanical(Layout::Edits { base: Base::View, edits }))
    }
}

/// Where the call of a result stands: the entry, and its number there.
fn owner(view: &View, place: usize) -> Option<(usize, usize)> {
    let id = view.at(place)?.answers.as_ref()?;
    let owner = view.position(view.pair(id)?.call?)?;
    Some((owner, view.at(owner)?.calls.iter().position(|call| call.id == *id)?))
}

parameters! {
    /// `compact_20260112`: a summary in the assistant's role takes the place of everything, the
    /// message that is about to be answered too. The same model writes it, with the tools at hand;
    /// where it calls one instead, nothing is compacted. Earlier summaries are read again.
    ///
    /// Keep-rules: system messages. Pressure: the trigger, in the pipeline file.
    pub struct Compact {
        request "max-tokens" max_tokens: Tokens = Tokens(8_000), "most tokens of the summary";
    }
}

impl Strategy for Compact {
    fn plan(&self, view: &View, _: &PlanContext) -> Decision {
        if view.entries().iter().all(|entry| entry.role == Role::System || entry.kind.is_summary())
        {
            return Decision::decline("nothing was said since the last summary");
        }
        let pieces = vec![Piece::Answer {
            first_of: vec![RequestId(0)],
            clean: Clean::Element("summary".to_owned()),
        }];
        let mut slots = kept_before(view, view.len(), |entry| entry.role == Role::System);
        slots.push(Slot::New(NewEntry::new(Role::Assistant, Kind::Summary, pieces, Covers::Rest)));
        let prompt = vec![Piece::literal(PROMPT)];
        summarizing(
            slots,
            SummaryRequest {
                frame: Frame::Agent { tools: true },
                items: view.entries().iter().map(|entry| Item::Entry(entry.id)).collect(),
                recover: BTreeMap::from([(FailureClass::ToolCall, Vec::new())]),
                ..SummaryRequest::new(RequestId(0), Text::from(""), prompt, self.max_tokens)
            },
        )
    }
}

#[cfg(test)]
mod tests;
