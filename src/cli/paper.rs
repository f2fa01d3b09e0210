//! Output for the terminal in the making: styled, wrapped, and safe to print.
//!
//! All text passes through `sanitize` here and nowhere else, so that nothing printed by
//! way of a paper can steer a terminal; styles are added around it.

use std::io::{IsTerminal, Write};
use std::process::{Command, Stdio};

use crate::cli::say;
use crate::sanitize;

/// How words look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    Plain,
    Heading,
    Strong,
    Faint,
    Good,
    Bad,
    Name,
}

impl Style {
    /// What switches it on; nothing for plain words.
    fn code(self) -> &'static str {
        match self {
            Style::Plain => "",
            Style::Heading => "1;4",
            Style::Strong => "1",
            Style::Faint => "2",
            Style::Good => "32",
            Style::Bad => "31",
            Style::Name => "36",
        }
    }
}

/// Words in a style.
pub(super) type Words<'a> = (Style, &'a str);

/// Lines being written.
pub(super) struct Paper {
    text: String,
    colour: bool,
    width: usize,
}

impl Paper {
    /// For stdout as it is: its width, its colours.
    pub(super) fn of_stdout() -> Paper {
        let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let is_terminal = std::io::stdout().is_terminal();
        let own = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
        let own = || own().filter(|_| is_terminal);
        let columns = variable("COLUMNS").and_then(|columns| columns.parse().ok()).or_else(own);
        let wish = Wish {
            no_color: variable("NO_COLOR").is_some(),
            force: variable("CLICOLOR_FORCE").is_some_and(|value| value != "0"),
            is_terminal,
        };
        Paper::new(wish.colour(), columns.unwrap_or(100))
    }

    /// With or without colours, so many columns wide.
    pub(super) fn new(colour: bool, width: usize) -> Paper {
        Paper { text: String::new(), colour, width: width.clamp(50, 132) }
    }

    pub(super) fn width(&self) -> usize {
        self.width
    }

    /// A line of several styles.
    pub(super) fn line(&mut self, words: &[Words]) {
        for (style, text) in words {
            self.push(*style, &sanitize::terminal(text));
        }
        self.end_line();
    }

    pub(super) fn blank(&mut self) {
        self.end_line();
    }

    /// A heading, set off from what stands before.
    pub(super) fn heading(&mut self, title: &str, rest: &str) {
        if !self.text.is_empty() {
            self.blank();
        }
        let rest = if rest.is_empty() { String::new() } else { format!("  {rest}") };
        self.line(&[(Style::Heading, title), (Style::Faint, &rest)]);
    }

    /// A text with its line breaks, wrapped and indented; at most so many lines. Says
    /// whether any is left out.
    pub(super) fn wrapped(&mut self, indent: usize, style: Style, text: &str, most: usize) -> bool {
        let room = self.width.saturating_sub(indent).max(20);
        let lines = sanitize::terminal_lines(text.trim_end());
        let mut wrapped = lines.iter().flat_map(|line| wrap(line, room));
        for line in wrapped.by_ref().take(most) {
            self.text.extend(std::iter::repeat_n(' ', indent));
            self.push(style, &line);
            self.end_line();
        }
        let left = wrapped.count();
        if left > 0 {
            let more = if left == 1 { "1 more line" } else { &format!("{left} more lines") };
            self.line(&[(Style::Faint, &format!("{:indent$}… {more}", ""))]);
        }
        left > 0
    }

    /// Rows in columns; a heading that begins with `#` is of figures, which stand to the
    /// right. The last column is cut to the width.
    pub(super) fn columns(&mut self, heads: &[&str], rows: &[Vec<(Style, String)>]) {
        let rows: Vec<Vec<(Style, String)>> = rows
            .iter()
            .map(|row| row.iter().map(|(style, text)| (*style, sanitize::terminal(text))).collect())
            .collect();
        let titles: Vec<&str> = heads.iter().map(|head| head.trim_start_matches('#')).collect();
        let widths: Vec<usize> = (0..heads.len())
            .map(|column| {
                let cells = rows.iter().filter_map(|row| row.get(column));
                let widest = cells.map(|(_, text)| width(text)).max().unwrap_or(0);
                widest.max(width(titles[column]))
            })
            .collect();
        let head: Vec<(Style, String)> =
            titles.iter().map(|title| (Style::Faint, (*title).to_owned())).collect();
        for row in std::iter::once(&head).chain(&rows) {
            self.row(heads, &widths, row);
        }
    }

    fn row(&mut self, heads: &[&str], widths: &[usize], row: &[(Style, String)]) {
        let mut used = 2;
        self.text.push_str("  ");
        for (column, (style, text)) in row.iter().enumerate() {
            let is_last = column + 1 == row.len();
            let room = if is_last { self.width.saturating_sub(used).max(8) } else { usize::MAX };
            let text = cut(text, room);
            let padding = widths[column].saturating_sub(width(&text));
            let before = if heads[column].starts_with('#') { padding } else { 0 };
            let after = if is_last { 0 } else { padding - before + 2 };
            self.text.extend(std::iter::repeat_n(' ', before));
            self.push(*style, &text);
            self.text.extend(std::iter::repeat_n(' ', after));
            used += widths[column] + 2;
        }
        self.end_line();
    }

    fn push(&mut self, style: Style, text: &str) {
        if text.is_empty() {
            return;
        }
        if !self.colour || style == Style::Plain {
            self.text.push_str(text);
            return;
        }
        // OK because styles are fixed codes around text that holds no escape.
        self.text.push_str("\u{1b}[");
        self.text.push_str(style.code());
        self.text.push('m');
        self.text.push_str(text);
        self.text.push_str("\u{1b}[0m");
    }

    fn end_line(&mut self) {
        let end = self.text.trim_end_matches(' ').len();
        self.text.truncate(end);
        self.text.push('\n');
    }

    /// What was written.
    pub(super) fn into_text(self) -> String {
        self.text
    }

    /// Prints it: through the user's pager where stdout is a terminal, else plainly.
    pub(super) fn print(self, may_page: bool) {
        let pager = std::env::var("PAGER").ok().filter(|pager| !pager.trim().is_empty());
        let text = self.into_text();
        match pager {
            Some(pager) if may_page && std::io::stdout().is_terminal() => {
                if !paged(&pager, &text) {
                    say(text.trim_end_matches('\n'));
                }
            }
            _ => say(text.trim_end_matches('\n')),
        }
    }
}

/// Hands a text to a pager; false where there is none of that name.
fn paged(pager: &str, text: &str) -> bool {
    let mut command = Command::new("sh");
    command.arg("-c").arg(pager).stdin(Stdio::piped());
    if std::env::var_os("LESS").is_none() {
        // Colours pass, a text that fits on the screen is only printed.
        command.env("LESS", "FRX");
    }
    let Ok(mut child) = command.spawn() else { return false };
    if let Some(mut stdin) = child.stdin.take() {
        // Whoever leaves the pager early has seen enough.
        let _ = stdin.write_all(text.as_bytes());
    }
    // 126 and 127 are the shell's own words for a pager that is not there.
    child.wait().is_ok_and(|ended| !matches!(ended.code(), Some(126 | 127)))
}

/// What decides on colours (<https://no-color.org>, <https://bixense.com/clicolors>).
struct Wish {
    no_color: bool,
    force: bool,
    is_terminal: bool,
}

impl Wish {
    fn colour(&self) -> bool {
        !self.no_color && (self.force || self.is_terminal)
    }
}

/// Columns that a text takes: two for East Asian and pictorial letters, none
/// for marks that combine with the letter before.
pub(super) fn width(text: &str) -> usize {
    text.chars().map(width_of).sum()
}

fn width_of(c: char) -> usize {
    match c as u32 {
        0x0300..=0x036F | 0xFE00..=0xFE0F | 0x20D0..=0x20FF => 0,
        0x1100..=0x115F | 0x2E80..=0x303E | 0x3041..=0xA4CF | 0xAC00..=0xD7A3 => 2,
        0xF900..=0xFAFF | 0xFE30..=0xFE6F | 0xFF00..=0xFF60 | 0xFFE0..=0xFFE6 => 2,
        0x1F300..=0x1F64F | 0x1F680..=0x1F6FF | 0x1F900..=0x1F9FF | 0x20000..=0x3FFFD => 2,
        _ => 1,
    }
}

/// At most so many columns of a text.
fn cut(text: &str, room: usize) -> String {
    if width(text) <= room {
        return text.to_owned();
    }
    let mut used = 0;
    let fits = |c: &char| {
        used += width_of(*c);
        used < room
    };
    let mut shown: String = text.chars().take_while(fits).collect();
    shown.push('…');
    shown
}

/// A line in pieces of at most so many columns, broken at spaces where there are any.
fn wrap(line: &str, room: usize) -> Vec<String> {
    let indent = line.len() - line.trim_start_matches(' ').len();
    // What is indented stays so, unless that leaves no room.
    let margin = " ".repeat(if indent < room / 2 { indent } else { 0 });
    let (mut pieces, mut piece, mut used) = (Vec::new(), margin.clone(), margin.len());
    for word in line.trim_start_matches(' ').split_inclusive(' ') {
        let wide = width(word.trim_end());
        if used + wide > room && used > margin.len() {
            pieces.push(std::mem::replace(&mut piece, margin.clone()));
            used = margin.len();
        }
        for c in word.chars() {
            let wide = width_of(c);
            if used + wide > room && c != ' ' {
                pieces.push(std::mem::replace(&mut piece, margin.clone()));
                used = margin.len();
            }
            piece.push(c);
            used += wide;
        }
    }
    pieces.push(piece);
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_for_terminals_and_wishes() {
        for (no_color, force, is_terminal, expected) in [
            (false, false, true, true),
            (false, false, false, false),
            (false, true, false, true),
            (true, false, true, false),
            (true, true, true, false),
        ] {
            assert_eq!(Wish { no_color, force, is_terminal }.colour(), expected);
        }
    }

    #[test]
    fn text_is_wrapped_at_words_and_keeps_its_margin() {
        assert_eq!(wrap("one two three four", 9), ["one two ", "three ", "four"]);
        assert_eq!(wrap("  in two words", 8), ["  in two ", "  words"]);
        assert_eq!(wrap("abcdefghij", 4), ["abcd", "efgh", "ij"]);
        assert_eq!(wrap("漢字漢字", 5), ["漢字", "漢字"]);
        assert_eq!(wrap("", 5), [""]);
    }

    #[test]
    fn nothing_printed_steers_a_terminal() {
        for colour in [false, true] {
            let mut paper = Paper::new(colour, 60);
            let hostile = "a\u{1b}]52;c;AAAA\u{7}\u{9b}2J\u{202e}b";
            paper.line(&[(Style::Bad, hostile), (Style::Plain, hostile)]);
            paper.heading(hostile, hostile);
            paper.wrapped(4, Style::Faint, hostile, 3);
            paper.columns(&["what", "#n"], &[vec![(Style::Name, hostile.to_owned()); 2]]);
            let text = paper.into_text();
            let own = ["\u{1b}[31m", "\u{1b}[0m", "\u{1b}[1;4m", "\u{1b}[2m", "\u{1b}[36m"];
            let rest = own.iter().fold(text, |text, code| text.replace(code, ""));
            let steering = |c: char| c.is_control() && c != '\n' || c == '\u{202e}';
            assert!(!rest.contains(steering), "{rest:?}");
        }
    }

    #[test]
    fn wide_letters_count_twice_and_marks_not_at_all() {
        assert_eq!((width("abc"), width("漢字"), width("e\u{301}")), (3, 4, 1));
    }

    #[test]
    fn long_texts_are_cut_and_say_so() {
        let mut paper = Paper::new(false, 60);
        assert!(paper.wrapped(2, Style::Plain, "a\nb\nc\nd", 2));
        assert_eq!(paper.into_text(), "  a\n  b\n  … 2 more lines\n");
        assert_eq!(cut("abcdef", 4), "abc…");
    }
}
