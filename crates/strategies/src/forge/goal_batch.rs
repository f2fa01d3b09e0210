//! Tier 3: old closed turns become `[GOAL BATCH]` blocks.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::apply::Claims;
use crate::forge::{Fold, folding, prompt};
use crate::plan::{Decision, Piece};
use crate::slots::places;
use crate::strategy::{Parameter, PlanContext, Strategy};
use crate::unit::Tokens;
use crate::view::{Class, Kind, View};
use crate::{none_is_zero, parameters};

parameters! {
    /// Parameters of the goal tier, in all its versions.
    pub struct Batching {
        eligibility "older-than-messages" older_than_messages: usize = 20,
            "messages at the end never touched";
        eligibility "min-turns" min_turns: usize = 3, "least closed turns that make a batch";
        request "max-turns" max_turns: usize = 6, "most closed turns in a batch";
        request "max-tokens" max_tokens: Tokens = Tokens(500), "most tokens of one batch";
        + model
    }
}

/// What the versions of the tier say differently.
pub(crate) struct Wording {
    /// The label of a block by its number in the turn, from 1.
    pub(crate) block: fn(usize) -> String,
    /// What stands behind each entry.
    pub(crate) gap: &'static str,
    /// Why it declines.
    pub(crate) too_few: &'static str,
}

impl Batching {
    pub(crate) fn check(&self) -> Result<(), String> {
        none_is_zero(&[("min-turns", self.min_turns as u64), ("max-turns", self.max_turns as u64)])
    }

    /// A batch that could never be made is refused too.
    pub(crate) fn check_order(&self) -> Result<(), String> {
        self.check()?;
        if self.max_turns < self.min_turns {
            return Err(format!(
                "`max-turns` {} is below `min-turns` {}, so no batch could ever be made",
                self.max_turns, self.min_turns
            ));
        }
        Ok(())
    }

    /// The plan that makes one batch of the oldest of these turns, if they are enough.
    /// `note` is made of what was counted.
    pub(crate) fn plan(
        &self,
        view: &View,
        turns: impl Iterator<Item = Range<usize>>,
        wording: &Wording,
        note: impl Fn(String) -> String,
    ) -> Decision {
        // No more are looked at than decide: the view may hold any number.
        let mut turns: Vec<_> = turns.take(self.min_turns.max(self.max_turns)).collect();
        if turns.is_empty() || turns.len() < self.min_turns {
            return Decision::decline(wording.too_few);
        }
        turns.truncate(self.max_turns);
        let mut body = vec![Piece::literal(prompt::GOAL_BATCH)];
        for (number, turn) in turns.iter().enumerate() {
            body.push(Piece::literal(format!("--- Turn {} ---\n", number + 1)));
            for (block, entry) in view.entries()[turn.clone()].iter().enumerate() {
                let label = if block == 0 { "[user]: ".to_owned() } else { (wording.block)(block) };
                body.extend([Piece::literal(label), Piece::quote(entry.id)]);
                body.push(Piece::literal(wording.gap));
            }
        }
        let counted = format!("turn_count={}", turns.len());
        let covers = turns.into_iter().flatten().map(|place| view.entries()[place].id);
        let batch = Fold::new(Kind::GoalBatch, covers, body, self.max_tokens, &self.model);
        folding(view, vec![batch.noted(note(counted))])
    }

    /// The turns that are old enough whole, before the live one.
    pub(crate) fn eligible<'a>(
        &self,
        view: &'a View,
    ) -> impl Iterator<Item = Range<usize>> + use<'a> {
        let end = self.old(view).min(view.live_turn());
        closed_turns(view, end).filter(move |turn| turn.end <= end)
    }

    /// How many messages at the beginning are old.
    pub(crate) fn old(&self, view: &View) -> usize {
        view.len().saturating_sub(self.older_than_messages)
    }
}

/// Places of the turns that begin before `end`, oldest first: each a user message and the
/// `[SUMMARIZED]` blocks right behind it.
pub(crate) fn closed_turns(view: &View, end: usize) -> impl Iterator<Item = Range<usize>> {
    places(view, Class::ClosedTurn).take_while(move |start| *start < end).map(|start| {
        let behind = view.entries()[start + 1..].iter();
        let blocks = behind.take_while(|entry| entry.kind == Kind::Summarized).count();
        start..start + 1 + blocks
    })
}

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
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct GoalBatch(pub Batching);

impl Strategy for GoalBatch {
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
        self.0.plan(view, self.0.eligible(view), &ADR_WORDING, |counted| counted)
    }
}

/// As ADR-0041 has it.
pub(crate) const ADR_WORDING: Wording = Wording {
    block: |_| "[SUMMARIZED]: ".to_owned(),
    gap: "\n",
    too_few: "too few closed turns are old enough",
};
