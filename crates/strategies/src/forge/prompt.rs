//! The words that Forge's tiers send, in all versions: ours, with the sections of their
//! sources.

/// The system prompt of all three tiers: first-person episodic memory.
pub(crate) const SYSTEM: &str = include_str!("../../prompts/forge-system.md").trim_ascii_end();
/// Before a single tool call.
pub(crate) const TOOL_CALL: &str = include_str!("../../prompts/forge-tool-call.md");
/// Before a block of assistant and tool messages.
pub(crate) const BLOCK: &str = include_str!("../../prompts/forge-block.md");
/// Before the turns of a batch.
pub(crate) const GOAL_BATCH: &str = include_str!("../../prompts/forge-goal-batch.md");
/// Before a batch of tool calls.
pub(crate) const OPERATIONS: &str = include_str!("../../prompts/forge-operations.md");
/// Before the older half of a conversation.
pub(crate) const OLDER_HALF: &str = include_str!("../../prompts/forge-older-half.md");
/// Before a user message and its summaries, to be folded into one.
pub(crate) const PAIR: &str = include_str!("../../prompts/forge-pair.md");
/// Before a goal and its summaries, to become a record of the finished goal.
pub(crate) const COMPLETE: &str = include_str!("../../prompts/forge-complete.md");
/// Before the record of a finished goal, to become one sentence.
pub(crate) const ARCHIVED: &str = include_str!("../../prompts/forge-archived.md");
/// Before a single message or call of any kind.
pub(crate) const ANY_PART: &str = include_str!("../../prompts/forge-any-part.md");
/// Before the blocks that become one.
pub(crate) const ARCS: &str = include_str!("../../prompts/forge-arcs.md");
