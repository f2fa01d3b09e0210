//! The load report as plain text.

use std::fmt::Write;

use super::LoadReport;
use crate::unit::Tokens;

/// The recorded sessions that were looked at start with 28k to 42k tokens of system prompt
/// and schemas; far more means that the file's beginning is missing.
const LIKELY_OVERHEAD: Tokens = Tokens(60_000);

pub(super) fn render(report: &LoadReport) -> String {
    let mut text = String::new();
    // Writing into a string cannot fail.
    let _ = write_all(report, &mut text);
    text
}

fn write_all(report: &LoadReport, text: &mut String) -> std::fmt::Result {
    writeln!(text, "session {} ({})", report.id, report.format.name())?;
    write_lines(report, text)?;
    write_messages(report, text)?;
    write_tokens(report, text)
}

fn write_lines(report: &LoadReport, text: &mut String) -> std::fmt::Result {
    let intake = &report.intake;
    write!(text, "  lines      {}", intake.lines)?;
    for (count, what) in [
        (intake.bad_lines, "bad"),
        (intake.recovered, "recovered behind another"),
        (intake.mended, "mended"),
        (intake.sidechain_lines, "of subagents"),
    ] {
        if count > 0 {
            write!(text, ", {count} {what}")?;
        }
    }
    writeln!(text)?;
    for bad in &intake.bad {
        writeln!(text, "             line {}: {}", bad.line, bad.reason)?;
    }
    if intake.bad_lines > intake.bad.len() {
        writeln!(text, "             and {} more", intake.bad_lines - intake.bad.len())?;
    }
    for (kind, count) in &intake.skipped {
        writeln!(text, "  skipped    {count} {kind}")?;
    }
    Ok(())
}

fn write_messages(report: &LoadReport, text: &mut String) -> std::fmt::Result {
    let intake = &report.intake;
    let roles: Vec<String> = report
        .messages
        .iter()
        .filter(|(_, count)| **count > 0)
        .map(|(role, count)| format!("{count} {role}"))
        .collect();
    writeln!(text, "  messages   {}", roles.join(", "))?;
    writeln!(
        text,
        "  user side  {} turns ({} sent again), {} injected",
        report.user_turns, report.resent, report.injected
    )?;
    writeln!(
        text,
        "  tools      {} calls, {} results, {} errors, {} orphans dropped, {} made up",
        report.tool_calls,
        report.tool_results,
        report.tool_errors,
        intake.orphans,
        intake.synthesized
    )?;
    writeln!(text, "  left out   {} thinking blocks, {} images", intake.thinking, intake.images)?;
    writeln!(text, "  recorded   {} boundaries", report.boundaries)
}

fn write_tokens(report: &LoadReport, text: &mut String) -> std::fmt::Result {
    writeln!(text, "  tokens     {} in messages ({} characters)", report.tokens, report.chars)?;
    write!(text, "  usage      {} records", report.usage_records)?;
    if let Some(max) = report.max_prompt {
        write!(text, ", largest prompt {max}")?;
    }
    writeln!(text)?;
    writeln!(text, "  overhead   {} tokens before the first message", report.overhead)?;
    if report.overhead > LIKELY_OVERHEAD {
        writeln!(text, "             more than a fresh session has: its beginning may be missing")?;
    }
    let Some(accuracy) = report.accuracy else { return Ok(()) };
    writeln!(
        text,
        "  counter    prompts grew {:.2} times what was counted (median of {} steps)",
        accuracy.growth_per_counted, accuracy.steps
    )?;
    writeln!(
        text,
        "             {:.2} characters per reference token, {:.2} per recorded one",
        accuracy.chars_per_token, accuracy.chars_per_recorded_token
    )
}
