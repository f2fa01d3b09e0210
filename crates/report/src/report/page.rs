//! The report in its formats: Markdown, one HTML file that loads nothing, and tables of LaTeX.
//!
//! The page's policy names its own style and script by digest and forbids all else, so text
//! of a run that slipped past escaping would still not run.

mod data;
mod downsample;

pub use data::{Embedded, gather as stories};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

use super::document::{Block, Document};
use super::table::Table;
use super::template::{broken, environment};
use crate::prelude::*;

const STYLE: &str = include_str!("../../assets/report.css");
const SCRIPT: &str = concat!(
    include_str!("../../assets/report.js"),
    include_str!("../../assets/story.js"),
    include_str!("../../assets/timeline.js"),
    include_str!("../../assets/explorer.js"),
);

const TEMPLATES: [(&str, &str); 3] = [
    ("page.html", include_str!("../../assets/page.html")),
    ("blocks.html", include_str!("../../assets/blocks.html")),
    ("explorer.html", include_str!("../../assets/explorer.html")),
];

pub fn markdown(document: &Document) -> Result<String> {
    let mut environment = environment(&[("report.md", include_str!("../../assets/report.md"))])?;
    environment.add_filter("words", sanitize::markdown);
    environment.add_filter("code", sanitize::markdown_code);
    let page = environment.get_template("report.md").map_err(broken)?;
    let page = page.render(context! { document => Serde(document) }).map_err(broken)?;
    Ok(format!("{}\n", page.trim_end()))
}

/// These tables in LaTeX's `booktabs`, under the answer as a comment.
pub fn latex(document: &Document, tables: &[&Table]) -> Result<String> {
    let mut environment = environment(&[("report.tex", include_str!("../../assets/report.tex"))])?;
    environment.add_filter("latex", sanitize::latex);
    let page = environment.get_template("report.tex").map_err(broken)?;
    let answer = document.sentence();
    page.render(context! { document => Serde(document), answer, tables => Serde(tables) })
        .map_err(broken)
}

/// The report as a page, with these stories of the run.
pub fn html(document: &Document, embedded: &Embedded) -> Result<String> {
    let mut environment = environment(&TEMPLATES)?;
    environment.add_filter("printable", sanitize::line);
    // OK because only SVG drawn by `chart` passes through here.
    environment.add_filter("drawn", |svg: &str| Value::from_safe_string(sanitize::block(svg)));
    let own = |text: &str| Value::from_safe_string(text.to_owned());
    let page = environment.get_template("page.html").map_err(broken)?;
    page.render(context! {
        title => document.title.as_str(),
        document => Serde(with_details_apart(document)),
        policy => policy(STYLE, Some(SCRIPT)),
        style => own(STYLE),
        script => own(SCRIPT),
        data => own(&embedded.json),
        stories => embedded.stories,
        left_out => embedded.left_out,
    })
    .map_err(broken)
}

/// The policy of a page that wears this style, runs at most this script and nothing else.
pub fn policy(style: &str, script: Option<&str>) -> String {
    let digest = |text: &str| STANDARD.encode(Sha256::digest(text));
    let script = script
        .map_or_else(String::new, |script| format!("script-src 'sha256-{}'; ", digest(script)));
    format!(
        "default-src 'none'; {script}style-src 'sha256-{}'; base-uri 'none'; \
         form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
        digest(style)
    )
}

/// The document with tables parted in two that have columns of detail.
fn with_details_apart(document: &Document) -> Document {
    let mut document = document.clone();
    for section in &mut document.sections {
        let blocks = std::mem::take(&mut section.blocks).into_iter();
        section.blocks = blocks.flat_map(parted).collect();
    }
    document
}

fn parted(block: Block) -> Vec<Block> {
    let Block::Table(table) = block else { return vec![block] };
    if !table.columns.iter().any(|column| column.detail) {
        return vec![Block::Table(table)];
    }
    let main = table.part(table.caption.clone(), |_, column| !column.detail);
    let caption = format!("{}: details", table.caption);
    let details = table.part(caption, |place, column| place == 0 || column.detail);
    let details = Table { id: format!("{}-details", table.id), ..details };
    vec![Block::Table(Table { id: table.id, ..main }), Block::Table(details)]
}
