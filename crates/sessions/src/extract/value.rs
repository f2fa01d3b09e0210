//! Settings, limits, addresses and versions.

use std::collections::BTreeSet;

use super::Draft;
use crate::truth::{FactKind, Needle};

patterns! {
    ADDRESS = r"(?-u:\b)(?:\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}(?::\d{2,5})?|localhost:\d{2,5})(?-u:\b)";
    HOST = r"(?-u:\b)[a-z][a-z0-9-]*(?:\.[a-z][a-z0-9-]*)*\.(?:internal|local|lan|com|org|net|io|dev|test):\d{2,5}(?-u:\b)";
    VARIABLE = r"(?-u:\b)([A-Z][A-Z0-9]*_[A-Z0-9_]{2,40})=([A-Za-z0-9][\w.:/@-]{1,60})";
    SETTING = r#"(?m)^(?: *\d+→)?[ \t]*"?([a-z][a-z0-9]{1,30}(?:[_-][a-z0-9]{1,30}){1,5})"?[ \t]*[:=][ \t]*"?[\^~v]{0,2}(\d[\w.]{1,20})"?[,;]?[ \t]*(?:#[^\n]*)?$"#;
    /// In a file of settings a value may be a word, and a version's key one word.
    WORD = r#"(?m)^(?: *\d+→)?[ \t]*"?([A-Za-z][A-Za-z0-9]{1,30}(?:[_.-][A-Za-z0-9]{1,30}){1,5})"?[ \t]*[:=][ \t]*["']?([A-Za-z/][\w./:@-]{1,60})["']?[,;]?[ \t]*(?:#[^\n]*)?$"#;
    VERSION = r#"(?m)^(?: *\d+→)?[ \t]*"?([@a-z][a-z0-9@/_.-]{2,60})"?[ \t]*[:=][ \t]*"[\^~]?(\d+\.\d+[\w.]{0,20})",?[ \t]*$"#;
    CONSTANT = r#"(?-u:\b)(?:const|constexpr|final|static|val)[ \t](?:[\w<>:*&]+[ \t]+){0,4}?([A-Za-z_][A-Za-z0-9_]{5,60})(?:[ \t]*:[ \t]*[\w<>&' ]+?)?[ \t]*=[ \t]*(\d[\d_.]+)(?:[ \t]*[;,]|[ \t]*$|[ \t]*\n|[ \t]*//)"#;
}

/// Network addresses, but for those that every machine has.
pub(super) fn addresses(text: &str, drafts: &mut BTreeSet<Draft>) {
    let common = ["127.0.0.1", "0.0.0.0"];
    for found in ADDRESS.find_iter(text) {
        // `/16` behind it makes it a range.
        let range = text[found.end()..].starts_with('/')
            && text[found.end() + 1..].starts_with(|c: char| c.is_ascii_digit());
        if !common.contains(&found.as_str()) && !range {
            drafts.insert(Draft::code(FactKind::Value, found.as_str()));
        }
    }
}

/// A named host with its port.
pub(super) fn hosts(text: &str, drafts: &mut BTreeSet<Draft>) {
    drafts.extend(HOST.find_iter(text).map(|host| Draft::code(FactKind::Value, host.as_str())));
}

/// A constant of the program with a number.
pub(super) fn constants(text: &str, drafts: &mut BTreeSet<Draft>) {
    for found in CONSTANT.captures_iter(text) {
        let name = &found[1];
        let humped = name.bytes().any(|byte| byte.is_ascii_uppercase()) || name.contains('_');
        if humped {
            drafts.insert(setting(name, found[2].trim_end_matches(['.', '_'])));
        }
    }
}

/// Lines that set a key to a value. `of_settings` where the text is a file of settings.
pub(super) fn settings(text: &str, of_settings: bool, drafts: &mut BTreeSet<Draft>) {
    let mut patterns = vec![&*VARIABLE, &*SETTING];
    if of_settings {
        patterns.extend([&*WORD, &*VERSION]);
    }
    for found in patterns.into_iter().flat_map(|pattern| pattern.captures_iter(text)) {
        let (key, value) = (&found[1], found[2].trim_end_matches(['.', ':', '/', '-']));
        let says_nothing = ["true", "false", "null", "none", "string", "number", "object"];
        if !says_nothing.contains(&value) && value.len() > 1 {
            drafts.insert(setting(key, value));
        }
    }
}

fn setting(key: &str, value: &str) -> Draft {
    Draft {
        kind: FactKind::Value,
        statement: format!("{key} = {value}"),
        needles: vec![Needle::Code(key.to_owned()), Needle::Code(value.to_owned())],
        polarity: Vec::new(),
        key: Some(key.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::tests::statements;

    #[test]
    fn values_have_a_key_or_are_addresses() {
        for (text, expected) in [
            ("RETRY_BUDGET=250 next", vec!["RETRY_BUDGET = 250"]),
            ("  \"valve-driver\": \"^2.5.0\",", vec!["valve-driver = 2.5.0"]),
            ("max_rows = 4096", vec!["max_rows = 4096"]),
            ("let max_rows = 4096;", vec![]),
            ("port: 80", vec![]),
        ] {
            assert_eq!(
                statements(|text, drafts| settings(text, false, drafts), text),
                expected,
                "{text}"
            );
        }
        let text = "on 192.168.7.5:8080, not 127.0.0.1; see localhost:3000";
        assert_eq!(statements(addresses, text), ["192.168.7.5:8080", "localhost:3000"]);
    }
}
