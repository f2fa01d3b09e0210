//! Goat as its code has it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::goat::split::{self, Pairs};
use crate::goat::{conversation, replaced, unchanged};
use crate::ident::RequestId;
use crate::log::{Role, Text};
use crate::plan::{Covers, Decision, NewEntry, Piece, Plan, Slot, Source, SummaryRequest};
use crate::strategy::{Parameter, PlanContext, Strategy};
use crate::unit::Tokens;
use crate::view::{Entry, Kind, View};

const HEADER: &str = "[Previous conversation summary]\n\n";

/// The model that Goat summarizes with.
const MODEL: &str = "claude-haiku-4-5-20251001";

/// The prompt is ours: of the source's only the shape is known, one user message
/// with the conversation in it.
const PROMPT: &str = "Summarize the conversation below, which is about to be removed from the \
context of a coding agent. Your summary will stand in its place. Keep the decisions and their \
reasons, the facts that were found, what the user asked for and ruled out, the state of the work, \
and exact paths, names, values and error texts. Leave out pleasantries and the mechanics of tool \
calls.\n\nConversation:\n";

/// Goat's compactor as coded: what lies before the last 40 % of the context limit
/// becomes one user message.
///
/// Faults kept: the cut can part a result from its call ([`Pairs::StepBack`]); every
/// message is shown to the summarizer cut to 2000 bytes and without its calls, the
/// previous summary (up to 4096 tokens) among them; an empty answer is accepted; on
/// failure the old messages leave with nothing said. The preserve zone is a share of
/// the limit whatever else fills it: where the output reserve or the system prompt
/// is large, utilization stays above the threshold and it runs before every call, or
/// changes nothing at all (`unchanged`). Tokens are the pipeline's own (characters
/// over four and four a message; Go's `len` counts bytes, which differs beyond
/// ASCII).
///
/// Keep-rules: `preserve-share`, `pairs`. Pressure: none of its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Code {
    /// Share of the context limit that the preserved messages may fill.
    pub preserve_share: f64,
    /// What becomes of a split between a call and its result.
    pub pairs: Pairs,
    /// Most bytes of one message in the request.
    pub shown_bytes: usize,
    /// Most tokens of the summary.
    pub max_tokens: Tokens,
}

impl Default for Code {
    fn default() -> Code {
        Code {
            preserve_share: 0.40,
            pairs: Pairs::StepBack,
            shown_bytes: 2_000,
            max_tokens: Tokens(4_096),
        }
    }
}

impl Strategy for Code {
    fn parameters(&self) -> &'static [Parameter] {
        const {
            &[
                Parameter::eligibility("preserve-share", "share of the context limit that stays"),
                Parameter::eligibility("pairs", "what becomes of a split inside a tool pair"),
                Parameter::request("shown-bytes", "most bytes of one message in the request"),
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

    fn plan(&self, view: &View, context: &PlanContext) -> Decision {
        let messages = conversation(view);
        if messages.len() <= 1 {
            return Decision::decline("a single message is returned as it is");
        }
        let budget = context.budget.window.share(self.preserve_share);
        let split = split::by_tokens(messages.iter().map(|entry| entry.counted), budget);
        let split = self.pairs.adjusted(&messages, split);
        let (Some(first), true) = (messages.get(split), split > 0) else {
            return Decision::Plan(unchanged(view));
        };
        let summary = Slot::New(NewEntry {
            role: Role::User,
            kind: Kind::Summary,
            pieces: vec![Piece::literal(HEADER), Piece::answer(RequestId(0))],
            covers: Covers::Rest,
            answers: None,
            note: None,
        });
        let alone = Plan::mechanical(replaced(view, first, Vec::new()));
        Decision::Plan(Plan {
            otherwise: Some(Box::new(alone)),
            ..Plan::summarizing(
                replaced(view, first, vec![summary]),
                vec![self.request(&messages[..split])],
            )
        })
    }
}

impl Code {
    fn request(&self, old: &[Arc<Entry>]) -> SummaryRequest {
        let mut body = vec![Piece::literal(PROMPT)];
        for entry in old {
            body.push(Piece::literal(format!("\n[{}]: ", entry.role.name())));
            let bytes = (entry.content_len() > self.shown_bytes).then_some((0, self.shown_bytes));
            body.push(Piece::Quote { of: Source::Entry(entry.id), bytes });
        }
        SummaryRequest {
            model: Some(MODEL.to_owned()),
            ..SummaryRequest::new(RequestId(0), Text::from(""), body, self.max_tokens)
        }
    }
}
