//! `ContextEditingMiddleware` with `ClearToolUsesEdit`.

use super::check_share;
use super::message::{Message, count};
use crate::plan::{Base, Edit};
use crate::prelude::*;
use crate::strategy::Scope;

const PLACEHOLDER: &str = "[cleared]";

parameters! {
    /// `ClearToolUsesEdit` in a copy of each request: the history keeps its results, so once above
    /// the trigger it stays there.
    ///
    /// Oldest results first. One stays where the nearest assistant message before it did not make
    /// the call that it answers. `clear-at-least` ends the clearing once so many tokens are freed
    /// and is no condition for it, other than in the Anthropic API that it is named after. The
    /// placeholder also takes the place of a shorter result. The default of the source is a trigger
    /// of 100,000 tokens, for windows of 200,000; here it is that share of the window.
    ///
    /// The floor is that of the history, which nothing leaves.
    ///
    /// Keep-rules: `keep`, `exclude-tools`. Pressure: `trigger-share`, `clear-at-least`.
    pub struct ClearToolUses {
        eligibility "keep" keep: usize = 3, "results at the end that stay";
        eligibility "exclude-tools" exclude_tools: Vec<String> = Vec::new(),
            "tools whose results stay";
        eligibility "clear-tool-inputs" clear_tool_inputs: bool = false,
            "whether the arguments of a cleared result's call go too";
        pressure "trigger-share" trigger_share: f64 = 0.5, "share of the window above which it acts";
        pressure "clear-at-least" clear_at_least: u64 = 0,
            "tokens after which it stops, 0 for all that may go";
    }
}

impl Strategy for ClearToolUses {
    fn scope(&self) -> Scope {
        Scope::Request
    }

    fn asks(&self) -> bool {
        false
    }

    fn check(&self) -> Result<(), String> {
        check_share("trigger-share", self.trigger_share)
    }

    fn plan(&self, view: &View, context: &PlanContext) -> Decision {
        let messages: Vec<Message> = view.entries().iter().map(|one| Message::of(one)).collect();
        if count(&messages) <= context.budget.window.share(self.trigger_share).0 {
            return Decision::decline("not above the trigger");
        }
        let edits = self.edits(view, &messages);
        if edits.is_empty() {
            return Decision::decline("no result may be cleared");
        }
        Decision::Plan(Plan::mechanical(Layout::Edits { base: Base::View, edits }))
    }
}

impl ClearToolUses {
    fn edits(&self, view: &View, messages: &[Message]) -> Vec<Edit> {
        let results = messages.iter().filter(|message| message.role == Role::Tool).count();
        let mut left = results.saturating_sub(self.keep);
        let (mut edits, mut freed, mut caller) = (Vec::new(), 0, None);
        // Of the caller: the calls whose arguments are gone.
        let mut emptied: Vec<&CallId> = Vec::new();
        for (place, message) in messages.iter().enumerate() {
            if message.role == Role::Assistant {
                (caller, emptied) = (Some(place), Vec::new());
            }
            if message.role != Role::Tool {
                continue;
            }
            if left == 0 {
                break;
            }
            left -= 1;
            let Some(owner) = caller else { continue };
            let made = message.answers.and_then(|id| messages[owner].call(id));
            let Some(call) = made.filter(|call| !self.is_excluded(&call.name)) else { continue };
            freed += message.tokens as i64 - message.tokens_saying(PLACEHOLDER) as i64;
            edits.push(cleared(view, place, Some(PLACEHOLDER), None));
            if self.clear_tool_inputs {
                let before = messages[owner].tokens_without(&emptied);
                emptied.push(&call.id);
                freed += before as i64 - messages[owner].tokens_without(&emptied) as i64;
                edits.push(cleared(view, owner, None, Some(&call.id)));
            }
            if self.clear_at_least > 0 && freed >= self.clear_at_least as i64 {
                break;
            }
        }
        edits
    }

    fn is_excluded(&self, tool: &str) -> bool {
        self.exclude_tools.iter().any(|excluded| excluded == tool)
    }
}
