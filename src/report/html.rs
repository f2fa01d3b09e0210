//! A report as one HTML file: no script, nothing loaded, everything escaped but the
//! charts, which were drawn here and escape their own text.

use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{Environment, Value, context};

use super::document::{Document, printable};
use crate::error::{Error, Result};

/// The page. Its name ends in `.html`, which is what turns escaping on.
const PAGE: (&str, &str) = ("page.html", include_str!("page.html"));

/// The whole document.
///
/// # Errors
///
/// [`Error::Invalid`] where the template is broken.
pub fn render(document: &Document) -> Result<String> {
    let broken = |error: minijinja::Error| Error::invalid("report page", format!("{error:#}"));
    let mut environment = Environment::new();
    let syntax = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build();
    environment.set_syntax(syntax.map_err(broken)?);
    environment.add_filter("printable", |text: &str| printable(text));
    // OK because only SVG drawn by `chart` passes through here.
    environment.add_filter("drawn", |svg: &str| Value::from_safe_string(svg.to_owned()));
    environment.add_template(PAGE.0, PAGE.1).map_err(broken)?;
    let page = environment.get_template(PAGE.0).map_err(broken)?;
    page.render(context! { document => Serde(document) }).map_err(broken)
}
