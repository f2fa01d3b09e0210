//! Recall from an archive, by one rule (`archive-recall`).

use crate::log::Role;
use crate::plan::{Decision, Layout, Plan, Recall};
use crate::strategy::{Parameter, PlanContext, Scope, Strategy};
use crate::unit::Tokens;
use crate::view::View;
use crate::{none_is_zero, parameters};

parameters! {
    /// Before every call, the archive of what has left the view is asked for the latest
    /// request of the user, the last words of the assistant and the arguments of its
    /// calls whose results are being answered; the best passages are sent at the end of
    /// the prompt as the result of a tool.
    ///
    /// The document on full replace has the model call `memory_search` when it finds that
    /// something is missing. A replayed model cannot, so this is completed by a rule that
    /// knows neither facts nor demands and never looks at the answer to come: an upper
    /// bound on how often such a search is made and no bound on how well it is worded.
    /// Summaries are not archived; the messages that they were made from are.
    ///
    /// Keep-rules: none, as nothing that is kept changes. Pressure: none.
    pub struct ArchiveRecall {
        request "allowance" allowance: Tokens = Tokens(2_000),
            "most tokens of what is recalled for a call";
        request "passages" passages: usize = 8, "most passages recalled for a call";
    }
}

impl Strategy for ArchiveRecall {
    fn scope(&self) -> Scope {
        Scope::Request
    }

    fn asks(&self) -> bool {
        false
    }

    fn parameters(&self) -> &'static [Parameter] {
        ArchiveRecall::PARAMETERS
    }

    fn check(&self) -> Result<(), String> {
        none_is_zero(&[("passages", self.passages as u64), ("allowance", self.allowance.0)])
    }

    fn plan(&self, _: &View, context: &PlanContext) -> Decision {
        let messages = context.past.messages;
        let latest = |role: Role| messages.iter().rev().find(|message| message.role == role);
        let mut query = String::new();
        let mut ask = |text: &str| {
            query.push_str(text);
            query.push('\n');
        };
        if let Some(request) = latest(Role::User) {
            ask(&request.content);
        }
        if let Some(said) = latest(Role::Assistant) {
            ask(&said.content);
            said.calls.iter().for_each(|call| ask(&call.args));
        }
        if query.trim().is_empty() {
            return Decision::decline("nothing was said yet");
        }
        let recall =
            Recall { query: query.into(), passages: self.passages, allowance: self.allowance };
        Decision::Plan(Plan::mechanical(Layout::Recall(recall)))
    }
}

#[cfg(test)]
mod tests;
