//! Errors for people: the place drawn with a caret where there is one, the remedy
//! on a line of its own.

use miette::{GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteDiagnostic, NamedSource};

use crate::cli::talk;
use crate::error::Error;
use crate::sanitize;

pub(super) fn complain(error: &Error) {
    match error {
        // An empty file has no place to draw.
        Error::Toml { text, rule, .. } if text.trim().is_empty() => {
            talk(&format!("error: {error}: it is empty: {rule}"));
        }
        Error::Toml { file, text, span, rule, .. } => talk(&drawn(error, file, text, span, rule)),
        Error::Io { .. }
        | Error::Line { .. }
        | Error::Invalid { .. }
        | Error::Unknown { .. }
        | Error::WrongRun { .. }
        // A server's words, a file's name: nothing of it may steer the terminal.
        | Error::Stopped { .. } => talk(&sanitize::terminal_lines(&format!("error: {error}")).join("\n")),
    }
    if let Some(hint) = error.hint() {
        talk(&format!("\nhint: {}", sanitize::terminal_lines(hint).join("\n")));
    }
}

fn drawn(
    error: &Error,
    file: &str,
    text: &str,
    span: &std::ops::Range<usize>,
    rule: &str,
) -> String {
    let label = LabeledSpan::at(span.clone(), rule.to_owned());
    let diagnostic = MietteDiagnostic::new(format!("error: {error}")).with_label(label);
    let report =
        miette::Report::new(diagnostic).with_source_code(NamedSource::new(file, text.to_owned()));
    let theme = if console::colors_enabled_stderr() {
        GraphicalTheme::unicode()
    } else {
        GraphicalTheme::unicode_nocolor()
    };
    let mut drawn = String::new();
    let handler = GraphicalReportHandler::new_themed(theme).with_width(100);
    match handler.render_report(&mut drawn, report.as_ref()) {
        Ok(()) => drawn,
        Err(_) => format!("error: {error}: {rule}"),
    }
}
