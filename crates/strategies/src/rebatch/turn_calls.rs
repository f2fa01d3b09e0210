//! Old work becomes a `[SUMMARIZED]` block in its own turn.

use std::ops::Range;

use crate::forge::{Fold, folding, prompt, role};
use crate::plan::Decision;
use crate::slots::places;
use crate::strategy::{Parameter, PlanContext, Strategy};
use crate::unit::Tokens;
use crate::view::{Class, Entry, Kind, View};
use crate::{none_is_zero, parameters};

parameters! {
    /// The tool-call tier of `forge-head`, made to keep to turns and pairs.
    ///
    /// Old are all messages but the last 20. When `min-messages` assistant and tool messages
    /// among them are raw, or when the first of these is `max-distance` back, every run of
    /// them becomes a block of its own, a request each. A user message or a block ends a
    /// run, so a run belongs to one turn and each block stands directly behind its user
    /// message or the turn's earlier block. Plain assistant messages are folded with the
    /// calls: left raw, they would part the blocks behind them from their user message. A
    /// call whose result is not old yet waits for it. The work of the live turn that is old
    /// is folded too.
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
    fn parameters(&self) -> &'static [Parameter] {
        TurnCalls::PARAMETERS
    }

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
        let block = |run| {
            let (entries, most) = (&view.entries()[run], self.max_tokens);
            Fold::of(Kind::Summarized, entries, prompt::BLOCK, role, most, &self.model)
        };
        folding(view, runs(view, *first..end).into_iter().map(block).collect())
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

/// Runs of raw work in a stretch.
fn runs(view: &View, stretch: Range<usize>) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for place in stretch.filter(|place| view.entries()[*place].is_raw_work()) {
        match runs.last_mut() {
            Some(last) if last.end == place => last.end = place + 1,
            _ => runs.push(place..place + 1),
        }
    }
    runs
}
