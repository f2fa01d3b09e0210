//! A report as Markdown (GitHub's flavour).

use std::fmt::Write;

use super::document::{Block, Cell, Document, Prose, Span, Table};
use crate::sanitize::{markdown as escape, markdown_code as code};

/// The whole document.
pub fn render(document: &Document) -> String {
    let mut out = format!("# {}\n\n", escape(&document.title));
    for block in &document.answer {
        push(&mut out, &of_block(block));
    }
    for section in document.sections.iter().filter(|section| !section.only_page) {
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
