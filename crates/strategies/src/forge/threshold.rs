//! Tier 2: under token pressure, blocks of work become `[SUMMARIZED]` blocks.

use crate::forge::{Fold, at_target, folding, prompt, role};
use crate::parameters;
use crate::plan::Decision;
use crate::slots::places;
use crate::strategy::{Parameter, PlanContext, Strategy};
use crate::unit::Tokens;
use crate::view::{Class, Entry, Kind, View};

parameters! {
    /// The threshold tier as the two records together describe it: at 80 % of the
    /// window (ADR-0014) it folds blocks of assistant and tool messages, oldest first,
    /// skipping user messages and what is summarized already (ADR-0041), until usage is
    /// at the 50 % target (ADR-0014's "half-compaction"). This is the version whose
    /// implicit floor ADR-0041 describes.
    ///
    /// Chosen where the records are silent: a block is a maximal run of raw assistant
    /// and tool messages; user messages and summaries end it; the summary stands where
    /// the block began. One block per plan: a plan cannot know how long the answer will
    /// be, so the stage says `repeat = "to-target"`. Of ADR-0014's two descriptions
    /// (half of all messages, or older blocks) this is the second; the first is what
    /// Forge's later code does. What is compared with the window is the conversation
    /// with its system message, which in Forge carries the tool descriptions: the
    /// records' conversation begins with it, and the code's first count holds it (its
    /// recount does not).
    ///
    /// Keep-rules: user messages, summaries, the live turn. Pressure: the threshold and
    /// the target, both in the pipeline file.
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
        if at_target(context) {
            return Decision::decline("already at the target");
        }
        let live = view.live_turn();
        let Some(start) = places(view, Class::Work).next().filter(|place| *place < live) else {
            return Decision::decline("no unsummarized work before the live turn");
        };
        let work = view.entries()[start..live].iter().map(|entry| &**entry);
        let block: Vec<&Entry> = work.take_while(|entry| entry.is_raw_work()).collect();
        let (most, model) = (self.max_tokens, &self.model);
        folding(view, vec![Fold::of(Kind::Summarized, &block, prompt::BLOCK, role, most, model)])
    }
}
