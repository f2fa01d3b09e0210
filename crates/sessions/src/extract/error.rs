//! Messages of what went wrong, by the way tools print them.

use std::collections::BTreeSet;

use super::Draft;
use crate::truth::{FactKind, Needle};

/// Longest part of an error message that makes its needle, in bytes.
const NEEDLE: usize = 70;

patterns! {
    /// A line that calls itself an error, behind what printers put before it: a mark,
    /// a place, the program's name.
    NAMED = r"(?m)^[^\w\n]{0,12}(?:E {1,6})?(?:[\w./-]{1,120}:\d{1,6}(?::\d{1,5})?:[ \t]*)?(?:[a-z][\w-]{1,20}: )?(\[?(?:error(?:\[[A-Z]\d{2,5}\]| TS\d{3,5})?|Error|ERROR|(?:\w+\.)*[A-Z][A-Za-z]{2,40}(?:Error|Exception|Operation)|panic|fatal|FATAL|FAIL)(?:\]|:)[ \t]+)(\S[^\n]{11,200})";
    /// `FAILED place::name - Message`, the short list at the end of a run of tests.
    LISTED = r"(?m)^FAILED \S+ - ((?:(?:\w+\.)*[A-Z]\w+: )?)(\S[^\n]{8,200})";
    /// The line below a panic's place.
    PANICKED = r"panicked at [^\n]{1,160}:\n()(\S[^\n]{8,200})";
    COMPILER = r"(?m)^[\w./-]{1,120}\.[a-z]{1,5}:\d{1,6}:\d{1,5}:[ \t]+()(\S[^\n]{11,200})";
    /// What a failed test of Go says, indented below its name.
    OF_TEST = r"(?m)^[ \t]+[\w./-]{1,120}_test\.go:\d{1,6}: ()(\S[^\n]{11,200})";
}

/// The errors that a result shows.
pub(super) fn errors(text: &str, drafts: &mut BTreeSet<Draft>) {
    add(NAMED.captures_iter(text), drafts);
    add(LISTED.captures_iter(text), drafts);
    add(PANICKED.captures_iter(text), drafts);
    // What calls itself an error is found by its name, a lesser remark is none.
    let lesser = ["error", "Error", "warning", "note", "help", "fatal", "panic"];
    let placed = COMPILER.captures_iter(text);
    add(placed.filter(|found| !lesser.iter().any(|word| found[2].starts_with(word))), drafts);
    if text.contains("FAIL") {
        add(OF_TEST.captures_iter(text), drafts);
    }
}

fn add<'a>(found: impl Iterator<Item = regex::Captures<'a>>, drafts: &mut BTreeSet<Draft>) {
    for captures in found {
        let [name, message] = captures.extract::<2>().1;
        let message = cut(message.trim_end(), NEEDLE);
        let words = message.split_whitespace().count();
        // "undefined: openValve" says enough, "it failed" does not.
        if words < 3 && !(words == 2 && message.contains(": ")) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::tests::statements;

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
    fn a_long_error_is_cut_between_words() {
        assert_eq!(cut("a valve is stuck", 9), "a valve");
        assert_eq!(cut("äöüäöü", 5), "äö");
        assert_eq!(cut("short", 9), "short");
    }
}
