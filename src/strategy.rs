//! Strategies: pure functions from a view to a plan.
//!
//! A strategy does no I/O, changes nothing and sees no truth. One file per family;
//! each says in its doc comment what its source does, where documents and code
//! disagree, and which of its parameters are keep-rules (they hold under the floor
//! probe) and which are pressure (they do not).

pub mod forge;
#[cfg(test)]
pub(crate) mod scripted;
pub mod truncate;

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::apply::Claims;
use crate::log::{Past, Role};
use crate::plan::Decision;
use crate::pressure::{Budget, Occasion, Reading};
use crate::view::View;

/// What a strategy may know beside the view.
#[derive(Clone, Copy, Debug)]
pub struct PlanContext<'a> {
    /// Why it is asked now.
    pub occasion: Occasion,
    /// What there is room for.
    pub budget: &'a Budget,
    /// The stage's pressure, where it has one.
    pub reading: Option<Reading>,
    /// The log so far, with the recorded boundaries behind us.
    pub past: Past<'a>,
    /// Ordinal of the latest user-role message (Forge's `TurnCount`).
    pub turn: u32,
}

/// What a plan changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The view, from now on.
    History,
    /// Only what is sent.
    Request,
}

/// What a profile that goes by role and text takes an entry for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// Words of the person at the keyboard.
    Human,
    /// A summary of its own making.
    Summary,
    /// Anything else.
    Other,
}

/// Proposes the next view.
pub trait Strategy: fmt::Debug + Send + Sync {
    /// What its plans change.
    fn scope(&self) -> Scope {
        Scope::History
    }

    /// What the profile promises beyond the general rules.
    fn claims(&self) -> Claims {
        Claims::default()
    }

    /// What it takes an entry of this role and content for, where it goes by text as
    /// its source does; `None` where it goes by [`Kind`](crate::view::Kind). Sees
    /// neither kind nor author, so that its mistakes are the source's.
    fn takes_for(&self, _role: Role, _content: &str) -> Option<Taken> {
        None
    }

    /// Its proposal for this view.
    fn plan(&self, view: &View, context: &PlanContext) -> Decision;
}

/// Every strategy that a pipeline file can name, with its parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StrategySpec {
    /// Drops the oldest whole steps.
    Truncate(truncate::Truncate),
    /// ADR-0014: summarizes old tool calls, one summary per call.
    ForgeToolCall(forge::ToolCall),
    /// ADR-0014 and ADR-0041: summarizes blocks of work under pressure.
    ForgeThreshold(forge::Threshold),
    /// ADR-0041: batches old closed turns.
    ForgeGoalBatch(forge::GoalBatch),
    /// Any function.
    #[cfg(test)]
    #[serde(skip)]
    Scripted(scripted::Scripted),
}

impl StrategySpec {
    /// The strategy.
    pub fn strategy(&self) -> &dyn Strategy {
        match self {
            StrategySpec::Truncate(strategy) => strategy,
            StrategySpec::ForgeToolCall(strategy) => strategy,
            StrategySpec::ForgeThreshold(strategy) => strategy,
            StrategySpec::ForgeGoalBatch(strategy) => strategy,
            #[cfg(test)]
            StrategySpec::Scripted(strategy) => strategy,
        }
    }

    /// What is wrong with its parameters, if anything.
    pub fn check(&self) -> Result<(), String> {
        match self {
            StrategySpec::ForgeGoalBatch(batch) if batch.min_turns == 0 || batch.max_turns == 0 => {
                Err("`min-turns` and `max-turns` are at least 1".to_owned())
            }
            StrategySpec::ForgeGoalBatch(batch) if batch.max_turns < batch.min_turns => {
                Err(format!(
                    "`max-turns` {} is below `min-turns` {}, so no batch could ever be made",
                    batch.max_turns, batch.min_turns
                ))
            }
            StrategySpec::Truncate(_)
            | StrategySpec::ForgeToolCall(_)
            | StrategySpec::ForgeThreshold(_)
            | StrategySpec::ForgeGoalBatch(_) => Ok(()),
            #[cfg(test)]
            StrategySpec::Scripted(_) => Ok(()),
        }
    }

    /// Whether its plans ever hold a summary request.
    pub fn asks(&self) -> bool {
        match self {
            StrategySpec::Truncate(_) => false,
            StrategySpec::ForgeToolCall(_)
            | StrategySpec::ForgeThreshold(_)
            | StrategySpec::ForgeGoalBatch(_) => true,
            #[cfg(test)]
            StrategySpec::Scripted(_) => true,
        }
    }

    /// The name that pipeline files use: a stage's name where it has no other.
    pub fn name(&self) -> &'static str {
        match self {
            StrategySpec::Truncate(_) => "truncate",
            StrategySpec::ForgeToolCall(_) => "forge-tool-call",
            StrategySpec::ForgeThreshold(_) => "forge-threshold",
            StrategySpec::ForgeGoalBatch(_) => "forge-goal-batch",
            #[cfg(test)]
            StrategySpec::Scripted(_) => "scripted",
        }
    }
}
