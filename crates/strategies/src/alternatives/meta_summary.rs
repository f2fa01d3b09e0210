//! ADR-0041, option 1: at the floor, summaries of summaries.

use serde::{Deserialize, Serialize};

use crate::alternatives::{at_target, prompt};
use crate::forge::{self, FoldedBlock, MODEL, folding, request, told};
use crate::ident::EntryId;
use crate::plan::{Decision, Piece};
use crate::strategy::{Parameter, PlanContext, Strategy};
use crate::unit::Tokens;
use crate::view::{Class, Kind, View};

/// "A second pass that fires when the first pass finds nothing to do and the context is
/// still above threshold. The second pass folds `user + [SUMMARIZED]` pairs into
/// higher-level summaries": ADR-0041's option 1, the stage behind `forge-threshold`.
///
/// Added: the first pass has nothing to do when no raw assistant or tool message stands
/// before the live turn; the oldest pair goes first, a pair a plan, until the target
/// (the stage says `repeat = "to-target"`); a pair is a user message and the run of
/// `[SUMMARIZED]` blocks behind it; the higher-level summary is tagged as they are and
/// belongs to no pair, so it is never folded again. Each pair is folded alone, as the
/// record objects, and nothing happens before pressure.
///
/// Keep-rules: the live turn, summaries without a user message. Pressure: threshold and
/// target.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct MetaSummary {
    /// Most tokens of one summary.
    pub max_tokens: Tokens,
    /// A model of its own (ADR-0042).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

impl Default for MetaSummary {
    fn default() -> MetaSummary {
        MetaSummary { max_tokens: Tokens(300), model: None }
    }
}

impl Strategy for MetaSummary {
    fn parameters(&self) -> &'static [Parameter] {
        const { &[Parameter::request("max-tokens", "most tokens of one summary"), MODEL] }
    }

    fn plan(&self, view: &View, context: &PlanContext) -> Decision {
        if at_target(context) {
            return Decision::decline("already at the target");
        }
        let live = view.live_turn();
        let work = view.of(Class::Work).first().and_then(|id| view.position(*id));
        if work.is_some_and(|place| place < live) {
            return Decision::decline("the first pass still finds work to fold");
        }
        let Some(pair) = oldest_pair(view, live) else {
            return Decision::decline("no user message with summaries before the live turn");
        };
        let mut body = vec![Piece::Literal(prompt::pair())];
        for entry in pair.clone().filter_map(|place| view.at(place)) {
            told(&format!("[{}]", entry.role.name()), entry, &mut body);
        }
        let covers: Vec<EntryId> =
            pair.clone().filter_map(|place| view.at(place)).map(|entry| entry.id).collect();
        Decision::Plan(folding(
            view,
            vec![FoldedBlock {
                place: pair.start,
                covers,
                request: request(0, body, self.max_tokens, self.model.as_deref()),
                kind: Kind::Summary,
                tag: forge::prompt::tag(Kind::Summarized),
                note: None,
            }],
        ))
    }
}

/// Places of the oldest user message with `[SUMMARIZED]` blocks behind it, and of these.
pub(super) fn oldest_pair(view: &View, live: usize) -> Option<std::ops::Range<usize>> {
    let start = view.of(Class::ClosedTurn).first().and_then(|id| view.position(*id))?;
    (start < live).then(|| turn_at(view, start))
}

/// Places of the user message at `start` and of the `[SUMMARIZED]` blocks behind it.
pub(super) fn turn_at(view: &View, start: usize) -> std::ops::Range<usize> {
    let blocks = view.entries()[start + 1..].iter();
    let blocks = blocks.take_while(|entry| entry.kind == Kind::Summarized).count();
    start..start + 1 + blocks
}
