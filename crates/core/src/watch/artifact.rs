//! Artifacts in a text: what a reader would copy and rely on. The patterns are the measurement's
//! own: a finder shared with extraction or the summarizer would err where they err.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::{Regex, RegexSet};

const PROGRAMS: &str = "cargo|git|npm|npx|yarn|pnpm|pip|python3?|pytest|go|make|docker|kubectl|\
                        curl|bash|sh|ls|cat|grep|rg|sed|awk|node|rustc|mvn|gradle|psql|terraform";
/// Suffixes of file names that count without a folder.
const SUFFIXES: &str = "rs|toml|py|js|ts|tsx|jsx|json|jsonl|md|txt|ya?ml|lock|sh|go|java|c|h|cpp|\
                        hpp|css|html|sql|log|cfg|ini|env|xml|csv|proto|rb|php|kt|swift";
/// Units that stand right behind a figure.
const UNITS: &str = "ns|us|µs|ms|s|min|h|d|B|KB|MB|GB|TB|kB|KiB|MiB|GiB|k|M|%|px|rpm|qps|Hz";
/// Units that stand behind a figure as a word of their own.
const UNIT_WORDS: &str = "ns|ms|s|seconds?|minutes?|hours?|days?|bytes?|KB|MB|GB|KiB|MiB|GiB|\
                          percent|retries|attempts|connections|requests|tokens|rows|threads";

static WORDS: LazyLock<RegexSet> = LazyLock::new(|| {
    let shapes = [
        // A path with a suffix, a rooted path of two parts, a file name.
        r"^(?:~|\.{1,2})?/?(?:[\w@+.-]+/)+[\w@+.-]*\.[A-Za-z]\w{0,7}$".to_owned(),
        r"^(?:~|\.{1,2})?/[\w@+.-]+(?:/[\w@+.-]+)+/?$".to_owned(),
        format!(r"^[\w@+-][\w@+.-]+\.(?:{SUFFIXES})$"),
        // A symbol: qualified, with underscores, in camel case, called.
        r"^[A-Za-z_]\w*(?:::[A-Za-z_]\w*)+$".to_owned(),
        r"^\w*[A-Za-z0-9]_[A-Za-z0-9]\w*$".to_owned(),
        r"^[a-z]+\d*(?:[A-Z][a-z0-9]+)+$".to_owned(),
        r"^(?:[A-Z][a-z0-9]+){2,}$".to_owned(),
        // A code of an error.
        r"^[A-Z]{1,5}-?\d{2,5}$".to_owned(),
        r"^E(?:NOENT|ACCES|EXIST|INVAL|PERM|PIPE|CONN[A-Z]+|TIMEDOUT|ADDRINUSE|NOSPC|BADF|AGAIN)$"
            .to_owned(),
        // A figure with its unit.
        format!(r"^\d[\d.,]*(?:{UNITS})$"),
    ];
    // OK because the patterns are constants: a test compiles them.
    RegexSet::new(shapes).unwrap_or_else(|_| RegexSet::empty())
});

/// A called name: what stands before the parentheses is the symbol.
static CALLED: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^([A-Za-z_]\w*(?:(?:::|\.)[A-Za-z_]\w*)*)\(\)$").ok());
/// A figure and its unit as two words.
static MEASURED: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(&format!(r"\b\d[\d.,]* (?:{UNIT_WORDS})\b")).ok());
/// A command with at least one argument, between back quotes or behind a prompt sign.
static COMMAND: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(&format!(r"(?:`|\$ )((?:{PROGRAMS}) [^`\n]+)")).ok());

pub(super) fn artifacts(text: &str) -> Vec<&str> {
    let mut found: BTreeSet<&str> = BTreeSet::new();
    for word in text.split(|c: char| c.is_whitespace() || "`\"'(){}[]<>,;|=".contains(c)) {
        found.extend(artifact(word));
    }
    // Parentheses part words above; names that are called are looked for apart.
    for word in text.split_whitespace() {
        let word = word.trim_matches(|c: char| "`\"'[]<>,;:.*".contains(c));
        let called = CALLED.as_ref().and_then(|called| called.captures(word));
        found.extend(called.and_then(|called| called.get(1)).map(|name| name.as_str()));
    }
    if let Some(measured) = &*MEASURED {
        found.extend(measured.find_iter(text).map(|found| found.as_str()));
    }
    if let Some(command) = &*COMMAND {
        let commands = command.captures_iter(text).filter_map(|command| command.get(1));
        found.extend(commands.map(|command| command.as_str().trim_end_matches(['.', ' '])));
    }
    found.into_iter().collect()
}

/// The artifact that a word is, without a line number behind a path.
fn artifact(word: &str) -> Option<&str> {
    let word = word.trim_matches([':', '!', '?', '*', '#']).trim_end_matches(['.', '~']);
    let place = word.find(':').filter(|at| !word[*at..].starts_with("::"));
    let word = place.map_or(word, |at| &word[..at]);
    (word.len() > 2 && WORDS.is_match(word)).then_some(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_compiles() {
        assert_eq!(WORDS.len(), 10);
        assert!(CALLED.is_some() && MEASURED.is_some() && COMMAND.is_some());
    }

    #[test]
    fn artifacts_are_what_a_reader_would_copy() {
        for (text, expected) in crate::cases::<(String, Vec<String>)>("artifacts") {
            assert_eq!(artifacts(&text), expected, "{text}");
        }
    }
}
