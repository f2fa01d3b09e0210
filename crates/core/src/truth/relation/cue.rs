//! The words by which a text takes back, doubts or dates what it says: `cues.toml`, ready to be looked
//! for.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use regex::Regex;

use crate::prelude::*;

pub(super) static CUES: LazyLock<Cues> = LazyLock::new(|| {
    // OK because the text is constant and a test reads it.
    let words: Cues<Vec<String>, Vec<String>> =
        toml::from_str(include_str!("cues.toml")).expect("sound cues");
    let any = |list: &[String]| {
        let escaped: Vec<String> = list.iter().map(|cue| regex::escape(cue)).collect();
        escaped.join("|")
    };
    // OK for the same reason.
    let regex = |pattern: String| Regex::new(&pattern).expect("sound cues");
    Cues {
        revoked: Phrases::new(&words.revoked),
        lifted: Phrases::new(&words.lifted),
        against: Phrases::new(&words.against),
        done: Phrases::new(&words.done),
        open: Phrases::new(&words.open),
        doubt: Phrases::new(&words.doubt),
        disowned: Phrases::new(&words.disowned),
        whole: Phrases::new(&words.whole),
        back: regex(format!(r"(?i)^\W*(?:{})\b", any(&words.back))),
        old: regex(format!(
            r"(?i)\b(?:{})(?: (?:at|to|the|set|value|a|an|of))*[^\w\n]*$",
            any(&words.old)
        )),
        refers: Phrases::new(&words.refers),
        foreign: Phrases::new(&words.foreign),
        plainly: regex(format!(r"(?i)\b(?:{})\b", any(&words.plainly))),
        plain: words.plain,
        turning: words.turning,
        untrue: words.untrue,
        excluded: regex(format!(r"(?i)\b(?:{})(?: (?:the|a|an))*[^\w\n]*$", any(&words.excluded))),
        changed: regex(format!(
            r"(?i)^[^\w\n]{{0,2}} ?(?:[+*/×÷^] ?\d|(?:{})\b)",
            any(&words.changed)
        )),
        list: regex(format!(r"(?i)^(?:\s|[^\w\n=:;.>]|\b(?:{})\b)+$", any(&words.list))),
    }
});

/// The words as patterns, or as the file lists them.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Cues<P = Phrases, R = Regex> {
    pub(super) revoked: P,
    pub(super) lifted: P,
    pub(super) against: P,
    pub(super) done: P,
    pub(super) open: P,
    pub(super) doubt: P,
    pub(super) disowned: P,
    pub(super) whole: P,
    pub(super) back: R,
    pub(super) old: R,
    pub(super) list: R,
    pub(super) excluded: R,
    pub(super) changed: R,
    pub(super) refers: P,
    pub(super) foreign: P,
    pub(super) plainly: R,
    /// Words, several to a line.
    pub(super) plain: Vec<String>,
    pub(super) turning: Vec<String>,
    pub(super) untrue: Vec<String>,
}

/// Phrases that are looked for as whole words, without regard to case. A regular expression that asks
/// for the borders of words is slow where letters are not ASCII.
#[derive(Debug)]
pub(super) struct Phrases(AhoCorasick);

impl Phrases {
    fn new(phrases: &[String]) -> Phrases {
        let kind = Some(AhoCorasickKind::DFA);
        let matcher = AhoCorasick::builder().ascii_case_insensitive(true).kind(kind).build(phrases);
        // OK because the phrases are constant and a test reads them.
        Phrases(matcher.expect("sound cues"))
    }

    /// Whether one of them stands in a text.
    pub(super) fn is_match(&self, text: &str) -> bool {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        self.0.find_overlapping_iter(text).any(|found| {
            !text[..found.start()].ends_with(is_word) && !text[found.end()..].starts_with(is_word)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phrase_is_found_as_whole_words() {
        let phrases = Phrases::new(&["no longer".to_owned(), "void".to_owned()]);
        for (text, found) in [
            ("it No Longer holds", true),
            ("(void)", true),
            ("\u{2014}void\u{2014}", true),
            ("avoid", false),
            ("voided", false),
            ("\u{e9}void", false),
            ("void_1", false),
            ("no longer_ than, or void", true),
        ] {
            assert_eq!(phrases.is_match(text), found, "{text}");
        }
    }
}
