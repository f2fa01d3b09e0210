//! A report before it has a format. Text of a run is plain text here; templates escape it.

use serde::Serialize;

use super::table::{Table, Tone};

#[derive(Clone, Debug, Serialize)]
pub struct Document {
    pub title: String,
    pub answer: Vec<Block>,
    pub sections: Vec<Section>,
}

#[derive(Clone, Debug, Serialize)]
pub struct Section {
    pub id: &'static str,
    pub title: &'static str,
    /// Whether the page shows it unfolded.
    pub is_open: bool,
    pub blocks: Vec<Block>,
}

#[derive(Clone, Debug, Serialize)]
#[serde(tag = "kind", content = "body", rename_all = "kebab-case")]
pub enum Block {
    Prose(Prose),
    List(Vec<Prose>),
    /// What must be read before anything else: it is drawn in red.
    Banner(Prose),
    Heading(String),
    /// Short answers side by side.
    Tiles(Vec<Tile>),
    Table(Table),
    Chart(Chart),
}

/// One short answer: what it is about, the answer, and its reason.
#[derive(Clone, Debug, Serialize)]
pub struct Tile {
    pub tone: Tone,
    pub label: String,
    pub head: Prose,
    pub why: Prose,
}

/// A paragraph: plain text with names and emphasis in it.
pub type Prose = Vec<Span>;

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", content = "text", rename_all = "kebab-case")]
pub enum Span {
    Plain(String),
    /// A name or a value, as written in files.
    Code(String),
    Strong(String),
}

impl Span {
    pub fn text(&self) -> &str {
        let (Span::Plain(text) | Span::Code(text) | Span::Strong(text)) = self;
        text
    }
}

#[derive(Clone, Debug, Serialize)]
pub struct Chart {
    /// The name of its files, without suffix.
    pub name: String,
    pub caption: String,
    /// The SVG document; the only text that is not escaped, having been drawn here.
    pub svg: String,
    /// The same for a phone.
    pub narrow: String,
    #[serde(skip)]
    pub png: Vec<u8>,
    #[serde(skip)]
    pub pdf: Vec<u8>,
}

/// Gives every table of a section its anchor.
pub fn number(section: &str, blocks: &mut [Block]) {
    let tables = blocks.iter_mut().filter_map(|block| match block {
        Block::Table(table) => Some(table),
        _ => None,
    });
    for (place, table) in tables.enumerate() {
        table.id = format!("{section}-{}", place + 1);
    }
}

impl Document {
    /// Every table, in reading order.
    pub fn tables(&self) -> impl Iterator<Item = &Table> {
        let sections = self.sections.iter().flat_map(|section| &section.blocks);
        self.answer.iter().chain(sections).filter_map(|block| match block {
            Block::Table(table) => Some(table),
            _ => None,
        })
    }

    /// The answer: the first paragraph.
    pub fn sentence(&self) -> String {
        let prose = self.answer.iter().find_map(|block| match block {
            Block::Prose(prose) => Some(prose),
            _ => None,
        });
        prose.into_iter().flatten().map(Span::text).collect()
    }

    pub fn charts(&self) -> impl Iterator<Item = &Chart> {
        let sections = self.sections.iter().flat_map(|section| &section.blocks);
        self.answer
            .iter()
            .chain(sections)
            .filter_map(|block| if let Block::Chart(chart) = block { Some(chart) } else { None })
    }
}
