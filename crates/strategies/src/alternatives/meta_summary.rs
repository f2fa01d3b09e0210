//! ADR-0041, option 1: at the floor, summaries of summaries.

use crate::forge::{Fold, at_target, closed_turns, folding, prompt, role};
use crate::parameters;
use crate::plan::Decision;
use crate::slots::places;
use crate::strategy::{Parameter, PlanContext, Strategy};
use crate::unit::Tokens;
use crate::view::{Class, Kind, View};

parameters! {
    /// "A second pass that fires when the first pass finds nothing to do and the context is
    /// still above threshold. The second pass folds `user + [SUMMARIZED]` pairs into
    /// higher-level summaries": ADR-0041's option 1, the stage behind `forge-threshold`.
    ///
    /// Added: the first pass has nothing to do when no raw assistant or tool message stands
    /// before the live turn; the oldest pair goes first, a pair a plan, until the target
    /// (the stage says `repeat = "to-target"`); a pair is a user message and the run of
    /// `[SUMMARIZED]` blocks behind it; the higher-level summary is tagged as they are and
    /// belongs to no pair, so it is never folded again. Each pair is folded alone, as the
    /// record objects, and nothing happens before pressure.
    ///
    /// Keep-rules: the live turn, summaries without a user message. Pressure: threshold and
    /// target.
    pub struct MetaSummary {
        request "max-tokens" max_tokens: Tokens = Tokens(300), "most tokens of one summary";
        + model
    }
}

impl Strategy for MetaSummary {
    fn parameters(&self) -> &'static [Parameter] {
        MetaSummary::PARAMETERS
    }

    fn plan(&self, view: &View, context: &PlanContext) -> Decision {
        if at_target(context) {
            return Decision::decline("already at the target");
        }
        let live = view.live_turn();
        if places(view, Class::Work).next().is_some_and(|place| place < live) {
            return Decision::decline("the first pass still finds work to fold");
        }
        let Some(pair) = closed_turns(view, live).next() else {
            return Decision::decline("no user message with summaries before the live turn");
        };
        let pair = &view.entries()[pair];
        let (most, model) = (self.max_tokens, &self.model);
        folding(view, vec![Fold::of(Kind::Summary, pair, prompt::PAIR, role, most, model)])
    }
}
