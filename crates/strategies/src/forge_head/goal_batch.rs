//! Tier 3: old turns that hold a summary become `[GOAL BATCH]` blocks.

use serde::{Deserialize, Serialize};

use crate::apply::Claims;
use crate::forge::{Batching, Wording, closed_turns};
use crate::forge_head::note;
use crate::plan::Decision;
use crate::strategy::{Parameter, PlanContext, Strategy};
use crate::view::View;

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
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct GoalBatch(pub Batching);

const WORDING: Wording = Wording {
    block: |block| format!("[summary {block}]: "),
    gap: "\n\n",
    too_few: "too few turns with a summary are old enough",
};

impl Strategy for GoalBatch {
    fn claims(&self) -> Claims {
        Claims { whole_turns: true }
    }

    fn parameters(&self) -> &'static [Parameter] {
        Batching::PARAMETERS
    }

    fn check(&self) -> Result<(), String> {
        self.0.check()
    }

    fn plan(&self, view: &View, context: &PlanContext) -> Decision {
        let old = self.0.old(view);
        let turns = closed_turns(view, old).map(|turn| turn.start..turn.end.min(old));
        let turns = turns.filter(|turn| turn.len() > 1);
        self.0.plan(view, turns, &WORDING, |counted| note(&counted, view, context))
    }
}
