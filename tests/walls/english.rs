//! Code does not read English back: what one part has to know of another is a type.

use super::{Source, sources};

/// Rooms whose work is reading what people and models wrote.
const READERS: [&str; 10] = [
    "codex",
    "extract",
    "extract/",
    "goat",
    "hypotheses/atomicity",
    "import",
    "import/",
    "question/grade",
    "question/quoting",
    "roadmap",
];
/// Calls that look for a text.
const SEARCHES: [&str; 12] = [
    "contains(",
    "starts_with(",
    "ends_with(",
    "strip_prefix(",
    "strip_suffix(",
    "split(",
    "split_once(",
    "rsplit_once(",
    "find(",
    "trim_start_matches(",
    "==",
    "!=",
];

/// Literals of two words or more that code compares a text with or looks for in it.
fn matches_on_english(code: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut place = 0;
    while let Some(start) = code[place..].find('"').map(|at| place + at) {
        // A quotation mark as a character opens nothing.
        if code[start + 1..].starts_with('\'') && code[..start].ends_with(['\'', '\\']) {
            place = start + 1;
            continue;
        }
        let literal = super::literals(&code[start..]).first().copied().unwrap_or_default();
        let end = start + literal.len() + 2;
        let after = code.get(end..).unwrap_or_default().trim_start();
        let is_arm = after.starts_with("=>") || after.starts_with("| \"");
        let is_sought = SEARCHES.iter().any(|search| code[..start].trim_end().ends_with(search));
        let words = literal.split(' ').filter(|word| word.chars().any(char::is_alphabetic));
        if (is_arm || is_sought) && words.count() > 1 {
            found.push(literal);
        }
        place = end.min(code.len());
    }
    found
}

#[test]
fn nothing_reads_english_back() {
    let reads = |source: &Source| {
        let name = source.name.trim_end_matches(".rs");
        READERS.iter().any(|room| name == *room || room.ends_with('/') && name.starts_with(room))
    };
    let mut found = Vec::new();
    for source in sources().iter().filter(|source| !source.is_test() && !reads(source)) {
        let code = source.code();
        found.extend(
            matches_on_english(&code).into_iter().map(|text| format!("{}: {text}", source.name)),
        );
    }
    assert_eq!(found, Vec::<String>::new(), "make it a type");
}

#[test]
fn a_match_on_english_is_seen() {
    for (code, expected) in [
        (r#"reason.contains("n too small")"#, &["n too small"][..]),
        (r#"match text { "the best" => 1, "x" | "a b" => 2 }"#, &["the best", "a b"]),
        (r#"if line == "linear excluded" {}"#, &["linear excluded"]),
        (r#"say("two words"); path.ends_with("toml"); text.split(" [")"#, &[]),
    ] {
        assert_eq!(matches_on_english(code), expected, "{code}");
    }
}
