//! The compaction of cogni's roadmap, as its document has it (`roadmap-doc`) and as its
//! code came out (`roadmap-code`).
//!
//! Sources: "Plan: Context Compaction Roadmap" (cogni, 2026-01-08), whose order and
//! policy the document profile follows, and cogni's Go code of the same time
//! (`internal/agent/compaction.go`, `compaction_config.go`, its selectors and
//! `SummarizeHistory`), read whole, whose four tests are among ours. Where the two part:
//!
//! - **Prior summaries.** The document drops them when it rebuilds the history, after
//!   the summarizer has read what is older; the code filters them out first, so what
//!   only a summary still knew is gone at the next compaction, unseen. A history in which
//!   everything else is kept by rule loses its summary and gets no other.
//! - **A summary prompt that is too large.** The document trims the oldest items "before
//!   retrying", after a refusal; the code trims before it asks, by its own count, to the
//!   hard limit. Its error "summary prompt exceeds limit after trimming" cannot occur:
//!   the loop before it ends only when the rest fits or nothing is left, and with nothing
//!   left it asks nobody and drops the items without a word.
//! - **A failed summary.** The document says nothing: the call is made with the history as
//!   it was. The code leaves the history as it was too, and ends the run with the error;
//!   the pipeline file says `on-error = "raise"`.
//! - **Defaults.** The document names "a fraction" of the budget and no tool policy; the
//!   fractions (0.8 of the hard limit, a quarter of the soft one) and the 0 are the code's.
//!   "The last N tool outputs or those after the last user message" is exclusive in the
//!   code: a number takes the place of the other rule.
//!
//! Common to both: everything is told by the beginning of the text, whoever wrote it; the
//! newest user message stays however long it is, and the first older one that does not
//! fit ends the selection; what is kept keeps its order; the summary is one assistant
//! message at the end; the summarizer gets a system prompt and the items, no tools; an
//! answer that calls one is an error; an empty answer makes no summary, and the items are
//! gone all the same.
//!
//! Chosen for this harness: the hard limit is the window (cogni's is the task's budget of
//! tokens; past it the run ends with "budget exceeded", here with an overflow); tokens are
//! those of the pipeline's counter (cogni divides all bytes by four at once). In cogni a
//! text and each call are items of their own: here a kept call keeps its message without
//! the text, which goes to the summarizer, and the results of one message stay together,
//! as calls cannot be taken out of it. An assistant message with calls is never taken for
//! a summary. The prompt is ours, its five points are the code's; no source limits an
//! answer's length, so `max-tokens` is ours.

mod history;

use serde::{Deserialize, Serialize};

use crate::ident::RequestId;
use crate::log::{Role, Text};
use crate::parameters;
use crate::plan::{Clean, Covers, Decision, NewEntry, Piece, Recovery, Slot, SummaryRequest};
use crate::slots::{mechanical, summarizing};
use crate::strategy::{Parameter, PlanContext, Strategy, Taken};
use crate::summarize::FailureClass;
use crate::unit::Tokens;
use crate::view::{Kind, View};
use history::{History, Kept, Sort};

/// What every summary begins with, and how one is told from other messages.
pub const SUMMARY_PREFIX: &str = "Summary of previous context:\n";

/// The instructions of the summarizer.
const PROMPT: &str = include_str!("../prompts/roadmap.md").trim_ascii_end();

parameters! {
    /// The policy of both profiles.
    ///
    /// Without a hard limit the soft limit is it, and without either the window. The soft
    /// limit is 0.8 of the hard one where none is given, the tokens of recent user messages
    /// a quarter of the soft limit, both rounded up. When the soft limit is passed is for
    /// the stage's pressure to say, and for the strategy where the stage has none.
    ///
    /// Keep-rules: `recent-user-tokens` (and the limits, from which its default follows),
    /// `recent-tool-outputs`. Pressure: the soft limit, in the pipeline file.
    pub struct Policy {
        request "hard-limit" hard_limit: Option<Tokens> = None,
            "tokens that the summary prompt may have; the window";
        eligibility "soft-limit" soft_limit: Option<Tokens> = None,
            "tokens from which to compact; 0.8 of the hard limit";
        eligibility "recent-user-tokens" recent_user_tokens: Option<Tokens> = None,
            "tokens of recent user messages kept; soft / 4";
        eligibility "recent-tool-outputs" recent_tool_outputs: usize = 0,
            "last tool outputs kept; 0 keeps those after the last user message";
        request "max-tokens" max_tokens: Tokens = Tokens(2_000), "most tokens of the summary";
    }
}

/// The numbers of a policy in a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Limits {
    hard: Tokens,
    soft: Tokens,
    recent_user: Tokens,
}

impl Policy {
    fn limits(&self, window: Tokens) -> Limits {
        let part = |of: Tokens, share: f64| Tokens((of.as_f64() * share).ceil() as u64);
        let hard = self.hard_limit.or(self.soft_limit).unwrap_or(window);
        let soft = self.soft_limit.unwrap_or_else(|| part(hard, 0.8));
        let recent_user = self.recent_user_tokens.unwrap_or_else(|| part(soft, 0.25));
        Limits { hard, soft, recent_user }
    }

    fn check(&self) -> Result<(), String> {
        let numbers = [
            ("hard-limit", self.hard_limit),
            ("soft-limit", self.soft_limit),
            ("recent-user-tokens", self.recent_user_tokens),
        ];
        match numbers.iter().find(|(_, number)| *number == Some(Tokens::ZERO)) {
            Some((name, _)) => {
                Err(format!("`{name}` is 0: leave it out, and its default holds, as in the source"))
            }
            None => Ok(()),
        }
    }
}

/// A profile of the roadmap, by whether the summarizer reads prior summaries before they
/// go.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Profile<const READS_SUMMARIES: bool>(pub Policy);

/// The document's profile: it does.
pub type Document = Profile<true>;

/// The code's profile: prior summaries go before the summarizer reads anything.
pub type Code = Profile<false>;

impl<const READS_SUMMARIES: bool> Strategy for Profile<READS_SUMMARIES> {
    fn parameters(&self) -> &'static [Parameter] {
        Policy::PARAMETERS
    }

    /// What the source's selectors take an item for: all by the beginning of its text.
    fn takes_for(&self, role: Role, content: &str, calls: bool) -> Option<Taken> {
        Some(match Sort::told(role, content, calls) {
            Sort::Summary => Taken::Summary,
            Sort::User => Taken::Human,
            Sort::Instructions | Sort::Environment | Sort::Output | Sort::Assistant => Taken::Other,
        })
    }

    fn check(&self) -> Result<(), String> {
        self.0.check()
    }

    fn plan(&self, view: &View, context: &PlanContext) -> Decision {
        let limits = self.0.limits(context.budget.window);
        // Where the stage has no pressure that was met, the soft limit is ours to see to.
        if context.reading.is_none() && view.counted() <= limits.soft {
            return Decision::decline("within the soft limit");
        }
        let history = History::read(view, limits.recent_user, self.0.recent_tool_outputs);
        let (items, recover, covers) = if READS_SUMMARIES {
            let trim = Recovery::TrimOldest { pairs: false, leave: 1 };
            let recover = (FailureClass::Overflow, vec![trim]);
            (history.unkept().collect(), Some(recover), Covers::Rest)
        } else {
            let unread = |place: &usize| !history.is_summary(*place);
            let items: Vec<usize> = history.unkept().filter(unread).collect();
            // Whatever is not kept and no summary is folded, whether trimmed or shown; the
            // prior summaries are not: nothing stands for them.
            let folded = items.iter().filter(|place| history.kept(**place) == Kept::No);
            let covers = folded.map(|place| view.entries()[*place].id).collect();
            (trimmed(&history, items, limits.hard), None, Covers::Entries(covers))
        };
        let mut slots = history.slots();
        if items.is_empty() {
            return match history.keeps_all() {
                true => Decision::decline("everything is kept by rule"),
                false => mechanical(slots),
            };
        }
        let system = Text::from(PROMPT);
        let request = SummaryRequest {
            items: items.iter().map(|place| history.item(*place)).collect(),
            recover: [(FailureClass::ToolCall, vec![])].into_iter().chain(recover).collect(),
            ..SummaryRequest::new(RequestId(0), system, Vec::new(), self.0.max_tokens)
        };
        let answer = Piece::Answer { first_of: vec![request.id], clean: Clean::Trim };
        let pieces = vec![Piece::literal(SUMMARY_PREFIX), answer];
        let summary = NewEntry::new(Role::Assistant, Kind::Summary, pieces, covers);
        slots.push(Slot::NewUnlessEmpty(summary));
        summarizing(slots, request)
    }
}

/// The items without the oldest that make the prompt exceed the limit; perhaps none.
fn trimmed(history: &History, items: Vec<usize>, limit: Tokens) -> Vec<usize> {
    let mut tokens = Tokens(PROMPT.len() as u64 / 4);
    tokens += items.iter().map(|place| history.prompt_tokens(*place)).sum();
    let oldest = |place: &usize| {
        let exceeds = tokens > limit;
        tokens -= history.prompt_tokens(*place);
        exceeds
    };
    items.into_iter().skip_while(oldest).collect()
}

#[cfg(test)]
mod tests;
