//! Artifacts by their shape: paths, symbols, tests, errors, values.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;

use super::source::Speaker;
use super::{Draft, command, error, path, sample_key, source, value};
use crate::ident::MsgId;
use crate::log::artifact::is_compound;
use crate::log::{Call, Log, Message};
use crate::truth::FactKind;

/// How many artifacts are looked for in the whole log. Beyond that, those that
/// only one message shows are sampled: they can have no demand.
const MOST_LOOKED_FOR: usize = 20_000;

patterns! {
    DEFINED = r"(?-u:\b)(?:fn|func|def|class|struct|enum|trait|interface|function|type|const)[ \t]+(?:\([^)\n]{1,60}\)[ \t]*)?([A-Za-z_][A-Za-z0-9_]{5,63})(?-u:\b)";
    IDENTIFIER = r"(?-u:\b)[A-Za-z_][A-Za-z0-9_]{7,63}(?-u:\b)";
    TEST = r"(?-u:\b)(?:Test[A-Z_][A-Za-z0-9_]{5,90}|test_[a-z0-9_]{5,90})(?-u:\b)";
    TITLE = r#"(?m)(?:^|[ \t.])(?:test|it)\(\s*(?:'([^'\n]{8,100})'|"([^"\n]{8,100})"|`([^`\n]{8,100})`)"#;
    RUN = r"(?m)^test ((?:\w+::)*\w{6,90}) \.\.\. (?:ok|FAILED|ignored)$";
    LISTED = r"(?m)^[ \t]*(?:[✓✔✗✘×✕]|\d{1,4}\)) [^\n]{0,120}? [›>] ([^\n›>]{8,100}?)(?: \([^)\n]*\)| \d+ ?ms)?[ \t]*$";
    METHOD = r"(?m)^[ \t]*(?:\d+→)?[ \t]*(?:(?:public|private|protected|static|final|override|async|suspend|abstract|virtual)[ \t]+)+(?:[\w<>\[\],?:]+[ \t]+){0,2}([A-Za-z_][A-Za-z0-9_]{5,63})\(";
    ASSIGNED = r"(?m)^(?: *\d+→)?(?:export )?(?:const |let |var )?([A-Z][A-Z0-9]*_[A-Z0-9_]{2,60})(?:: ?[\w<>\[\]]+)? = \S";
}

/// Endings of files that hold settings.
const SETTINGS: [&str; 10] =
    [".toml", ".yaml", ".yml", ".env", ".ini", ".cfg", ".conf", ".properties", ".json", ".tfvars"];

/// Results that show a file of settings.
fn results_of_settings(log: &Log) -> BTreeSet<MsgId> {
    let mut calls = BTreeSet::new();
    let mut results = BTreeSet::new();
    for message in &log.messages {
        for call in &message.calls {
            let path = source::argument(call, &["file_path", "path", "filePath", "filename"]);
            let lock = |path: &str| path.contains("lock");
            if path.is_some_and(|p| SETTINGS.iter().any(|end| p.ends_with(end)) && !lock(&p)) {
                calls.insert(&call.id);
            }
        }
        if message.answers.as_ref().is_some_and(|id| calls.contains(id)) {
            results.insert(message.id);
        }
    }
    results
}

/// The name that a search looks for, where it looks for one name.
fn searched(call: &Call) -> Option<Draft> {
    let what = source::argument(call, &["pattern", "query"])?;
    let name = IDENTIFIER.find(&what)?;
    (name.as_str() == what).then(|| symbol(&what)).flatten()
}

/// All artifacts of the log, most of them once; each set of needles is one fact.
pub(super) fn drafts(log: &Log) -> Vec<Draft> {
    let settings = results_of_settings(log);
    let of = |message: &Message| of_message(message, settings.contains(&message.id));
    let found: Vec<Found> = log.messages.par_iter().map(of).collect();
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
        ranked.sort_by_key(|(draft, count)| (*count < 2, sample_key("artifact", &draft.statement)));
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

fn of_message(message: &Message, of_settings: bool) -> Found {
    let mut found = Found::default();
    for (speaker, text) in source::texts(message) {
        found.paths.extend(path::in_text(&text));
        match speaker {
            Speaker::Human => {
                let own = path::blanked(&text);
                let names = IDENTIFIER.find_iter(&own).map(|name| name.as_str());
                found.drafts.extend(names.filter_map(symbol));
                value::addresses(&text, &mut found.drafts);
                value::hosts(&text, &mut found.drafts);
            }
            Speaker::Call => {
                symbols(&text, &mut found.drafts);
                value::addresses(&text, &mut found.drafts);
                value::constants(&text, &mut found.drafts);
                value::settings(&text, false, &mut found.drafts);
            }
            Speaker::Result => {
                symbols(&text, &mut found.drafts);
                error::errors(&text, &mut found.drafts);
                value::addresses(&text, &mut found.drafts);
                value::constants(&text, &mut found.drafts);
                value::settings(&text, of_settings, &mut found.drafts);
            }
        }
    }
    found.drafts.extend(message.calls.iter().filter_map(searched));
    found.drafts.extend(message.calls.iter().filter_map(command::of));
    found
}

fn symbols(text: &str, drafts: &mut BTreeSet<Draft>) {
    let named = [&*DEFINED, &METHOD, &ASSIGNED].into_iter();
    let named = named.flat_map(|pattern| pattern.captures_iter(text));
    drafts.extend(named.filter_map(|found| symbol(found.get(1)?.as_str())));
    // `test_pump.py` is a file of tests, `test_pump` of Rust a name.
    let tests = TEST.find_iter(text).filter(|name| {
        let behind = &text[name.end()..];
        !(behind.starts_with('.') && behind[1..].starts_with(|c: char| c.is_ascii_lowercase()))
    });
    drafts.extend(tests.filter_map(|name| symbol(name.as_str())));
    let titled = [&*TITLE, &RUN, &LISTED].into_iter();
    let titled = titled.flat_map(|pattern| pattern.captures_iter(text));
    let titles = titled.filter_map(|found| found.iter().skip(1).flatten().next());
    drafts.extend(titles.map(|title| Draft::code(FactKind::Test, title.as_str())));
}

/// A name that prose has no use for: of several words, joined or humped.
fn symbol(name: &str) -> Option<Draft> {
    if name.len() < 8 || !is_compound(name) {
        return None;
    }
    let kind = if TEST.is_match(name) { FactKind::Test } else { FactKind::Symbol };
    Some(Draft::code(kind, name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::tests::statements;

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
}
