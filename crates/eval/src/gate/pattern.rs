//! Patterns over names: `*` stands for any text, `?` for one character.

use serde::{Deserialize, Serialize};

/// A pattern over the names of configurations or scenarios.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Pattern(pub String);

impl Pattern {
    /// Whether it stands for the name.
    pub fn matches(&self, name: &str) -> bool {
        let (pattern, name): (Vec<char>, Vec<char>) =
            (self.0.chars().collect(), name.chars().collect());
        stands_for(&pattern, &name)
    }

    /// Whether it stands for the configuration. One without a window, or with its limits
    /// moved, has an `@` in its name, and so must a pattern that means it: `*` is every
    /// pipeline in its own window.
    pub fn matches_configuration(&self, name: &str) -> bool {
        self.0.contains('@') == name.contains('@') && self.matches(name)
    }
}

fn stands_for(pattern: &[char], name: &[char]) -> bool {
    match (pattern, name) {
        ([], name) => name.is_empty(),
        (['*', rest @ ..], []) => stands_for(rest, name),
        (['*', rest @ ..], [_, behind @ ..]) => {
            stands_for(rest, name) || stands_for(pattern, behind)
        }
        ([letter, rest @ ..], [own, behind @ ..]) => {
            (*letter == '?' || letter == own) && stands_for(rest, behind)
        }
        ([_, ..], []) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_any_text_and_question_marks_for_one_character() {
        for (pattern, name, expected) in [
            ("*", "", true),
            ("*", "forge-adr", true),
            ("forge-*", "forge-adr", true),
            ("forge-*", "forge", false),
            ("*-adr", "forge-adr-2-adr", true),
            ("f?rge", "forge", true),
            ("f?rge", "frge", false),
            ("a*b*c", "a-b-b-d-c", true),
            ("a*b*c", "a-b-b-d", false),
            ("forge-adr", "forge-adr", true),
            ("forge-adr", "forge-adr-2", false),
            ("", "a", false),
        ] {
            assert_eq!(Pattern(pattern.to_owned()).matches(name), expected, "{pattern} {name}");
        }
    }

    #[test]
    fn controls_and_swept_limits_must_be_meant() {
        let matches = |pattern: &str, name| Pattern(pattern.to_owned()).matches_configuration(name);
        assert!(matches("*", "none") && !matches("*", "none@windowless"));
        assert!(matches("*@limit=*", "truncate@limit=0.25") && !matches("*@*", "truncate"));
    }
}
