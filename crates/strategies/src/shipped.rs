//! Every strategy and pipeline that ships: a line each.

use std::sync::LazyLock;

use super::{
    alternatives, codex, forge, forge_g2, forge_head, full_replace, goat, mask, rebatch, recall,
    roadmap, truncate,
};
use proctor_core::strategy::Registry;

/// Fills a registry: the name that pipeline files use, the type, what it does.
macro_rules! strategies {
    ($all:ident: $($name:literal $strategy:ty: $about:literal;)*) => {
        $($all.add::<$strategy>($name, $about);)*
    };
}

/// What ships, registered once.
pub fn shipped() -> &'static Registry {
    static SHIPPED: LazyLock<Registry> = LazyLock::new(|| {
        let mut all = Registry::default();
        add_strategies(&mut all);
        for (name, text) in PIPELINES {
            all.add_pipeline(name, text);
        }
        all
    });
    &SHIPPED
}

/// The shipped pipeline of this name.
///
/// # Errors
///
/// [`Error::Unknown`](crate::error::Error::Unknown) with the nearest name.
pub fn pipeline(name: &str) -> crate::error::Result<crate::pipeline::Pipeline> {
    shipped().pipeline(name)
}

fn add_strategies(all: &mut Registry) {
    strategies! { all:
        "truncate" truncate::Truncate:
            "Drops the oldest whole steps.";
        "forge-tool-call" forge::ToolCall:
            "ADR-0014: summarizes old tool calls, one summary per call.";
        "forge-threshold" forge::Threshold:
            "ADR-0014 and ADR-0041: summarizes blocks of work under pressure.";
        "forge-goal-batch" forge::GoalBatch:
            "ADR-0041: batches old closed turns.";
        "forge-head-tool-call" forge_head::ToolCall:
            "Forge's code at 0bff338: folds old tool calls and results, all in one summary.";
        "forge-head-threshold" forge_head::Threshold:
            "Forge's code at 0bff338: folds the older half under pressure.";
        "forge-head-goal-batch" forge_head::GoalBatch:
            "Forge's code at 0bff338: batches old turns, the live one included.";
        "forge-g2-tool-call" forge_g2::ToolCall:
            "Forge's code at 56b6863: folds old tool calls and drops the blocks before them.";
        "forge-g2-threshold" forge_g2::Threshold:
            "Forge's code at 56b6863: folds every assistant message under pressure.";
        "forge-meta-summary" alternatives::MetaSummary:
            "ADR-0041, option 1: folds user messages with their summaries, at the floor.";
        "forge-prune-users" alternatives::PruneUsers:
            "ADR-0041, option 2: drops old user messages of little weight.";
        "forge-goal-lifecycle" alternatives::GoalLifecycle:
            "ADR-0041, option 3: promotes goals to complete, then to archived.";
        "prune-oldest" alternatives::PruneOldest:
            "ADR-0014, option 1: drops the oldest messages, pairs or not.";
        "forge-priority" alternatives::Priority:
            "ADR-0014, option 2: summarizes what scores lowest, one unit a summary.";
        "forge-turn-calls" rebatch::TurnCalls:
            "Ours: folds old work within its own turn.";
        "forge-whole-turns" rebatch::WholeTurns:
            "Ours: batches old turns of which nothing is raw any more.";
        "forge-rebatch" rebatch::Rebatch:
            "Ours: batches the oldest goal batches again.";
        "mask-tool-results" mask::MaskToolResults:
            "Replaces old tool results by a placeholder.";
        "goat-doc" goat::Document:
            "Goat's document: the last 40 % of the messages stay, a summary is acknowledged.";
        "goat-code" goat::Code:
            "Goat's code: what the last 40 % of the context limit cannot hold is summarized.";
        "goat-prune-results" goat::PruneResults:
            "Goat's code: cuts old tool results to their beginnings.";
        "full-replace" full_replace::FullReplace:
            "mistral-vibe 1.0: a summary and the last request replace everything.";
        "archive-recall" recall::ArchiveRecall:
            "Brings back from an archive what matches the latest request and the last step.";
        "roadmap-doc" roadmap::Document:
            "cogni's roadmap, the document: recent words stay, the rest becomes one summary.";
        "roadmap-code" roadmap::Code:
            "cogni's roadmap, the code: the same, prior summaries dropped unread.";
        "codex" codex::Codex:
            "Codex, local compaction: user messages and one summary stay.";
    }
}

/// Every file of `scenarios/strategies`, by name.
const PIPELINES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/pipelines.rs"));

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::pipeline::Pipeline;

    #[test]
    fn every_parameter_that_a_file_can_set_is_described() {
        for known in shipped().strategies() {
            let spec = &known.standard;
            let json = serde_json::to_value(spec).expect("it serializes");
            let fields = json[&known.name].as_object().expect("a table of parameters");
            let written: BTreeSet<&str> = fields.keys().map(String::as_str).collect();
            let described: BTreeSet<&str> =
                spec.strategy().parameters().iter().map(|parameter| parameter.name).collect();
            assert!(written.is_subset(&described), "{}: {written:?}", known.name);
            // What has no value where a file says nothing is a text, and is known.
            for name in described.difference(&written) {
                let mut given = json.clone();
                given[&known.name][*name] = "any".into();
                assert!(shipped().read(&given).is_ok(), "{name}");
            }
            assert!(spec.strategy().check().is_ok(), "{}", known.name);
            assert!(!known.about.trim().is_empty(), "{}", known.name);
        }
    }

    #[test]
    fn every_shipped_pipeline_parses_under_its_own_name() {
        for name in shipped().pipeline_names() {
            let pipeline = pipeline(name).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(pipeline.name, name);
            if let Some(reference) = &pipeline.reference {
                assert!(shipped().pipeline(reference).is_ok(), "{reference}");
            }
        }
    }

    #[test]
    fn pipelines_survive_json_and_toml() {
        for name in shipped().pipeline_names() {
            let own = pipeline(name).expect("it ships");
            let json = serde_json::to_value(&own).expect("it serializes");
            assert_eq!(Pipeline::from_json(shipped(), json).expect("it parses"), own);
            let toml = toml::to_string(&own).expect("it serializes");
            assert_eq!(Pipeline::parse(shipped(), name, &toml).expect("it parses"), own);
        }
    }

    #[test]
    fn a_misspelt_pipeline_gets_its_neighbour() {
        let error = pipeline("forge-ard").unwrap_err();
        assert_eq!(error.hint(), Some("did you mean `forge-adr`?"));
    }
}
