//! Forge's tiers improved (`forge-rebatch`): ours, the candidate that the reading of Forge's
//! code suggests, measured against `forge-head`. Three reasons keep that code's floor linear:
//! batches that span user turns leave later user messages without a summary, and blocks later
//! in a turn lose their user message ([`TurnCalls`] keeps to turns, [`WholeTurns`] waits until
//! nothing of a turn is raw); `[GOAL BATCH]` blocks pile up ([`Rebatch`]).

use crate::forge::{ADR_WORDING, Fold, GoalBatch, folding, prompt, role};
use crate::prelude::*;

parameters! {
    /// The tool-call tier of `forge-head`, made to keep to turns and pairs.
    ///
    /// Old are all messages but the last 20. When `min-messages` assistant and tool messages
    /// among them are raw, or the first of these is `max-distance` back, every run of them
    /// becomes a block of its own, a request each. A user message or a block ends a run, so
    /// each block stands directly behind its user message or the turn's earlier block; plain
    /// assistant messages are folded with the calls, as they would part the blocks. A call
    /// whose result is not old yet waits for it. The old work of the live turn is folded too.
    ///
    /// Keep-rules: all three numbers, pairs. Pressure: none.
    pub struct TurnCalls {
        eligibility "older-than-messages" older_than_messages: usize = 20,
            "messages at the end never touched";
        eligibility "min-messages" min_messages: usize = 10, "old raw messages that make it act";
        eligibility "max-distance" max_distance: usize = 40, "age in messages at which one is enough";
        request "max-tokens" max_tokens: Tokens = Tokens(600), "most tokens of one summary";
        + model
    }
}

impl Strategy for TurnCalls {
    fn check(&self) -> Result<(), String> {
        none_is_zero(&[("min-messages", self.min_messages as u64)])
    }

    fn plan(&self, view: &View, _: &PlanContext) -> Decision {
        let end = whole_pairs(view, view.len().saturating_sub(self.older_than_messages));
        let old: Vec<usize> = places(view, Class::Work).take_while(|place| *place < end).collect();
        let Some(first) = old.first() else {
            return Decision::decline("no work is old enough");
        };
        if old.len() < self.min_messages && view.len() - first < self.max_distance {
            return Decision::decline("too little work is old, and none is old enough alone");
        }
        let runs = view.entries()[*first..end].split(|entry| !entry.is_raw_work());
        let block = |run| {
            let (most, model) = (self.max_tokens, &self.model);
            Fold::of(Kind::Summarized, run, prompt::BLOCK, role, most, model)
        };
        folding(view, runs.filter(|run| !run.is_empty()).map(block).collect())
    }
}

/// The last place up to `end` at which no call is parted from its results.
fn whole_pairs(view: &View, end: usize) -> usize {
    let old = &view.entries()[..end];
    let parted = |entry: &Entry| {
        let pairs = entry.calls.iter().filter_map(|call| view.pair(&call.id));
        let mut results = pairs.flat_map(|pair| &pair.results);
        results.any(|id| view.position(*id).is_some_and(|place| place >= end))
    };
    let run = old.iter().rev().take_while(|entry| entry.is_raw_work()).count();
    (end - run..end).find(|place| parted(&old[*place])).unwrap_or(end)
}

/// `forge-goal-batch` with one more rule: what stands behind the summaries of a turn is the
/// next user message or an earlier batch. Without it, a turn of which a part is still raw is
/// batched, and the block that the rest becomes has lost its user message.
///
/// Keep-rules: `older-than-messages`, `min-turns`, the live turn. Pressure: none.
/// `max-turns` bounds a request, not what is eligible.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct WholeTurns(pub GoalBatch);

impl WholeTurns {
    /// Those of the tier that it improves.
    pub const PARAMETERS: &'static [Parameter] = GoalBatch::PARAMETERS;
}

impl Strategy for WholeTurns {
    fn claims_whole_turns(&self) -> bool {
        self.0.claims_whole_turns()
    }

    fn check(&self) -> Result<(), String> {
        self.0.check_adjacent()?;
        self.0.check()
    }

    fn plan(&self, view: &View, _: &PlanContext) -> Decision {
        let whole = |turn: &Range<usize>| {
            let next = view.at(turn.end);
            next.is_some_and(|next| next.role == Role::User || next.kind.is_summary())
        };
        let turns = self.0.eligible(view).filter(whole);
        self.0.batch(view, turns, &ADR_WORDING, |counted| counted)
    }
}

parameters! {
    /// When more than `max-batches` `[GOAL BATCH]` blocks stand, the oldest `fold` of them
    /// become one, in one request. What the oldest block holds is summarized anew once for
    /// every `fold − 1` new blocks: their number is bounded, and the beginning fades.
    ///
    /// Keep-rules: `max-batches`. Pressure: none. `fold` bounds a request.
    pub struct Rebatch {
        eligibility "max-batches" max_batches: usize = 8, "[GOAL BATCH] blocks that may stand";
        request "fold" fold: usize = 4, "the oldest blocks that become one";
        request "max-tokens" max_tokens: Tokens = Tokens(1_000), "most tokens of the new block";
        + model
    }
}

impl Strategy for Rebatch {
    fn check(&self) -> Result<(), String> {
        let most = self.max_batches + 1;
        if self.fold < 2 || self.fold > most {
            let fold = self.fold;
            return Err(format!("`fold` {fold} is not between 2 and `max-batches` + 1, {most}"));
        }
        Ok(())
    }

    fn plan(&self, view: &View, _: &PlanContext) -> Decision {
        let blocks: Vec<&Entry> = places(view, Class::Summary)
            .map(|place| &*view.entries()[place])
            .filter(|entry| entry.kind == Kind::GoalBatch)
            .collect();
        if blocks.len() <= self.max_batches {
            return Decision::decline("no more goal batches than may stand");
        }
        let oldest = &blocks[..self.fold.min(blocks.len())];
        let arc = |number, _: &Entry| format!("--- Arc {number} ---");
        let (most, model) = (self.max_tokens, &self.model);
        let task = include_str!("../prompts/forge-arcs.md");
        let batch = Fold::of(Kind::GoalBatch, oldest, task, arc, most, model);
        folding(view, vec![batch.noted(format!("batches={}", oldest.len()))])
    }
}
