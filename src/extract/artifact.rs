//! Artifacts by their shape: paths, symbols, tests, errors, values.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use rayon::prelude::*;
use regex::Regex;

use super::source::Speaker;
use super::{Draft, command, lot, path, source};
use crate::log::{Log, Message};
use crate::truth::{FactKind, Needle};

/// How many artifacts are looked for in the whole log. Beyond that, those that
/// only one message shows are sampled: they can have no demand.
const MOST_LOOKED_FOR: usize = 20_000;

/// Longest part of an error message that makes its needle, in bytes.
const ERROR_NEEDLE: usize = 70;

fn pattern(text: &str) -> Regex {
    // OK because the patterns are constants and the tests of this file compile them.
    Regex::new(text).expect("a valid pattern")
}

static DEFINED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?-u:\b)(?:fn|func|def|class|struct|enum|trait|interface|function|type|const)[ \t]+(?:\([^)\n]{1,60}\)[ \t]*)?([A-Za-z_][A-Za-z0-9_]{5,63})(?-u:\b)",
    )
});
static IDENTIFIER: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?-u:\b)[A-Za-z_][A-Za-z0-9_]{7,63}(?-u:\b)"));
static TEST: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?-u:\b)(?:Test[A-Z_][A-Za-z0-9_]{5,90}|test_[a-z0-9_]{5,90})(?-u:\b)")
});
static ERROR: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?m)^[ \t]*(?:[\w./-]{1,120}:\d{1,6}(?::\d{1,5})?:[ \t]*)?((?:error(?:\[[A-Z]\d{2,5}\]| TS\d{3,5})?|Error|[A-Z][A-Za-z]{2,40}(?:Error|Exception)|panic|fatal|FAIL): )(\S[^\n]{11,200})",
    )
});
static COMPILER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?m)^[\w./-]{1,120}\.[a-z]{1,5}:\d{1,6}:\d{1,5}:[ \t]+(\S[^\n]{11,200})")
});
static ADDRESS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?-u:\b)(?:\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}(?::\d{2,5})?|localhost:\d{2,5})(?-u:\b)",
    )
});
static VARIABLE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?-u:\b)([A-Z][A-Z0-9]*_[A-Z0-9_]{2,40})=([A-Za-z0-9][\w.:/@-]{2,60})")
});
static SETTING: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?m)^[ \t]*"?([a-z][a-z0-9]{1,30}(?:[_-][a-z0-9]{1,30}){1,5})"?[ \t]*[:=][ \t]*"?[\^~v]{0,2}(\d[\w.]{2,20})"?,?[ \t]*$"#,
    )
});

/// All artifacts of the log, most of them once; each set of needles is one fact.
pub(super) fn drafts(log: &Log) -> Vec<Draft> {
    let found: Vec<Found> = log.messages.par_iter().map(of_message).collect();
    let paths: BTreeSet<String> =
        found.iter().flat_map(|found| found.paths.iter().cloned()).collect();
    let mut seen: BTreeMap<Draft, usize> = BTreeMap::new();
    for draft in found.into_iter().flat_map(|found| found.drafts) {
        *seen.entry(draft).or_default() += 1;
    }
    let mut drafts = path::drafts(&paths);
    let room = MOST_LOOKED_FOR.saturating_sub(drafts.len());
    if seen.len() > room {
        let mut ranked: Vec<(Draft, usize)> = seen.into_iter().collect();
        ranked.sort_by_key(|(draft, count)| (*count < 2, lot("artifact", &draft.statement)));
        drafts.extend(ranked.into_iter().take(room).map(|(draft, _)| draft));
    } else {
        drafts.extend(seen.into_keys());
    }
    drafts
}

/// What one message shows.
#[derive(Default)]
struct Found {
    paths: BTreeSet<String>,
    drafts: BTreeSet<Draft>,
}

fn of_message(message: &Message) -> Found {
    let mut found = Found::default();
    for (speaker, text) in source::texts(message) {
        found.paths.extend(path::in_text(&text));
        match speaker {
            Speaker::Human => {
                let names = IDENTIFIER.find_iter(&text).map(|name| name.as_str());
                found.drafts.extend(names.filter_map(symbol));
                addresses(&text, &mut found.drafts);
            }
            Speaker::Call => symbols(&text, &mut found.drafts),
            Speaker::Result => {
                symbols(&text, &mut found.drafts);
                errors(&text, &mut found.drafts);
                addresses(&text, &mut found.drafts);
                settings(&text, &mut found.drafts);
            }
        }
    }
    found.drafts.extend(message.calls.iter().filter_map(command::of));
    found
}

fn symbols(text: &str, drafts: &mut BTreeSet<Draft>) {
    let defined = DEFINED.captures_iter(text).filter_map(|found| found.get(1));
    drafts.extend(defined.filter_map(|name| symbol(name.as_str())));
    drafts.extend(TEST.find_iter(text).filter_map(|name| symbol(name.as_str())));
}

/// A name that prose has no use for: of several words, joined or humped.
fn symbol(name: &str) -> Option<Draft> {
    let inner = name.trim_matches('_');
    let joined = inner.contains('_');
    let humps = inner
        .as_bytes()
        .windows(2)
        .filter(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
    if name.len() < 8 || !(joined || humps.count() > 0) {
        return None;
    }
    let kind = if TEST.is_match(name) { FactKind::Test } else { FactKind::Symbol };
    Some(Draft::code(kind, name))
}

fn errors(text: &str, drafts: &mut BTreeSet<Draft>) {
    let named = ERROR.captures_iter(text).map(|found| found.extract::<2>().1);
    // What calls itself an error is found by its name, a lesser remark is none.
    let lesser = ["error", "Error", "warning", "note", "help"];
    let placed = COMPILER.captures_iter(text).map(|found| ["", found.extract::<1>().1[0]]);
    let placed = placed.filter(|[_, message]| !lesser.iter().any(|word| message.starts_with(word)));
    for [name, message] in named.chain(placed) {
        let message = cut(message.trim_end(), ERROR_NEEDLE);
        if message.split_whitespace().count() < 3 {
            continue;
        }
        drafts.insert(Draft {
            kind: FactKind::Error,
            statement: format!("{name}{message}"),
            needles: vec![Needle::Prose(message.to_owned())],
            polarity: Vec::new(),
            key: None,
        });
    }
}

/// The text up to the last white space within this many bytes.
fn cut(text: &str, most: usize) -> &str {
    if text.len() <= most {
        return text;
    }
    let mut end = most;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let end = text[..end].rfind(char::is_whitespace).unwrap_or(end);
    text[..end].trim_end()
}

fn addresses(text: &str, drafts: &mut BTreeSet<Draft>) {
    let common = ["127.0.0.1", "0.0.0.0"];
    let found = ADDRESS.find_iter(text).map(|address| address.as_str());
    let telling = found.filter(|address| !common.contains(address));
    drafts.extend(telling.map(|address| Draft::code(FactKind::Value, address)));
}

fn settings(text: &str, drafts: &mut BTreeSet<Draft>) {
    for found in VARIABLE.captures_iter(text).chain(SETTING.captures_iter(text)) {
        let (key, value) = (&found[1], found[2].trim_end_matches(['.', ':', '/', '-']));
        drafts.insert(Draft {
            kind: FactKind::Value,
            statement: format!("{key} = {value}"),
            needles: vec![Needle::Code(key.to_owned()), Needle::Code(value.to_owned())],
            polarity: Vec::new(),
            key: Some(key.to_owned()),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn statements(find: impl Fn(&str, &mut BTreeSet<Draft>), text: &str) -> Vec<String> {
        let mut drafts = BTreeSet::new();
        find(text, &mut drafts);
        drafts.into_iter().map(|draft| draft.statement).collect()
    }

    #[test]
    fn defined_names_are_symbols_and_words_are_not() {
        for (text, expected) in [
            ("pub fn retry_budget() {", vec!["retry_budget"]),
            ("func (s *Store) LoadSession(id string)", vec!["LoadSession"]),
            ("def test_valve_opens(self):", vec!["test_valve_opens"]),
            ("type of function that returns nothing", vec![]),
            ("class Orchard:", vec![]),
            ("--- FAIL: TestValve_Opens (0.00s)", vec!["TestValve_Opens"]),
        ] {
            assert_eq!(statements(symbols, text), expected, "{text}");
        }
        assert_eq!(symbol("test_valve_opens").map(|draft| draft.kind), Some(FactKind::Test));
    }

    #[test]
    fn an_error_is_a_line_that_says_so() {
        for (text, expected) in [
            (
                "error[E0382]: borrow of moved value: `valve`",
                vec!["error[E0382]: borrow of moved value: `valve`"],
            ),
            (
                "src/a.ts:3:5: error TS2345: wrong type of argument",
                vec!["error TS2345: wrong type of argument"],
            ),
            ("TypeError: x is not a function", vec!["TypeError: x is not a function"]),
            // Code that was read, and an error that says too little.
            ("   12→ return fmt.Errorf(\"error: it did not work\")", vec![]),
            ("Error: unknown", vec![]),
            ("pipes/valve.go:47:38: cannot use water as fire", vec!["cannot use water as fire"]),
        ] {
            assert_eq!(statements(errors, text), expected, "{text}");
        }
    }

    #[test]
    fn values_have_a_key_or_are_addresses() {
        for (text, expected) in [
            ("RETRY_BUDGET=250 next", vec!["RETRY_BUDGET = 250"]),
            ("  \"valve-driver\": \"^2.5.0\",", vec!["valve-driver = 2.5.0"]),
            ("max_rows = 4096", vec!["max_rows = 4096"]),
            ("let max_rows = 4096;", vec![]),
            ("port: 80", vec![]),
        ] {
            assert_eq!(statements(settings, text), expected, "{text}");
        }
        let text = "on 192.168.7.5:8080, not 127.0.0.1; see localhost:3000";
        assert_eq!(statements(addresses, text), ["192.168.7.5:8080", "localhost:3000"]);
    }

    #[test]
    fn a_long_error_is_cut_between_words() {
        assert_eq!(cut("a valve is stuck", 9), "a valve");
        assert_eq!(cut("äöüäöü", 5), "äö");
        assert_eq!(cut("short", 9), "short");
    }
}
