//! A report before it has a format: sections of prose, tables and charts.
//!
//! Whatever comes from a run is held as plain text; the renderers escape all of it.

use serde::Serialize;

use super::number::UNDEFINED;

/// A report.
#[derive(Clone, Debug, Serialize)]
pub struct Document {
    /// What it is called.
    pub title: String,
    /// The answer, before anything else.
    pub answer: Vec<Prose>,
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

/// Words, some of them names from the run.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Prose(pub Vec<Span>);

/// Words of one kind.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(tag = "kind", content = "text", rename_all = "kebab-case")]
pub enum Span {
    /// Plain.
    Plain(String),
    /// A name or a value, as written in files.
    Code(String),
    /// What matters most.
    Strong(String),
}

impl Prose {
    /// Begins with plain words.
    pub fn new(text: impl Into<String>) -> Prose {
        Prose::default().then(text)
    }

    /// Goes on with plain words.
    pub fn then(self, text: impl Into<String>) -> Prose {
        self.and(Span::Plain(text.into()))
    }

    /// Goes on with a name.
    pub fn code(self, text: impl Into<String>) -> Prose {
        self.and(Span::Code(text.into()))
    }

    /// Goes on with what matters.
    pub fn strong(self, text: impl Into<String>) -> Prose {
        self.and(Span::Strong(text.into()))
    }

    /// Goes on with names: `a`, `b` and `c`.
    pub fn names<Name: AsRef<str>>(mut self, names: &[Name]) -> Prose {
        for (index, name) in names.iter().enumerate() {
            let before = match index {
                0 => "",
                last if last + 1 == names.len() => " and ",
                _ => ", ",
            };
            self = self.then(before).code(name.as_ref());
        }
        self
    }

    /// Goes on with other words.
    pub fn followed_by(mut self, other: Prose) -> Prose {
        self.0.extend(other.0);
        self
    }

    fn and(mut self, span: Span) -> Prose {
        let (Span::Plain(text) | Span::Code(text) | Span::Strong(text)) = &span;
        if !text.is_empty() {
            self.0.push(span);
        }
        self
    }
}

/// A table.
#[derive(Clone, Debug, Serialize)]
pub struct Table {
    /// What it shows, for those who hear it.
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
    /// Whether it holds figures, which stand to the right.
    pub numeric: bool,
}

/// A field of a table.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Cell {
    /// What it says.
    pub text: String,
    /// Its footnote, from 1.
    pub note: Option<usize>,
    /// Whether it is a name.
    pub code: bool,
    /// How it is to be read.
    pub tone: Tone,
    /// The place in the page that it is, where names elsewhere lead to it; made here.
    pub anchor: Option<String>,
    /// The place in the page that its name leads to.
    pub link: Option<String>,
}

/// How a field is to be read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tone {
    /// As it is.
    #[default]
    Plain,
    /// As good news.
    Good,
    /// As bad news.
    Bad,
    /// As the absence of a figure.
    Faint,
}

impl Cell {
    /// A figure or words.
    pub fn text(text: impl Into<String>) -> Cell {
        Cell { text: text.into(), ..Cell::default() }
    }

    /// A name.
    pub fn code(text: impl Into<String>) -> Cell {
        Cell { text: text.into(), code: true, ..Cell::default() }
    }

    /// The same with a tone.
    pub fn toned(self, tone: Tone) -> Cell {
        Cell { tone, ..self }
    }
}

impl Table {
    /// Without rows yet. A heading that begins with `#` is of figures.
    pub fn new(caption: impl Into<String>, columns: &[&str]) -> Table {
        let columns = columns.iter().map(|title| Column {
            title: title.trim_start_matches('#').to_owned(),
            numeric: title.starts_with('#'),
        });
        Table {
            caption: caption.into(),
            columns: columns.collect(),
            rows: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Takes out a column whose figures, intervals aside, are those of another one in every
    /// row, and tells so; `None`, and nothing taken out, where they differ or are not there.
    pub fn drop_alike(&mut self, dropped: &str, kept: &str) -> Option<Prose> {
        let place = |title: &str| self.columns.iter().position(|column| column.title == title);
        let (out, beside) = (place(dropped)?, place(kept)?);
        let figure = |cell: &Cell| cell.text.split(" [").next().map(str::to_owned);
        let alike = self.rows.iter().all(|row| figure(&row[out]) == figure(&row[beside]));
        if !alike || self.rows.is_empty() {
            return None;
        }
        self.columns.remove(out);
        for row in &mut self.rows {
            row.remove(out);
        }
        let says = format!(
            "A column \u{201c}{dropped}\u{201d} is left out: as written here it has \
                            the same figures as \u{201c}{kept}\u{201d} in every row."
        );
        Some(Prose::new(says))
    }

    /// A field without a figure, and why.
    pub fn undefined(&mut self, why: &str) -> Cell {
        let note = (!why.is_empty()).then(|| self.note(why));
        Cell { text: UNDEFINED.to_owned(), note, tone: Tone::Faint, ..Cell::default() }
    }

    /// A figure where there is one, else why not.
    pub fn figure(&mut self, figure: Result<String, &str>) -> Cell {
        match figure {
            Ok(text) => Cell::text(text),
            Err(why) => self.undefined(why),
        }
    }

    /// The number of a footnote; the same words are one note.
    pub fn note(&mut self, says: &str) -> usize {
        match self.notes.iter().position(|note| note == says) {
            Some(index) => index + 1,
            None => {
                self.notes.push(says.to_owned());
                self.notes.len()
            }
        }
    }
}

/// A chart that was drawn.
#[derive(Clone, Debug, Serialize)]
pub struct Chart {
    /// Its files, without suffix.
    pub name: String,
    /// What it shows and how to read it.
    pub caption: String,
    /// The SVG document; the only text that is not escaped, having been made here.
    pub svg: String,
    /// Its width in CSS pixels.
    pub width: u32,
    /// The same as PNG.
    #[serde(skip)]
    pub png: Vec<u8>,
}

/// Text of a run without what could change how the text around it is shown: line
/// breaks and control characters, and marks that turn the direction of writing.
pub fn printable(text: &str) -> String {
    let seen = text.chars().map(|letter| match letter {
        '\n' | '\r' | '\t' | '\u{2028}' | '\u{2029}' => ' ',
        '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{200B}'..='\u{200F}' => '\u{FFFD}',
        control if control.is_control() => '\u{FFFD}',
        other => other,
    });
    seen.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(second: &str) -> Table {
        let mut table = Table::new("t", &["Name", "#Net", "#Effective"]);
        table.rows.push(vec![Cell::code("a"), Cell::text("61%"), Cell::text(second)]);
        table
    }

    #[test]
    fn a_column_of_the_same_figures_is_left_out_and_told() {
        let mut alike = table("61% [42%, 70%]");
        let told = alike.drop_alike("Net", "Effective");
        assert!(told.is_some_and(|told| told != Prose::default()));
        assert_eq!(alike.columns.len(), 2);
        assert_eq!(alike.rows[0][1].text, "61% [42%, 70%]");
        for (mut other, dropped) in [(table("60%"), "Net"), (table("61%"), "Gross")] {
            assert_eq!(other.drop_alike(dropped, "Effective"), None);
            assert_eq!((other.columns.len(), other.rows[0].len()), (3, 3));
        }
    }
}
