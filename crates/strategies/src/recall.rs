//! Recall from an archive, by one rule (`archive-recall`).

use crate::plan::Recall;
use crate::prelude::*;
use crate::strategy::Scope;

parameters! {
    /// Before every call, the archive of what has left the view is asked for the latest request
    /// of the user, the last words of the assistant and the arguments of its calls; the best
    /// passages are sent at the end of the prompt as the result of a tool.
    ///
    /// The document on full replace has the model call `memory_search` when something is
    /// missing. A replayed model cannot, so a rule stands in that knows neither facts nor
    /// demands nor the answer to come: an upper bound on how often such a search is made and
    /// no bound on how well it is worded. Messages are archived, summaries are not.
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

    fn check(&self) -> Result<(), String> {
        none_is_zero(&[("passages", self.passages as u64), ("allowance", self.allowance.0)])
    }

    fn plan(&self, _: &View, context: &PlanContext) -> Decision {
        let messages = context.past.messages;
        let latest = |role: Role| messages.iter().rev().find(|message| message.role == role);
        let request = latest(Role::User).map(|request| &request.content);
        let said = latest(Role::Assistant).into_iter();
        let said = said.flat_map(|said| {
            [&said.content].into_iter().chain(said.calls.iter().map(|call| &call.args))
        });
        let query: String =
            request.into_iter().chain(said).flat_map(|text| [&**text, "\n"]).collect();
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
