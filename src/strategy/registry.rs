//! Every strategy that a pipeline file can name: one line each.

use serde::{Deserialize, Serialize};

use super::{
    Strategy, alternatives, codex, forge, forge_g2, forge_head, full_replace, goat, mask, rebatch,
    recall, roadmap, truncate,
};

/// Makes the enum of strategies, its names and the list of all.
macro_rules! strategies {
    ($($(#[doc = $doc:literal])+ $name:literal = $variant:ident($kind:ty),)+) => {
        /// Every strategy that a pipeline file can name, with its parameters.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        pub enum StrategySpec {
            $($(#[doc = $doc])+ #[serde(rename = $name)] $variant($kind),)+
            /// Any function.
            #[cfg(test)]
            #[serde(skip)]
            Scripted(super::scripted::Scripted),
        }

        impl StrategySpec {
            /// The strategy.
            pub fn strategy(&self) -> &dyn Strategy {
                match self {
                    $(StrategySpec::$variant(strategy) => strategy,)+
                    #[cfg(test)]
                    StrategySpec::Scripted(strategy) => strategy,
                }
            }

            /// The name that pipeline files use: a stage's name where it has no other.
            pub fn name(&self) -> &'static str {
                match self {
                    $(StrategySpec::$variant(_) => $name,)+
                    #[cfg(test)]
                    StrategySpec::Scripted(_) => "scripted",
                }
            }
        }

        /// All strategies in the order of the list.
        pub static KNOWN: &[Known] = &[
            $(Known {
                name: $name,
                about: concat!($($doc),+),
                standard: || StrategySpec::$variant(<$kind>::default()),
            },)+
        ];
    };
}

/// A strategy by name.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    /// As pipeline files write it.
    pub name: &'static str,
    /// What it does, in a sentence.
    pub about: &'static str,
    /// With the parameters that hold where a file says nothing.
    pub standard: fn() -> StrategySpec,
}

strategies! {
    /// Drops the oldest whole steps.
    "truncate" = Truncate(truncate::Truncate),
    /// ADR-0014: summarizes old tool calls, one summary per call.
    "forge-tool-call" = ForgeToolCall(forge::ToolCall),
    /// ADR-0014 and ADR-0041: summarizes blocks of work under pressure.
    "forge-threshold" = ForgeThreshold(forge::Threshold),
    /// ADR-0041: batches old closed turns.
    "forge-goal-batch" = ForgeGoalBatch(forge::GoalBatch),
    /// Forge's code at 0bff338: folds old tool calls and results, all in one summary.
    "forge-head-tool-call" = ForgeHeadToolCall(forge_head::ToolCall),
    /// Forge's code at 0bff338: folds the older half under pressure.
    "forge-head-threshold" = ForgeHeadThreshold(forge_head::Threshold),
    /// Forge's code at 0bff338: batches old turns, the live one included.
    "forge-head-goal-batch" = ForgeHeadGoalBatch(forge_head::GoalBatch),
    /// Forge's code at 56b6863: folds old tool calls and drops the blocks before them.
    "forge-g2-tool-call" = ForgeG2ToolCall(forge_g2::ToolCall),
    /// Forge's code at 56b6863: folds every assistant message under pressure.
    "forge-g2-threshold" = ForgeG2Threshold(forge_g2::Threshold),
    /// ADR-0041, option 1: folds user messages with their summaries, at the floor.
    "forge-meta-summary" = ForgeMetaSummary(alternatives::MetaSummary),
    /// ADR-0041, option 2: drops old user messages of little weight.
    "forge-prune-users" = ForgePruneUsers(alternatives::PruneUsers),
    /// ADR-0041, option 3: promotes goals to complete, then to archived.
    "forge-goal-lifecycle" = ForgeGoalLifecycle(alternatives::GoalLifecycle),
    /// ADR-0014, option 1: drops the oldest messages, pairs or not.
    "prune-oldest" = PruneOldest(alternatives::PruneOldest),
    /// ADR-0014, option 2: summarizes what scores lowest, one unit a summary.
    "forge-priority" = ForgePriority(alternatives::Priority),
    /// Ours: folds old work within its own turn.
    "forge-turn-calls" = ForgeTurnCalls(rebatch::TurnCalls),
    /// Ours: batches old turns of which nothing is raw any more.
    "forge-whole-turns" = ForgeWholeTurns(rebatch::WholeTurns),
    /// Ours: batches the oldest goal batches again.
    "forge-rebatch" = ForgeRebatch(rebatch::Rebatch),
    /// Replaces old tool results by a placeholder.
    "mask-tool-results" = MaskToolResults(mask::MaskToolResults),
    /// Goat's document: the last 40 % of the messages stay, a summary is acknowledged.
    "goat-doc" = GoatDocument(goat::Document),
    /// Goat's code: what the last 40 % of the context limit cannot hold is summarized.
    "goat-code" = GoatCode(goat::Code),
    /// Goat's code: cuts old tool results to their beginnings.
    "goat-prune-results" = GoatPruneResults(goat::PruneResults),
    /// mistral-vibe 1.0: a summary and the last request replace everything.
    "full-replace" = FullReplace(full_replace::FullReplace),
    /// Brings back from an archive what matches the latest request and the last step.
    "archive-recall" = ArchiveRecall(recall::ArchiveRecall),
    /// cogni's roadmap, the document: recent words stay, the rest becomes one summary.
    "roadmap-doc" = RoadmapDoc(roadmap::Document),
    /// cogni's roadmap, the code: the same, prior summaries dropped unread.
    "roadmap-code" = RoadmapCode(roadmap::Code),
    /// Codex, local compaction: user messages and one summary stay.
    "codex" = Codex(codex::Codex),
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_parameter_that_a_file_can_set_is_described() {
        for known in KNOWN {
            let spec = (known.standard)();
            assert_eq!(spec.name(), known.name);
            let json = serde_json::to_value(&spec).expect("it serializes");
            let fields = json[known.name].as_object().expect("a table of parameters");
            let written: BTreeSet<&str> = fields.keys().map(String::as_str).collect();
            let described: BTreeSet<&str> =
                spec.strategy().parameters().iter().map(|parameter| parameter.name).collect();
            assert!(written.is_subset(&described), "{}: {written:?}", known.name);
            // What has no value where a file says nothing is a text, and is known.
            for name in described.difference(&written) {
                let mut given = json.clone();
                given[known.name][*name] = "any".into();
                assert!(serde_json::from_value::<StrategySpec>(given).is_ok(), "{name}");
            }
            assert!(spec.strategy().check().is_ok(), "{}", known.name);
            assert!(!known.about.trim().is_empty(), "{}", known.name);
        }
    }
}
