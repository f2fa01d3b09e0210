//! What views are made of.

use crate::record::{BadValue, Column, Field, Line, Values};
use crate::unit::Tokens;
use crate::view::Kind;
use crate::words;

words! {
    /// What an entry counts as in shares and compositions; `COLUMNS` says what each holds.
    pub enum Share {
        System = "system",
        User = "user",
        Assistant = "assistant",
        Tool = "tool",
        Summarized = "summarized",
        GoalBatch = "goal-batch",
        Summary = "summary",
        Other = "other",
    }
}

impl Share {
    /// By share: its column in tables, and what it holds.
    const COLUMNS: [(&'static str, &'static str); Share::ALL.len()] = [
        ("system", "Kept tokens of system messages inside the conversation."),
        ("user", "Kept tokens of user-role messages of the log."),
        ("assistant", "Kept tokens of raw assistant messages."),
        ("tool", "Kept tokens of raw tool results."),
        ("summarized", "Kept tokens of `[SUMMARIZED]` blocks."),
        ("goal_batch", "Kept tokens of `[GOAL BATCH]` blocks."),
        ("summary", "Kept tokens of summaries of the history at large."),
        ("other", "Kept tokens of notices and recalled text."),
    ];

    /// Of an entry.
    pub fn of(entry: &crate::view::Entry) -> Share {
        use crate::log::Role;
        match (entry.kind, entry.role) {
            (Kind::Summarized, _) => Share::Summarized,
            (Kind::GoalBatch, _) => Share::GoalBatch,
            (Kind::Summary, _) => Share::Summary,
            (Kind::Notice | Kind::Recalled, _) => Share::Other,
            (Kind::Message, Role::System) => Share::System,
            (Kind::Message, Role::User) => Share::User,
            (Kind::Message, Role::Assistant) => Share::Assistant,
            (Kind::Message, Role::Tool) => Share::Tool,
        }
    }
}

/// Reference tokens by share, in the order of [`Share::ALL`].
pub type ShareTokens = [Tokens; Share::ALL.len()];

impl Field for ShareTokens {
    fn columns(_: &'static str, _: &str) -> Vec<Column> {
        let columns = Share::COLUMNS.into_iter();
        columns.flat_map(|(name, meaning)| Tokens::columns(name, meaning)).collect()
    }

    fn write(&self, line: &mut Line) {
        self.iter().for_each(|tokens| tokens.write(line));
    }

    fn read(values: &mut Values) -> Result<ShareTokens, BadValue> {
        let mut shares = ShareTokens::default();
        for share in &mut shares {
            *share = Tokens::read(values)?;
        }
        Ok(shares)
    }
}
