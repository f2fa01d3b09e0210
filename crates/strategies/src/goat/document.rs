//! Goat as its document has it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::goat::split::{self, Pairs};
use crate::goat::{check_share, replaced, split_off, summary};
use crate::ident::RequestId;
use crate::log::{Role, Text};
use crate::parameters;
use crate::plan::{Covers, Decision, Item, NewEntry, Piece, Plan, Slot, SummaryRequest, Then};
use crate::strategy::{Parameter, PlanContext, Strategy};
use crate::summarize::FailureClass;
use crate::unit::Tokens;
use crate::view::{Entry, Kind, View};

const HEADER: &str = "[COMPACT SUMMARY]\n";
const ANSWER: &str = "Understood.";

/// The document says that there is a prompt and what it is for; the words are ours.
const PROMPT: &str = include_str!("../../prompts/goat-document.md").trim_ascii_end();

/// What a failed summary leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnFailure {
    /// A placeholder stands where the summary would.
    Placeholder,
    /// The session ends.
    Raise,
}

parameters! {
    /// Goat's compactor as its document describes it: the last 40 % of the messages
    /// stay, all before them becomes a summary that the model is made to acknowledge.
    ///
    /// Chosen where the document is silent or contradicts itself: 40 % is of the number
    /// of messages (its drawing; the code has tokens); a split inside a tool pair moves
    /// back to the call (the text says "adjust to include tool_result" and not which
    /// way); the old messages are sent as they are, whole; the answer's limit is the
    /// code's; the placeholder's topic is the document's own ellipsis, as nothing says
    /// where it would come from. Where the preserve zone begins with the assistant, two
    /// assistant messages follow each other. One message alone is left as it is.
    ///
    /// With `pairs = "ignored"`, half of the messages and `on-failure = "raise"` it is
    /// the partner that the document compares itself with.
    ///
    /// Keep-rules: `preserve-share`, `pairs`. Pressure: none of its own.
    pub struct Document {
        eligibility "preserve-share" preserve_share: f64 = 0.40, "share of the messages that stay";
        eligibility "pairs" pairs: Pairs = Pairs::Kept,
            "what becomes of a split inside a tool pair";
        request "on-failure" on_failure: OnFailure = OnFailure::Placeholder,
            "a placeholder in the summary's place, or raise";
        request "max-tokens" max_tokens: Tokens = Tokens(4_096), "most tokens of the summary";
    }
}

impl Strategy for Document {
    fn parameters(&self) -> &'static [Parameter] {
        Document::PARAMETERS
    }

    fn check(&self) -> Result<(), String> {
        check_share(self.preserve_share)
    }

    fn plan(&self, view: &View, _: &PlanContext) -> Decision {
        let split = |messages: &[Arc<Entry>]| split::by_count(messages.len(), self.preserve_share);
        let (messages, split) = match split_off(view, self.pairs, split) {
            Ok(found) => found,
            Err(decision) => return decision,
        };
        let first = &messages[split];
        let layout = replaced(view, first, vec![summary(HEADER), acknowledged()]);
        let items = messages[..split].iter().map(|entry| Item::Entry(entry.id)).collect();
        let plan = Plan::summarizing(layout, vec![self.request(items)]);
        Decision::Plan(match self.on_failure {
            OnFailure::Placeholder => {
                Plan { otherwise: Some(Box::new(truncated(view, first, split))), ..plan }
            }
            OnFailure::Raise => Plan { then: Then::Raise, ..plan },
        })
    }
}

impl Document {
    /// An empty answer counts as a failure.
    fn request(&self, items: Vec<Item>) -> SummaryRequest {
        let prompt = vec![Piece::literal(PROMPT)];
        SummaryRequest {
            items,
            recover: [(FailureClass::Empty, Vec::new())].into(),
            ..SummaryRequest::new(RequestId(0), Text::from(""), prompt, self.max_tokens)
        }
    }
}

/// The placeholder stands for nothing: what left is gone.
fn truncated(view: &View, first: &Entry, old: usize) -> Plan {
    let said = format!(
        "{HEADER}[Context truncated. Earlier conversation contained {old} messages about: ...]"
    );
    Plan::mechanical(replaced(view, first, vec![notice(Role::User, said), acknowledged()]))
}

fn acknowledged() -> Slot {
    notice(Role::Assistant, ANSWER.to_owned())
}

fn notice(role: Role, text: String) -> Slot {
    let pieces = vec![Piece::literal(text)];
    Slot::New(NewEntry::new(role, Kind::Notice, pieces, Covers::Nothing))
}
