//! A report before it has a format. Text of a run is plain text here; templates escape it.

use serde::Serialize;

use super::table::Table;

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
    Table(Table),
    Chart(Chart),
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
    /// Its width in CSS pixels.
    pub width: u32,
    #[serde(skip)]
    pub png: Vec<u8>,
}

impl Document {
    pub fn charts(&self) -> impl Iterator<Item = &Chart> {
        let blocks = self.sections.iter().flat_map(|section| &section.blocks);
        blocks.filter_map(|block| if let Block::Chart(chart) = block { Some(chart) } else { None })
    }
}
