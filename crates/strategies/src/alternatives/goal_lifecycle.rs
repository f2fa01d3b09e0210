//! ADR-0041, option 3: goals are promoted twice, each time to less.

use std::ops::Range;

use crate::forge::{Fold, closed_turns, folding, prompt, role};
use crate::parameters;
use crate::plan::Decision;
use crate::slots::places;
use crate::strategy::{Parameter, PlanContext, Strategy};
use crate::unit::Tokens;
use crate::view::{Class, Kind, View};

parameters! {
    /// "`[SUMMARIZED]` → `[GOAL: complete]` → `[GOAL: archived]`. Each promotion reduces
    /// resolution. Fires proactively on age": ADR-0041's option 3.
    ///
    /// Added: the ages, in messages as the rest of the record has them (20 to `complete`, 40
    /// to `archived`); a goal is one user turn, as the record objects, namely a user message
    /// and the run of `[SUMMARIZED]` blocks directly behind it; each promotion is a request
    /// of its own, and all that are due go in one pass; a goal is promoted once a pass, so
    /// it is `complete` before it is `archived`; the tier is told by metadata. Archived
    /// goals stay for good, a sentence each ("single-sentence records").
    ///
    /// Keep-rules: both ages, the live turn. Pressure: none.
    pub struct GoalLifecycle {
        eligibility "complete-after" complete_after: usize = 20, "age in messages of a turn to complete";
        eligibility "archive-after" archive_after: usize = 40, "age in messages of a goal to archive";
        request "complete-tokens" complete_tokens: Tokens = Tokens(300), "most tokens of a [GOAL: complete]";
        request "archived-tokens" archived_tokens: Tokens = Tokens(60), "most tokens of a [GOAL: archived]";
        + model
    }
}

/// A tier to which goals are promoted.
struct Tier {
    task: &'static str,
    tag: &'static str,
    /// What tells its blocks apart.
    note: &'static str,
}

const COMPLETE: Tier =
    Tier { task: prompt::COMPLETE, tag: "[GOAL: complete] ", note: "goal=complete" };
const ARCHIVED: Tier =
    Tier { task: prompt::ARCHIVED, tag: "[GOAL: archived] ", note: "goal=archived" };

impl Strategy for GoalLifecycle {
    fn parameters(&self) -> &'static [Parameter] {
        GoalLifecycle::PARAMETERS
    }

    fn check(&self) -> Result<(), String> {
        if self.archive_after < self.complete_after {
            return Err(format!(
                "`archive-after` {} is below `complete-after` {}: a goal is complete first",
                self.archive_after, self.complete_after
            ));
        }
        Ok(())
    }

    fn plan(&self, view: &View, _: &PlanContext) -> Decision {
        let archive = view.len().saturating_sub(self.archive_after);
        let archived = places(view, Class::Summary)
            .take_while(|place| *place < archive)
            .filter(|place| view.entries()[*place].note.as_deref() == Some(COMPLETE.note))
            .map(|place| self.promoted(view, place..place + 1, &ARCHIVED, self.archived_tokens));
        let end = view.len().saturating_sub(self.complete_after).min(view.live_turn());
        let completed = closed_turns(view, end)
            .filter(|turn| turn.end <= end)
            .map(|turn| self.promoted(view, turn, &COMPLETE, self.complete_tokens));
        let folds: Vec<Fold> = archived.chain(completed).collect();
        if folds.is_empty() {
            return Decision::decline("no goal is old enough for its next tier");
        }
        folding(view, folds)
    }
}

impl GoalLifecycle {
    fn promoted(&self, view: &View, places: Range<usize>, tier: &Tier, most: Tokens) -> Fold {
        let entries = &view.entries()[places];
        let fold = Fold::of(Kind::GoalBatch, entries, tier.task, role, most, &self.model);
        Fold { tag: tier.tag, note: Some(tier.note.to_owned()), ..fold }
    }
}
