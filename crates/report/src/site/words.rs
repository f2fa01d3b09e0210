//! Words with names in them.

use serde::Serialize;

/// A piece of a sentence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", content = "text", rename_all = "kebab-case")]
pub(super) enum Span {
    /// Plain words.
    Text(String),
    /// A name.
    Code(String),
    /// A change for the better.
    Good(String),
    /// A change for the worse.
    Bad(String),
}

/// Plain words.
pub(super) fn text(words: impl Into<String>) -> Span {
    Span::Text(words.into())
}

/// A name.
pub(super) fn code(name: impl Into<String>) -> Span {
    Span::Code(name.into())
}

/// `better`, `worse`, or nothing where neither.
pub(super) fn worth(better: Option<bool>) -> Option<Span> {
    better.map(|better| match better {
        true => Span::Good("better".to_owned()),
        false => Span::Bad("worse".to_owned()),
    })
}

/// The words without their marks.
pub(super) fn plain(spans: &[Span]) -> String {
    let words = spans.iter().map(|span| match span {
        Span::Text(text) | Span::Code(text) | Span::Good(text) | Span::Bad(text) => text.as_str(),
    });
    shown(&words.collect::<String>())
}

/// `1 night`, `2 nights`.
pub(super) fn count(number: usize, what: &str) -> String {
    let end = if number == 1 { "" } else { "s" };
    format!("{number} {what}{end}")
}

/// The text with a replacement mark for what steers the text around it and for what XML
/// forbids: control characters, marks of direction, letters without width.
pub(super) fn shown(text: &str) -> String {
    let seen = text.chars().map(|letter| match letter {
        '\n' | '\r' | '\t' | '\u{2028}' | '\u{2029}' => ' ',
        '\u{AD}' | '\u{61C}' | '\u{180E}' | '\u{FEFF}' | '\u{FFFE}' | '\u{FFFF}' => '\u{FFFD}',
        '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}' => '\u{FFFD}',
        '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E007F}' => '\u{FFFD}',
        control if control.is_control() => '\u{FFFD}',
        other => other,
    });
    seen.collect()
}

/// A name as a file: itself where it is plain, else its plain letters and a digest that
/// tells it from others.
pub(super) fn file(name: &str) -> String {
    const LONGEST: usize = 60;
    let is_plain = crate::ident::is_name(name)
        && name.len() <= LONGEST
        && !name.contains("--")
        && !name.contains("..");
    if is_plain {
        return name.to_owned();
    }
    let plain = name.to_ascii_lowercase();
    let kept = plain.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' });
    let kept: String = kept.take(LONGEST).collect();
    let digest = crate::ident::Digest::of(name.as_bytes()).0;
    format!("x-{}--{}", kept.trim_matches('-'), &digest[..12])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_are_plain_and_apart() {
        assert_eq!(file("forge-adr"), "forge-adr");
        for name in ["../../etc/passwd", "a--b", "A b", "ünï", "", "a/b", "con\0", "..", "a.."] {
            let file = file(name);
            assert!(file.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'-'), "{name}: {file}");
            assert!(file.starts_with("x-"), "{name}: {file}");
        }
        assert_ne!(file("a b"), file("a/b"));
    }

    #[test]
    fn what_steers_text_is_shown_as_a_mark() {
        assert_eq!(shown("a\u{202E}b\u{1B}[31m\nc"), "a\u{FFFD}b\u{FFFD}[31m c");
    }
}
