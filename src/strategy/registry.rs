//! Every strategy that a pipeline file can name: one line each.

use serde::{Deserialize, Serialize};

use super::{Strategy, codex, forge, roadmap, truncate};

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
            assert_eq!(described, written, "{}", known.name);
            assert!(spec.strategy().check().is_ok(), "{}", known.name);
            assert!(!known.about.trim().is_empty(), "{}", known.name);
        }
    }
}
