//! Tier 3: old turns that hold a summary become `[GOAL BATCH]` blocks.

use serde::{Deserialize, Serialize};

use crate::apply::Claims;
use crate::forge::{FoldedBlock, MODEL, folding, prompt, request};
use crate::forge_head::note;
use crate::ident::EntryId;
use crate::log::Role;
use crate::plan::{Decision, Piece};
use crate::strategy::{Parameter, PlanContext, Strategy};
use crate::unit::Tokens;
use crate::view::{Class, Kind, View};

/// Forge's `GoalBatchCompactionStrategy` at 0bff338 (`goal_batch_strategy.go`; the same
/// since 151df56 but for names).
///
/// Among all messages but the last 20, a turn is a user message and the run of
/// `[SUMMARIZED]` blocks directly behind it, told by metadata. When there are three, the
/// oldest, at most six, go into one request and become one block where the first stood.
/// Kept from the source: a turn counts as complete as soon as one block follows its user
/// message, so the turn that is still going on can be taken, current request and all,
/// though ADR-0041 says that an incomplete turn is never eligible; blocks later in a
/// turn, behind a raw message, are left without their user message; a turn is cut where
/// the window ends, though the source says that turns are never split; `[GOAL BATCH]`
/// blocks are never batched again; token pressure plays no part.
///
/// Keep-rules: `older-than-messages`, `min-turns`. Pressure: none. `max-turns` bounds a
/// request, not what is eligible.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct GoalBatch {
    /// Messages at the end that are never touched.
    pub older_than_messages: usize,
    /// Least turns that make a batch.
    pub min_turns: usize,
    /// Most turns in a batch.
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

impl Strategy for GoalBatch {
    fn claims(&self) -> Claims {
        Claims { whole_turns: true }
    }

    fn parameters(&self) -> &'static [Parameter] {
        const {
            &[
                Parameter::eligibility("older-than-messages", "messages at the end never touched"),
                Parameter::eligibility("min-turns", "least turns that make a batch"),
                Parameter::request("max-turns", "most turns in a batch"),
                Parameter::request("max-tokens", "most tokens of one batch"),
                MODEL,
            ]
        }
    }

    fn check(&self) -> Result<(), String> {
        if self.min_turns == 0 || self.max_turns == 0 {
            return Err("`min-turns` and `max-turns` are at least 1".to_owned());
        }
        Ok(())
    }

    fn plan(&self, view: &View, context: &PlanContext) -> Decision {
        let mut turns = self.turns(view);
        if turns.len() < self.min_turns {
            return Decision::decline("too few turns with a summary are old enough");
        }
        turns.truncate(self.max_turns);
        let mut body = vec![Piece::Literal(prompt::goal_batch())];
        for (number, turn) in turns.iter().enumerate() {
            body.push(Piece::literal(format!("--- Turn {} ---\n", number + 1)));
            for (place, id) in turn.iter().enumerate() {
                let label = match place {
                    0 => "[user]: ".to_owned(),
                    summary => format!("[summary {summary}]: "),
                };
                body.extend([Piece::literal(label), Piece::quote(*id), Piece::literal("\n\n")]);
            }
        }
        let counted = format!("turn_count={}", turns.len());
        let covers: Vec<EntryId> = turns.into_iter().flatten().collect();
        let place = covers.first().and_then(|id| view.position(*id)).unwrap_or(0);
        Decision::Plan(folding(
            view,
            vec![FoldedBlock {
                place,
                covers,
                request: request(0, body, self.max_tokens, self.model.as_deref()),
                kind: Kind::GoalBatch,
                tag: prompt::tag(Kind::GoalBatch),
                note: note(&counted, view, context),
            }],
        ))
    }
}

impl GoalBatch {
    /// All turns before the recent messages, oldest first: each a user message and its
    /// blocks.
    fn turns(&self, view: &View) -> Vec<Vec<EntryId>> {
        let old = &view.entries()[..view.len().saturating_sub(self.older_than_messages)];
        let starts = view.of(Class::ClosedTurn).iter().filter_map(|id| view.position(*id));
        starts
            .take_while(|start| *start < old.len())
            .filter(|start| old[*start].role == Role::User)
            .filter_map(|start| {
                let blocks = old[start + 1..].iter();
                let blocks = blocks.take_while(|entry| entry.kind == Kind::Summarized).count();
                let turn = &old[start..start + 1 + blocks];
                (blocks > 0).then(|| turn.iter().map(|entry| entry.id).collect())
            })
            .collect()
    }
}
