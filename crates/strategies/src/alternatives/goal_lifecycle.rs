//! ADR-0041, option 3: goals are promoted twice, each time to less.

use serde::{Deserialize, Serialize};

use crate::alternatives::meta_summary::turn_at;
use crate::alternatives::prompt;
use crate::forge::{FoldedBlock, MODEL, folding, request, told};
use crate::ident::EntryId;
use crate::log::Text;
use crate::plan::{Decision, Piece};
use crate::strategy::{Parameter, PlanContext, Strategy};
use crate::unit::Tokens;
use crate::view::{Class, Kind, View};

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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct GoalLifecycle {
    /// Least age of a closed turn that becomes `[GOAL: complete]`, in messages.
    pub complete_after: usize,
    /// Least age of a `[GOAL: complete]` that becomes `[GOAL: archived]`, in messages.
    pub archive_after: usize,
    /// Most tokens of a `[GOAL: complete]`.
    pub complete_tokens: Tokens,
    /// Most tokens of a `[GOAL: archived]`.
    pub archived_tokens: Tokens,
    /// A model of its own (ADR-0042).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

impl Default for GoalLifecycle {
    fn default() -> GoalLifecycle {
        GoalLifecycle {
            complete_after: 20,
            archive_after: 40,
            complete_tokens: Tokens(300),
            archived_tokens: Tokens(60),
            model: None,
        }
    }
}

/// Notes of the two tiers: what tells them apart.
const COMPLETE: &str = "goal=complete";
const ARCHIVED: &str = "goal=archived";

impl Strategy for GoalLifecycle {
    fn parameters(&self) -> &'static [Parameter] {
        const {
            &[
                Parameter::eligibility("complete-after", "age in messages of a turn to complete"),
                Parameter::eligibility("archive-after", "age in messages of a goal to archive"),
                Parameter::request("complete-tokens", "most tokens of a [GOAL: complete]"),
                Parameter::request("archived-tokens", "most tokens of a [GOAL: archived]"),
                MODEL,
            ]
        }
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
        let mut folds = self.archived(view);
        folds.extend(self.completed(view, folds.len()));
        if folds.is_empty() {
            return Decision::decline("no goal is old enough for its next tier");
        }
        Decision::Plan(folding(view, folds))
    }
}

impl GoalLifecycle {
    fn archived(&self, view: &View) -> Vec<FoldedBlock> {
        let end = view.len().saturating_sub(self.archive_after);
        let goals = view.of(Class::Summary).iter().filter_map(|id| view.position(*id));
        goals
            .take_while(|place| *place < end)
            .filter(|place| view.entries()[*place].note.as_deref() == Some(COMPLETE))
            .enumerate()
            .map(|(number, place)| {
                let task = (prompt::archived(), self.archived_tokens);
                self.promotion(view, place..place + 1, number, task, ARCHIVED)
            })
            .collect()
    }

    fn completed(&self, view: &View, from: usize) -> Vec<FoldedBlock> {
        let end = view.len().saturating_sub(self.complete_after).min(view.live_turn());
        let turns = view.of(Class::ClosedTurn).iter().filter_map(|id| view.position(*id));
        turns
            .take_while(|start| *start < end)
            .map(|start| turn_at(view, start))
            .filter(|turn| turn.end <= end)
            .enumerate()
            .map(|(number, turn)| {
                let task = (prompt::complete(), self.complete_tokens);
                self.promotion(view, turn, from + number, task, COMPLETE)
            })
            .collect()
    }

    fn promotion(
        &self,
        view: &View,
        places: std::ops::Range<usize>,
        number: usize,
        (task, max_tokens): (Text, Tokens),
        tier: &str,
    ) -> FoldedBlock {
        let mut body = vec![Piece::Literal(task)];
        let entries = &view.entries()[places.clone()];
        for entry in entries {
            told(&format!("[{}]", entry.role.name()), entry, &mut body);
        }
        let covers: Vec<EntryId> = entries.iter().map(|entry| entry.id).collect();
        let tag = if tier == ARCHIVED { "[GOAL: archived] " } else { "[GOAL: complete] " };
        FoldedBlock {
            place: places.start,
            covers,
            request: request(number, body, max_tokens, self.model.as_deref()),
            kind: Kind::GoalBatch,
            tag: tag.into(),
            note: Some(tier.to_owned()),
        }
    }
}
