//! Tier 1: old tool calls become one `[SUMMARIZED]` block.

use serde::{Deserialize, Serialize};

use crate::forge::{FoldedBlock, MODEL, folding, prompt, request};
use crate::forge_head::note;
use crate::forge_head::operations::{Trigger, body};
use crate::ident::EntryId;
use crate::plan::Decision;
use crate::strategy::{Parameter, PlanContext, Strategy};
use crate::unit::Tokens;
use crate::view::{Kind, View};

/// Forge's `ToolCallSummarizationStrategy` at 0bff338 (`tool_call_strategy.go`).
///
/// Old are all messages but the last 20. When 10 tool messages among them are not
/// summarized yet, or when the first such message is 40 messages back, all of them go
/// into one request and become one block, where the first of them stood. Kept from the
/// source: calls and results both count towards the 10, though its comment says that
/// results do not, so it fires at five pairs; the window is cut at a message, so a call
/// may be folded and its result left (the result is folded alone later); a batch that
/// spans several user turns puts all their work behind the first user message; the
/// goal that the summarizer is told is the last user message of the old window, be it
/// newer than the work or a notice of the harness; a group may reach across an existing
/// block.
///
/// Where ADR-0014 disagrees: age in turns (10), a summary per call. ADR-0018's excluded
/// tools are gone from the code.
///
/// Keep-rules: all three numbers. Pressure: none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct ToolCall {
    /// Messages at the end that are never touched.
    pub older_than_messages: usize,
    /// Old calls and results that make a batch.
    pub min_tool_messages: usize,
    /// Distance in messages at which an old call or result makes one alone.
    pub max_distance: usize,
    /// Most tokens of one summary.
    pub max_tokens: Tokens,
    /// A model of its own (ADR-0042).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

impl Default for ToolCall {
    fn default() -> ToolCall {
        ToolCall {
            older_than_messages: 20,
            min_tool_messages: 10,
            max_distance: 40,
            max_tokens: Tokens(600),
            model: None,
        }
    }
}

impl ToolCall {
    fn trigger(&self) -> Trigger {
        Trigger {
            older_than_messages: self.older_than_messages,
            min_tool_messages: self.min_tool_messages,
            max_distance: self.max_distance,
        }
    }
}

/// Parameters of both generations of the tier.
pub(crate) const PARAMETERS: &[Parameter] = &[
    Parameter::eligibility("older-than-messages", "messages at the end never touched"),
    Parameter::eligibility("min-tool-messages", "old calls and results that make a batch"),
    Parameter::eligibility("max-distance", "age in messages at which one makes a batch alone"),
    Parameter::request("max-tokens", "most tokens of one summary"),
    MODEL,
];

impl Strategy for ToolCall {
    fn parameters(&self) -> &'static [Parameter] {
        PARAMETERS
    }

    fn check(&self) -> Result<(), String> {
        self.trigger().check()
    }

    fn plan(&self, view: &View, context: &PlanContext) -> Decision {
        let operations = match self.trigger().due(view) {
            Ok(operations) => operations,
            Err(reason) => return Decision::decline(reason),
        };
        let covers: Vec<EntryId> =
            operations.places().map(|place| view.entries()[place].id).collect();
        let counted = format!("group_count={}", operations.groups.len());
        let body = body(view, &operations);
        Decision::Plan(folding(
            view,
            vec![FoldedBlock {
                place: operations.places().next().unwrap_or(0),
                covers,
                request: request(0, body, self.max_tokens, self.model.as_deref()),
                kind: Kind::Summarized,
                tag: prompt::tag(Kind::Summarized),
                note: note(&counted, view, context),
            }],
        ))
    }
}
