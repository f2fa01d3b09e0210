//! Artifacts in a text: what a reader would copy and rely on. The patterns are the measurement's
//! own: a finder shared with extraction or the summarizer would err where they err.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use regex::{Regex, RegexSet};
use rustc_hash::FxHashSet;

struct Patterns {
    words: RegexSet,
    called: Regex,
    measured: Regex,
    command: Regex,
}

static PATTERNS: LazyLock<Patterns> = LazyLock::new(|| {
    // OK because the file is part of the binary and a test reads it.
    let file: BTreeMap<String, Vec<String>> =
        toml::from_str(include_str!("artifacts.toml")).expect("the patterns are sound TOML");
    let one = |name: &str| Regex::new(&file[name][0]).expect("the pattern is sound");
    let words = RegexSet::new(&file["words"]).expect("the patterns are sound");
    let [called, measured, command] = ["called", "measured", "command"].map(one);
    Patterns { words, called, measured, command }
});

/// What parts words, beside white space.
const APART: [char; 15] =
    ['`', '"', '\'', '(', ')', '{', '}', '[', ']', '<', '>', ',', ';', '|', '='];

pub(super) fn artifacts(text: &str) -> Vec<&str> {
    let mut found: BTreeSet<&str> = BTreeSet::new();
    let apart = |c: char| c.is_whitespace() || APART.contains(&c);
    let words: FxHashSet<&str> = text.split(apart).collect();
    found.extend(words.into_iter().filter_map(artifact));
    // Parentheses part words above; names that are called are looked for apart.
    for word in text.split_whitespace() {
        let word = word.trim_matches(|c: char| "`\"'[]<>,;:.*".contains(c));
        let name = word.strip_suffix("()").filter(|name| PATTERNS.called.is_match(name));
        found.extend(name);
    }
    found.extend(PATTERNS.measured.find_iter(text).map(|found| found.as_str()));
    let commands = PATTERNS.command.captures_iter(text).filter_map(|command| command.get(1));
    found.extend(commands.map(|command| command.as_str().trim_end_matches(['.', ' '])));
    found.into_iter().collect()
}

/// The artifact that a word is, without a line number behind a path.
fn artifact(word: &str) -> Option<&str> {
    let word = word.trim_matches([':', '!', '?', '*', '#']).trim_end_matches(['.', '~']);
    let place = word.find(':').filter(|at| !word[*at..].starts_with("::"));
    let word = place.map_or(word, |at| &word[..at]);
    (word.len() > 2 && PATTERNS.words.is_match(word)).then_some(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn artifacts_are_what_a_reader_would_copy() {
        for (text, expected) in crate::cases::<(String, Vec<String>)>("artifacts") {
            assert_eq!(artifacts(&text), expected, "{text}");
        }
    }
}
