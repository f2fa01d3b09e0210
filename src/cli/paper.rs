//! Output for the terminal in the making: templates of styled text, safe to print.
//!
//! A template is text with values in it (minijinja). All values are sanitized here and
//! nowhere else, so that nothing printed by way of a paper can steer a terminal; styles are
//! added around them. Blank lines of a template are dropped; a heading has one before it.

use std::io::{IsTerminal, Write};
use std::process::{Command, Stdio};

use minijinja::syntax::SyntaxConfig;
use minijinja::value::Kwargs;
use minijinja::{AutoEscape, Environment, UndefinedBehavior, Value};

use crate::cli::say;
use crate::error::{Error, Result};
use crate::trace::LossClass;
use crate::{number, sanitize};

/// Begins a styled text; the letter of its style follows. No value holds it, since values
/// are sanitized.
const BEGIN: char = '\u{1}';
/// Ends a styled text.
const END: char = '\u{2}';
/// A line that stays blank.
const BLANK: &str = "\u{3}";

/// Styles by name, with the letter that stands for each and the code that switches it on.
const STYLES: [(&str, char, &str); 6] = [
    ("heading", 'h', "1;4"),
    ("strong", 's', "1"),
    ("faint", 'f', "2"),
    ("good", 'g', "32"),
    ("bad", 'b', "31"),
    ("name", 'n', "36"),
];

/// How text is printed: its width, and whether in colours.
#[derive(Clone, Copy)]
pub(super) struct Paper {
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
        let choice = ColorChoice {
            no_color: variable("NO_COLOR").is_some(),
            force: variable("CLICOLOR_FORCE").is_some_and(|value| value != "0"),
            is_terminal,
        };
        Paper::new(choice.colour(), columns.unwrap_or(100))
    }

    /// With or without colours, so many columns wide.
    pub(super) fn new(colour: bool, width: usize) -> Paper {
        Paper { colour, width: width.clamp(50, 132) }
    }

    pub(super) fn width(self) -> usize {
        self.width
    }

    /// The text of a template, filled.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] where a template is broken or names a value that is not there.
    pub(super) fn fill(
        self,
        templates: &[(&'static str, &'static str)],
        name: &str,
        values: &Value,
    ) -> Result<String> {
        let mut environment = environment(self.width).map_err(|error| broken(&error))?;
        for (name, text) in templates {
            environment.add_template(name, text).map_err(|error| broken(&error))?;
        }
        let template = environment.get_template(name).map_err(|error| broken(&error))?;
        let text = template.render(values).map_err(|error| broken(&error))?;
        Ok(self.laid_out(&text))
    }

    fn laid_out(self, text: &str) -> String {
        let heading = format!("{BEGIN}h");
        let mut out = String::new();
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            if line.starts_with(&heading) && !out.is_empty() {
                out.push('\n');
            }
            if line != BLANK {
                out.push_str(self.coloured(line).trim_end_matches(' '));
            }
            out.push('\n');
        }
        out
    }

    fn coloured(self, line: &str) -> String {
        let mut out = String::new();
        let mut letters = line.chars();
        while let Some(letter) = letters.next() {
            match letter {
                BEGIN => {
                    let style = letters.next().unwrap_or_default();
                    let known = STYLES.iter().find(|(_, own, _)| *own == style);
                    // OK because styles are fixed codes around text that holds no escape.
                    if let (Some((.., code)), true) = (known, self.colour) {
                        out.push_str(&format!("\u{1b}[{code}m"));
                    }
                }
                END if self.colour => out.push_str("\u{1b}[0m"),
                END => {}
                other => out.push(other),
            }
        }
        out
    }
}

/// Prints a text: through the user's pager where stdout is a terminal, else plainly.
pub(super) fn print(text: &str, may_page: bool) {
    let pager = std::env::var("PAGER").ok().filter(|pager| !pager.trim().is_empty());
    match pager {
        Some(pager) if may_page && std::io::stdout().is_terminal() => {
            if !paged(&pager, text) {
                say(text.trim_end_matches('\n'));
            }
        }
        _ => say(text.trim_end_matches('\n')),
    }
}

fn broken(error: &minijinja::Error) -> Error {
    Error::invalid("template of inspect", format!("{error:#}"))
}

fn environment(width: usize) -> std::result::Result<Environment<'static>, minijinja::Error> {
    let mut environment = Environment::new();
    environment.set_syntax(SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build()?);
    environment.set_undefined_behavior(UndefinedBehavior::SemiStrict);
    // What macros and blocks give is styled already; all else is sanitized.
    environment.set_auto_escape_callback(|_| AutoEscape::Custom("terminal".into()));
    environment.set_formatter(|out, _, value| match value.is_safe() {
        true => Ok(out.write_str(&value.to_string())?),
        false => Ok(out.write_str(&sanitize::terminal(&value.to_string()))?),
    });
    environment.add_filter("style", |value: &Value, style: &str| {
        Value::from_safe_string(styled(style, &sanitize::terminal(&value.to_string())))
    });
    environment.add_filter("tokens", number::tokens);
    environment.add_filter("fixed", |value: f64, digits: usize| format!("{value:.digits$}"));
    environment.add_filter("pad", |value: &str, room: usize| format!("{value:<room$}"));
    environment.add_filter("lpad", |value: u64, room: usize| format!("{value:>room$}"));
    environment.add_filter("beginning", move |value: &str, less: usize| {
        sanitize::beginning(value, width.saturating_sub(less))
    });
    environment.add_filter("joined", |value: &str| {
        let lines = value.lines().map(str::trim).filter(|line| !line.is_empty());
        lines.collect::<Vec<_>>().join(" ⏎ ")
    });
    environment.add_filter("quoted", |value: &str| {
        value.lines().map(|line| format!("> {line}\n")).collect::<String>()
    });
    environment.add_filter("wrap", move |value: &str, indent: usize, options: Kwargs| {
        let most: Option<usize> = options.get("most")?;
        let style: Option<String> = options.get("style")?;
        let most = most.filter(|most| *most > 0).unwrap_or(usize::MAX);
        let text = wrapped(value, (indent, width), most, style.as_deref().unwrap_or_default());
        Ok::<Value, minijinja::Error>(Value::from_safe_string(text))
    });
    environment.add_filter("columns", move |value: &Value| {
        Value::from_safe_string(columns(&value.to_string(), width))
    });
    environment.add_filter("because", because);
    environment.add_global("blank", Value::from_safe_string(BLANK.to_owned()));
    Ok(environment)
}

/// A class of loss, with what it means.
fn because(class: &str) -> String {
    let known = LossClass::named(class);
    let meaning = known.map(|class| match class {
        LossClass::Dropped => "its message left and nothing stands for it",
        LossClass::Unseen => "a summary stands for it whose writer was never shown it",
        LossClass::Omitted => "the summarizer was shown it and left it out",
        LossClass::Resummarized => "an earlier summary held it, this one does not",
        LossClass::Inverted => "its subject is still named, without its sense",
    });
    meaning.map_or_else(|| class.to_owned(), |meaning| format!("{class}: {meaning}"))
}

fn styled(style: &str, text: &str) -> String {
    match STYLES.iter().find(|(name, ..)| *name == style) {
        Some((_, letter, _)) if !text.is_empty() => format!("{BEGIN}{letter}{text}{END}"),
        _ => text.to_owned(),
    }
}

/// A text with its line breaks, wrapped and indented; at most so many lines, and how many
/// more there are.
fn wrapped(text: &str, (indent, width): (usize, usize), most: usize, style: &str) -> String {
    let room = width.saturating_sub(indent).max(20);
    let margin = " ".repeat(indent);
    let lines = sanitize::terminal_lines(text.trim_end());
    let mut pieces = lines.iter().flat_map(|line| wrap(line, room));
    let mut out: Vec<String> = Vec::new();
    for piece in pieces.by_ref().take(most) {
        out.push(match piece.trim().is_empty() {
            true => BLANK.to_owned(),
            false => format!("{margin}{}", styled(style, piece.trim_end())),
        });
    }
    match pieces.count() {
        0 => {}
        1 => out.push(styled("faint", &format!("{margin}… 1 more line"))),
        left => out.push(styled("faint", &format!("{margin}… {left} more lines"))),
    }
    out.join("\n")
}

/// Lines of fields, parted by tabs, as columns; a heading that begins with `#` is of figures,
/// which are aligned to the right. The last column is cut to the width.
fn columns(text: &str, paper: usize) -> String {
    let rows: Vec<Vec<&str>> = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| line.split('\t').collect())
        .collect();
    let Some((head, rows)) = rows.split_first() else { return String::new() };
    let titles: Vec<String> =
        head.iter().map(|title| styled("faint", title.trim_start_matches('#'))).collect();
    let mut lines: Vec<Vec<&str>> = vec![titles.iter().map(String::as_str).collect()];
    lines.extend(rows.iter().cloned());
    let widest = |column: usize| {
        let cells = lines.iter().filter_map(|line| line.get(column));
        cells.map(|text| width(text)).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..head.len()).map(widest).collect();
    let mut out = String::new();
    for line in &lines {
        let mut used = 2;
        out.push_str("  ");
        for (column, text) in line.iter().enumerate() {
            let is_last = column + 1 == line.len();
            let room = if is_last { paper.saturating_sub(used).max(8) } else { usize::MAX };
            let text = cut(text, room);
            let padding = " ".repeat(widths[column].saturating_sub(width(&text)));
            match head[column].starts_with('#') {
                true => out.push_str(&format!("{padding}{text}")),
                false if is_last => out.push_str(&text),
                false => out.push_str(&format!("{text}{padding}")),
            }
            out.push_str(if is_last { "\n" } else { "  " });
            used += widths[column] + 2;
        }
    }
    out
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
        // A reader who leaves the pager early has seen enough.
        let _ = stdin.write_all(text.as_bytes());
    }
    // 126 and 127 are the shell's own codes for a pager that is not there.
    child.wait().is_ok_and(|ended| !matches!(ended.code(), Some(126 | 127)))
}

/// What decides on colours (<https://no-color.org>, <https://bixense.com/clicolors>).
struct ColorChoice {
    no_color: bool,
    force: bool,
    is_terminal: bool,
}

impl ColorChoice {
    fn colour(&self) -> bool {
        !self.no_color && (self.force || self.is_terminal)
    }
}

/// Columns that a text takes, marks of style aside: two for East Asian and pictorial letters,
/// none for marks that combine with the letter before.
pub(super) fn width(text: &str) -> usize {
    let mut letters = text.chars();
    let mut sum = 0;
    while let Some(letter) = letters.next() {
        match letter {
            BEGIN => {
                letters.next();
            }
            END => {}
            other => sum += width_of(other),
        }
    }
    sum
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

/// At most so many columns of a text; its style ends with it.
fn cut(text: &str, room: usize) -> String {
    if width(text) <= room {
        return text.to_owned();
    }
    let (style, plain) = match text.strip_prefix(BEGIN) {
        Some(rest) => (text.chars().take(2).collect(), rest.chars().skip(1).collect()),
        None => (String::new(), text.to_owned()),
    };
    let mut used = 0;
    let fits = |c: &char| {
        used += width_of(*c);
        used < room
    };
    let shown: String = plain.trim_end_matches(END).chars().take_while(fits).collect();
    let end = if style.is_empty() { String::new() } else { END.to_string() };
    format!("{style}{shown}…{end}")
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
    use minijinja::context;

    use super::*;

    fn fill(paper: Paper, template: &'static str, values: &Value) -> String {
        paper.fill(&[("t", template)], "t", values).unwrap()
    }

    #[test]
    fn colours_are_for_terminals_and_choices() {
        for (no_color, force, is_terminal, expected) in [
            (false, false, true, true),
            (false, false, false, false),
            (false, true, false, true),
            (true, false, true, false),
            (true, true, true, false),
        ] {
            assert_eq!(ColorChoice { no_color, force, is_terminal }.colour(), expected);
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
            let hostile = "a\u{1b}]52;c;AAAA\u{7}\u{9b}2J\u{202e}b\u{1}h\u{2}";
            let text = fill(
                Paper::new(colour, 60),
                "{{ x }} {{ x|style(\"bad\") }} {{ x|style(\"heading\") }}\n{{ x|wrap(4, \
                 style=\"faint\", most=3) }}\n{% filter columns %}\nwhat\t#n\n{{ x }}\t{{ \
                 x|style(\"name\") }}\n{% endfilter %}",
                &context! { x => hostile },
            );
            let own = ["\u{1b}[31m", "\u{1b}[0m", "\u{1b}[1;4m", "\u{1b}[2m", "\u{1b}[36m"];
            let rest = own.iter().fold(text, |text, code| text.replace(code, ""));
            let steering = |c: char| c.is_control() && c != '\n' || c == '\u{202e}';
            assert!(!rest.contains(steering), "{rest:?}");
        }
    }

    #[test]
    fn wide_letters_count_twice_and_marks_not_at_all() {
        assert_eq!((width("abc"), width("漢字"), width("e\u{301}")), (3, 4, 1));
        assert_eq!(width(&styled("bad", "abc")), 3);
    }

    #[test]
    fn long_texts_are_cut_and_say_so() {
        let values = context! { x => "a\nb\nc\nd" };
        let text = fill(Paper::new(false, 60), "{{ x|wrap(2, most=2) }}", &values);
        assert_eq!(text, "  a\n  b\n  … 2 more lines\n");
        assert_eq!(cut("abcdef", 4), "abc…");
        assert_eq!(cut(&styled("bad", "abcdef"), 4), styled("bad", "abc…"));
    }

    #[test]
    fn a_heading_has_a_blank_line_before_it_and_blank_lines_of_a_template_are_dropped() {
        let template = "a\n\n\nb\n{{ \"H\"|style(\"heading\") }}\n{{ blank }}\nc\n";
        assert_eq!(fill(Paper::new(false, 60), template, &context! {}), "a\nb\n\nH\n\nc\n");
    }
}
