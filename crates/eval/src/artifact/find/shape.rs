//! Shapes: what looks like a path, a symbol, a test, a value, an error, a command.

use std::sync::LazyLock;

use regex::Regex;

use super::Kind;
use crate::log::artifact::is_compound;

fn pattern(text: &str) -> Regex {
    // OK because the patterns are constants and the tests compile them.
    Regex::new(text).expect("a valid pattern")
}

const EXTENSIONS: &str = "rs|go|tsx?|jsx?|mjs|cjs|py|rb|java|kt|swift|cs|cpp|cc|hpp|c|h|md|mdx|json|jsonl|toml|ya?ml|sh|sql|html|css|scss|vue|svelte|proto|lock|txt|cfg|ini|env|xml|gradle|log|diff|patch";

static URL: LazyLock<Regex> = LazyLock::new(|| pattern(r#"https?://[^\s"'<>)\]`\\]+"#));
static PATH: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r"[A-Za-z0-9_.~@+-]*(?:/[A-Za-z0-9_.@+-]+)*[A-Za-z0-9_]\.(?:{EXTENSIONS})(?-u:\b)"
    ))
});
static TEST: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?-u:\b)(?:Test[A-Z_][A-Za-z0-9_]{3,90}|test_[a-z0-9_]{3,90})(?-u:\b)")
});
static NAME: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?-u:\b)[A-Za-z_][A-Za-z0-9_]{3,80}(?-u:\b)\(?"));
static VALUE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?x)
        (?-u:\b)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?-u:\b)
        |(?-u:\b)v?\d{1,4}\.\d{1,4}\.\d{1,6}(?:-[a-z0-9.]+)?(?-u:\b)
        |(?-u:\b)[0-9a-f]{7,64}(?-u:\b)
        |(?-u:\b)\d{1,3}(?:\.\d+)?%
        |(?-u:\b)[A-Z]{2,10}-\d{1,6}(?-u:\b)
        |\#\d{1,6}(?-u:\b)
        |(?:localhost|(?-u:\b)\d{1,3}(?:\.\d{1,3}){3}):\d{2,5}(?-u:\b)
        |(?:port|PORT)[ =:]{1,3}\d{2,5}(?-u:\b)",
    )
});
static ERROR: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?x)^\s*(?:[\w./-]{1,120}:\d{1,6}(?::\d{1,5})?:\s*)?
        (?:error(?:\[\w+\]|\sTS\d+)?:|Error:|ERROR\b|[A-Z]\w{2,40}(?:Error|Exception)\b|panic:|fatal:
        |FAIL(?:ED)?\b|---\ FAIL:|E\s{3}\w)",
    )
});
static CODE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"[;{}]\s*$|^\s*(?:[+-]|@@|//|\d+[:→|])|=>|^\s*\d{4}-\d\d-\d\d"));

/// Whether a tool of this name changes files.
pub(super) fn edits(tool: &str) -> bool {
    let known =
        ["edit_file", "edit", "write", "multiedit", "notebookedit", "apply_patch", "write_file"];
    known.contains(&tool.to_lowercase().as_str())
}

/// Whether a tool of this name shows files.
pub(super) fn reads(tool: &str) -> bool {
    ["read_file", "read", "view"].contains(&tool.to_lowercase().as_str())
}

/// Whether a tool of this name runs commands.
pub(super) fn runs(tool: &str) -> bool {
    ["bash", "shell", "run_tests", "exec_command"].contains(&tool.to_lowercase().as_str())
}

/// Paths, tests, symbols and values of a text. What lies inside an address or a path
/// is no symbol and no value.
pub(super) fn named(text: &str) -> Vec<(Kind, &str)> {
    let mut found = Vec::new();
    let mut taken: Vec<(usize, usize)> =
        URL.find_iter(text).map(|url| (url.start(), url.end())).collect();
    let urls = taken.len();
    for path in PATH.find_iter(text) {
        let trimmed = path.as_str().trim_start_matches(['.', '-', '+', '@']);
        let plain = trimmed.trim_start_matches('/');
        let sided = plain.strip_prefix("a/").or_else(|| plain.strip_prefix("b/"));
        let path_text = sided.unwrap_or(if plain.contains('/') { trimmed } else { plain });
        if !within(&taken[..urls], path.start()) && path_text.len() > 3 {
            taken.push((path.start(), path.end()));
            found.push((Kind::Path, path_text));
        }
    }
    taken.sort_unstable();
    for test in TEST.find_iter(text).filter(|test| !within(&taken, test.start())) {
        found.push((Kind::Test, test.as_str()));
    }
    for name in NAME.find_iter(text).filter(|name| !within(&taken, name.start())) {
        let bare = name.as_str().trim_end_matches('(');
        if (name.len() > bare.len() || is_compound(bare)) && !TEST.is_match(bare) {
            found.push((Kind::Symbol, bare));
        }
    }
    for value in VALUE.find_iter(text).filter(|value| !within(&taken, value.start())) {
        let text = value.as_str();
        let hex = text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let mixed = text.bytes().any(|b| b.is_ascii_digit())
            && text.bytes().any(|b| b.is_ascii_alphabetic());
        if !hex || mixed {
            found.push((Kind::Value, text));
        }
    }
    found.extend(URL.find_iter(text).map(|url| (Kind::Value, url.as_str())));
    found
}

/// Whether a place lies in one of the ranges, which are sorted by start.
fn within(ranges: &[(usize, usize)], place: usize) -> bool {
    let after = ranges.partition_point(|range| range.0 <= place);
    after > 0 && place < ranges[after - 1].1
}

/// Lines that report an error, without what runs on beyond 120 characters.
pub(super) fn errors(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| ERROR.is_match(line) && !CODE.is_match(line)).map(|line| {
        let line = line.trim();
        let end = line.char_indices().nth(120).map_or(line.len(), |(end, _)| end);
        &line[..end]
    })
}

/// A command without the change of directory before it, up to 80 characters.
pub(super) fn command(text: &str) -> &str {
    let text = text.trim();
    let moved = text.strip_prefix("cd ").and_then(|rest| rest.split_once("&&"));
    let text = moved.map_or(text, |(_, rest)| rest.trim());
    let end = text.char_indices().nth(80).map_or(text.len(), |(end, _)| end);
    &text[..end]
}

/// A line that nobody types: code, a log line, a side of a diff.
pub(super) fn looks_pasted(line: &str) -> bool {
    CODE.is_match(line)
}

/// Whether the text stands in another and no word runs on into it.
pub(super) fn on_boundaries(text: &str, wanted: &str) -> bool {
    let word = |byte: Option<&u8>| byte.is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
    let bytes = text.as_bytes();
    !wanted.is_empty()
        && text.match_indices(wanted).any(|(start, _)| {
            let before = start.checked_sub(1).and_then(|at| bytes.get(at));
            !word(before) && !word(bytes.get(start + wanted.len()))
        })
}

/// Lower case, punctuation and white space folded to single spaces.
pub(super) fn folded(text: &str) -> String {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}
