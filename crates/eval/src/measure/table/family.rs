//! Metrics that there are one of for every kind, rule, share or class of something.

use super::MetricId;
use crate::apply::Rule;
use crate::trace::{LossClass, Share};
use crate::truth::FactKind;

/// A function from each variant of an enum to its metric.
macro_rules! family {
    ($(#[$doc:meta])* $name:ident($of:ident) { $($variant:ident => $metric:ident),* $(,)? }) => {
        impl MetricId {
            $(#[$doc])*
            pub const fn $name(of: $of) -> MetricId {
                match of {
                    $($of::$variant => MetricId::$metric,)*
                }
            }
        }
    };
}

family! {
    /// The share of facts of this kind that is kept.
    retention(FactKind) {
        Path => RetentionPath,
        Symbol => RetentionSymbol,
        Error => RetentionError,
        Test => RetentionTest,
        Command => RetentionCommand,
        Value => RetentionValue,
        Decision => RetentionDecision,
        Constraint => RetentionConstraint,
        Preference => RetentionPreference,
        SafetyRule => RetentionSafetyRule,
        DeadEnd => RetentionDeadEnd,
        Direction => RetentionDirection,
        Outcome => RetentionOutcome,
        Pending => RetentionPending,
    }
}

family! {
    /// The generation at which facts of this kind are lost.
    cliff(FactKind) {
        Path => CliffPath,
        Symbol => CliffSymbol,
        Error => CliffError,
        Test => CliffTest,
        Command => CliffCommand,
        Value => CliffValue,
        Decision => CliffDecision,
        Constraint => CliffConstraint,
        Preference => CliffPreference,
        SafetyRule => CliffSafetyRule,
        DeadEnd => CliffDeadEnd,
        Direction => CliffDirection,
        Outcome => CliffOutcome,
        Pending => CliffPending,
    }
}

family! {
    /// How often this rule was broken.
    violations(Rule) {
        OrphanResult => ViolationsOrphanResult,
        OrphanCall => ViolationsOrphanCall,
        SplitPair => ViolationsSplitPair,
        DuplicateResult => ViolationsDuplicateResult,
        SystemChanged => ViolationsSystemChanged,
        OrderChanged => ViolationsOrderChanged,
        Grew => ViolationsGrew,
        EmptySummary => ViolationsEmptySummary,
        FirstMessageRole => ViolationsFirstMessageRole,
        TurnSplit => ViolationsTurnSplit,
    }
}

family! {
    /// Entries of this share that the floor keeps for each turn.
    entries_per_turn(Share) {
        System => FloorEntriesPerTurnSystem,
        User => FloorEntriesPerTurnUser,
        Assistant => FloorEntriesPerTurnAssistant,
        Tool => FloorEntriesPerTurnTool,
        Summarized => FloorEntriesPerTurnSummarized,
        GoalBatch => FloorEntriesPerTurnGoalBatch,
        Summary => FloorEntriesPerTurnSummary,
        Other => FloorEntriesPerTurnOther,
    }
}

family! {
    /// Facts lost in this way.
    losses(LossClass) {
        Dropped => LossesDropped,
        Unseen => LossesCoveredButUnseen,
        Omitted => LossesShownButOmitted,
        Resummarized => LossesLostInReSummary,
        Inverted => LossesInverted,
    }
}

family! {
    /// Demands missed because their fact was lost in this way.
    missed(LossClass) {
        Dropped => MissedDropped,
        Unseen => MissedCoveredButUnseen,
        Omitted => MissedShownButOmitted,
        Resummarized => MissedLostInReSummary,
        Inverted => MissedInverted,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_member_of_a_family_is_named_after_its_kind() {
        for kind in FactKind::ALL {
            let name = kind.name();
            assert_eq!(MetricId::retention(kind).name(), format!("retention.{name}"));
            assert_eq!(MetricId::cliff(kind).name(), format!("cliff.{name}"));
        }
        for rule in Rule::ALL {
            assert_eq!(MetricId::violations(rule).name(), format!("violations.{}", rule.name()));
        }
        for share in Share::ALL {
            let expected = format!("floor.entries_per_turn.{}", share.name());
            assert_eq!(MetricId::entries_per_turn(share).name(), expected);
        }
        for class in LossClass::ALL {
            assert_eq!(MetricId::losses(class).name(), format!("losses.{}", class.name()));
            assert_eq!(MetricId::missed(class).name(), format!("missed.{}", class.name()));
        }
    }
}
