//! The compaction of cogni's roadmap, as its document has it (`roadmap-doc`: "Plan: Context
//! Compaction Roadmap", 2026-01-08) and as its Go code came out (`roadmap-code`:
//! `internal/agent/compaction.go`, `compaction_config.go`, its selectors, `SummarizeHistory`),
//! whose four tests are among ours. Where the two part:
//!
//! - **Prior summaries.** The document drops them after the summarizer has read them; the code
//!   filters them out first, so what only a summary still knew is gone, unseen.
//! - **A summary prompt that is too large.** The document trims the oldest items after a
//!   refusal; the code before it asks, by its own count, to the hard limit. With nothing left
//!   it asks nobody and drops the items.
//! - **A failed summary.** The document says nothing, so the call is made with the history as
//!   it was; the code ends the run with the error (`on-error = "raise"` in the pipeline file).
//! - **Defaults.** The fractions (0.8 of the hard limit, a quarter of the soft one) and the 0
//!   are the code's, where a number of outputs takes the place of the other rule.
//!
//! Common to both: everything is told by the beginning of the text, whoever wrote it; the
//! newest user message stays however long it is, and the first older one that does not fit ends
//! the selection; the summary is one assistant message at the end; an answer that calls a tool
//! is an error; an empty answer makes no summary, and the items are gone all the same.
//!
//! Chosen for this harness: the hard limit is the window (cogni's is the task's budget); tokens
//! are those of the pipeline's counter. In cogni a text and each call are items of their own:
//! here a kept call keeps its message without the text, which goes to the summarizer, and the
//! results of one message stay together. An assistant message with calls is never taken for a
//! summary. The prompt is ours, its five points are the code's; `max-tokens` is ours.

use crate::plan::Clean;
use crate::prelude::*;

/// What every summary begins with, and how one is told from other messages.
pub const SUMMARY_PREFIX: &str = "Summary of previous context:\n";

/// The instructions of the summarizer.
const PROMPT: &str = include_str!("../prompts/roadmap.md").trim_ascii_end();

parameters! {
    /// The policy of both profiles.
    ///
    /// Without a hard limit the soft limit is it, and without either the window. The soft limit
    /// is 0.8 of the hard one where none is given, the tokens of recent user messages a quarter
    /// of the soft limit, both rounded up. When the soft limit is passed is for the stage's
    /// pressure to say, and for the strategy where the stage has none.
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

impl Policy {
    /// The hard and the soft limit in a window, and the tokens of recent user messages.
    fn limits(&self, window: Tokens) -> [Tokens; 3] {
        let part = |of: Tokens, share: f64| Tokens((of.as_f64() * share).ceil() as u64);
        let hard = self.hard_limit.or(self.soft_limit).unwrap_or(window);
        let soft = self.soft_limit.unwrap_or_else(|| part(hard, 0.8));
        [hard, soft, self.recent_user_tokens.unwrap_or_else(|| part(soft, 0.25))]
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

impl<const READS_SUMMARIES: bool> Profile<READS_SUMMARIES> {
    /// Those of the policy.
    pub const PARAMETERS: &'static [Parameter] = Policy::PARAMETERS;
}

/// The document's profile: it does.
pub type Document = Profile<true>;

/// The code's profile: prior summaries go before the summarizer reads anything.
pub type Code = Profile<false>;

impl<const READS_SUMMARIES: bool> Strategy for Profile<READS_SUMMARIES> {
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
        let [hard, soft, recent_user] = self.0.limits(context.budget.window);
        // Where the stage has no pressure that was met, the soft limit is ours to see to.
        if context.reading.is_none() && view.counted() <= soft {
            return Decision::decline("within the soft limit");
        }
        let history = History::read(view, recent_user, self.0.recent_tool_outputs);
        let (items, recover, covers) = if READS_SUMMARIES {
            let trim = Recovery::TrimOldest { pairs: false, leave: 1 };
            let recover = (FailureClass::Overflow, vec![trim]);
            (history.unkept().collect(), Some(recover), Covers::Rest)
        } else {
            let unread = |place: &usize| history.sorts[*place] != Sort::Summary;
            let items: Vec<usize> = history.unkept().filter(unread).collect();
            // Whatever is not kept and no summary is folded, whether trimmed or shown; the
            // prior summaries are not: nothing stands for them.
            let folded = items.iter().filter(|place| history.kept[**place] == Kept::No);
            let covers = folded.map(|place| view.entries()[*place].id).collect();
            (trimmed(&history, items, hard), None, Covers::Entries(covers))
        };
        let mut slots = history.slots();
        if items.is_empty() {
            return match history.unkept().next() {
                None => Decision::decline("everything is kept by rule"),
                Some(_) => mechanical(slots),
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

/// What a message is, told by role and by how its text begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sort {
    /// The developer's or the project's.
    Instructions,
    Environment,
    /// Any other user message.
    User,
    /// A tool's.
    Output,
    /// Something that begins as a summary does.
    Summary,
    /// What the model said or called.
    Assistant,
}

impl Sort {
    fn told(role: Role, text: &str, calls: bool) -> Sort {
        let environment = ["<environment_context>", "<environment_diff>"];
        match role {
            Role::Tool => Sort::Output,
            _ if !calls && text.starts_with(SUMMARY_PREFIX) => Sort::Summary,
            Role::System => Sort::Instructions,
            Role::User if text.starts_with("# AGENTS.md instructions for ") => Sort::Instructions,
            Role::User if environment.iter().any(|tag| text.starts_with(tag)) => Sort::Environment,
            Role::User => Sort::User,
            Role::Assistant => Sort::Assistant,
        }
    }
}

/// Whether a message stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kept {
    /// It leaves.
    No,
    /// Its calls stay, what was said beside them leaves.
    Calls,
    /// It stays.
    Whole,
}

/// A view as cogni's compactor reads it: what each message is, and whether it stays.
struct History<'a> {
    view: &'a View,
    sorts: Vec<Sort>,
    kept: Vec<Kept>,
}

impl<'a> History<'a> {
    fn read(view: &'a View, user_budget: Tokens, outputs: usize) -> History<'a> {
        let entries = view.entries().iter();
        let sorts: Vec<Sort> = entries
            .map(|entry| Sort::told(entry.role, &entry.content(), !entry.calls.is_empty()))
            .collect();
        let mut history = History { view, kept: vec![Kept::No; sorts.len()], sorts };
        let stays = history.places(Sort::Instructions).chain(history.last(Sort::Environment));
        let stays = stays.collect();
        history.keep(stays);
        history.keep_recent_users(user_budget);
        history.keep_outputs(outputs);
        history
    }

    fn last(&self, sort: Sort) -> Option<usize> {
        self.places(sort).next_back()
    }

    fn places(&self, sort: Sort) -> impl DoubleEndedIterator<Item = usize> + '_ {
        (0..self.sorts.len()).filter(move |place| self.sorts[*place] == sort)
    }

    fn keep(&mut self, places: Vec<usize>) {
        places.into_iter().for_each(|place| self.kept[place] = Kept::Whole);
    }

    /// The newest first; the first that does not fit beside others ends it.
    fn keep_recent_users(&mut self, budget: Tokens) {
        let mut total = Tokens::ZERO;
        let fits = |place: &usize| {
            let tokens = self.view.entries()[*place].counted;
            let fits = total == Tokens::ZERO || total + tokens <= budget;
            total += tokens;
            fits
        };
        let users = self.places(Sort::User).rev().take_while(fits).collect();
        self.keep(users);
    }

    /// The last outputs, or with 0 those after the last user message, with their calls.
    fn keep_outputs(&mut self, last: usize) {
        let outputs: Vec<usize> = match (last, self.last(Sort::User)) {
            (0, None) => Vec::new(),
            (0, Some(user)) => self.places(Sort::Output).filter(|place| *place > user).collect(),
            (last, _) => self.places(Sort::Output).rev().take(last).collect(),
        };
        for place in outputs {
            self.kept[place] = Kept::Whole;
            self.keep_call(place);
        }
    }

    /// The call that an output answers, with the other results of its message.
    fn keep_call(&mut self, output: usize) {
        let answered = self.view.entries()[output].answers.as_ref();
        let call = answered.and_then(|id| self.view.pair(id)?.call);
        let Some(place) = call.and_then(|call| self.view.position(call)) else { return };
        if place > output || self.kept[place] != Kept::No {
            return;
        }
        let message = &self.view.entries()[place];
        self.kept[place] = if message.content_len() == 0 { Kept::Whole } else { Kept::Calls };
        let pairs = message.calls.iter().filter_map(|call| self.view.pair(&call.id));
        let results = pairs.flat_map(|pair| &pair.results);
        self.keep(results.filter_map(|id| self.view.position(*id)).collect());
    }

    /// Messages that leave, in whole or in part.
    fn unkept(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.kept.len()).filter(|place| self.kept[*place] != Kept::Whole)
    }

    /// What of a message leaves, for the summarizer.
    fn item(&self, place: usize) -> Item {
        let entry = &self.view.entries()[place];
        if self.kept[place] != Kept::Calls {
            return Item::Entry(entry.id);
        }
        Item::Message { role: entry.role, pieces: vec![Piece::quote(entry.id)], answers: None }
    }

    /// What of a message leaves, in tokens of the pipeline's counter; a text parted from
    /// its calls by the source's own estimate.
    fn prompt_tokens(&self, place: usize) -> Tokens {
        let entry = &self.view.entries()[place];
        match self.kept[place] {
            Kept::No | Kept::Whole => entry.counted,
            Kept::Calls => Tokens(entry.content_len() as u64 / 4),
        }
    }

    /// What stays, in order.
    fn slots(&self) -> Vec<Slot> {
        let touched: Vec<usize> = self.unkept().collect();
        let bare =
            |place: &usize| (*place, vec![reworded(&self.view.entries()[*place], Vec::new())]);
        let calls = touched.iter().filter(|place| self.kept[**place] == Kept::Calls);
        replacing(self.view, &touched, calls.map(bare).collect())
    }
}

#[cfg(test)]
mod tests;
