//! LangChain's own middleware: [`Summarization`] is `SummarizationMiddleware` and
//! [`ClearToolUses`] is `ContextEditingMiddleware` with `ClearToolUsesEdit`, as langchain 1.5.2 and
//! langchain-core 1.8.3 have them. Both are written from the source, and their arithmetic is held
//! to numbers that the source computes (`langchain/cases.toml`).
//!
//! Tokens are `count_tokens_approximately`: four characters each, rounded up by message, and three
//! more a message. Beside the content it counts the role, the id of an answered call, and the calls
//! as Python prints them. System prompt and schemas are not counted.
//!
//! Not as in LangChain: in arguments, integers beyond 64 bits are printed as decimal fractions, and
//! `-0` is `-0.0`; arguments with raw control characters in texts are taken for invalid ones.

mod clear;
mod message;
mod python;

pub use clear::ClearToolUses;

use crate::plan::GiveUp;
use crate::prelude::*;
use message::{Message, count, report, shown, trimmed};
use proctor_external::quotes;

const HEADER: &str = "Here is a summary of the conversation to date:\n\n";

/// In the summary's place where no message of the user is among what the summarizer may be shown.
const TOO_LONG: &str = "Previous conversation was too long to summarize.";

/// What is asked, with the sections of the source in our words.
const PROMPT: &str = include_str!("../prompts/langchain.md");
const BEFORE: &str = "<messages>\nMessages to summarize:\n";
const BEHIND: &str = "\n</messages>";

/// Tries after the first that fails.
const RETRIES: u32 = 2;

parameters! {
    /// `SummarizationMiddleware.before_model`: all but the newest messages become one message of
    /// the user.
    ///
    /// It acts where its own count reaches the trigger, or where the usage does that the provider
    /// reported for the last answer. That usage also raises the count by up to a quarter. A cut
    /// inside of tool results goes back to the call that they answer, and forward past them where
    /// there is none; a cut at the first message changes nothing.
    ///
    /// Faults kept: only the newest `trim-to-summarize` tokens of what leaves are shown, from a
    /// message of the user on. Where there is none, a fixed sentence is the summary and nobody is
    /// asked. An empty answer and a refusal are an empty summary. An earlier summary is a message
    /// like any other, and a system message of the list can leave.
    ///
    /// An error or a time-out is tried three times; then the session ends. Not as in LangChain: a
    /// prompt that is refused as too long is sent again as it is, there with its middle cut out,
    /// and errors and time-outs of one summary count apart. What a message says is known to be
    /// quoted as the adapter for LangChain itself knows it (`adapters/langchain`), so that the two
    /// can be compared. Its trigger and keep can also be tokens, shares and lists; here the trigger
    /// is a share of the window, the example of its documentation, as its default is to never act.
    ///
    /// Keep-rule: `keep`. Pressure: `trigger-share`, `reported-usage`.
    pub struct Summarization {
        eligibility "keep" keep: usize = 20, "messages at the end that stay";
        pressure "trigger-share" trigger_share: f64 = 0.8, "share of the window at which it acts";
        pressure "reported-usage" reported_usage: bool = true,
            "whether the last answer carries the usage that a provider reports";
        request "trim-to-summarize" trim_to_summarize: Tokens = Tokens(4_000),
            "newest tokens of what leaves that the summarizer is shown, 0 for all";
    }
}

impl Strategy for Summarization {
    fn check(&self) -> Result<(), String> {
        none_is_zero(&[("keep", self.keep as u64)])?;
        check_share("trigger-share", self.trigger_share)
    }

    fn plan(&self, view: &View, context: &PlanContext) -> Decision {
        let mut messages: Vec<Message> =
            view.entries().iter().map(|one| Message::of(one)).collect();
        let fixed = context.budget.system + context.budget.schemas;
        let reported = self.reported_usage.then(|| report(&mut messages, view.counted(), fixed));
        let used = count(&messages).max(reported.flatten().unwrap_or_default());
        if used < self.trigger(context) {
            return Decision::decline("below the trigger");
        }
        let cut = cut(&messages, self.keep);
        if cut == 0 {
            return Decision::decline("nothing stands before what is kept");
        }
        messages.truncate(cut);
        let messages = match self.trim_to_summarize {
            Tokens::ZERO => messages,
            Tokens(most) => trimmed(messages, most),
        };
        let instead = |kind, said| {
            let pieces = vec![Piece::literal(HEADER), said];
            let summary = Slot::New(NewEntry::new(Role::User, kind, pieces, Covers::Rest));
            [summary].into_iter().chain(kept_from(view, cut)).collect()
        };
        if messages.is_empty() {
            return mechanical(instead(Kind::Notice, Piece::literal(TOO_LONG)));
        }
        let answer = Piece::Answer { first_of: vec![RequestId(0)], clean: Clean::Trim };
        let layout = Layout::Whole(instead(Kind::Summary, answer));
        let request = request(view, &shown(&messages));
        Decision::Plan(Plan { then: Then::Raise, ..Plan::summarizing(layout, vec![request]) })
    }
}

impl Summarization {
    fn trigger(&self, context: &PlanContext) -> u64 {
        let share = context.budget.window.share(self.trigger_share);
        if is_forced(context.occasion) { 1 } else { share.0.max(1) }
    }
}

/// One message of the user: the prompt, and the history as text. That text is no literal where
/// nothing is quoted either, so that a prompt of one's own has it as its material.
fn request(view: &View, history: &str) -> SummaryRequest {
    let history = quotes::pieces(history, view, &[]).into_iter().map(|piece| match piece {
        Piece::Literal(text) => Piece::Extract { text, of: Vec::new() },
        piece => piece,
    });
    let mut instruction = vec![Piece::literal(format!("{PROMPT}{BEFORE}"))];
    instruction.extend(history);
    instruction.push(Piece::literal(BEHIND));
    let again = [(FailureClass::Error, RETRIES), (FailureClass::TimeOut, RETRIES)];
    let again = again.into_iter().chain([(FailureClass::Overflow, 1)]);
    SummaryRequest {
        recover: again.map(|(class, times)| (class, vec![Recovery::Retry(times)])).collect(),
        give_up_on: BTreeMap::from([(FailureClass::Refusal, GiveUp::Nothing)]),
        ..SummaryRequest::new(RequestId(0), Text::from(""), instruction, Tokens::UNBOUNDED)
    }
}

/// `_find_safe_cutoff`: the place of the first message that stays.
fn cut(messages: &[Message], keep: usize) -> usize {
    let cut = messages.len().saturating_sub(keep);
    let results: Vec<&CallId> = messages[cut..]
        .iter()
        .take_while(|message| message.role == Role::Tool)
        .filter_map(|message| message.answers)
        .collect();
    if cut == 0 || messages.get(cut).is_none_or(|message| message.role != Role::Tool) {
        return cut;
    }
    let makes = |message: &Message| results.iter().any(|id| message.call(id).is_some());
    let is_result = |message: &Message| message.role == Role::Tool;
    messages[..cut].iter().rposition(makes).unwrap_or_else(|| {
        cut + messages[cut..].iter().take_while(|message| is_result(message)).count()
    })
}

/// A share of the window is above 0.
fn check_share(name: &str, share: f64) -> Result<(), String> {
    if share > 0.0 && share <= 1.0 {
        return Ok(());
    }
    Err(format!("`{name}` {share} is not above 0 and at most 1"))
}

#[cfg(test)]
mod tests;
