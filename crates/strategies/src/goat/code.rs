//! Goat as its code has it.

use std::sync::Arc;

use crate::goat::split::{self, Pairs};
use crate::goat::{check_share, replaced, split_off, summary};
use crate::ident::RequestId;
use crate::log::Text;
use crate::parameters;
use crate::plan::{Decision, Piece, Plan, Source, SummaryRequest};
use crate::strategy::{Parameter, PlanContext, Strategy};
use crate::unit::Tokens;
use crate::view::{Entry, View};

const HEADER: &str = "[Previous conversation summary]\n\n";

/// The model that Goat summarizes with.
const MODEL: &str = "claude-haiku-4-5-20251001";

/// The prompt is ours: of the source's only the shape is known, one user message
/// with the conversation in it.
const PROMPT: &str = include_str!("../../prompts/goat-code.md");

parameters! {
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
    pub struct Code {
        eligibility "preserve-share" preserve_share: f64 = 0.40,
            "share of the context limit that stays";
        eligibility "pairs" pairs: Pairs = Pairs::StepBack,
            "what becomes of a split inside a tool pair";
        request "shown-bytes" shown_bytes: usize = 2_000,
            "most bytes of one message in the request";
        request "max-tokens" max_tokens: Tokens = Tokens(4_096), "most tokens of the summary";
    }
}

impl Strategy for Code {
    fn parameters(&self) -> &'static [Parameter] {
        Code::PARAMETERS
    }

    fn check(&self) -> Result<(), String> {
        check_share(self.preserve_share)
    }

    fn plan(&self, view: &View, context: &PlanContext) -> Decision {
        let budget = context.budget.window.share(self.preserve_share);
        let split = |messages: &[Arc<Entry>]| {
            split::by_tokens(messages.iter().map(|entry| entry.counted), budget)
        };
        let (messages, split) = match split_off(view, self.pairs, split) {
            Ok(found) => found,
            Err(decision) => return decision,
        };
        let first = &messages[split];
        let alone = Plan::mechanical(replaced(view, first, Vec::new()));
        Decision::Plan(Plan {
            otherwise: Some(Box::new(alone)),
            ..Plan::summarizing(
                replaced(view, first, vec![summary(HEADER)]),
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
