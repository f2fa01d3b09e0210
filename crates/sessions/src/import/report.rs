//! The load report: what an import found, used and left out.

use super::Format;
use super::units::{grown_spans, growth_per_counted};
use crate::log::turn::opens_turn;
use crate::prelude::*;
use crate::sanitize::Inert;

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
    pub(super) mended: usize,
    /// Objects that are no part of the context, by kind.
    pub skipped: BTreeMap<String, usize>,
    pub(super) sidechain_lines: usize,
    pub(super) thinking: usize,
    pub(super) images: usize,
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

    /// Takes over what another counted.
    pub(super) fn add(&mut self, other: Intake) {
        let own = std::mem::take(self);
        *self = own.with(other);
    }

    /// The sum of both.
    pub(super) fn with(mut self, other: Intake) -> Intake {
        self.lines += other.lines;
        self.bad_lines += other.bad_lines;
        self.bad.extend(other.bad);
        self.bad.sort_by_key(|bad| bad.line);
        self.bad.truncate(NAMED_BAD_LINES);
        self.recovered += other.recovered;
        self.mended += other.mended;
        for (kind, count) in other.skipped {
            *self.skipped.entry(kind).or_default() += count;
        }
        self.sidechain_lines += other.sidechain_lines;
        self.thinking += other.thinking;
        self.images += other.images;
        self.orphans += other.orphans;
        self.synthesized += other.synthesized;
        self
    }

    fn summary(&self) -> String {
        let mut said = self.lines.to_string();
        for (count, what) in [
            (self.bad_lines, "bad"),
            (self.recovered, "recovered behind another"),
            (self.mended, "mended"),
            (self.sidechain_lines, "of subagents"),
        ] {
            if count > 0 {
                said.push_str(&format!(", {count} {what}"));
            }
        }
        said
    }
}

/// The load report of one session.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadReport {
    /// The format that was found.
    pub format: Format,
    pub(super) id: String,
    /// What became of the lines.
    pub intake: Intake,
    pub(super) messages: BTreeMap<&'static str, usize>,
    /// Turns: messages that a person typed.
    pub user_turns: usize,
    pub(super) resent: usize,
    pub(super) injected: usize,
    /// Tool calls.
    pub tool_calls: usize,
    /// Tool results, made-up ones left out.
    pub tool_results: usize,
    /// Results that report an error.
    pub tool_errors: usize,
    /// Likely secrets that are masked, by kind.
    pub masked: BTreeMap<&'static str, usize>,
    /// Recorded compactions.
    pub boundaries: usize,
    /// Model calls with recorded usage.
    pub usage_records: usize,
    /// The largest recorded prompt.
    pub max_prompt: Option<Tokens>,
    pub(super) tokens: Tokens,
    pub(super) chars: u64,
    pub(super) overhead: Tokens,
    /// How well the reference counter agrees with the recorded usage.
    pub accuracy: Option<Accuracy>,
}

impl LoadReport {
    /// Of a log and what was counted while reading it.
    pub fn new(format: Format, log: &Log, intake: Intake) -> LoadReport {
        let table = TokenTable::new(log, Tokenizer::O200k);
        let chars = chars_by_message(log);
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
            masked: BTreeMap::new(),
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

    /// What is masked, in words; `None` where nothing is.
    pub fn masked_in_words(&self) -> Option<String> {
        let of = |(kind, count): (&&str, &usize)| match count {
            1 => format!("1 {kind}"),
            _ => format!("{count} {kind}s"),
        };
        let masked: Vec<String> = self.masked.iter().map(of).collect();
        (!masked.is_empty()).then(|| masked.join(", "))
    }

    /// The report for people.
    pub fn render(&self) -> String {
        let LoadReport { intake, user_turns, resent, injected, .. } = self;
        let LoadReport { tool_calls, tool_results, tool_errors, boundaries, .. } = self;
        let LoadReport { tokens, chars, usage_records, overhead, .. } = self;
        let mut text = format!("session {} ({})\n", Inert(&self.id), self.format.name());
        let mut row = |label: &str, said: String| {
            text.push_str(&format!("  {label:<10} {}\n", Inert(said)));
        };
        row("lines", intake.summary());
        for bad in &intake.bad {
            row("", format!("line {}: {}", bad.line, bad.reason));
        }
        if intake.bad_lines > intake.bad.len() {
            row("", format!("and {} more", intake.bad_lines - intake.bad.len()));
        }
        for (kind, count) in &intake.skipped {
            row("skipped", format!("{count} {kind}"));
        }
        let roles = self.messages.iter().filter(|(_, count)| **count > 0);
        let roles: Vec<String> = roles.map(|(role, count)| format!("{count} {role}")).collect();
        row("messages", roles.join(", "));
        row("user side", format!("{user_turns} turns ({resent} sent again), {injected} injected"));
        let (dropped, made_up) = (intake.orphans, intake.synthesized);
        let counts = format!("{tool_calls} calls, {tool_results} results, {tool_errors} errors");
        row("tools", format!("{counts}, {dropped} orphans dropped, {made_up} made up"));
        row("left out", format!("{} thinking blocks, {} images", intake.thinking, intake.images));
        if let Some(masked) = self.masked_in_words() {
            row("masked", format!("{masked} (`--show-secrets` shows them)"));
        }
        row("recorded", format!("{boundaries} boundaries"));
        row("tokens", format!("{tokens} in messages ({chars} characters)"));
        let largest = self.max_prompt.map(|most| format!(", largest prompt {most}"));
        row("usage", format!("{usage_records} records{}", largest.unwrap_or_default()));
        row("overhead", format!("{overhead} reference tokens before the first message"));
        if self.overhead > LIKELY_OVERHEAD {
            row("", "more than a fresh session has: its beginning may be missing".to_owned());
        }
        if let Some(Accuracy { growth_per_counted, steps, .. }) = self.accuracy {
            let grew = format!("prompts grew {growth_per_counted:.2} times what was counted");
            row("counter", format!("{grew} (over {steps} steps)"));
        }
        if let Some(Accuracy { chars_per_token, chars_per_recorded_token, .. }) = self.accuracy {
            let own = format!("{chars_per_token:.2} characters per reference token");
            row("", format!("{own}, {chars_per_recorded_token:.2} per recorded one"));
        }
        text
    }
}

/// Recorded sessions start with 28k to 42k tokens of the provider, 20k to 31k reference tokens; far
/// more means that the file's beginning is missing.
const LIKELY_OVERHEAD: Tokens = Tokens(45_000);

/// Recorded prompts against counted messages, over calls with no compaction between them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Accuracy {
    chars_per_token: f64,
    /// Characters appended per token by which the recorded prompt grew.
    pub chars_per_recorded_token: f64,
    growth_per_counted: f64,
    steps: usize,
}

impl Accuracy {
    /// Of a log with its counts; `None` where no two calls can be compared.
    fn of(log: &Log, table: &TokenTable, chars: &[u64]) -> Option<Accuracy> {
        let (mut appended_chars, mut grown) = (0, Tokens::ZERO);
        for (span, growth) in grown_spans(log) {
            appended_chars += chars[span].iter().sum::<u64>();
            grown += growth;
        }
        let (growth_per_counted, steps) = growth_per_counted(log, table)?;
        Some(Accuracy {
            chars_per_token: Tokens(chars.iter().sum()).over(table.total()),
            chars_per_recorded_token: Tokens(appended_chars).over(grown),
            growth_per_counted,
            steps,
        })
    }
}

/// Characters of each message, calls included.
fn chars_by_message(log: &Log) -> Vec<u64> {
    let of = |text: &str| text.chars().count() as u64;
    let calls = |m: &Message| m.calls.iter().map(|call| of(&call.args)).sum::<u64>();
    log.messages.iter().map(|message| of(&message.content) + calls(message)).collect()
}
