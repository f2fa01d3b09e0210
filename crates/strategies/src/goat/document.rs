//! Goat as its document has it.

use serde::{Deserialize, Serialize};

use crate::goat::split::{self, Pairs};
use crate::goat::{conversation, replaced, unchanged};
use crate::ident::RequestId;
use crate::log::{Role, Text};
use crate::plan::{Covers, Decision, Item, NewEntry, Piece, Plan, Slot, SummaryRequest, Then};
use crate::strategy::{Parameter, PlanContext, Strategy};
use crate::summarize::FailureClass;
use crate::unit::Tokens;
use crate::view::{Entry, Kind, View};

const HEADER: &str = "[COMPACT SUMMARY]\n";
const ANSWER: &str = "Understood.";

/// The document says that there is a prompt and what it is for; the words are ours.
const PROMPT: &str = "Summarize our conversation so far. Your summary will replace it, and the \
work goes on from there. Keep the key decisions and facts: what was asked for and ruled out, what \
was done, what was found, what is open, with exact paths, names, values and error texts.";

/// What a failed summary leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnFailure {
    /// A placeholder stands where the summary would.
    Placeholder,
    /// The session ends.
    Raise,
}

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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Document {
    /// Share of the messages that stay.
    pub preserve_share: f64,
    /// What becomes of a split between a call and its result.
    pub pairs: Pairs,
    /// What a failed summary leads to.
    pub on_failure: OnFailure,
    /// Most tokens of the summary.
    pub max_tokens: Tokens,
}

impl Default for Document {
    fn default() -> Document {
        Document {
            preserve_share: 0.40,
            pairs: Pairs::Kept,
            on_failure: OnFailure::Placeholder,
            max_tokens: Tokens(4_096),
        }
    }
}

impl Strategy for Document {
    fn parameters(&self) -> &'static [Parameter] {
        const {
            &[
                Parameter::eligibility("preserve-share", "share of the messages that stay"),
                Parameter::eligibility("pairs", "what becomes of a split inside a tool pair"),
                Parameter::request("on-failure", "a placeholder in the summary's place, or raise"),
                Parameter::request("max-tokens", "most tokens of the summary"),
            ]
        }
    }

    fn check(&self) -> Result<(), String> {
        if !(0.0..1.0).contains(&self.preserve_share) {
            return Err(format!("`preserve-share` {} is not between 0 and 1", self.preserve_share));
        }
        Ok(())
    }

    fn plan(&self, view: &View, _: &PlanContext) -> Decision {
        let messages = conversation(view);
        if messages.len() <= 1 {
            return Decision::decline("a single message is returned as it is");
        }
        let split = split::by_count(messages.len(), self.preserve_share);
        let split = self.pairs.adjusted(&messages, split);
        let (Some(first), true) = (messages.get(split), split > 0) else {
            return Decision::Plan(unchanged(view));
        };
        let summary = [Piece::literal(HEADER), Piece::answer(RequestId(0))];
        let summary = new(Role::User, Kind::Summary, summary.to_vec(), Covers::Rest);
        let layout = replaced(view, first, vec![summary, acknowledged()]);
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
    let said = new(Role::User, Kind::Notice, vec![Piece::literal(said)], Covers::Nothing);
    Plan::mechanical(replaced(view, first, vec![said, acknowledged()]))
}

fn acknowledged() -> Slot {
    new(Role::Assistant, Kind::Notice, vec![Piece::literal(ANSWER)], Covers::Nothing)
}

fn new(role: Role, kind: Kind, pieces: Vec<Piece>, covers: Covers) -> Slot {
    Slot::New(NewEntry { role, kind, pieces, covers, answers: None, note: None })
}
