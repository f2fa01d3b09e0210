//! A report as HTML: templates under `assets/`, everything escaped but the charts,
//! which were drawn here and escape their own text, and the embedded data, which holds
//! no markup.

use minijinja::value::Serde;
use minijinja::{Value, context};

use super::document::Document;
use super::policy::policy;
use super::template::{broken, environment};
use crate::error::Result;
use crate::sanitize;

/// The style of the page.
const STYLE: &str = include_str!("../../assets/report.css");
/// The script of the page.
const SCRIPT: &str = concat!(
    include_str!("../../assets/report.js"),
    include_str!("../../assets/story.js"),
    include_str!("../../assets/timeline.js"),
    include_str!("../../assets/explorer.js"),
);

/// What the explorer of a page holds.
#[derive(Debug, Default)]
pub struct Embedded {
    /// The data element's text; it holds no `<`, `>` or `&`.
    pub json: String,
    /// Stories in the page.
    pub stories: usize,
    /// Stories that the page has no room for.
    pub left_out: usize,
}

/// The templates. Their names end in `.html`, which is what turns escaping on.
const TEMPLATES: [(&str, &str); 3] = [
    ("page.html", include_str!("../../assets/page.html")),
    ("blocks.html", include_str!("../../assets/blocks.html")),
    ("explorer.html", include_str!("../../assets/explorer.html")),
];

pub fn render(document: &Document, embedded: &Embedded) -> Result<String> {
    let mut environment = environment()?;
    environment.add_filter("printable", sanitize::line);
    // OK because only SVG drawn by `chart` passes through here.
    environment.add_filter("drawn", |svg: &str| Value::from_safe_string(sanitize::block(svg)));
    for (name, text) in TEMPLATES {
        environment.add_template(name, text).map_err(broken)?;
    }
    let own = |text: &str| Value::from_safe_string(text.to_owned());
    let page = environment.get_template("page.html").map_err(broken)?;
    page.render(context! {
        title => document.title.as_str(),
        document => Serde(document),
        policy => policy(STYLE, SCRIPT),
        style => own(STYLE),
        script => own(SCRIPT),
        data => own(&embedded.json),
        stories => embedded.stories,
        left_out => embedded.left_out,
    })
    .map_err(broken)
}
