//! Words with names in them.

use serde::Serialize;

use crate::sanitize;

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
    sanitize::line(&words.collect::<String>())
}

/// `1 night`, `2 nights`.
pub(super) fn count(number: usize, what: &str) -> String {
    let end = if number == 1 { "" } else { "s" };
    format!("{number} {what}{end}")
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
}
