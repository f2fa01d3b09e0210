//! What more than one finder reads of names and of the arguments of calls.

use serde_json::Value;

/// Whether a name has several words: `camelCase`, `snake_case`, `CamelCase`.
pub(super) fn is_compound(name: &str) -> bool {
    let inner = name.trim_matches('_');
    let hump = |pair: &[u8]| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase();
    inner.contains('_') || inner.as_bytes().windows(2).any(hump)
}

/// The strings of a call's arguments, each with its key; the whole text where it is no JSON.
pub(super) fn leaves(args: &str) -> Vec<(String, String)> {
    let mut leaves = Vec::new();
    match serde_json::from_str(args) {
        Ok(value) => descend("", value, &mut leaves),
        Err(_) => leaves.push((String::new(), args.to_owned())),
    }
    leaves
}

fn descend(key: &str, value: Value, leaves: &mut Vec<(String, String)>) {
    match value {
        Value::String(text) => leaves.push((key.to_owned(), text)),
        Value::Array(items) => items.into_iter().for_each(|item| descend(key, item, leaves)),
        Value::Object(fields) => {
            fields.into_iter().for_each(|(key, value)| descend(&key, value, leaves));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_compound_name_is_joined_or_humped() {
        for (name, compound) in crate::cases::<(String, bool)>("compound") {
            assert_eq!(is_compound(&name), compound, "{name}");
        }
    }

    #[test]
    fn leaves_are_the_strings_at_any_depth() {
        let leaf = |key: &str, text: &str| (key.to_owned(), text.to_owned());
        let args = r#"{"edits": [{"old": "x\ny", "line": 3}], "path": "a/b.rs"}"#;
        assert_eq!(leaves(args), [leaf("old", "x\ny"), leaf("path", "a/b.rs")]);
        assert_eq!(leaves("not JSON"), [leaf("", "not JSON")]);
    }
}
