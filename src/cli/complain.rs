//! Errors for people: the place drawn with a caret where there is one, the remedy
//! on a line of its own.

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};

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
    let place = AnnotationKind::Primary.span(span.clone()).label(rule);
    let title = error.to_string();
    let group = Level::ERROR
        .primary_title(&title)
        .element(Snippet::source(text).path(file).annotation(place));
    let renderer =
        if console::colors_enabled_stderr() { Renderer::styled() } else { Renderer::plain() };
    renderer.decor_style(DecorStyle::Unicode).render(&[group])
}
