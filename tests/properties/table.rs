//! What each shipped pipeline does, by its source's own doing.

use std::collections::BTreeSet;

use proctor::strategy::shipped;

use crate::properties::failures::Fate;

/// A line of the table.
pub struct Behaviour {
    /// The pipeline.
    pub pipeline: &'static str,
    /// Rules that it breaks on sessions that keep them all; no others are ever broken.
    pub breaks: &'static [&'static str],
    /// What becomes of a plan whose summary fails by error, time-out, overflow, or is
    /// empty; `None` where no summary is ever asked for.
    pub on_failure: [Option<Fate>; 4],
    /// Whether it ever changes a view.
    pub acts: bool,
    /// Whether a second pass without new messages changes nothing more.
    pub settles: bool,
    /// Where the source says so.
    pub source: &'static str,
}

/// The line of a pipeline.
pub fn behaviour(pipeline: &str) -> &'static Behaviour {
    let line = TABLE.iter().find(|line| line.pipeline == pipeline);
    line.unwrap_or_else(|| panic!("enter `{pipeline}` in tests/properties/table.rs"))
}

/// One fate where there is no answer, another where it is empty.
const fn all_but_empty(failed: Fate, empty: Fate) -> [Option<Fate>; 4] {
    [Some(failed), Some(failed), Some(failed), Some(empty)]
}

pub static TABLE: &[Behaviour] = &[
    Behaviour {
        pipeline: "none",
        breaks: &[],
        on_failure: [None; 4],
        acts: false,
        settles: true,
        source: "nothing is compacted",
    },
    Behaviour {
        pipeline: "truncate",
        breaks: &["first-message-role"],
        on_failure: [None; 4],
        acts: true,
        settles: true,
        source: "a yardstick: a cut may fall before any message that is no tool result",
    },
    Behaviour {
        pipeline: "forge-tool-call",
        breaks: &["grew", "empty-summary"],
        on_failure: all_but_empty(Fate::Untouched, Fate::EmptySummary),
        acts: true,
        settles: true,
        source: "ADR-0014: summaries in place, their size and content unchecked; an error fails the pass",
    },
    Behaviour {
        pipeline: "forge-threshold",
        breaks: &["grew", "empty-summary"],
        on_failure: all_but_empty(Fate::Untouched, Fate::EmptySummary),
        acts: true,
        settles: true,
        source: "ADR-0014: blocks of work are folded until the target, nothing under it is touched again",
    },
    Behaviour {
        pipeline: "forge-goal-batch",
        breaks: &[],
        on_failure: [None; 4],
        acts: false,
        settles: true,
        source: "ADR-0041: batches need summaries, and nothing here makes them",
    },
    Behaviour {
        pipeline: "forge-tool-call-threshold",
        breaks: &["grew", "empty-summary"],
        on_failure: all_but_empty(Fate::Untouched, Fate::EmptySummary),
        acts: true,
        settles: true,
        source: "ADR-0014: the two tiers as registered",
    },
    Behaviour {
        pipeline: "forge-tool-call-goal-batch",
        breaks: &["grew", "empty-summary", "first-message-role"],
        on_failure: all_but_empty(Fate::Untouched, Fate::EmptySummary),
        acts: true,
        settles: false,
        source: "ADR-0041: a batch is an assistant message at its first turn; six turns a pass at most",
    },
    Behaviour {
        pipeline: "forge-threshold-goal-batch",
        breaks: &["grew", "empty-summary", "first-message-role"],
        on_failure: all_but_empty(Fate::Untouched, Fate::EmptySummary),
        acts: true,
        settles: false,
        source: "ADR-0041: as above, on summaries of the threshold tier",
    },
    Behaviour {
        pipeline: "forge-adr",
        breaks: &["grew", "empty-summary", "first-message-role"],
        on_failure: all_but_empty(Fate::Untouched, Fate::EmptySummary),
        acts: true,
        settles: false,
        source: "ADR-0014 and ADR-0041: the three tiers as registered",
    },
    Behaviour {
        pipeline: "forge-head",
        breaks: &["orphan-result", "order-changed", "empty-summary", "first-message-role"],
        on_failure: all_but_empty(Fate::Untouched, Fate::EmptySummary),
        acts: true,
        settles: false,
        source: "threshold_strategy.go at 0bff338: system messages first, then the summary, no tool-pair boundary; tool_call_strategy.go: raw cut; goal_batch_strategy.go: six turns a call",
    },
    Behaviour {
        pipeline: "forge-head-no-threshold",
        breaks: &["orphan-result", "empty-summary", "first-message-role"],
        on_failure: all_but_empty(Fate::Untouched, Fate::EmptySummary),
        acts: true,
        settles: true,
        source: "tool_call_strategy.go at 0bff338: the cut is a raw message index",
    },
    Behaviour {
        pipeline: "forge-head-tool-call",
        breaks: &["orphan-result", "empty-summary"],
        on_failure: all_but_empty(Fate::Untouched, Fate::EmptySummary),
        acts: true,
        settles: true,
        source: "tool_call_strategy.go at 0bff338: the cut is a raw message index",
    },
    Behaviour {
        pipeline: "forge-head-tool-call-threshold",
        breaks: &["orphan-result", "order-changed", "empty-summary", "first-message-role"],
        on_failure: all_but_empty(Fate::Untouched, Fate::EmptySummary),
        acts: true,
        settles: false,
        source: "threshold_strategy.go at 0bff338: half of the messages, wherever that falls",
    },
    Behaviour {
        pipeline: "forge-g2",
        breaks: &["orphan-result", "grew", "empty-summary", "first-message-role"],
        on_failure: all_but_empty(Fate::Untouched, Fate::EmptySummary),
        acts: true,
        settles: false,
        source: "threshold_strategy.go at 56b6863: tool messages are ignored and left raw; every assistant message is folded again",
    },
    Behaviour {
        pipeline: "adr-0014-default",
        breaks: &["grew", "empty-summary"],
        on_failure: all_but_empty(Fate::Untouched, Fate::EmptySummary),
        acts: true,
        settles: true,
        source: "ADR-0014, usage example 1",
    },
    Behaviour {
        pipeline: "adr-0014-aggressive",
        breaks: &["grew", "empty-summary"],
        on_failure: all_but_empty(Fate::Untouched, Fate::EmptySummary),
        acts: true,
        settles: true,
        source: "ADR-0014, usage example 2",
    },
    Behaviour {
        pipeline: "adr-0014-conservative",
        breaks: &["grew", "empty-summary"],
        on_failure: all_but_empty(Fate::Untouched, Fate::EmptySummary),
        acts: true,
        settles: true,
        source: "ADR-0014, usage example 3",
    },
    Behaviour {
        pipeline: "adr-0014-disabled",
        breaks: &["orphan-result", "first-message-role"],
        on_failure: [None; 4],
        acts: true,
        settles: true,
        source: "ADR-0014, usage example 4: the oldest messages go, pairs or not",
    },
    Behaviour {
        pipeline: "prune-oldest",
        breaks: &["orphan-result", "first-message-role"],
        on_failure: [None; 4],
        acts: true,
        settles: true,
        source: "ADR-0014, option 1: the oldest messages go, pairs or not",
    },
    Behaviour {
        pipeline: "forge-priority",
        breaks: &["empty-summary", "first-message-role"],
        on_failure: all_but_empty(Fate::Untouched, Fate::EmptySummary),
        acts: true,
        settles: true,
        source: "ADR-0014, option 2: the lowest score goes first, whatever stands first",
    },
    Behaviour {
        pipeline: "forge-meta-summary",
        breaks: &["grew", "empty-summary", "first-message-role"],
        on_failure: all_but_empty(Fate::Untouched, Fate::EmptySummary),
        acts: true,
        settles: true,
        source: "ADR-0041, option 1: a user message and its summaries become one summary",
    },
    Behaviour {
        pipeline: "forge-prune-users",
        breaks: &["grew", "empty-summary", "first-message-role"],
        on_failure: all_but_empty(Fate::Untouched, Fate::EmptySummary),
        acts: true,
        settles: true,
        source: "ADR-0041, option 2: user messages are dropped",
    },
    Behaviour {
        pipeline: "forge-goal-lifecycle",
        breaks: &["grew", "empty-summary", "first-message-role"],
        on_failure: all_but_empty(Fate::Untouched, Fate::EmptySummary),
        acts: true,
        settles: false,
        source: "ADR-0041, option 3: goals become assistant messages, one after the other",
    },
    Behaviour {
        pipeline: "forge-rebatch",
        breaks: &["grew", "empty-summary", "first-message-role"],
        on_failure: all_but_empty(Fate::Untouched, Fate::EmptySummary),
        acts: true,
        settles: false,
        source: "an improvement of ours on forge-head",
    },
    Behaviour {
        pipeline: "mask-tool-results",
        breaks: &[],
        on_failure: [None; 4],
        acts: true,
        settles: true,
        source: "OpenHands, SWE-agent, arXiv 2508.21433: only results change",
    },
    Behaviour {
        pipeline: "goat-doc",
        breaks: &["grew"],
        on_failure: [Some(Fate::HistoryLost); 4],
        acts: true,
        settles: false,
        source: "Goat's document: pairs are never split; a failed summary leaves a placeholder",
    },
    Behaviour {
        pipeline: "goat-code",
        breaks: &["orphan-result", "grew", "empty-summary", "first-message-role"],
        on_failure: all_but_empty(Fate::HistoryLost, Fate::EmptySummary),
        acts: true,
        settles: false,
        source: "adjustSplitForToolPairs of pkg/context ends on a result where rounds follow one another; a failed summary leaves the preserve zone alone",
    },
    Behaviour {
        pipeline: "goat-fixed",
        breaks: &["grew", "empty-summary", "first-message-role"],
        on_failure: all_but_empty(Fate::HistoryLost, Fate::EmptySummary),
        acts: true,
        settles: false,
        source: "goat-code with the split corrected",
    },
    Behaviour {
        pipeline: "split-half-unsafe",
        breaks: &["orphan-result", "grew"],
        on_failure: [Some(Fate::Raises); 4],
        acts: true,
        settles: false,
        source: "Goat's document, comparison table: the cut falls where it falls; no fallback",
    },
    Behaviour {
        pipeline: "full-replace",
        breaks: &["grew", "empty-summary"],
        on_failure: all_but_empty(Fate::ChangedAndRaises, Fate::EmptySummary),
        acts: true,
        settles: true,
        source: "vibe/core/agent.py at fa15fc9: an exception is raised again, the compaction prompt stays; an empty answer is taken",
    },
    Behaviour {
        pipeline: "full-replace-200k",
        breaks: &["grew", "empty-summary"],
        on_failure: all_but_empty(Fate::ChangedAndRaises, Fate::EmptySummary),
        acts: false,
        settles: true,
        source: "as full-replace, at 200,000 tokens whatever the window",
    },
    Behaviour {
        pipeline: "full-replace-fixed",
        breaks: &["grew", "empty-summary"],
        on_failure: all_but_empty(Fate::ChangedAndRaises, Fate::EmptySummary),
        acts: true,
        settles: true,
        source: "as full-replace",
    },
    Behaviour {
        pipeline: "full-replace-archive",
        breaks: &["grew", "empty-summary"],
        on_failure: all_but_empty(Fate::ChangedAndRaises, Fate::EmptySummary),
        acts: true,
        settles: true,
        source: "as full-replace; the archive changes what is sent only",
    },
    Behaviour {
        pipeline: "roadmap-doc",
        breaks: &["grew"],
        on_failure: all_but_empty(Fate::Untouched, Fate::HistoryLost),
        acts: true,
        settles: true,
        source: "the roadmap names no rule for a failure; the call is made with the history as it was",
    },
    Behaviour {
        pipeline: "roadmap-code",
        breaks: &["grew"],
        on_failure: all_but_empty(Fate::Raises, Fate::HistoryLost),
        acts: true,
        settles: true,
        source: "cogni compaction.go: any error ends the run with the history as it was; an empty summary makes no item, the others are gone",
    },
    Behaviour {
        pipeline: "codex",
        breaks: &["order-changed", "grew", "empty-summary"],
        on_failure: all_but_empty(Fate::Untouched, Fate::EmptySummary),
        acts: true,
        settles: false,
        source: "compact.rs at 0100b10: initial context first, the prefix alone where the answer is empty; after its retries the turn goes on",
    },
];

#[test]
fn the_table_is_complete_and_says_where_each_line_is_from() {
    let entered: BTreeSet<&str> = TABLE.iter().map(|line| line.pipeline).collect();
    let names: BTreeSet<&str> = shipped().pipeline_names().collect();
    assert_eq!(entered, names, "one line for each pipeline");
    assert_eq!(TABLE.len(), names.len(), "no pipeline has two lines");
    assert!(TABLE.iter().all(|line| !line.source.is_empty()));
}
