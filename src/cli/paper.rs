//! Output for the terminal: templates (minijinja) of styled text. All values are sanitized here, so
//! that nothing printed can steer a terminal. Blank lines of a template are dropped.

use minijinja::syntax::SyntaxConfig;
use minijinja::value::Kwargs;
use minijinja::{AutoEscape, Environment, UndefinedBehavior, Value};
use textwrap::{Options, WordSeparator, WordSplitter, WrapAlgorithm};

use crate::cli::prelude::*;
use crate::cli::table::Plain;
use crate::number;
use crate::trace::LossClass;

/// A line that stays blank. No value holds it, since values are sanitized.
const BLANK: &str = "\u{3}";

/// Styles by name, with the code that switches each on.
const STYLES: [(&str, &str); 6] = [
    ("heading", "1;4"),
    ("strong", "1"),
    ("faint", "2"),
    ("good", "32"),
    ("bad", "31"),
    ("name", "36"),
];

#[derive(Clone, Copy)]
pub(super) struct Paper {
    colour: bool,
    width: usize,
}

impl Paper {
    pub(super) fn plain() -> Paper {
        Paper::new(false, 100)
    }

    pub(super) fn of_stdout() -> Paper {
        let given = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
        let own = || Some(usize::from(console::Term::stdout().size_checked()?.1));
        Paper::new(console::colors_enabled(), given.or_else(own).unwrap_or(100))
    }

    fn new(colour: bool, width: usize) -> Paper {
        Paper { colour, width: width.clamp(50, 132) }
    }

    /// The text of a template, filled; [`Error::Invalid`] where it is broken.
    pub(super) fn fill(
        self,
        templates: &[(&'static str, &'static str)],
        name: &str,
        values: &Value,
    ) -> Result<String> {
        let filled = || {
            let mut environment = self.environment()?;
            for (name, text) in templates {
                environment.add_template(name, text)?;
            }
            environment.get_template(name)?.render(values)
        };
        let text = filled().map_err(|error: minijinja::Error| {
            Error::invalid("template of inspect", format!("{error:#}"))
        })?;
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        Ok(lines
            .map(|line| format!("{}\n", line.replace(BLANK, "").trim_end_matches(' ')))
            .collect())
    }

    fn environment(self) -> std::result::Result<Environment<'static>, minijinja::Error> {
        let mut environment = Environment::new();
        let syntax = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build()?;
        environment.set_syntax(syntax);
        environment.set_undefined_behavior(UndefinedBehavior::SemiStrict);
        // What macros and blocks give is styled already; all else is sanitized.
        environment.set_auto_escape_callback(|_| AutoEscape::Custom("terminal".into()));
        environment.set_formatter(|out, _, value| match value.is_safe() {
            true => Ok(out.write_str(&value.to_string())?),
            false => Ok(out.write_str(&sanitize::terminal(&value.to_string()))?),
        });
        environment.add_filter("style", move |value: &Value, style: &str| {
            let text = self.styled(style, &sanitize::terminal(&value.to_string()));
            let before = if style == "heading" { format!("{BLANK}\n") } else { String::new() };
            Value::from_safe_string(before + &text)
        });
        environment.add_filter("tokens", number::tokens);
        environment.add_filter("fixed", |value: f64, digits: usize| format!("{value:.digits$}"));
        environment.add_filter("pad", |value: &str, room: usize| format!("{value:<room$}"));
        environment.add_filter("lpad", |value: u64, room: usize| format!("{value:>room$}"));
        environment.add_filter("beginning", move |value: &str, less: usize| {
            sanitize::beginning(value, self.width.saturating_sub(less))
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
            let text = self.wrapped(value, indent, most, style.as_deref().unwrap_or_default());
            Ok::<Value, minijinja::Error>(Value::from_safe_string(text))
        });
        environment.add_filter("columns", move |value: &Value| {
            Value::from_safe_string(columns(&value.to_string(), self.width))
        });
        environment
            .add_filter("meaning", |class: &str| LossClass::named(class).map(LossClass::told));
        environment.add_filter("counted", |names: Vec<String>| counted(&names));
        Ok(environment)
    }

    fn styled(self, style: &str, text: &str) -> String {
        match STYLES.iter().find(|(name, _)| *name == style) {
            Some((_, code)) if self.colour && !text.is_empty() => {
                format!("\u{1b}[{code}m{text}\u{1b}[0m")
            }
            _ => text.to_owned(),
        }
    }

    /// A text wrapped and indented, at most so many lines, and how many more there are.
    fn wrapped(self, text: &str, indent: usize, most: usize, style: &str) -> String {
        let margin = " ".repeat(indent);
        let lines = sanitize::terminal_lines(text.trim_end());
        let mut pieces = lines.iter().flat_map(|line| wrap(line, &margin, self.width));
        let mut out: Vec<String> = Vec::new();
        for piece in pieces.by_ref().take(most) {
            out.push(match piece.trim().is_empty() {
                true => BLANK.to_owned(),
                false => self.styled(style, &piece),
            });
        }
        match pieces.count() {
            0 => {}
            1 => out.push(self.styled("faint", &format!("{margin}… 1 more line"))),
            left => out.push(self.styled("faint", &format!("{margin}… {left} more lines"))),
        }
        out.join("\n")
    }
}

/// A line in pieces that fit, broken at spaces; what is indented stays so, if there is room.
fn wrap(line: &str, margin: &str, width: usize) -> Vec<String> {
    let own = line.len() - line.trim_start_matches(' ').len();
    let own = if own < width.saturating_sub(margin.len()) / 2 { own } else { 0 };
    let indent = format!("{margin}{}", " ".repeat(own));
    let options = Options::new(width.max(margin.len() + 20))
        .initial_indent(&indent)
        .subsequent_indent(&indent)
        .wrap_algorithm(WrapAlgorithm::FirstFit)
        .word_separator(WordSeparator::AsciiSpace)
        .word_splitter(WordSplitter::NoHyphenation);
    let pieces = textwrap::wrap(line.trim_start_matches(' '), options);
    pieces.into_iter().map(std::borrow::Cow::into_owned).collect()
}

/// Tab-parted lines as columns cut to the width; a heading that begins with `#` is of figures.
fn columns(text: &str, width: usize) -> String {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let head: Vec<&str> = lines.next().unwrap_or_default().split('\t').collect();
    let titles = head.iter().map(|title| title.trim_start_matches('#').to_owned());
    let left = head.iter().map(|title| !title.starts_with('#')).collect();
    let mut table = Plain::new(titles.collect(), left);
    lines.for_each(|line| table.add_row(line.split('\t').map(str::to_owned)));
    let table = table.to_string();
    let cut = table.lines().map(|line| console::truncate_str(line, width.saturating_sub(1), "…"));
    cut.map(|line| format!(" {line}\n")).collect()
}

fn counted(names: &[String]) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    names.iter().for_each(|name| *counts.entry(name).or_default() += 1);
    let written = counts.iter().map(|(name, count)| match count {
        1 => (*name).to_owned(),
        count => format!("{count} × {name}"),
    });
    written.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use minijinja::context;

    use super::*;

    fn fill(paper: Paper, template: &'static str, values: &Value) -> String {
        paper.fill(&[("t", template)], "t", values).unwrap()
    }

    #[test]
    fn text_is_wrapped_at_words_and_keeps_its_margin() {
        assert_eq!(wrap("one two three four five", "", 20), ["one two three four", "five"]);
        assert_eq!(wrap("  in two words, or more", "  ", 22), ["    in two words, or", "    more"]);
        assert_eq!(wrap(&"漢".repeat(11), "", 20), ["漢".repeat(10), "漢".to_owned()]);
        assert_eq!(wrap("", "", 20), [""]);
    }

    #[test]
    fn nothing_printed_steers_a_terminal() {
        for colour in [false, true] {
            let hostile = "a\u{1b}]52;c;AAAA\u{7}\u{9b}2J\u{202e}b\u{1}h\u{3}";
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
    fn long_texts_are_cut_and_say_so() {
        let values = context! { x => "a\nb\nc\nd" };
        let text = fill(Paper::new(false, 60), "{{ x|wrap(2, most=2) }}", &values);
        assert_eq!(text, "  a\n  b\n  … 2 more lines\n");
        assert_eq!(columns("a\t#n\nlong text\t12\n", 9), "  a     …\n  long t…\n");
    }

    #[test]
    fn a_heading_has_a_blank_line_before_it_and_blank_lines_of_a_template_are_dropped() {
        let template = "a\n\n\nb\n{{ \"H\"|style(\"heading\") }}\nc\n";
        assert_eq!(fill(Paper::new(false, 60), template, &context! {}), "a\nb\n\nH\nc\n");
    }
}
