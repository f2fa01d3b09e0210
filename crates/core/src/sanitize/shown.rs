//! What stdout, stderr and the log of CI are given.

use std::fmt;

use serde::Serialize;

use super::{steers, terminal};

/// Text that is safe to show. It has no public field, and every way to make it takes out what
/// steers; what is printed must be of this type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown(String);

/// A sentence with values in it, as [`Shown`]: each value stands on one line. Values are named
/// behind the text, as `format!` takes them; the text itself cannot capture any.
#[macro_export]
macro_rules! shown {
    ($text:literal $(, $value:expr)* $(,)?) => {
        $crate::sanitize::Shown::laid_out(
            &format!(concat!($text) $(, $crate::sanitize::Inert(&$value))*),
        )
    };
}

/// A value as it stands in a sentence: on one line, nothing in it steers.
#[derive(Clone, Copy, Debug)]
pub struct Inert<T>(pub T);

impl<T: fmt::Display> fmt::Display for Inert<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&terminal(&self.0.to_string()))
    }
}

impl Shown {
    /// Text of several lines: its line breaks and tabs stay, and no line is a command of CI.
    pub fn laid_out(text: &str) -> Shown {
        Shown(lines(text, |line| line.chars().map(mark).collect()))
    }

    /// Text that we coloured: the codes of colours stay too. Its values must be [`Inert`].
    pub fn coloured(text: &str) -> Shown {
        Shown(lines(text, with_colours))
    }

    /// A value as indented JSON, with escapes for what steers.
    pub fn json<T: Serialize>(value: &T) -> serde_json::Result<Shown> {
        let text = serde_json::to_string_pretty(value)?;
        let mut escaped = String::with_capacity(text.len());
        for letter in text.chars() {
            if steers(letter) && letter != '\n' {
                let mut units = [0; 2];
                for unit in letter.encode_utf16(&mut units) {
                    escaped.push_str(&format!("\\u{unit:04x}"));
                }
            } else {
                escaped.push(letter);
            }
        }
        Ok(Shown(escaped))
    }

    /// A workflow command of GitHub: its values are escaped as GitHub reads them.
    pub fn command(name: &str, properties: &[(&str, &str)], says: &str) -> Shown {
        let property = |(key, value): &(&str, &str)| {
            let value = data(value).replace(':', "%3A").replace(',', "%2C");
            format!("{}={value}", terminal(key))
        };
        let properties: Vec<String> = properties.iter().map(property).collect();
        Shown(format!("::{} {}::{}", terminal(name), properties.join(","), data(says)))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn mark(letter: char) -> char {
    if steers(letter) && letter != '\t' { '\u{FFFD}' } else { letter }
}

fn data(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('%', "%25").replace('\n', "%0A");
    text.chars().map(mark).collect()
}

fn lines(text: &str, safe: impl Fn(&str) -> String) -> String {
    let text = text.replace("\r\n", "\n");
    let lines: Vec<String> = text.split('\n').map(|line| no_command(&safe(line))).collect();
    lines.join("\n")
}

/// A line that GitHub or Azure would read as a command, with a space in its mark.
fn no_command(line: &str) -> String {
    let start = line.len() - line.trim_start().len();
    let (margin, rest) = line.split_at(start);
    let rest = match rest.strip_prefix("::") {
        Some(rest) => format!(": :{rest}"),
        None => rest.to_owned(),
    };
    format!("{margin}{}", rest.replace("##[", "## [").replace("##vso[", "##vso ["))
}

/// The codes that colour (`ESC [ 1;31 m`) stay.
fn with_colours(line: &str) -> String {
    let mut safe = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(letter) = rest.chars().next() {
        let code = rest.strip_prefix("\u{1b}[").and_then(|code| {
            let end = code.find(|c: char| !c.is_ascii_digit() && c != ';')?;
            code[end..].starts_with('m').then_some("\u{1b}[".len() + end + 1)
        });
        let taken = code.unwrap_or(letter.len_utf8());
        match code {
            Some(_) => safe.push_str(&rest[..taken]),
            None => safe.push(mark(letter)),
        }
        rest = &rest[taken..];
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_stands_on_one_line_and_starts_no_command() {
        let name = "x\n::error::owned\u{1b}]0;t\u{7}";
        assert_eq!(
            shown!("unknown `{}`\nhint: {}", name, "::b").as_str(),
            "unknown `x⏎::error::owned\u{FFFD}]0;t\u{FFFD}`\nhint: ::b"
        );
        assert_eq!(shown!("{:>4}|{}", 7, name.len()).as_str(), "   7|22");
    }

    #[test]
    fn no_line_of_a_layout_is_a_command() {
        let text = "a\n  ::warning::x\r\n##[error]y ##vso[task]z\n\tb";
        let shown = "a\n  : :warning::x\n## [error]y ##vso [task]z\n\tb";
        assert_eq!(Shown::laid_out(text).as_str(), shown);
    }

    #[test]
    fn colours_stay_and_other_codes_go() {
        let text = "\u{1b}[1;31mred\u{1b}[0m \u{1b}[2J \u{1b}]0;t";
        let kept = "\u{1b}[1;31mred\u{1b}[0m \u{FFFD}[2J \u{FFFD}]0;t";
        assert_eq!(Shown::coloured(text).as_str(), kept);
        assert!(!Shown::laid_out(text).as_str().contains('\u{1b}'));
    }

    #[test]
    fn json_says_the_same_without_a_letter_that_steers() {
        let value = "a\u{202e}b\u{E0041}\u{1b}\n";
        let shown = Shown::json(&value).expect("OK because a text is JSON");
        assert_eq!(shown.as_str(), "\"a\\u202eb\\udb40\\udc41\\u001b\\n\"");
        let read: String = serde_json::from_str(shown.as_str()).expect("OK because it is JSON");
        assert_eq!(read, value);
    }

    #[test]
    fn a_command_holds_what_it_is_given() {
        let shown = Shown::command("error", &[("title", "a:b,c\nd")], "50 %\nx\u{1b}");
        assert_eq!(shown.as_str(), "::error title=a%3Ab%2Cc%0Ad::50 %25%0Ax\u{FFFD}");
    }

    proptest::proptest! {
        #[test]
        fn whatever_is_quoted_steers_nothing(text in "(::|##\\[|\u{1b}\\[1m|\\PC|\n|\r|\u{202e}|\u{9b}){0,12}") {
            for shown in [Shown::laid_out(&text), shown!("{}", text), Shown::coloured(&text)] {
                let bare = shown.as_str().replace("\u{1b}[1m", "");
                proptest::prop_assert!(!bare.chars().any(|c| steers(c) && !matches!(c, '\n' | '\t')));
                let mut lines = bare.lines().map(str::trim_start);
                proptest::prop_assert!(!lines.any(|line| line.starts_with("::") && shown != Shown::coloured(&text)));
                proptest::prop_assert!(!bare.contains("##["));
            }
        }
    }
}
