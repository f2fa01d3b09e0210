//! The goal tier of the records, made to wait until all of a turn is folded.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::apply::Claims;
use crate::forge::{ADR_WORDING, Batching};
use crate::log::Role;
use crate::plan::Decision;
use crate::strategy::{Parameter, PlanContext, Strategy};
use crate::view::View;

/// `forge-goal-batch` with one more rule: what stands behind the summaries of a turn is
/// the next user message or an earlier batch. Without it, a turn of which a part is
/// still raw is batched, and the block that the rest becomes has lost its user message.
///
/// Keep-rules: `older-than-messages`, `min-turns`, the live turn. Pressure: none.
/// `max-turns` bounds a request, not what is eligible.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct WholeTurns(pub Batching);

impl Strategy for WholeTurns {
    fn claims(&self) -> Claims {
        Claims { whole_turns: true }
    }

    fn parameters(&self) -> &'static [Parameter] {
        Batching::PARAMETERS
    }

    fn check(&self) -> Result<(), String> {
        self.0.check_order()
    }

    fn plan(&self, view: &View, _: &PlanContext) -> Decision {
        let whole = |turn: &Range<usize>| {
            let next = view.at(turn.end);
            next.is_some_and(|next| next.role == Role::User || next.kind.is_summary())
        };
        let turns = self.0.eligible(view).filter(whole);
        self.0.plan(view, turns, &ADR_WORDING, |counted| counted)
    }
}
