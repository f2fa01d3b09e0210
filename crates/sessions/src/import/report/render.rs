//! The load report as plain text.

use super::{Accuracy, Intake, LoadReport};
use crate::unit::Tokens;

/// Recorded sessions start with 28k to 42k; far more means that the file's beginning is missing.
const LIKELY_OVERHEAD: Tokens = Tokens(60_000);

impl LoadReport {
    /// The report for people.
    pub fn render(&self) -> String {
        let LoadReport { intake, user_turns, resent, injected, .. } = self;
        let LoadReport { tool_calls, tool_results, tool_errors, boundaries, .. } = self;
        let LoadReport { tokens, chars, usage_records, overhead, .. } = self;
        let mut text = format!("session {} ({})\n", self.id, self.format.name());
        let mut row = |label: &str, said: String| text.push_str(&format!("  {label:<10} {said}\n"));
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
        row("recorded", format!("{boundaries} boundaries"));
        row("tokens", format!("{tokens} in messages ({chars} characters)"));
        let largest = self.max_prompt.map(|most| format!(", largest prompt {most}"));
        row("usage", format!("{usage_records} records{}", largest.unwrap_or_default()));
        row("overhead", format!("{overhead} tokens before the first message"));
        if self.overhead > LIKELY_OVERHEAD {
            row("", "more than a fresh session has: its beginning may be missing".to_owned());
        }
        if let Some(Accuracy { growth_per_counted, steps, .. }) = self.accuracy {
            let grew = format!("prompts grew {growth_per_counted:.2} times what was counted");
            row("counter", format!("{grew} (median of {steps} steps)"));
        }
        if let Some(Accuracy { chars_per_token, chars_per_recorded_token, .. }) = self.accuracy {
            let own = format!("{chars_per_token:.2} characters per reference token");
            row("", format!("{own}, {chars_per_recorded_token:.2} per recorded one"));
        }
        text
    }
}

impl Intake {
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
