//! Marks: what else changed between two nights, so that a step is not read alone.

use super::night::Night;
use super::parameters::{self, Settings};
use crate::prelude::*;

/// What a change is of, and with it which series it touches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum About {
    /// The program: all series may move, and a step here has its cause here.
    Tool,
    /// Tokenizer, summarizer or suite: figures before and after are not compared.
    Measure,
    /// Prices: figures in dollars and seconds are not compared.
    Prices,
    /// A scenario's file or sessions; over all scenarios nothing is compared.
    Inputs(String),
    /// A pipeline's file.
    Pipeline(String),
    /// The definition of a metric.
    Metric(String),
}

/// Something that changed with a night.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Index of the first night that has it.
    pub night: usize,
    /// What it is of.
    pub about: About,
    /// In words.
    pub says: String,
}

/// All marks, the oldest first.
pub fn marks(nights: &[Night]) -> Vec<Mark> {
    let mut marks = Vec::new();
    for (index, pair) in nights.windows(2).enumerate() {
        let changes = between(&pair[0], &pair[1]);
        let mark = |(about, says)| Mark { night: index + 1, about, says };
        marks.extend(changes.into_iter().map(mark));
    }
    marks
}

fn between(one: &Night, other: &Night) -> Vec<(About, String)> {
    let mut changes = Vec::new();
    if one.tool != other.tool {
        changes.push((About::Tool, tools(&one.tool, &other.tool)));
    }
    for (what, about, one, other) in [
        ("suite", About::Measure, &one.suite, &other.suite),
        ("tokenizer", About::Measure, &one.tokenizer, &other.tokenizer),
        ("summarizer", About::Measure, &one.summarizer, &other.summarizer),
    ] {
        if one != other {
            changes.push((about, format!("{what} {one} → {other}")));
        }
    }
    if one.prices != other.prices {
        changes.push((About::Prices, "prices changed".to_owned()));
    }
    let settings = (&one.parameters.scenarios, &other.parameters.scenarios);
    for (name, how) in differences(&one.inputs, &other.inputs) {
        let says = told(&format!("inputs of {name}"), name, how, settings);
        changes.push((About::Inputs(name.clone()), says));
    }
    let settings = (&one.parameters.pipelines, &other.parameters.pipelines);
    for (name, how) in differences(&one.pipelines, &other.pipelines) {
        let own = name.strip_suffix("@windowed").unwrap_or(name);
        changes.push((About::Pipeline(own.to_owned()), told(own, name, how, settings)));
    }
    for (id, version) in &other.metrics {
        if let Some(before) = one.metrics.get(id).filter(|before| *before != version) {
            changes
                .push((About::Metric(id.clone()), format!("{id}: version {before} → {version}")));
        }
    }
    changes
}

/// `mine: keep-last 5 → 3`, where both nights have what it was set to; else how it differs.
fn told(
    what: &str,
    name: &str,
    how: &str,
    (one, other): (&BTreeMap<String, Settings>, &BTreeMap<String, Settings>),
) -> String {
    let both = one.get(name).zip(other.get(name));
    let changed = both.map(|(one, other)| parameters::differences(one, other)).unwrap_or_default();
    match changed.is_empty() {
        true => format!("{what} {how}"),
        false => format!("{what}: {}", changed.join(", ")),
    }
}

fn tools(one: &str, other: &str) -> String {
    match (one.split_once(' '), other.split_once(' ')) {
        (Some((name, _)), Some((same, version))) if name == same => format!("{one} → {version}"),
        _ => format!("program {one} → {other}"),
    }
}

fn differences<'a>(
    one: &'a BTreeMap<String, Digest>,
    other: &'a BTreeMap<String, Digest>,
) -> Vec<(&'a String, &'static str)> {
    let gone = one.keys().filter(|name| !other.contains_key(*name)).map(|name| (name, "left"));
    let came = other.iter().filter_map(|(name, digest)| match one.get(name) {
        None => Some((name, "joined")),
        Some(before) if before != digest => Some((name, "changed")),
        Some(_) => None,
    });
    gone.chain(came).collect()
}
