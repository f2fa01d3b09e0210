//! The compaction strategies and offline summarizers that ship with Proctor, one file a
//! family. Each says what its source does, where documents and code disagree, and which
//! parameters are keep-rules (they hold under the floor probe) and which are pressure.
//!
//! A pipeline by its name, driven over a session of 120 messages by hand:
//!
//! ```
//! use proctor_core::drive::{Limits, Session, drive};
//! use proctor_core::testkit::{scene, with_cell};
//! use proctor_core::truth::Truth;
//! use proctor_core::unit::Tokens;
//! use proctor_strategies::summarize::simple::Lead;
//!
//! let pipeline = proctor_strategies::pipeline("forge-adr")?;
//! let session = Session::new(scene(&"uct".repeat(40)).log, Truth::default(), []);
//! let limits = Limits::new(Tokens(8_000), Tokens(500));
//! let trace = with_cell(&session, &pipeline, limits, &Lead::default(), drive);
//! assert!(!trace.compactions.is_empty());
//! # Ok::<(), proctor_core::error::Error>(())
//! ```

pub mod adk;
pub mod aider;
pub mod alternatives;
pub mod anthropic;
pub mod beside;
pub mod claude_code;
pub mod cline;
pub mod codex;
mod declare;
pub mod every_n_turns;
pub mod folding;
pub mod forge;
pub mod forge_g2;
pub mod forge_head;
pub mod full_replace;
pub mod gemini_cli;
pub mod goat;
pub mod goose;
pub mod langchain;
pub mod letta;
pub mod mask;
pub mod opencode;
pub mod openhands;
mod prelude;
pub mod rebatch;
pub mod recall;
pub mod recorded;
pub mod roadmap;
pub mod roo;
mod slots;
pub mod strands;
pub mod strata;
pub mod summarize;
pub mod truncate;
mod verbatim;
pub mod window;

use std::sync::LazyLock;

use proctor_core::strategy::Registry;
#[cfg(test)]
use proctor_core::{answer, apply, drive, price, testkit, trace, truth};
use proctor_core::{error, ident, log, pipeline, plan, pressure, strategy, token, unit, view};
#[cfg(test)]
use proctor_eval::{measure, scenario};

/// Fills a registry: the name that pipeline files use, the type with its parameters, what it does.
macro_rules! strategies {
    ($($name:literal $strategy:ty: $about:literal;)*) => {
        fn add_strategies(all: &mut Registry) {
            $(all.add::<$strategy>($name, $about, <$strategy>::PARAMETERS);)*
        }
    };
}

strategies! {
    "truncate" truncate::Truncate:
        "Drops the oldest whole steps.";
    "sliding-window" window::SlidingWindow:
        "Drops the oldest whole steps but the first message of the user.";
    "random-drop" window::RandomDrop:
        "Drops whole steps by lot.";
    "last-turn" window::LastTurn:
        "Keeps the last turn alone.";
    "recorded" recorded::Recorded:
        "Does at a recorded compaction what the recording says was done.";
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
    "summarize-every-n-turns" every_n_turns::EveryNTurns:
        "The Complexity Trap: the oldest turns become a checkpoint, which replaces the one before.";
    "agentfold" folding::AgentFold:
        "AgentFold's two scales: steps become summaries, those of a closed turn one.";
    "branch-return" folding::BranchReturn:
        "Context-Folding: of a closed turn the request and the last words stay.";
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
    "roo" roo::Roo:
        "Roo Code's condensing: a fresh start from one summary, or half of the messages hidden.";
    "codex" codex::Codex:
        "Codex, local compaction: user messages and one summary stay.";
    "langchain-summarization" langchain::Summarization:
        "LangChain's SummarizationMiddleware: all but the newest messages become one summary.";
    "langchain-clear-tool-uses" langchain::ClearToolUses:
        "LangChain's ClearToolUsesEdit: old tool results are cleared in what is sent.";
    "letta-sliding-window" letta::SlidingWindow:
        "Letta's sliding_window: the oldest messages become a summary until 70 % are left.";
    "letta-partial-evict" letta::PartialEvict:
        "Letta's partial_evict_message_buffer: the last 30 % of the messages stay.";
    "gemini-cli" gemini_cli::GeminiCli:
        "gemini-cli's chat compression: a snapshot, verified, of the first 70 %.";
    "goose" goose::Goose:
        "goose's compaction: a summary, a word to go on, the user's last message.";
    "opencode" opencode::Opencode:
        "opencode's compaction: all but the newest messages become one summary.";
    "opencode-prune" opencode::Prune:
        "opencode's prune: old tool results beyond the newest 40,000 tokens are cleared.";
    "openhands" openhands::OpenHands:
        "OpenHands, V1 SDK: the first and the last events stay, the rest becomes one summary.";
    "openhands-v0" openhands::OpenHandsV0:
        "OpenHands V0, the condenser `llm`: the same by number of events alone, pairs or not.";
    "strands-sliding-window" strands::SlidingWindow:
        "Strands' sliding window: the newest messages stay, results are cut on overflow.";
    "strands-summarizing" strands::Summarizing:
        "Strands' summarizing manager: the oldest 30 % become a summary on overflow.";
    "aider" aider::Aider:
        "aider's summary of the chat history: its older part, as if the user told it.";
    "anthropic-clear-tool-uses" anthropic::ClearToolUses:
        "The Claude API's clear_tool_uses_20250919: old tool results are cleared in what is sent.";
    "anthropic-compact" anthropic::Compact:
        "The Claude API's compact_20260112: a summary takes the place of all before it.";
    "claude-code-microcompact" claude_code::Microcompact:
        "Claude Code's microcompaction: the oldest tool results are cleared.";
    "claude-code" claude_code::ClaudeCode:
        "Claude Code's compaction: a summary in nine sections, and the files modified last.";
    "cline" cline::Cline:
        "Cline's compaction: a running summary with a list of files.";
    "adk" adk::Adk:
        "Google ADK's events compaction: a summary after so many invocations.";
    "strata" strata::Strata:
        "Ours: layers by age, each told in fewer words.";
    "beside-summaries" beside::BesideSummaries:
        "Ours: the user's words, or a digest of the work, behind every summary of another stage.";
    "external" proctor_external::External:
        "A program of one's own, in any language, over the strategy protocol.";
}

/// Every file of `scenarios/strategies`, by name.
const PIPELINES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/pipelines.rs"));

/// What ships, registered once.
pub fn shipped() -> &'static Registry {
    static SHIPPED: LazyLock<Registry> = LazyLock::new(|| {
        let mut all = Registry::default();
        add_strategies(&mut all);
        PIPELINES.iter().for_each(|(name, text)| all.add_pipeline(name, text));
        all
    });
    &SHIPPED
}

/// The shipped pipeline of this name; an error with the nearest name where there is none.
pub fn pipeline(name: &str) -> error::Result<pipeline::Pipeline> {
    shipped().pipeline(name)
}

/// The rows of a table of `cases.toml`.
#[cfg(test)]
fn cases<T: serde::de::DeserializeOwned>(table: &str) -> Vec<T> {
    testkit::cases(include_str!("cases.toml"), table)
}
