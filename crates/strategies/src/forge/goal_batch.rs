//! Tier 3: old closed turns become `[GOAL BATCH]` blocks.

use serde::{Deserialize, Serialize};

use crate::apply::Claims;
use crate::forge::{FoldedBlock, MODEL, folding, prompt, request};
use crate::ident::EntryId;
use crate::plan::{Decision, Piece};
use crate::strategy::{Parameter, PlanContext, Strategy};
use crate::unit::Tokens;
use crate::view::{Class, Kind, View};

/// ADR-0041's `GoalBatchCompactionStrategy`: the oldest closed turns (a user
/// message with the `[SUMMARIZED]` blocks that immediately follow it) become one
/// block, in one request.
///
/// Chosen where the record is silent or contradicts itself: the age of 20 is in
/// messages (the record calls it turns and counts messages); adjacency is
/// "immediately following", so a raw message or a `[GOAL BATCH]` between them ends
/// the run; a turn whose summaries reach past the age limit is not eligible, as
/// turns are never split; `[GOAL BATCH]` blocks are never batched again (the
/// record is silent, and "run indefinitely" would need it); the turns of a batch
/// need not adjoin, and what stood between them stays, after the batch; one batch
/// per call; the block's role is assistant.
///
/// Keep-rules: `older-than-messages`, `min-turns`, the live turn. Pressure: none.
/// `max-turns` bounds a request, not what is eligible.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct GoalBatch {
    /// Messages at the end that are never touched.
    pub older_than_messages: usize,
    /// Least closed turns that make a batch.
    pub min_turns: usize,
    /// Most closed turns in a batch.
    pub max_turns: usize,
    /// Most tokens of one batch.
    pub max_tokens: Tokens,
    /// A model of its own (ADR-0042).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

impl Default for GoalBatch {
    fn default() -> GoalBatch {
        GoalBatch {
            older_than_messages: 20,
            min_turns: 3,
            max_turns: 6,
            max_tokens: Tokens(500),
            model: None,
        }
    }
}

/// Parameters of the tier, here and improved.
pub(crate) const PARAMETERS: &[Parameter] = &[
    Parameter::eligibility("older-than-messages", "messages at the end never touched"),
    Parameter::eligibility("min-turns", "least closed turns that make a batch"),
    Parameter::request("max-turns", "most closed turns in a batch"),
    Parameter::request("max-tokens", "most tokens of one batch"),
    MODEL,
];

impl Strategy for GoalBatch {
    fn claims(&self) -> Claims {
        Claims { whole_turns: true }
    }

    fn parameters(&self) -> &'static [Parameter] {
        PARAMETERS
    }

    fn check(&self) -> Result<(), String> {
        if self.min_turns == 0 || self.max_turns == 0 {
            return Err("`min-turns` and `max-turns` are at least 1".to_owned());
        }
        if self.max_turns < self.min_turns {
            return Err(format!(
                "`max-turns` {} is below `min-turns` {}, so no batch could ever be made",
                self.max_turns, self.min_turns
            ));
        }
        Ok(())
    }

    fn plan(&self, view: &View, _: &PlanContext) -> Decision {
        let turns: Vec<_> = self.eligible(view).take(self.max_turns).collect();
        self.batch(view, &turns)
    }
}

impl GoalBatch {
    /// The plan that makes one batch of these turns, if they are enough.
    pub(crate) fn batch(&self, view: &View, turns: &[Vec<EntryId>]) -> Decision {
        if turns.is_empty() || turns.len() < self.min_turns {
            return Decision::decline("too few closed turns are old enough");
        }
        let mut body = vec![Piece::Literal(prompt::goal_batch())];
        for (number, turn) in turns.iter().enumerate() {
            body.push(Piece::literal(format!("--- Turn {} ---\n", number + 1)));
            for (place, id) in turn.iter().enumerate() {
                body.push(Piece::literal(if place == 0 { "[user]: " } else { "[SUMMARIZED]: " }));
                body.push(Piece::quote(*id));
                body.push(Piece::literal("\n"));
            }
        }
        let covers: Vec<EntryId> = turns.iter().flatten().copied().collect();
        let place = covers.first().and_then(|id| view.position(*id)).unwrap_or(0);
        Decision::Plan(folding(
            view,
            vec![FoldedBlock {
                place,
                covers,
                request: request(0, body, self.max_tokens, self.model.as_deref()),
                kind: Kind::GoalBatch,
                tag: prompt::tag(Kind::GoalBatch),
                note: Some(format!("turn_count={}", turns.len())),
            }],
        ))
    }

    /// The closed turns that are old enough, oldest first, each a user message and its
    /// summaries.
    pub(crate) fn eligible<'a>(
        &self,
        view: &'a View,
    ) -> impl Iterator<Item = Vec<EntryId>> + use<'a> {
        let end = view.len().saturating_sub(self.older_than_messages).min(view.live_turn());
        let entries = view.entries();
        let turns = view.of(Class::ClosedTurn).iter().filter_map(|id| view.position(*id));
        turns.take_while(move |start| *start < end).filter_map(move |start| {
            let summaries = entries[start + 1..]
                .iter()
                .take_while(|entry| entry.kind == Kind::Summarized)
                .count();
            let places = start..start + 1 + summaries;
            (places.end <= end).then(|| entries[places].iter().map(|e| e.id).collect())
        })
    }
}
