//! A judgement for people and for the tools of CI.

mod badge;
mod broken;
mod people;
#[cfg(test)]
mod tests;
mod told;
mod tools;

pub use badge::{Badge, badge};
pub use broken::Broken;
pub use people::{MOST_BYTES, comment, marked, summary, text};
pub use tools::{annotations, junit, sarif};

use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment};
use schemars::JsonSchema;

use super::finding::{Finding, Judgement};
use super::policy::Response;
use super::verdict::Verdict;
use crate::prelude::*;
use crate::run_dir::write::invalid_at;
use crate::sanitize;

const TEMPLATES: [(&str, &str); 4] = [
    ("broken.md", include_str!("render/templates/broken.md")),
    ("text.txt", include_str!("render/templates/text.txt")),
    ("summary.md", include_str!("render/templates/summary.md")),
    ("junit.xml", include_str!("render/templates/junit.xml")),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    /// It is as it should be, or does not count.
    Note,
    /// It would fail the gate, were the policy not to warn of it only.
    Warning,
    Error,
}

impl Level {
    fn of(finding: &Finding, judgement: &Judgement) -> Level {
        if !finding.fails() {
            return Level::Note;
        }
        match judgement.response(finding.verdict) {
            Response::Fail => Level::Error,
            Response::Warn => Level::Warning,
        }
    }
}

/// The findings that ask for attention, the worst first, each with how much. One on a
/// single scenario is left out where the same, or worse, is said of all of them, and so is one that
/// is not judged because sessions end earlier: that is said once.
pub(super) fn pressing(judgement: &Judgement) -> Vec<(&Finding, Level)> {
    let name = |finding: &Finding| (finding.rule.clone(), finding.metric, finding.subject());
    let leveled = |finding| (finding, Level::of(finding, judgement));
    let failing = judgement.findings.iter().map(leveled).filter(|(_, level)| *level > Level::Note);
    let failing: Vec<(&Finding, Level)> = failing.collect();
    let pooled = failing.iter().filter(|(finding, _)| finding.scenario.is_none());
    let said: BTreeMap<_, Verdict> =
        pooled.map(|(finding, _)| (name(finding), finding.verdict)).collect();
    let is_news = |(finding, _): &(&Finding, Level)| {
        let on_all = said.get(&name(finding));
        let is_news =
            finding.scenario.is_none() || on_all.is_none_or(|verdict| *verdict < finding.verdict);
        is_news && !told::follows(finding, judgement)
    };
    failing.into_iter().filter(is_news).collect()
}

/// A finding in one line, with its first cell.
fn sentence(finding: &Finding) -> String {
    let (verdict, subject) = (finding.verdict, told::subject(finding));
    let mut told = format!("{verdict}: {subject}: {}", told::says(finding));
    if let Some(first) = finding.cells.first() {
        let more = finding.cell_count - 1;
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        told = format!("{told}: {first}{more}");
    }
    sanitize::line(&told)
}

/// A template, filled: `line` puts a text on one line, `md` and `xml` take all markup from it.
fn fill(name: &str, values: impl Serialize) -> Result<String> {
    let filled = || {
        let mut environment = Environment::new();
        let syntax = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build()?;
        environment.set_syntax(syntax);
        environment.set_auto_escape_callback(|_| AutoEscape::None);
        environment.add_filter("line", |text: &str| sanitize::line(text));
        environment.add_filter("md", |text: &str| sanitize::markdown(text));
        // Commands stay commands: what stands in backquotes is code.
        environment.add_filter("step", |text: &str| {
            let parts = text.split('`').enumerate();
            let part = |(place, text)| match place % 2 {
                0 => sanitize::markdown(text),
                _ => sanitize::markdown_code(text),
            };
            parts.map(part).collect::<String>()
        });
        environment.add_filter("xml", |text: &str| sanitize::xml(text));
        for (name, text) in TEMPLATES {
            environment.add_template(name, text)?;
        }
        environment.get_template(name)?.render(Serde(values))
    };
    filled().map_err(|error: minijinja::Error| Error::invalid("gate", format!("{error:#}")))
}

/// A judgement, or what is made of one, as JSON.
pub fn json<T: Serialize>(value: &T) -> Result<String> {
    let text = serde_json::to_string_pretty(value);
    text.map(|text| format!("{text}\n")).map_err(invalid_at("gate"))
}

/// The JSON Schema of a judgement, or of a badge, as it is written.
pub fn schema<T: JsonSchema>() -> Result<String> {
    // As it is written, where every key is always there.
    let settings = schemars::generate::SchemaSettings::draft2020_12().for_serialize();
    json(&settings.into_generator().into_root_schema_for::<T>())
}
