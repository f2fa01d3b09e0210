//! The load report: what an import found, used and left out.

mod accuracy;
mod render;

use std::collections::BTreeMap;

pub use accuracy::Accuracy;

use super::Format;
use crate::log::turn::opens_turn;
use crate::log::{Log, Role};
use crate::token::{TokenTable, Tokenizer};
use crate::unit::Tokens;

/// How many bad lines a report names; all are counted.
const NAMED_BAD_LINES: usize = 5;

/// A line that could not be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadLine {
    /// From 1.
    pub line: usize,
    /// What is wrong with it.
    pub reason: String,
}

/// What a reader of one format counted on its way through the lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Intake {
    /// Lines read, blank ones left out.
    pub lines: usize,
    /// Lines of which some part could not be used.
    pub bad_lines: usize,
    /// The first of them.
    pub bad: Vec<BadLine>,
    /// Objects found behind another one on the same line.
    pub recovered: usize,
    /// Lines in which broken bytes or escapes were replaced.
    pub mended: usize,
    /// Objects that are no part of the context, by kind.
    pub skipped: BTreeMap<String, usize>,
    /// Lines of subagents.
    pub sidechain_lines: usize,
    /// Thinking blocks; they are no part of the content.
    pub thinking: usize,
    /// Images; each stands as a placeholder.
    pub images: usize,
    /// Results dropped because no call or an already answered one matches.
    pub orphans: usize,
    /// Results made up for calls that had none.
    pub synthesized: usize,
}

impl Intake {
    /// Counts a bad line and names the first few.
    pub(super) fn bad_line(&mut self, line: usize, reason: String) {
        self.bad_lines += 1;
        if self.bad.len() < NAMED_BAD_LINES {
            self.bad.push(BadLine { line, reason });
        }
    }

    /// Counts an object that is no part of the context.
    pub(super) fn skip(&mut self, kind: impl Into<String>) {
        *self.skipped.entry(kind.into()).or_default() += 1;
    }
}

/// The load report of one session.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadReport {
    /// The format that was found.
    pub format: Format,
    /// The session's id.
    pub id: String,
    /// What became of the lines.
    pub intake: Intake,
    /// Messages by role.
    pub messages: BTreeMap<&'static str, usize>,
    /// Turns: messages that a person typed.
    pub user_turns: usize,
    /// Of these, sent again verbatim.
    pub resent: usize,
    /// Messages of the user side that the harness wrote.
    pub injected: usize,
    /// Tool calls.
    pub tool_calls: usize,
    /// Tool results, made-up ones left out.
    pub tool_results: usize,
    /// Results that report an error.
    pub tool_errors: usize,
    /// Recorded compactions.
    pub boundaries: usize,
    /// Model calls with recorded usage.
    pub usage_records: usize,
    /// The largest recorded prompt.
    pub max_prompt: Option<Tokens>,
    /// Reference tokens of all messages.
    pub tokens: Tokens,
    /// Characters of all messages, calls included.
    pub chars: u64,
    /// Tokens of every prompt that no message explains, from the first usage.
    pub overhead: Tokens,
    /// How well the reference counter agrees with the recorded usage.
    pub accuracy: Option<Accuracy>,
}

impl LoadReport {
    /// Of a log and what was counted while reading it.
    pub fn new(format: Format, log: &Log, intake: Intake) -> LoadReport {
        let table = TokenTable::new(log, Tokenizer::O200k);
        let chars = accuracy::chars_by_message(log);
        let count = |role| log.messages.iter().filter(|m| m.role == role).count();
        let human: Vec<&str> =
            log.messages.iter().filter(|m| opens_turn(m)).map(|m| m.content.trim()).collect();
        LoadReport {
            format,
            id: log.id.clone(),
            messages: Role::ALL.into_iter().map(|role| (role.name(), count(role))).collect(),
            user_turns: human.len(),
            resent: human.windows(2).filter(|pair| pair[0] == pair[1]).count(),
            injected: count(Role::User) - human.len(),
            tool_calls: log.messages.iter().map(|m| m.calls.len()).sum(),
            tool_results: count(Role::Tool).saturating_sub(intake.synthesized),
            tool_errors: log.messages.iter().filter(|m| m.failed).count(),
            boundaries: log.boundaries.len(),
            usage_records: log.usage.len(),
            max_prompt: log.usage.iter().map(|usage| usage.prompt).max(),
            tokens: table.total(),
            chars: chars.iter().sum(),
            overhead: log.overhead,
            accuracy: Accuracy::of(log, &table, &chars),
            intake,
        }
    }
}
