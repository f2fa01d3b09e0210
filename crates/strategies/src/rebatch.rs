//! Forge's tiers improved: summaries that keep to their turn, and goal batches that are
//! batched again (`forge-rebatch`).
//!
//! Ours; no source has it. It is the candidate that the reading of Forge's code suggests
//! (STRATEGIES 20, H7), to be measured against `forge-head`. Three reasons keep that
//! code's floor linear, and each has its answer here: batches that span user turns leave
//! later user messages without a summary of their own ([`TurnCalls`] keeps to turns);
//! blocks later in a turn lose their user message ([`TurnCalls`] folds all work of a
//! turn in order, so blocks stay adjacent, and [`WholeTurns`] waits until nothing of an
//! ended turn is raw); `[GOAL BATCH]` blocks pile up ([`Rebatch`]).

mod turn_calls;
mod whole_turns;

pub use turn_calls::TurnCalls;
pub use whole_turns::WholeTurns;

use serde::{Deserialize, Serialize};

use crate::forge::{FoldedBlock, MODEL, folding, prompt, request, told};
use crate::ident::EntryId;
use crate::log::Text;
use crate::plan::{Decision, Piece};
use crate::strategy::{Parameter, PlanContext, Strategy};
use crate::unit::Tokens;
use crate::view::{Class, Entry, Kind, View};

/// When more than `max-batches` `[GOAL BATCH]` blocks stand, the oldest `fold` of them
/// become one, in one request.
///
/// What the oldest block holds is summarized anew each time, once for every `fold − 1`
/// new blocks: the number of blocks is bounded and what they say of the beginning fades.
///
/// Keep-rules: `max-batches`. Pressure: none. `fold` bounds a request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Rebatch {
    /// Blocks that may stand.
    pub max_batches: usize,
    /// Blocks that become one.
    pub fold: usize,
    /// Most tokens of the new block.
    pub max_tokens: Tokens,
    /// A model of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

impl Default for Rebatch {
    fn default() -> Rebatch {
        Rebatch { max_batches: 8, fold: 4, max_tokens: Tokens(1_000), model: None }
    }
}

impl Strategy for Rebatch {
    fn parameters(&self) -> &'static [Parameter] {
        const {
            &[
                Parameter::eligibility("max-batches", "[GOAL BATCH] blocks that may stand"),
                Parameter::request("fold", "the oldest blocks that become one"),
                Parameter::request("max-tokens", "most tokens of the new block"),
                MODEL,
            ]
        }
    }

    fn check(&self) -> Result<(), String> {
        if self.fold < 2 || self.fold > self.max_batches + 1 {
            return Err(format!(
                "`fold` {} is not between 2 and `max-batches` + 1, {}",
                self.fold,
                self.max_batches + 1
            ));
        }
        Ok(())
    }

    fn plan(&self, view: &View, _: &PlanContext) -> Decision {
        let blocks: Vec<&Entry> = view
            .of(Class::Summary)
            .iter()
            .filter_map(|id| view.entry(*id).map(|entry| &**entry))
            .filter(|entry| entry.kind == Kind::GoalBatch)
            .collect();
        if blocks.len() <= self.max_batches {
            return Decision::decline("no more goal batches than may stand");
        }
        let oldest = &blocks[..self.fold.min(blocks.len())];
        let mut body = vec![Piece::Literal(arcs())];
        for (number, entry) in oldest.iter().enumerate() {
            told(&format!("--- Arc {} ---", number + 1), entry, &mut body);
        }
        let covers: Vec<EntryId> = oldest.iter().map(|entry| entry.id).collect();
        let place = covers.first().and_then(|id| view.position(*id)).unwrap_or(0);
        Decision::Plan(folding(
            view,
            vec![FoldedBlock {
                place,
                covers,
                request: request(0, body, self.max_tokens, self.model.as_deref()),
                kind: Kind::GoalBatch,
                tag: prompt::tag(Kind::GoalBatch),
                note: Some(format!("batches={}", oldest.len())),
            }],
        ))
    }
}

/// Before the blocks that become one.
fn arcs() -> Text {
    "Below are my own records of earlier arcs of work, oldest first. Make one record of them, \
     under the same headings; leave out a heading with nothing to say under it. What the user \
     asked for and forbade, constraints that last, dead ends and exact artifacts come first; what \
     a later arc overtook goes.\n"
        .into()
}

#[cfg(test)]
mod tests;
