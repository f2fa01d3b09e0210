//! Text of a run made safe to show: whoever wrote it must not steer the terminal, page or table.
//! [`steers`] is the one set of characters that is taken out; formats add their escapes.

mod shown;

pub use shown::{Inert, Shown};

/// Whether a character changes how the text around it is shown, or hides in it: controls, line
/// breaks and tabs too, marks of writing direction, no width, tags, what XML forbids.
pub fn steers(letter: char) -> bool {
    match letter {
        '\u{AD}' | '\u{61C}' | '\u{180E}' | '\u{FEFF}' | '\u{FFFE}' | '\u{FFFF}' => true,
        '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}' => true,
        '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E007F}' => true,
        other => other.is_control(),
    }
}

/// The text on one line: line breaks and tabs are spaces, what steers is U+FFFD.
pub fn line(text: &str) -> String {
    one_line(text, ' ')
}

/// The text on one line of a terminal, where line breaks are shown as a sign.
pub fn terminal(text: &str) -> String {
    one_line(text, '⏎')
}

/// The lines of a text for a terminal.
pub fn terminal_lines(text: &str) -> Vec<String> {
    text.replace("\r\n", "\n").split('\n').map(terminal).collect()
}

/// The beginning of a text on one line of a terminal.
pub fn beginning(text: &str, characters: usize) -> String {
    let mut shown: String = text.chars().take(characters).collect();
    if text.chars().nth(characters).is_some() {
        shown.push('…');
    }
    terminal(&shown)
}

/// The text with its line breaks and tabs; what steers besides is U+FFFD.
pub fn block(text: &str) -> String {
    let hidden = |letter| steers(letter) && !matches!(letter, '\n' | '\t');
    text.replace(hidden, "\u{FFFD}")
}

fn one_line(text: &str, line_break: char) -> String {
    let shown = |letter| match letter {
        '\n' | '\u{2028}' | '\u{2029}' => line_break,
        '\t' => ' ',
        _ if steers(letter) => '\u{FFFD}',
        _ => letter,
    };
    text.replace("\r\n", "\n").chars().map(shown).collect()
}

/// Plain words of Markdown (GitHub's): nothing in them is markup, a link, a mention or HTML.
pub fn markdown(text: &str) -> String {
    let mut out = String::new();
    for letter in line(text).chars() {
        match letter {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            // Left as they are, these would become mentions.
            '@' => out.push_str("&#64;"),
            // A backslash before either does not hold in every reader of tables.
            '|' => out.push_str("&#124;"),
            '\\' => out.push_str("&#92;"),
            '`' | '*' | '_' | '[' | ']' | '#' | '~' | '!' | '$' => {
                out.push('\\');
                out.push(letter);
            }
            other => out.push(other),
        }
    }
    out.replace("://", "&#58;//").replace("www.", "www&#46;")
}

/// A name as code of Markdown; what could end the code or a table's field is HTML instead.
pub fn markdown_code(text: &str) -> String {
    let text = line(text);
    if text.trim().is_empty() {
        String::new()
    } else if text.contains(['`', '|', '\\']) {
        format!("<code>{}</code>", markdown(&text))
    } else {
        format!("`{text}`")
    }
}

/// Words of LaTeX: nothing in them is a command, and signs that its default fonts lack are written
/// as what they mean.
pub fn latex(text: &str) -> String {
    let mut out = String::new();
    for letter in line(text).chars() {
        match letter {
            '#' | '$' | '%' | '&' | '_' | '{' | '}' => out.extend(['\\', letter]),
            '\\' => out.push_str("\\textbackslash{}"),
            '~' => out.push_str("\\textasciitilde{}"),
            '^' => out.push_str("\\textasciicircum{}"),
            '<' => out.push_str("\\textless{}"),
            '>' => out.push_str("\\textgreater{}"),
            '|' => out.push_str("\\textbar{}"),
            // Without braces a row that begins so would be read as an option of the row before.
            '[' => out.push_str("{[}"),
            '−' => out.push_str("$-$"),
            '–' => out.push_str("--"),
            '…' => out.push_str("\\ldots{}"),
            '×' => out.push_str("$\\times$"),
            '→' => out.push_str("$\\rightarrow$"),
            '↗' => out.push_str("$\\nearrow$"),
            '≤' => out.push_str("$\\leq$"),
            '≥' => out.push_str("$\\geq$"),
            '“' => out.push_str("``"),
            '”' => out.push_str("''"),
            '\u{FFFD}' => out.push('?'),
            other => out.push(other),
        }
    }
    out
}

/// A field of a table as a spreadsheet takes it for text: an apostrophe stands before what would
/// begin a formula.
pub fn no_formula(text: &str) -> String {
    let begins = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    if begins { format!("'{text}") } else { text.to_owned() }
}

/// Text of XML and of attributes in double quotes.
pub fn xml(text: &str) -> String {
    let text = block(text);
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_steers_is_shown_as_a_mark_everywhere() {
        for [hostile, inert] in crate::cases::<[String; 2]>("hostile") {
            for shown in [line, terminal, block] {
                assert_eq!(shown(&hostile), inert);
            }
            assert_eq!(terminal_lines(&hostile).join("\n"), inert);
            assert_eq!(beginning(&hostile, 100), inert);
        }
    }

    #[test]
    fn line_breaks_are_kept_shown_or_spaces() {
        assert_eq!(line("a\nb\r\nc\td\u{2028}e"), "a b c d e");
        assert_eq!(terminal("a\nb\r\nc\td"), "a⏎b⏎c d");
        assert_eq!(terminal_lines("a\r\nb\u{2028}c"), ["a", "b⏎c"]);
        assert_eq!(block("a\n\tb"), "a\n\tb");
        assert_eq!(beginning("größer", 3), "grö…");
    }

    #[test]
    fn hostile_words_are_no_markup() {
        for [text, expected] in crate::cases::<[String; 2]>("markdown") {
            assert_eq!(markdown(&text), expected);
        }
        for [text, expected] in crate::cases::<[String; 2]>("markdown-code") {
            assert_eq!(markdown_code(&text), expected);
        }
        for [text, expected] in crate::cases::<[String; 2]>("latex") {
            assert_eq!(latex(&text), expected);
        }
        for (text, field) in
            [("=1+1", "'=1+1"), ("@SUM(A1)", "'@SUM(A1)"), ("a=1", "a=1"), ("", "")]
        {
            assert_eq!(no_formula(text), field);
        }
        assert_eq!(xml("<a href=\"b\">&\u{0}"), "&lt;a href=&quot;b&quot;&gt;&amp;\u{FFFD}");
    }

    proptest::proptest! {
        #[test]
        fn nothing_that_steers_gets_through(text in "\\PC*|[\\x00-\\x1f\\x7f-\\u{9f}\\u{202e}a]{0,30}") {
            let one_line = [line(&text), terminal(&text), markdown(&text), markdown_code(&text), latex(&text)];
            proptest::prop_assert!(one_line.iter().all(|text| !text.chars().any(steers)));
            let lines = terminal_lines(&text);
            proptest::prop_assert!(lines.iter().all(|line| !line.chars().any(steers)));
        }
    }
}
