//! The lines of the table.

use super::*;

pub(super) static TABLE: &[Behaviour] = &[
    Behaviour { pipeline: "none", acts: false, source: "nothing is compacted", ..SOUND },
    Behaviour {
        pipeline: "recorded",
        breaks: &["fresh-result-hidden"],
        source: "the recording: a summary takes the place of results that no call had read",
        ..SOUND
    },
    Behaviour {
        pipeline: "truncate",
        breaks: &["first-message-role"],
        source: "a yardstick: a cut may fall before any message that is no tool result",
        ..SOUND
    },
    Behaviour {
        pipeline: "forge-tool-call",
        source: "ADR-0014: summaries in place, their size and content unchecked; an error fails the pass",
        ..FORGE_TOOL_CALL
    },
    Behaviour {
        pipeline: "forge-threshold",
        breaks: &["grew", "empty-summary", "fresh-result-hidden"],
        source: "ADR-0014: blocks of work are folded until the target, nothing under it is touched again",
        ..ASKS
    },
    Behaviour {
        pipeline: "forge-goal-batch",
        acts: false,
        source: "ADR-0041: batches need summaries, and nothing here makes them",
        ..SOUND
    },
    Behaviour {
        pipeline: "forge-tool-call-threshold",
        breaks: &["grew", "empty-summary", "fresh-result-hidden"],
        source: "ADR-0014: the two tiers as registered",
        ..ASKS
    },
    Behaviour {
        pipeline: "forge-tool-call-goal-batch",
        breaks: &["grew", "empty-summary", "first-message-role"],
        settles: false,
        source: "ADR-0041: a batch is an assistant message at its first turn; six turns a pass at most",
        ..ASKS
    },
    Behaviour {
        pipeline: "forge-threshold-goal-batch",
        source: "ADR-0041: as above, on summaries of the threshold tier",
        ..FORGE
    },
    Behaviour {
        pipeline: "forge-adr",
        source: "ADR-0014 and ADR-0041: the three tiers as registered",
        ..FORGE
    },
    Behaviour {
        pipeline: "amnesiac",
        breaks: &["fresh-result-hidden"],
        source: "a control: the last turn alone is kept",
        ..SOUND
    },
    Behaviour {
        pipeline: "blind",
        breaks: &["fresh-result-hidden"],
        source: "a control: no result is read",
        ..SOUND
    },
    Behaviour { pipeline: "hoarder", acts: false, source: "a control: it never compacts", ..SOUND },
    Behaviour {
        pipeline: "random-drop",
        breaks: &["first-message-role"],
        source: "a yardstick: any message may go",
        ..SOUND
    },
    Behaviour {
        pipeline: "truncate-hysteresis",
        breaks: &["first-message-role"],
        source: "a yardstick: as truncate",
        ..SOUND
    },
    Behaviour {
        pipeline: "forge-adr-anywhere",
        source: "ADR-0041 read otherwise: forge-adr, with the blocks of a turn wherever they stand",
        ..FORGE
    },
    Behaviour {
        pipeline: "forge-adr-whole-turn",
        source: "ADR-0041 read otherwise: forge-adr, with the words that close a turn",
        ..FORGE
    },
    Behaviour {
        pipeline: "forge-head",
        source: "threshold_strategy.go at 0bff338: system messages first, then the summary, no tool-pair boundary; tool_call_strategy.go: raw cut; goal_batch_strategy.go: six turns a call",
        ..FORGE_HEAD
    },
    Behaviour {
        pipeline: "forge-head-no-threshold",
        breaks: &["orphan-result", "empty-summary", "first-message-role"],
        source: "tool_call_strategy.go at 0bff338: the cut is a raw message index",
        ..ASKS
    },
    Behaviour {
        pipeline: "forge-head-tool-call",
        breaks: &["orphan-result", "empty-summary"],
        source: "tool_call_strategy.go at 0bff338: the cut is a raw message index",
        ..ASKS
    },
    Behaviour {
        pipeline: "forge-head-tool-call-threshold",
        source: "threshold_strategy.go at 0bff338: half of the messages, wherever that falls",
        ..FORGE_HEAD
    },
    Behaviour {
        pipeline: "forge-g2",
        breaks: &["orphan-result", "grew", "empty-summary", "first-message-role"],
        settles: false,
        source: "threshold_strategy.go at 56b6863: tool messages are ignored and left raw; every assistant message is folded again",
        ..ASKS
    },
    Behaviour {
        pipeline: "adr-0014-default",
        source: "ADR-0014, usage example 1",
        ..FORGE_TOOL_CALL
    },
    Behaviour {
        pipeline: "adr-0014-aggressive",
        source: "ADR-0014, usage example 2",
        ..FORGE_TOOL_CALL
    },
    Behaviour {
        pipeline: "adr-0014-conservative",
        source: "ADR-0014, usage example 3",
        ..FORGE_TOOL_CALL
    },
    Behaviour {
        pipeline: "adr-0014-disabled",
        breaks: &["orphan-result", "first-message-role", "fresh-result-hidden"],
        source: "ADR-0014, usage example 4: the oldest messages go, pairs or not",
        ..SOUND
    },
    Behaviour {
        pipeline: "prune-oldest",
        breaks: &["orphan-result", "first-message-role", "fresh-result-hidden"],
        source: "ADR-0014, option 1: the oldest messages go, pairs or not",
        ..SOUND
    },
    Behaviour {
        pipeline: "forge-priority",
        breaks: &["empty-summary", "first-message-role", "fresh-result-hidden"],
        source: "ADR-0014, option 2: the lowest score goes first, whatever stands first",
        ..ASKS
    },
    Behaviour {
        pipeline: "forge-meta-summary",
        settles: true,
        source: "ADR-0041, option 1: a user message and its summaries become one summary",
        ..FORGE
    },
    Behaviour {
        pipeline: "forge-prune-users",
        settles: true,
        source: "ADR-0041, option 2: user messages are dropped",
        ..FORGE
    },
    Behaviour {
        pipeline: "forge-goal-lifecycle",
        source: "ADR-0041, option 3: goals become assistant messages, one after the other",
        ..FORGE
    },
    Behaviour {
        pipeline: "forge-rebatch",
        breaks: &["grew", "empty-summary", "first-message-role"],
        settles: false,
        source: "an improvement of ours on forge-head",
        ..ASKS
    },
    Behaviour {
        pipeline: "goat-doc",
        breaks: &["grew", "fresh-result-hidden"],
        on_failure: [Some(Fate::HistoryLost); 4],
        settles: false,
        source: "Goat's document: pairs are never split; a failed summary leaves a placeholder",
        ..SOUND
    },
    Behaviour {
        pipeline: "goat-code",
        breaks: &[
            "orphan-result",
            "grew",
            "empty-summary",
            "first-message-role",
            "fresh-result-hidden",
        ],
        on_failure: all_but_empty(Fate::HistoryLost, Fate::EmptySummary),
        settles: false,
        source: "adjustSplitForToolPairs of pkg/context ends on a result where rounds follow one another; a failed summary leaves the preserve zone alone",
        ..SOUND
    },
    Behaviour {
        pipeline: "goat-fixed",
        on_failure: all_but_empty(Fate::HistoryLost, Fate::EmptySummary),
        source: "goat-code with the split corrected",
        ..FORGE
    },
    Behaviour {
        pipeline: "split-half-unsafe",
        breaks: &["orphan-result", "grew", "fresh-result-hidden"],
        on_failure: [Some(Fate::Raises); 4],
        settles: false,
        source: "Goat's document, comparison table: the cut falls where it falls; no fallback",
        ..SOUND
    },
    Behaviour {
        pipeline: "full-replace",
        source: "vibe/core/agent.py at fa15fc9: an exception is raised again, the compaction prompt stays; an empty answer is taken",
        ..FULL_REPLACE
    },
    Behaviour {
        pipeline: "full-replace-200k",
        acts: false,
        source: "as full-replace, at 200,000 tokens whatever the window",
        ..FULL_REPLACE
    },
    Behaviour { pipeline: "full-replace-fixed", source: "as full-replace", ..FULL_REPLACE },
    Behaviour {
        pipeline: "full-replace-archive",
        source: "as full-replace; the archive changes what is sent only",
        ..FULL_REPLACE
    },
    Behaviour {
        pipeline: "roadmap-doc",
        breaks: &["grew", "fresh-result-hidden"],
        on_failure: all_but_empty(Fate::Untouched, Fate::HistoryLost),
        source: "the roadmap names no rule for a failure; the call is made with the history as it was",
        ..SOUND
    },
    Behaviour {
        pipeline: "roadmap-code",
        breaks: &["grew", "fresh-result-hidden"],
        on_failure: all_but_empty(Fate::Raises, Fate::HistoryLost),
        source: "cogni compaction.go: any error ends the run with the history as it was; an empty summary makes no item, the others are gone",
        ..SOUND
    },
    Behaviour {
        pipeline: "langchain",
        breaks: &["empty-summary", "grew", "system-changed"],
        settles: false,
        source: "summarization.py of langchain 1.5.2: retried, then raised; an empty answer is a summary",
        ..RAISES
    },
    Behaviour {
        pipeline: "langchain-clear-tool-uses",
        acts: false,
        source: "context_editing.py of langchain 1.5.2: it edits a copy for each request",
        ..SOUND
    },
    Behaviour {
        pipeline: "gemini-cli",
        breaks: &["system-changed"],
        on_failure: [Some(Fate::Untouched); 4],
        settles: false,
        source: "chatCompressionService.ts at 5411f11: it rejects what is empty or larger",
        ..SOUND
    },
    Behaviour {
        pipeline: "cline",
        breaks: &["fresh-result-hidden", "grew", "system-changed"],
        on_failure: [Some(Fate::HistoryLost); 4],
        source: "cline at 21cb8d2: where no summary comes, a mechanical cut takes its place",
        ..SOUND
    },
    Behaviour {
        pipeline: "adk",
        breaks: &["empty-summary", "first-message-role", "fresh-result-hidden", "system-changed"],
        source: "compaction.py at 94fca72: an empty answer is a summary; without one nothing is compacted",
        ..ASKS
    },
    Behaviour {
        pipeline: "codex",
        breaks: &["order-changed", "grew", "empty-summary", "fresh-result-hidden"],
        settles: false,
        source: "compact.rs at 0100b10: initial context first, the prefix alone where the answer is empty; after its retries the turn goes on",
        ..ASKS
    },
    Behaviour {
        pipeline: "aider",
        breaks: &["empty-summary", "fresh-result-hidden"],
        source: "aider/history.py at 5dc9490: all models fail, and the history is kept; an empty answer is a summary",
        ..ASKS
    },
    Behaviour {
        pipeline: "goose",
        breaks: &["empty-summary", "fresh-result-hidden", "grew", "order-changed"],
        source: "context_mgmt/mod.rs at 0036b81: the whole history gives way, the latest typed message is appended again; an error is returned",
        ..RAISES
    },
    Behaviour {
        pipeline: "strands-sliding-window",
        breaks: &["first-message-role", "fresh-result-hidden"],
        source: "sliding_window_conversation_manager.py at 1232230: a pair of call and result may come first",
        ..SOUND
    },
    Behaviour {
        pipeline: "strands-summarizing",
        breaks: &["empty-summary", "grew"],
        acts: false,
        source: "summarizing_conversation_manager.py at 1232230: a reactive failure is raised again",
        ..RAISES
    },
    Behaviour {
        pipeline: "openhands",
        breaks: &["empty-summary", "fresh-result-hidden", "system-changed"],
        or_untouched: true,
        settles: false,
        source: "llm_summarizing_condenser.py of the V1 SDK: events between the first and the last are forgotten, whatever they are; where an error leaves no view, it is raised",
        ..RAISES
    },
    Behaviour {
        pipeline: "openhands-v0",
        breaks: &["empty-summary", "system-changed"],
        source: "llm_summarizing_condenser.py of V0: an empty answer is a summary, an error is raised; events go by number",
        ..RAISES
    },
    Behaviour {
        pipeline: "opencode",
        breaks: &["empty-summary", "fresh-result-hidden", "grew", "orphan-result"],
        acts: false,
        source: "session/compaction.ts at 001aa6c: the view starts at the summary; an error ends the session",
        ..RAISES
    },
    Behaviour {
        pipeline: "roo",
        breaks: &["fresh-result-hidden"],
        on_failure: [Some(Fate::HistoryLost); 4],
        or_untouched: true,
        source: "context-management at cb83656: a failed summary hides half of the messages, where there are enough of them",
        ..SOUND
    },
    Behaviour {
        pipeline: "claude-code",
        breaks: &["fresh-result-hidden", "grew"],
        source: "recorded sessions: the summary replaces all messages, and files come back behind it",
        on_failure: [Some(Fate::Untouched); 4],
        ..SOUND
    },
    Behaviour {
        pipeline: "anthropic-clear-tool-uses",
        acts: false,
        source: "Context editing: results are cleared in what is sent",
        ..SOUND
    },
    Behaviour {
        pipeline: "anthropic-compact",
        breaks: &["empty-summary", "first-message-role", "fresh-result-hidden"],
        source: "Compaction: all before the block is dropped, and the block is the assistant's",
        ..ASKS
    },
    Behaviour {
        pipeline: "letta-sliding-window",
        breaks: &["empty-summary", "fresh-result-hidden", "grew"],
        source: "compact.py at 1a4b119: mode all is the last resort, its error is raised",
        ..RAISES
    },
    Behaviour {
        pipeline: "letta-partial-evict",
        breaks: &["empty-summary", "grew"],
        settles: false,
        source: "summarizer.py at 080305c: by number of messages, whatever they hold; an error is raised",
        ..RAISES
    },
    Behaviour {
        pipeline: "summarize-every-n-turns",
        source: "arXiv 2508.21433: by number of turns; an empty answer is a checkpoint",
        ..EVERY_N_TURNS
    },
    Behaviour {
        pipeline: "mask-and-summarize",
        source: "arXiv 2508.21433: as summarize-every-n-turns",
        ..EVERY_N_TURNS
    },
    Behaviour {
        pipeline: "acon",
        breaks: &["empty-summary", "grew"],
        source: "arXiv 2510.00615: whatever the summary's size",
        ..ASKS
    },
    Behaviour {
        pipeline: "agentfold",
        breaks: &["empty-summary", "grew"],
        source: "arXiv 2510.24699: each step becomes a summary, whatever its size",
        ..ASKS
    },
    Behaviour {
        pipeline: "branch-return",
        breaks: &["fresh-result-hidden"],
        source: "arXiv 2510.11967: what a branch did is folded away when it returns",
        ..SOUND
    },
];
