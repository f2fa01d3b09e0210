//! Every strategy and pipeline that ships: a line each.

use std::sync::OnceLock;

use super::{
    alternatives, codex, forge, forge_g2, forge_head, full_replace, goat, mask, rebatch, recall,
    roadmap, truncate,
};
use proctor_core::strategy::Registry;

/// What ships, registered once.
pub fn shipped() -> &'static Registry {
    static SHIPPED: OnceLock<Registry> = OnceLock::new();
    SHIPPED.get_or_init(|| {
        let mut all = Registry::default();
        of_forge(&mut all);
        others(&mut all);
        for (name, text) in PIPELINES {
            all.add_pipeline(name, text);
        }
        all
    })
}

/// The shipped pipeline of this name.
///
/// # Errors
///
/// [`Error::Unknown`](crate::error::Error::Unknown) with the nearest name.
pub fn pipeline(name: &str) -> crate::error::Result<crate::pipeline::Pipeline> {
    shipped().pipeline(name)
}

fn of_forge(all: &mut Registry) {
    all.add::<truncate::Truncate>("truncate", "Drops the oldest whole steps.");
    all.add::<forge::ToolCall>(
        "forge-tool-call",
        "ADR-0014: summarizes old tool calls, one summary per call.",
    );
    all.add::<forge::Threshold>(
        "forge-threshold",
        "ADR-0014 and ADR-0041: summarizes blocks of work under pressure.",
    );
    all.add::<forge::GoalBatch>("forge-goal-batch", "ADR-0041: batches old closed turns.");
    all.add::<forge_head::ToolCall>(
        "forge-head-tool-call",
        "Forge's code at 0bff338: folds old tool calls and results, all in one summary.",
    );
    all.add::<forge_head::Threshold>(
        "forge-head-threshold",
        "Forge's code at 0bff338: folds the older half under pressure.",
    );
    all.add::<forge_head::GoalBatch>(
        "forge-head-goal-batch",
        "Forge's code at 0bff338: batches old turns, the live one included.",
    );
    all.add::<forge_g2::ToolCall>(
        "forge-g2-tool-call",
        "Forge's code at 56b6863: folds old tool calls and drops the blocks before them.",
    );
    all.add::<forge_g2::Threshold>(
        "forge-g2-threshold",
        "Forge's code at 56b6863: folds every assistant message under pressure.",
    );
    all.add::<alternatives::MetaSummary>(
        "forge-meta-summary",
        "ADR-0041, option 1: folds user messages with their summaries, at the floor.",
    );
    all.add::<alternatives::PruneUsers>(
        "forge-prune-users",
        "ADR-0041, option 2: drops old user messages of little weight.",
    );
    all.add::<alternatives::GoalLifecycle>(
        "forge-goal-lifecycle",
        "ADR-0041, option 3: promotes goals to complete, then to archived.",
    );
    all.add::<alternatives::PruneOldest>(
        "prune-oldest",
        "ADR-0014, option 1: drops the oldest messages, pairs or not.",
    );
    all.add::<alternatives::Priority>(
        "forge-priority",
        "ADR-0014, option 2: summarizes what scores lowest, one unit a summary.",
    );
    all.add::<rebatch::TurnCalls>("forge-turn-calls", "Ours: folds old work within its own turn.");
    all.add::<rebatch::WholeTurns>(
        "forge-whole-turns",
        "Ours: batches old turns of which nothing is raw any more.",
    );
    all.add::<rebatch::Rebatch>("forge-rebatch", "Ours: batches the oldest goal batches again.");
}

fn others(all: &mut Registry) {
    all.add::<mask::MaskToolResults>(
        "mask-tool-results",
        "Replaces old tool results by a placeholder.",
    );
    all.add::<goat::Document>(
        "goat-doc",
        "Goat's document: the last 40 % of the messages stay, a summary is acknowledged.",
    );
    all.add::<goat::Code>(
        "goat-code",
        "Goat's code: what the last 40 % of the context limit cannot hold is summarized.",
    );
    all.add::<goat::PruneResults>(
        "goat-prune-results",
        "Goat's code: cuts old tool results to their beginnings.",
    );
    all.add::<full_replace::FullReplace>(
        "full-replace",
        "mistral-vibe 1.0: a summary and the last request replace everything.",
    );
    all.add::<recall::ArchiveRecall>(
        "archive-recall",
        "Brings back from an archive what matches the latest request and the last step.",
    );
    all.add::<roadmap::Document>(
        "roadmap-doc",
        "cogni's roadmap, the document: recent words stay, the rest becomes one summary.",
    );
    all.add::<roadmap::Code>(
        "roadmap-code",
        "cogni's roadmap, the code: the same, prior summaries dropped unread.",
    );
    all.add::<codex::Codex>(
        "codex",
        "Codex, local compaction: user messages and one summary stay.",
    );
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
