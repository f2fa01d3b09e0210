//! Two tiers of Forge's code as they were in February 2026 (`forge-g2`), the ones whose
//! floor ADR-0041 sets out from. The goal tier of that time is the one of `forge-head`.
//!
//! Source: entrhq/forge at 56b6863, `pkg/agent/context`; Forge's own account of their
//! faults is `docs/findings/context-summarization-bugs.md`. What [`forge_head`] says of
//! the wire, the accounting, failures and prompts holds here too. Forge disabled this
//! threshold tier at ee116bb ("gets stuck in a loop") and later rewrote it.
//!
//! [`forge_head`]: crate::forge_head

use crate::forge::{Fold, folding, prompt};
use crate::forge_head::{self, note};
use crate::prelude::*;

/// Forge's `ToolCallSummarizationStrategy` at 56b6863: triggers, groups and request of
/// its successor, another rebuild.
///
/// After a batch the conversation is the system and user messages of the old window, the new
/// block, the recent messages. Everything else that was old leaves unread: earlier blocks and
/// plain assistant messages; every old user message stands before the one block that is left.
///
/// Keep-rules: all three numbers. Pressure: none.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ToolCall(pub forge_head::ToolCall);

impl ToolCall {
    /// Those of its successor.
    pub const PARAMETERS: &'static [Parameter] = forge_head::ToolCall::PARAMETERS;
}

impl Strategy for ToolCall {
    fn check(&self) -> Result<(), String> {
        self.0.check()
    }

    fn plan(&self, view: &View, context: &PlanContext) -> Decision {
        let operations = match self.0.due(view) {
            Ok(operations) => operations,
            Err(decline) => return decline,
        };
        let (summary, request) = self.0.fold(view, &operations, context).parts(RequestId(0));
        let stays = |entry: &Entry| matches!(entry.role, Role::System | Role::User);
        let mut slots = kept_before(view, operations.recent, stays);
        slots.push(summary);
        slots.extend(kept_from(view, operations.recent));
        summarizing(slots, request)
    }
}

parameters! {
    /// Forge's `ThresholdSummarizationStrategy` at 56b6863: at the threshold it folds blocks
    /// of up to ten assistant messages, oldest first, until none is left, whatever has been
    /// freed by then.
    ///
    /// A block is the next ten assistant messages that are no summary; a user message ends it
    /// once it has begun. Kept from the source: tool results count for nothing and stay raw, so
    /// each folded call leaves its result behind; nothing recent is protected, so the turn in
    /// progress is folded too; above the threshold every new assistant message is folded before
    /// the next call. One block is one plan: the pipeline says `repeat = "until-stable"`, and a
    /// failed request leaves the blocks before it folded, as in the source.
    ///
    /// Where ADR-0041 disagrees: it describes this tier, but not what becomes of results. As in
    /// `forge-head`, the recount of a pass in which an earlier tier acted leaves the system
    /// prompt out; the tier's own blocks do not count as such an act.
    ///
    /// Keep-rules: user messages, tool results, blocks. Pressure: the threshold.
    pub struct Threshold {
        request "messages-per-summary" messages_per_summary: usize = 10,
            "most assistant messages in a block";
        request "max-tokens" max_tokens: Tokens = Tokens(600), "most tokens of one summary";
        + model
    }
}

/// How the note of a block begins.
const BLOCK: &str = "summary_count=";

impl Strategy for Threshold {
    fn check(&self) -> Result<(), String> {
        none_is_zero(&[("messages-per-summary", self.messages_per_summary as u64)])
    }

    fn plan(&self, view: &View, context: &PlanContext) -> Decision {
        // After a block of this pass the inner loop is under way, and asks of no threshold.
        let note_of = forge_head::newest(view).and_then(|entry| entry.note.as_deref());
        let has_begun = note_of.is_some_and(|note| note.starts_with(BLOCK));
        if !has_begun && forge_head::below_by_recount(view, context) {
            return Decision::decline("below the threshold by the recount without system prompt");
        }
        let block = self.next_block(view);
        if block.is_empty() {
            return Decision::decline("no assistant message is left");
        }
        let numbered = |number, entry: &Entry| format!("{number}. {}", entry.role.name());
        let (most, model) = (self.max_tokens, &self.model);
        let fold = Fold::of(Kind::Summarized, &block, prompt::BLOCK, numbered, most, model);
        let counted = format!("{BLOCK}{}", block.len());
        folding(view, vec![fold.noted(note(&counted, view, context))])
    }
}

impl Threshold {
    fn next_block<'a>(&self, view: &'a View) -> Vec<&'a Entry> {
        let mut assistants = places(view, Class::Work)
            .map(|place| (place, &*view.entries()[place]))
            .filter(|(_, entry)| entry.role == Role::Assistant)
            .peekable();
        let Some((start, _)) = assistants.peek().copied() else { return Vec::new() };
        let user = view.entries()[start..].iter().position(|entry| entry.role == Role::User);
        let end = user.map_or(view.len(), |user| start + user);
        let block = assistants.take_while(|(place, _)| *place < end);
        block.take(self.messages_per_summary).map(|(_, entry)| entry).collect()
    }
}
