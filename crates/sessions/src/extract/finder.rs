//! What becomes of what each finder of `data/artifacts.toml` finds.

use regex::Captures;

use super::Draft;
use super::data::{ARTIFACTS, Finder, Finds, Speaker};
use super::leaves::is_compound;
use crate::prelude::*;

/// Longest part of an error message that makes its needle, in bytes.
const NEEDLE: usize = 70;

/// What a text of this speaker shows.
pub(super) fn find(text: &str, speaker: Speaker, drafts: &mut BTreeSet<Draft>) {
    let trusted =
        |finder: &&Finder| finder.of.contains(&speaker) && text.contains(finder.only_with.as_str());
    for finder in ARTIFACTS.finders.iter().filter(trusted) {
        let found = finder.pattern.captures_iter(text);
        drafts.extend(found.filter_map(|found| finder.finds.draft(&found, text)));
    }
}

impl Finds {
    fn draft(self, found: &Captures<'_>, text: &str) -> Option<Draft> {
        let group = |number: usize| found.get(number).map_or("", |group| group.as_str());
        let (whole, one, other) = (found.get(0)?, group(1), group(2));
        let behind = &text[whole.end()..];
        match self {
            Finds::Name => symbol(one),
            // `test_pump.py` is a file of tests, `test_pump` of Rust a name.
            Finds::TestName if opens_with(behind, '.', |c| c.is_ascii_lowercase()) => None,
            Finds::TestName => symbol(one),
            Finds::TestTitle => {
                let title = found.iter().skip(1).flatten().next()?;
                Some(Draft::code(FactKind::Test, title.as_str()))
            }
            Finds::Error => error(one, other),
            Finds::Remark => {
                // What calls itself an error is found by its name.
                let is_lesser = |word: &String| other.starts_with(word.as_str());
                let lesser = ARTIFACTS.lesser_remarks.iter().any(is_lesser);
                if lesser { None } else { error(one, other) }
            }
            // `/16` behind it makes it a range.
            Finds::Address if opens_with(behind, '/', |c| c.is_ascii_digit()) => None,
            Finds::Address if ARTIFACTS.common_addresses.contains(whole.as_str()) => None,
            Finds::Address | Finds::Host => Some(Draft::code(FactKind::Value, whole.as_str())),
            Finds::Constant => {
                let humped = one.bytes().any(|byte| byte.is_ascii_uppercase() || byte == b'_');
                humped.then(|| setting(one, other.trim_end_matches(['.', '_'])))
            }
            Finds::Setting => {
                let value = other.trim_end_matches(['.', ':', '/', '-']);
                let tells = value.len() > 1 && !ARTIFACTS.empty_values.contains(value);
                tells.then(|| setting(one, value))
            }
        }
    }
}

/// Whether this sign and a character of this kind begin the text.
fn opens_with(text: &str, sign: char, kind: fn(char) -> bool) -> bool {
    text.strip_prefix(sign).is_some_and(|rest| rest.starts_with(kind))
}

/// A name that prose has no use for: of several words, joined or humped.
pub(super) fn symbol(name: &str) -> Option<Draft> {
    let kind = if is_test(name) { FactKind::Test } else { FactKind::Symbol };
    (name.len() >= 8 && is_compound(name)).then(|| Draft::code(kind, name))
}

fn is_test(name: &str) -> bool {
    let snake = |c: char| c == '_' || c.is_ascii_lowercase() || c.is_ascii_digit();
    let begins = |c: char| c == '_' || c.is_ascii_uppercase();
    let lower = name.strip_prefix("test_").filter(|rest| rest.len() >= 5);
    let upper = name.strip_prefix("Test").filter(|rest| rest.len() >= 6);
    lower.is_some_and(|rest| rest.chars().all(snake))
        || upper.is_some_and(|rest| rest.starts_with(begins))
}

fn error(name: &str, message: &str) -> Option<Draft> {
    let message = cut(message.trim_end(), NEEDLE);
    let words = message.split_whitespace().count();
    // "undefined: openValve" says enough, "it failed" does not.
    let tells = words > 2 || words == 2 && message.contains(": ");
    let needles = vec![Needle::Prose(message.to_owned())];
    tells.then(|| Draft::new(FactKind::Error, format!("{name}{message}"), needles))
}

fn setting(key: &str, value: &str) -> Draft {
    let needles = vec![Needle::Code(key.to_owned()), Needle::Code(value.to_owned())];
    let draft = Draft::new(FactKind::Value, format!("{key} = {value}"), needles);
    Draft { key: Some(key.to_owned()), ..draft }
}

/// The text up to the last white space within this many bytes.
fn cut(text: &str, most: usize) -> &str {
    if text.len() <= most {
        return text;
    }
    let text = &text[..text.floor_char_boundary(most)];
    text[..text.rfind(char::is_whitespace).unwrap_or(text.len())].trim_end()
}

pub(super) fn command(call: &Call) -> Option<Draft> {
    let command = super::argument(call, &["command", "cmd"])?;
    let command = command.split(" && ").map(str::trim).find(|part| !is_looking(part))?;
    let ends = ARTIFACTS.commands.ends.iter().filter_map(|end| command.find(end));
    let end = ends.min().unwrap_or(command.len());
    let is_cut = end < command.len();
    let mut command = command[..end].trim_end();
    // `git commit -m "..."` was cut at its quote: the flag alone says nothing.
    while let Some((rest, last)) = command.rsplit_once(' ')
        && is_cut
        && (last.starts_with('-') || last.ends_with('='))
    {
        command = rest.trim_end();
    }
    // A short one says something only if it is whole.
    let shortest = if is_cut { 12 } else { 8 };
    let telling = (shortest..=120).contains(&command.len()) && command.contains(' ');
    telling.then(|| Draft::code(FactKind::Command, command))
}

fn is_looking(command: &str) -> bool {
    let mut words = command.split_whitespace();
    let (Some(first), second) = (words.next(), words.next().unwrap_or_default()) else {
        return true;
    };
    let commands = &ARTIFACTS.commands;
    let edits = first == "sed" && second.starts_with("-i");
    let asks = commands.asking.get(first).is_some_and(|verbs| verbs.contains(second));
    asks || commands.looking.contains(first) && !edits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_shows_names_tests_errors_and_values() {
        for (text, expected) in crate::cases::<(String, Vec<String>)>("results") {
            let mut drafts = BTreeSet::new();
            find(&text, Speaker::Result, &mut drafts);
            let found: Vec<&str> = drafts.iter().map(|draft| draft.statement.as_str()).collect();
            assert_eq!(found, expected, "{text}");
        }
        assert_eq!(symbol("test_valve_opens").map(|draft| draft.kind), Some(FactKind::Test));
    }

    #[test]
    fn a_long_error_is_cut_between_words() {
        assert_eq!(cut("a valve is stuck", 9), "a valve");
        assert_eq!(cut("äöüäöü", 5), "äö");
        assert_eq!(cut("short", 9), "short");
    }

    #[test]
    fn a_command_is_what_is_run() {
        for (run, expected) in crate::cases::<(String, Vec<String>)>("commands") {
            let args = serde_json::json!({ "command": run }).to_string();
            let call = Call { id: CallId::new("a"), name: Text::from("Bash"), args: args.into() };
            let found = command(&call).map(|draft| draft.statement);
            assert_eq!(found.as_slice(), expected, "{run}");
        }
    }
}
