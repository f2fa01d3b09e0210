//! Google ADK's events compaction (`adk`): src/google/adk/apps/compaction.py at 94fca72 and
//! llm_event_summarizer.py at be6a2e8, the sliding window over invocations.
//!
//! After an invocation, where enough of them are new, the events from some before the first new one
//! to the last are replaced by one of the model. The summarizer reads what user and agent said; calls
//! and results are not shown. The record keeps the raw events, so that a range reaches back to
//! messages that have left the view, and summaries are never compacted again: they accumulate. A
//! failure means no compaction. An empty answer is taken for a summary.
//!
//! Newer versions also show calls and results, cut short, and have a threshold in tokens
//! (`adapters/google-adk` runs one). The words of the prompt and the limit of the answer are ours,
//! and so is that an invocation which still runs is left out wherever else this is asked.

use crate::ident::MsgId;
use crate::log::{Message, opens_turn};
use crate::prelude::*;
use crate::pressure::Occasion;
use crate::view::Spans;

const PROMPT: &str = include_str!("../prompts/adk.md");

parameters! {
    /// ADK's sliding window. It has no defaults; these are the numbers of its documentation.
    ///
    /// Keep-rules: `compaction-interval`, `overlap-size`. Pressure: none.
    pub struct Adk {
        eligibility "compaction-interval" interval: usize = 3,
            "new invocations from which on it acts";
        eligibility "overlap-size" overlap: usize = 1,
            "invocations before them that are summarized again";
        request "max-tokens" max_tokens: Tokens = Tokens(4_000), "most tokens of the summary";
    }
}

impl Strategy for Adk {
    fn check(&self) -> Result<(), String> {
        none_is_zero(&[("compaction-interval", self.interval as u64)])
    }

    fn plan(&self, view: &View, context: &PlanContext) -> Decision {
        let Some(range) = self.range(view, context) else {
            return Decision::decline("too few new invocations");
        };
        let spans: Spans = range.iter().map(|message| message.id).collect();
        let replaced: Vec<usize> = (0..view.len())
            .filter(|place| {
                let entry = &view.entries()[*place];
                entry.kind == Kind::Message && entry.covers.without(&spans).is_empty()
            })
            .collect();
        let Some(&place) = replaced.first() else {
            return Decision::decline("nothing of the range is in the view");
        };
        let pieces = vec![Piece::answer(RequestId(0))];
        let summary = NewEntry::new(Role::Assistant, Kind::Summary, pieces, Covers::Log(spans));
        let instead = BTreeMap::from([(place, vec![Slot::New(summary)])]);
        let layout = Layout::Whole(replacing(view, &replaced, instead));
        let plan = Plan::summarizing(layout, vec![self.request(view, range)]);
        Decision::Plan(Plan { then: Then::Continue, ..plan })
    }
}

impl Adk {
    /// Messages from the overlap before the first new invocation to the last that is over.
    fn range<'a>(&self, view: &View, context: &PlanContext<'a>) -> Option<&'a [Message]> {
        let messages = context.past.messages;
        let mut starts: Vec<usize> =
            (0..messages.len()).filter(|index| opens_turn(&messages[*index])).collect();
        let runs = if context.occasion == Occasion::TurnEnd { None } else { starts.pop() };
        let summaries = view.entries().iter().filter(|entry| entry.kind == Kind::Summary);
        let compacted = Spans::union(summaries.map(|entry| &entry.covers));
        let is_new = |start: &usize| !compacted.contains(messages[*start].id);
        let first = starts.iter().position(is_new)?;
        if starts.len() - first < self.interval {
            return None;
        }
        let from = starts[first.saturating_sub(self.overlap)];
        Some(&messages[from..runs.unwrap_or(messages.len())])
    }

    fn request(&self, view: &View, range: &[Message]) -> SummaryRequest {
        let standing = view.entries().iter().filter_map(|entry| Some((entry.origin?, entry.id)));
        let standing: BTreeMap<MsgId, EntryId> = standing.collect();
        // A message that an earlier summary replaced is still read from the log.
        let source = |message: &Message| match standing.get(&message.id) {
            Some(entry) => Source::Entry(*entry),
            None => Source::Log(message.id),
        };
        let mut asked = vec![Piece::literal(PROMPT)];
        let said = |message: &&Message| message.role != Role::Tool && !message.content.is_empty();
        for message in range.iter().filter(said) {
            asked.push(Piece::literal(format!("{}: ", message.role.name())));
            asked.push(Piece::Quote { of: source(message), bytes: None });
            asked.push(Piece::literal("\n"));
        }
        SummaryRequest::new(RequestId(0), Text::from(""), asked, self.max_tokens)
    }
}
