//! Full replace (`full-replace`): the document of that name, which ports mistral-vibe 1.0.0
//! (vibe/core/agent.py at fa15fc9). Later versions went over to a design like Codex's.
//!
//! Where the document and the code it ports disagree or are silent:
//!
//! - results are filled in behind those that directly follow the call; a result that comes
//!   later all the same is then a second one, in the request and, after a failure, in the
//!   history;
//! - `messages[0]` is taken for the system prompt. Here the system prompt is no
//!   message, and whatever system messages the log holds stay;
//! - the recount is a call of 16 tokens to the provider; it is read here from the
//!   pressure's basis (`last-usage = "recount"`) and not billed;
//! - the threshold is 200,000 tokens unless set, 0 switches compaction off: a pipeline
//!   file leaves the stage out. A threshold above the model's window never fires;
//! - the document resets a session log that has no counterpart here.

use crate::prelude::*;

/// What asks for a summary, the last user message of the request: in our words, under the
/// source's seven headings, as heading lines so that `summary.sections` can tell which of
/// them an answer kept.
const PROMPT: &str = include_str!("../prompts/full-replace.md").trim_ascii_end();

const LAST_REQUEST: &str = "\n\nLast request from user was: ";

/// What is appended as the last request when none came since the last compaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LastRequest {
    /// The source's: the last message of role user, and if that is the previous summary, all
    /// of it. A compaction of a stretch without a request then holds all summaries before it.
    AsFound,
    /// The request that the previous summary had appended, and nothing else of it.
    Unnested,
}

parameters! {
    /// mistral-vibe 1.0's compaction: the model is asked in the conversation itself, with
    /// its tools, and its answer, with the last request word for word, replaces all but
    /// the system prompt.
    ///
    /// Faults kept: nested requests ([`LastRequest::AsFound`]); an answer that is empty or
    /// calls a tool is taken for a summary; nothing checks that the result is smaller; a
    /// failure raises and leaves the cleaned history with the compaction prompt in it.
    /// Requests that a harness wrote count as the user's. The answer's limit is ours.
    ///
    /// Keep-rules: the last request. Pressure: none of its own (the threshold is the
    /// pipeline file's).
    pub struct FullReplace {
        eligibility "last-request" last_request: LastRequest = LastRequest::AsFound,
            "what is appended where no request is new";
        request "max-tokens" max_tokens: Tokens = Tokens(4_096), "most tokens of the summary";
    }
}

impl Strategy for FullReplace {
    /// The source goes by role alone. The correction goes by kind.
    fn takes_for(&self, role: Role, _: &str, _: bool) -> Option<Taken> {
        match (self.last_request, role) {
            (LastRequest::Unnested, _) => None,
            (LastRequest::AsFound, Role::User) => Some(Taken::Human),
            (LastRequest::AsFound, _) => Some(Taken::Other),
        }
    }

    fn plan(&self, view: &View, _: &PlanContext) -> Decision {
        if view.entries().iter().all(|entry| entry.role == Role::System) {
            return Decision::decline("there is nothing to replace");
        }
        let history = cleaned(view);
        let prompt = vec![Piece::literal(PROMPT)];
        let request = SummaryRequest {
            frame: Frame::Agent { tools: true },
            items: history.iter().map(Cleaned::item).collect(),
            ..SummaryRequest::new(RequestId(0), Text::from(""), prompt, self.max_tokens)
        };
        let mut pieces = vec![Piece::answer(RequestId(0))];
        let last = view.entries().iter().rfind(|entry| entry.role == Role::User);
        // A message without words has no text content, and the source appends nothing then.
        let quote = last.filter(|last| last.content_len() > 0).and_then(|last| self.quoted(last));
        if let Some(quote) = quote {
            pieces.extend([Piece::literal(LAST_REQUEST), quote]);
        }
        let mut slots = kept_before(view, view.len(), |entry| entry.role == Role::System);
        slots.push(Slot::New(NewEntry::new(Role::User, Kind::Summary, pieces, Covers::Rest)));
        let mut failed: Vec<Slot> = history.iter().map(Cleaned::slot).collect();
        failed.push(notice((Role::User, PROMPT, None)));
        Decision::Plan(Plan {
            otherwise: Some(Box::new(Plan::mechanical(Layout::Whole(failed)))),
            then: Then::Raise,
            ..Plan::summarizing(Layout::Whole(slots), vec![request])
        })
    }
}

impl FullReplace {
    /// What is appended of the last user-role message.
    fn quoted(&self, last: &Entry) -> Option<Piece> {
        if self.last_request == LastRequest::AsFound || last.kind != Kind::Summary {
            return Some(Piece::quote(last.id));
        }
        Some(Piece::Quote { of: Source::Entry(last.id), bytes: Some(appended(last)?) })
    }
}

/// Where a summary holds the request that was appended to it. The words before it are
/// a part of their own, so a summary that imitates them is not taken for it.
fn appended(summary: &Entry) -> Option<(usize, usize)> {
    let place = summary.parts.iter().position(|part| &*part.text == LAST_REQUEST)?;
    let before = summary.parts[..=place].iter().map(|part| part.text.len()).sum();
    Some((before, summary.content_len()))
}

/// An entry of the history made valid: every call answered, no result last.
enum Cleaned {
    /// As it is.
    Entry(EntryId),
    /// In the place of a result that never came.
    Missing(CallId),
    /// Behind a result that would be last.
    Understood,
}

/// `fillMissingToolResponses`, then `ensureAssistantAfterTools`.
fn cleaned(view: &View) -> Vec<Cleaned> {
    let mut history = Vec::with_capacity(view.len());
    let mut open: Vec<CallId> = Vec::new();
    for entry in view.entries() {
        if entry.role != Role::Tool {
            history.extend(open.drain(..).map(Cleaned::Missing));
        }
        if let Some(id) = &entry.answers {
            open.retain(|call| call != id);
        }
        history.push(Cleaned::Entry(entry.id));
        open.extend(entry.calls.iter().map(|call| call.id.clone()));
    }
    let ends_in_tool =
        !open.is_empty() || view.entries().last().is_some_and(|entry| entry.role == Role::Tool);
    history.extend(open.into_iter().map(Cleaned::Missing));
    history.extend(ends_in_tool.then_some(Cleaned::Understood));
    history
}

/// Words of the harness: role, text and the call that they answer.
type Words = (Role, &'static str, Option<CallId>);

impl Cleaned {
    fn read(&self) -> Result<EntryId, Words> {
        match self {
            Cleaned::Entry(id) => Ok(*id),
            Cleaned::Missing(id) => Err((Role::Tool, "Tool no response", Some(id.clone()))),
            Cleaned::Understood => Err((Role::Assistant, "Understood.", None)),
        }
    }

    /// As the request shows it.
    fn item(&self) -> Item {
        self.read().map_or_else(
            |(role, text, answers)| Item::Message {
                role,
                pieces: vec![Piece::literal(text)],
                answers,
            },
            Item::Entry,
        )
    }

    /// As the history keeps it.
    fn slot(&self) -> Slot {
        self.read().map_or_else(notice, Slot::Keep)
    }
}

fn notice((role, text, answers): Words) -> Slot {
    let entry = NewEntry::new(role, Kind::Notice, vec![Piece::literal(text)], Covers::Nothing);
    Slot::New(NewEntry { answers, ..entry })
}

#[cfg(test)]
mod tests;
