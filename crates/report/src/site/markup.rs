//! Templates: pages, charts and the feed, everything escaped but the style.

use minijinja::Environment;

use super::words::counted;
use crate::prelude::*;
use crate::report::page::policy;
use crate::report::template::{broken, environment};

/// The style of all pages: the report's, and what only nights need.
const STYLE: &str =
    concat!(include_str!("../../assets/report.css"), include_str!("../../assets/site/site.css"));

/// Names that end in `.html` or `.xml` turn escaping on.
const TEMPLATES: [(&str, &str); 8] = [
    ("frame.html", include_str!("../../assets/site/frame.html")),
    ("pieces.html", include_str!("../../assets/site/pieces.html")),
    ("index.html", include_str!("../../assets/site/index.html")),
    ("configuration.html", include_str!("../../assets/site/configuration.html")),
    ("scenario.html", include_str!("../../assets/site/scenario.html")),
    ("atom.xml", include_str!("../../assets/site/atom.xml")),
    ("metrics.txt", include_str!("../../assets/site/metrics.txt")),
    ("verdict.txt", include_str!("../../assets/site/verdict.txt")),
];

pub struct Markup(Environment<'static>);

impl Markup {
    pub fn new() -> Result<Markup> {
        let mut environment = environment(&TEMPLATES)?;
        environment.add_filter("shown", |text: &str| sanitize::line(text));
        environment.add_filter("counted", |number: usize, what: &str| counted(number, what));
        environment.add_filter("label", |text: &str| {
            sanitize::line(text).replace('\\', "\\\\").replace('"', "\\\"")
        });
        // OK to be safe: both are written here and nothing of a history is in them.
        environment.add_global("style", Value::from_safe_string(STYLE.to_owned()));
        environment.add_global("policy", Value::from_safe_string(policy(STYLE, None)));
        Ok(Markup(environment))
    }

    pub fn render(&self, template: &str, values: Value) -> Result<String> {
        self.0.get_template(template).and_then(|one| one.render(values)).map_err(broken)
    }
}
