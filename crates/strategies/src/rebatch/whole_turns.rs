//! The goal tier of the records, made to wait until all of a turn is folded.

use serde::{Deserialize, Serialize};

use crate::apply::Claims;
use crate::forge;
use crate::ident::EntryId;
use crate::log::Role;
use crate::plan::Decision;
use crate::strategy::{Parameter, PlanContext, Strategy};
use crate::unit::Tokens;
use crate::view::View;

/// `forge-goal-batch` with one more rule: what stands behind the summaries of a turn is
/// the next user message or an earlier batch. Without it, a turn of which a part is
/// still raw is batched, and the block that the rest becomes has lost its user message.
///
/// Keep-rules: `older-than-messages`, `min-turns`, the live turn. Pressure: none.
/// `max-turns` bounds a request, not what is eligible.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct WholeTurns {
    /// Messages at the end that are never touched.
    pub older_than_messages: usize,
    /// Least turns that make a batch.
    pub min_turns: usize,
    /// Most turns in a batch.
    pub max_turns: usize,
    /// Most tokens of one batch.
    pub max_tokens: Tokens,
    /// A model of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

impl Default for WholeTurns {
    fn default() -> WholeTurns {
        let records = forge::GoalBatch::default();
        WholeTurns {
            older_than_messages: records.older_than_messages,
            min_turns: records.min_turns,
            max_turns: records.max_turns,
            max_tokens: records.max_tokens,
            model: None,
        }
    }
}

impl WholeTurns {
    fn records(&self) -> forge::GoalBatch {
        forge::GoalBatch {
            older_than_messages: self.older_than_messages,
            min_turns: self.min_turns,
            max_turns: self.max_turns,
            max_tokens: self.max_tokens,
            model: self.model.clone(),
        }
    }
}

impl Strategy for WholeTurns {
    fn claims(&self) -> Claims {
        self.records().claims()
    }

    fn parameters(&self) -> &'static [Parameter] {
        forge::GOAL_BATCH_PARAMETERS
    }

    fn check(&self) -> Result<(), String> {
        self.records().check()
    }

    fn plan(&self, view: &View, _: &PlanContext) -> Decision {
        let records = self.records();
        let whole = |turn: &Vec<EntryId>| {
            let last = turn.last().and_then(|id| view.position(*id));
            let next = last.and_then(|last| view.at(last + 1));
            next.is_some_and(|next| next.role == Role::User || next.kind.is_summary())
        };
        let turns: Vec<_> = records.eligible(view).filter(whole).take(self.max_turns).collect();
        records.batch(view, &turns)
    }
}
