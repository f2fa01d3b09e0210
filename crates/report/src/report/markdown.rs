//! A report as Markdown (GitHub's flavour): a template under `assets/`, everything escaped.

use minijinja::context;
use minijinja::value::Serde;

use super::document::Document;
use super::template::{broken, environment};
use crate::error::Result;
use crate::sanitize;

pub fn render(document: &Document) -> Result<String> {
    let mut environment = environment()?;
    environment.add_filter("words", sanitize::markdown);
    environment.add_filter("code", sanitize::markdown_code);
    let template = include_str!("../../assets/report.md");
    environment.add_template("report.md", template).map_err(broken)?;
    let page = environment.get_template("report.md").map_err(broken)?;
    let page = page.render(context! { document => Serde(document) }).map_err(broken)?;
    Ok(format!("{}\n", page.trim_end()))
}
