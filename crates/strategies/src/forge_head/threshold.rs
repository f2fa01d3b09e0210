//! Tier 2: under token pressure, the older half becomes one `[SUMMARIZED]` block.

use crate::forge::{Fold, prompt, role};
use crate::forge_head::{note, recounted, uncounted_later};
use crate::ident::RequestId;
use crate::log::Role;
use crate::parameters;
use crate::plan::{Decision, Slot};
use crate::pressure::Occasion;
use crate::slots::{kept_before, summarizing};
use crate::strategy::{Parameter, PlanContext, Strategy};
use crate::unit::Tokens;
use crate::view::{Entry, Kind, View};

/// Least messages, system messages aside, that can be halved.
const LEAST: usize = 4;

parameters! {
    /// Forge's `ThresholdSummarizationStrategy` at 0bff338 (`threshold_strategy.go`), the
    /// half-compaction.
    ///
    /// At the threshold of its pressure, and with at least four messages that are no system
    /// message, the older half of these by number (rounded down) goes into one request and
    /// becomes one block behind the system messages; the newer half stays. Kept from the
    /// source: halves are counted in messages, so tokens that sit in the newer half stay
    /// and the tier fires again before the next call, until three messages are left and it
    /// gives up above the threshold; user messages, tool pairs, turns and earlier blocks,
    /// `[GOAL BATCH]` among them, are all cut and folded alike; the half is sent whole
    /// however long it is; the conversation then begins with an assistant message.
    ///
    /// The pressure in the pipeline file is the manager's first count, system prompt
    /// included. Where a tier acted before this one in the pass, the source compares its
    /// recount, which leaves the system prompt out, and so does this tier.
    ///
    /// Where the records disagree: ADR-0014 names a half-compaction and a target of 50 %,
    /// then describes groups of messages; ADR-0041 describes the older code (`forge-g2`).
    /// There is no target here. The threshold is a fraction there and a percentage here.
    ///
    /// Keep-rules: the newer half, the least of four. Pressure: the threshold.
    pub struct Threshold {
        request "max-tokens" max_tokens: Tokens = Tokens(600), "most tokens of one summary";
        + model
    }
}

impl Strategy for Threshold {
    fn parameters(&self) -> &'static [Parameter] {
        Threshold::PARAMETERS
    }

    fn plan(&self, view: &View, context: &PlanContext) -> Decision {
        if below_by_recount(view, context) {
            return Decision::decline("below the threshold by the recount without system prompt");
        }
        let is_system = |entry: &Entry| entry.role == Role::System;
        let entries = view.entries().iter().map(|entry| &**entry);
        let talk: Vec<&Entry> = entries.filter(|entry| !is_system(entry)).collect();
        if talk.len() < LEAST {
            return Decision::decline("fewer than four messages");
        }
        let (older, newer) = talk.split_at(talk.len() / 2);
        let numbered = |number, entry: &Entry| format!("{number}. {}", role(number, entry));
        let (most, model) = (self.max_tokens, &self.model);
        let fold = Fold::of(Kind::Summarized, older, prompt::OLDER_HALF, numbered, most, model);
        let counted = format!("summary_count={}", older.len());
        let (summary, request) = fold.noted(note(&counted, view, context)).parts(RequestId(0));
        let mut slots = kept_before(view, view.len(), is_system);
        slots.push(summary);
        slots.extend(newer.iter().map(|entry| Slot::Keep(entry.id)));
        summarizing(slots, request)
    }
}

/// Whether the manager's recount keeps the tier from acting. Only a deployed pass has a
/// manager; elsewhere the pressure is taken as met.
pub(crate) fn below_by_recount(view: &View, context: &PlanContext) -> bool {
    context.occasion == Occasion::BeforeCall
        && recounted(view)
        && context
            .reading
            .is_some_and(|reading| reading.used - uncounted_later(context) < reading.limit)
}
