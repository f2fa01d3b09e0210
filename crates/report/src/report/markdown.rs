//! A report as Markdown (GitHub's flavour).

use std::fmt::Write;

use super::document::{Block, Cell, Document, Prose, Span, Table, printable};

/// The whole document.
pub fn render(document: &Document) -> String {
    let mut out = format!("# {}\n\n", escape(&document.title));
    for paragraph in &document.answer {
        push(&mut out, &prose(paragraph));
    }
    for section in &document.sections {
        push(&mut out, &format!("## {}", escape(section.title)));
        for block in &section.blocks {
            push(&mut out, &of_block(block));
        }
    }
    let length = out.trim_end().len();
    out.truncate(length);
    out.push('\n');
    out
}

fn push(out: &mut String, block: &str) {
    out.push_str(block.trim_end());
    out.push_str("\n\n");
}

fn of_block(block: &Block) -> String {
    match block {
        Block::Prose(words) => prose(words),
        Block::List(items) => {
            items.iter().map(|item| format!("- {}\n", prose(item))).collect::<String>()
        }
        Block::Heading(text) => format!("### {}", escape(text)),
        Block::Table(rows) => table(rows),
        // It would bury the page, and Markdown cannot fold it.
        Block::Glossary(_) => {
            "Every figure is defined in `METHODOLOGY.md` and in the glossary of `report.html`."
                .to_owned()
        }
        Block::Chart(chart) => {
            let caption = escape(&chart.caption);
            format!("![{caption}](charts/{}.png)\n\n*{caption}*", chart.name)
        }
    }
}

fn prose(words: &Prose) -> String {
    let spans = words.0.iter().map(|span| match span {
        Span::Plain(text) => escape(text),
        Span::Code(text) => code(text),
        Span::Strong(text) => format!("**{}**", escape(text)),
    });
    spans.collect()
}

fn table(table: &Table) -> String {
    let mut out = String::new();
    let titles = table.columns.iter().map(|column| escape(&column.title));
    line(&mut out, titles);
    line(
        &mut out,
        table.columns.iter().map(
            |column| {
                if column.numeric { "---:".to_owned() } else { "---".to_owned() }
            },
        ),
    );
    for row in &table.rows {
        line(&mut out, row.iter().map(field));
    }
    for (index, note) in table.notes.iter().enumerate() {
        // OK because writing to a string cannot fail.
        let _ = write!(out, "\n<sup>{}</sup> {}  ", index + 1, escape(note));
    }
    out
}

fn line(out: &mut String, fields: impl Iterator<Item = String>) {
    let fields: Vec<String> = fields.collect();
    out.push_str(&format!("| {} |\n", fields.join(" | ")));
}

fn field(cell: &Cell) -> String {
    let text = if cell.code { code(&cell.text) } else { escape(&cell.text) };
    match cell.note {
        Some(note) => format!("{text} <sup>{note}</sup>"),
        None => text,
    }
}

/// A name as code. What could end the code or the field of a table around it is
/// written as HTML instead, where entities hold.
fn code(text: &str) -> String {
    let text = printable(text);
    if text.trim().is_empty() {
        String::new()
    } else if text.contains(['`', '|', '\\']) {
        format!("<code>{}</code>", escape(&text))
    } else {
        format!("`{text}`")
    }
}

/// Plain words: nothing in them is markup, a link or HTML.
fn escape(text: &str) -> String {
    let mut out = String::new();
    for letter in printable(text).chars() {
        match letter {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            // Left as they are, these would become links.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_words_stay_words() {
        for (text, expected) in [
            ("a\\|b", "a&#92;&#124;b"),
            ("<img src=x>", "&lt;img src=x&gt;"),
            ("`x` *y* _z_", "\\`x\\` \\*y\\* \\_z\\_"),
            ("[a](http://b)", "\\[a\\](http&#58;//b)"),
            ("two\nlines", "two lines"),
            ("\u{202E}back", "\u{FFFD}back"),
        ] {
            assert_eq!(escape(text), expected);
        }
        for (text, expected) in [
            ("forge-adr", "`forge-adr`"),
            ("a`b", "<code>a\\`b</code>"),
            ("a|b", "<code>a&#124;b</code>"),
            ("one\ntwo", "`one two`"),
            ("", ""),
        ] {
            assert_eq!(code(text), expected);
        }
    }
}
