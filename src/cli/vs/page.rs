//! The comparison of two strategies as one page.

use minijinja::value::Serde;
use minijinja::{Environment, context};
use serde::Serialize;
use similar::{ChangeTag, TextDiff};

use crate::cli::prelude::*;
use crate::gate::MovedFacts;
use crate::pipeline::Pipeline;

/// What the page says.
pub(super) struct Page<'a> {
    pub(super) shown: &'a [String; 2],
    pub(super) sentence: &'a str,
    pub(super) about: &'a str,
    pub(super) rows: Vec<[String; 5]>,
    pub(super) changed: Vec<String>,
    pub(super) pipelines: &'a [Pipeline; 2],
    pub(super) facts: &'a MovedFacts,
}

/// A prompt of both sides: what stands in both, in the first or in the second alone.
#[derive(Serialize)]
struct Words {
    key: String,
    parts: Vec<(&'static str, String)>,
}

impl Page<'_> {
    pub(super) fn write(&self, path: &Path) -> Result<()> {
        let mut environment = Environment::new();
        // The name makes the engine escape for HTML.
        let failed = |error: minijinja::Error| Error::invalid("page", error.to_string());
        environment.add_template("page.html", include_str!("page.html")).map_err(failed)?;
        let template = environment.get_template("page.html").map_err(failed)?;
        let page = template.render(context! {
            one => &self.shown[0],
            other => &self.shown[1],
            sentence => self.sentence,
            about => self.about,
            rows => Serde(&self.rows),
            changed => Serde(&self.changed),
            prompts => Serde(prompts(self.pipelines)),
            facts => Serde(self.facts),
        });
        let page = page.map_err(failed)?;
        std::fs::write(path, page).map_err(|source| Error::io("write", path, source))
    }
}

/// The prompts that differ, of stages that stand at the same place.
fn prompts([one, other]: &[Pipeline; 2]) -> Vec<Words> {
    let stages = one.stages.iter().zip(&other.stages).enumerate();
    let prompts = stages.filter_map(|(place, (one, other))| {
        let (one, other) = (one.prompt.as_ref()?.text(), other.prompt.as_ref()?.text());
        (one != other).then(|| Words {
            key: format!("stage {}: prompt", place + 1),
            parts: apart(one, other),
        })
    });
    prompts.collect()
}

fn apart(one: &str, other: &str) -> Vec<(&'static str, String)> {
    let mut parts: Vec<(&'static str, String)> = Vec::new();
    for change in TextDiff::from_words(one, other).iter_all_changes() {
        let tag = match change.tag() {
            ChangeTag::Equal => "both",
            ChangeTag::Delete => "gone",
            ChangeTag::Insert => "new",
        };
        match parts.last_mut() {
            Some((last, text)) if *last == tag => text.push_str(change.value()),
            _ => parts.push((tag, change.value().to_owned())),
        }
    }
    parts
}
