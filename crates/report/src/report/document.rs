//! A report before it has a format: sections of prose, tables and charts.
//!
//! Whatever comes from a run is held as plain text; the renderers escape all of it. A figure
//! in a table carries its number, so that no reader of the document reads it back from text.

use serde::Serialize;

use super::figures::{Figure, Write};
use crate::number::UNDEFINED;

/// A report.
#[derive(Clone, Debug, Serialize)]
pub struct Document {
    /// Its title.
    pub title: String,
    /// The answer, before anything else.
    pub answer: Vec<Block>,
    /// The rest, in reading order.
    pub sections: Vec<Section>,
}

/// A section.
#[derive(Clone, Debug, Serialize)]
pub struct Section {
    /// Anchor.
    pub id: &'static str,
    /// Heading.
    pub title: &'static str,
    /// Whether only the page shows it.
    pub only_page: bool,
    /// Content.
    pub blocks: Vec<Block>,
}

/// A part of a section.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "kind", content = "body", rename_all = "kebab-case")]
pub enum Block {
    /// A paragraph.
    Prose(Prose),
    /// A list.
    List(Vec<Prose>),
    /// A smaller heading.
    Heading(String),
    /// A table.
    Table(Table),
    /// A long table of definitions, to be opened where it can be folded.
    Glossary(Table),
    /// A chart.
    Chart(Chart),
}

/// A paragraph: plain text with names and emphasis in it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Prose(pub Vec<Span>);

/// A piece of a paragraph.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", content = "text", rename_all = "kebab-case")]
pub enum Span {
    /// Plain text.
    Plain(String),
    /// A name or a value, as written in files.
    Code(String),
    /// Emphasis.
    Strong(String),
}

/// A table.
#[derive(Clone, Debug, Serialize)]
pub struct Table {
    /// What it shows, for readers who cannot see it.
    pub caption: String,
    /// Columns.
    pub columns: Vec<Column>,
    /// Rows of as many cells as there are columns.
    pub rows: Vec<Vec<Cell>>,
    /// Footnotes; a cell's note is an index from 1.
    pub notes: Vec<String>,
}

/// A column.
#[derive(Clone, Debug, Serialize)]
pub struct Column {
    /// Its heading.
    pub title: String,
    /// Whether it holds figures, which are aligned to the right and sort by their numbers.
    pub numeric: bool,
    /// Whether the page moves it to a second table, below the one that a screen has room for.
    pub detail: bool,
}

/// A column of text.
pub fn text(title: impl Into<String>) -> Column {
    Column { title: title.into(), numeric: false, detail: false }
}

/// A column of figures.
pub fn figure(title: impl Into<String>) -> Column {
    Column { numeric: true, ..text(title) }
}

impl Column {
    /// The same column, moved to the page's second table.
    pub fn detail(self) -> Column {
        Column { detail: true, ..self }
    }
}

/// A field of a table.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Cell {
    /// Its text.
    pub text: String,
    /// The number behind the text, by which the page sorts.
    pub value: Option<f64>,
    /// Its footnote, from 1.
    pub note: Option<usize>,
    /// Whether the text is a name.
    pub code: bool,
    /// Whether it is good or bad news.
    pub tone: Tone,
    /// Its own anchor, where names elsewhere link to it.
    pub anchor: Option<String>,
    /// The anchor that its name links to.
    pub link: Option<String>,
}

/// Whether a field is good or bad news.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tone {
    /// Neither.
    #[default]
    Plain,
    /// Good news.
    Good,
    /// Bad news.
    Bad,
    /// No figure.
    Faint,
}

impl Cell {
    /// Text.
    pub fn text(text: impl Into<String>) -> Cell {
        Cell { text: text.into(), ..Cell::default() }
    }

    /// A name.
    pub fn code(text: impl Into<String>) -> Cell {
        Cell { text: text.into(), code: true, ..Cell::default() }
    }

    /// A number as written by `write`.
    pub fn number(value: f64, write: Write) -> Cell {
        Cell { value: Some(value), ..Cell::text(write(value)) }
    }

    /// A whole number.
    pub fn count(count: usize) -> Cell {
        Cell { value: Some(count as f64), ..Cell::text(count.to_string()) }
    }

    /// The same with a tone.
    pub fn toned(self, tone: Tone) -> Cell {
        Cell { tone, ..self }
    }

    /// The same with a footnote.
    pub fn noted(self, note: usize) -> Cell {
        Cell { note: Some(note), ..self }
    }
}

impl Table {
    /// A table without rows.
    pub fn new(caption: impl Into<String>, columns: impl IntoIterator<Item = Column>) -> Table {
        let columns = columns.into_iter().collect();
        Table { caption: caption.into(), columns, rows: Vec::new(), notes: Vec::new() }
    }

    /// Removes a column whose figures read the same as those of another in every row.
    /// Returns whether it did.
    pub fn drop_repeated(&mut self, column: usize, kept: usize, write: Write) -> bool {
        let figure = |cell: &Cell| cell.value.map(write);
        let repeats = self.rows.iter().all(|row| figure(&row[column]) == figure(&row[kept]));
        if self.rows.is_empty() || !repeats {
            return false;
        }
        self.columns.remove(column);
        for row in &mut self.rows {
            row.remove(column);
        }
        true
    }

    /// A field without a figure, and why.
    pub fn undefined(&mut self, why: &str) -> Cell {
        let note = (!why.is_empty()).then(|| self.note(why));
        Cell { text: UNDEFINED.to_owned(), note, tone: Tone::Faint, ..Cell::default() }
    }

    /// A number where there is one, else why not.
    pub fn number(&mut self, value: Option<f64>, write: Write, why: &str) -> Cell {
        match value {
            Some(value) => Cell::number(value, write),
            None => self.undefined(why),
        }
    }

    /// A figure, or why there is none.
    pub fn figure(&mut self, figure: &Figure, write: Write) -> Cell {
        self.number(figure.value, write, &figure.why())
    }

    /// A figure with its interval where that has a width, or why there is none.
    pub fn estimate(&mut self, figure: &Figure, write: Write) -> Cell {
        let cell = self.figure(figure, write);
        match figure.written_interval(write) {
            Some(interval) => Cell { text: format!("{} {interval}", cell.text), ..cell },
            None => cell,
        }
    }

    /// The number of a footnote; equal texts share one.
    pub fn note(&mut self, text: &str) -> usize {
        match self.notes.iter().position(|note| note == text) {
            Some(index) => index + 1,
            None => {
                self.notes.push(text.to_owned());
                self.notes.len()
            }
        }
    }

    /// The columns chosen, with the footnotes that they use.
    pub fn part(&self, caption: String, chosen: impl Fn(usize, &Column) -> bool) -> Table {
        let places: Vec<usize> =
            (0..self.columns.len()).filter(|place| chosen(*place, &self.columns[*place])).collect();
        let mut part = Table::new(caption, places.iter().map(|place| self.columns[*place].clone()));
        for row in &self.rows {
            let cells = places.iter().map(|place| {
                let cell = &row[*place];
                let note = cell.note.and_then(|note| self.notes.get(note - 1));
                Cell { note: note.map(|text| part.note(text)), ..cell.clone() }
            });
            let cells = cells.collect();
            part.rows.push(cells);
        }
        part
    }
}

/// A chart that was drawn.
#[derive(Clone, Debug, Serialize)]
pub struct Chart {
    /// The name of its files, without suffix.
    pub name: String,
    /// What it shows and how to read it.
    pub caption: String,
    /// The SVG document; the only text that is not escaped, having been drawn here.
    pub svg: String,
    /// Its width in CSS pixels.
    pub width: u32,
    /// The same as PNG.
    #[serde(skip)]
    pub png: Vec<u8>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number;

    fn table(second: f64) -> Table {
        let columns = [text("Name"), figure("Net"), figure("Effective").detail()];
        let mut table = Table::new("t", columns);
        let (first, second) =
            (Cell::number(0.61, number::share), Cell::number(second, number::share));
        table.rows.push(vec![Cell::code("a"), first, second]);
        table
    }

    #[test]
    fn a_column_that_reads_the_same_as_another_is_dropped() {
        let mut same = table(0.613);
        assert!(same.drop_repeated(1, 2, number::share));
        assert_eq!((same.columns.len(), same.rows[0][1].value), (2, Some(0.613)));
        let mut other = table(0.6);
        assert!(!other.drop_repeated(1, 2, number::share));
        assert_eq!((other.columns.len(), other.rows[0].len()), (3, 3));
    }

    #[test]
    fn a_part_of_a_table_keeps_the_footnotes_that_it_uses() {
        let mut table = table(0.5);
        let (first, second) = (table.undefined("no floor"), table.undefined("not checked"));
        table.rows.push(vec![Cell::code("none"), first, second]);
        let details = table.part("t".to_owned(), |place, column| place == 0 || column.detail);
        assert_eq!(details.columns.len(), 2);
        assert_eq!(details.notes, ["not checked"]);
        assert_eq!(details.rows[1][1].note, Some(1));
    }
}
