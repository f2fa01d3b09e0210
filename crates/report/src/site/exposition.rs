//! The figures of the last night for a monitoring system: OpenMetrics text, version 1.0.

use super::prelude::*;
use crate::unit::float;

const NEITHER: &str = "neither";

/// Metric, configuration and mode; worth.
type Place<'a> = (&'a str, &'a str, &'a str, &'a str);

pub fn exposition(book: &Book, markup: &Markup) -> Result<String> {
    let night = book.last();
    let families = book.metrics().into_iter().flat_map(|metric| {
        [false, true].into_iter().filter_map(move |is_single| family(book, metric, is_single))
    });
    let text = markup.render(
        "metrics.txt",
        context! {
            date => night.date.as_str(),
            seconds => night.date.seconds(),
            suite => night.suite.as_str(),
            tool => night.tool.as_str(),
            run => night.run.0.as_str(),
            summarizer => night.summarizer.as_str(),
            cells => Serde(night.cells),
            gate => Serde(&night.gate),
            findings => counts(BTreeMap::new(), book.announced()),
            new_findings => new_findings(book),
            standing => standing(book),
            families => families.collect::<Value>(),
        },
    )?;
    // A template ends without its last line break.
    Ok(text + "\n")
}

/// A metric over all scenarios or of single ones: a sum over a family counts nothing twice.
fn family(book: &Book, metric: &str, is_single: bool) -> Option<Value> {
    let last = book.nights.len() - 1;
    let own = |key: &Key| key.metric == metric && key.scenario.is_some() == is_single;
    let samples = book.series.iter().filter(|one| own(&one.key)).filter_map(|one| {
        let point = one.points.last().filter(|point| point.night == last)?;
        Some(context! {
            configuration => &one.key.configuration,
            mode => &one.key.mode,
            scenario => one.key.scenario.as_deref(),
            value => float(point.mean),
        })
    });
    let samples: Vec<Value> = samples.collect();
    let unit = unit_name(metric);
    (!samples.is_empty()).then(|| {
        let name = without_unit(metric, &unit);
        context! { name, unit, is_single, definition => definition(metric), samples }
    })
}

fn place_of(finding: &Finding) -> Place<'_> {
    let Key { metric, configuration, mode, .. } = &finding.key;
    (metric, configuration, mode, worth(finding.better).unwrap_or(NEITHER))
}

fn counts<'a>(
    mut counts: BTreeMap<Place<'a>, usize>,
    findings: impl Iterator<Item = &'a Finding>,
) -> Value {
    for finding in findings {
        *counts.entry(place_of(finding)).or_default() += 1;
    }
    let count = |((metric, configuration, mode, worth), count)| {
        context! { metric, configuration, mode, worth, count }
    };
    counts.into_iter().map(count).collect()
}

/// By worth; 0 where there are none, for alerts.
fn new_findings(book: &Book) -> Value {
    let new = || book.announced().filter(|finding| finding.is_new).map(place_of);
    let of = |worth| new().filter(|place| place.3 == worth).count();
    ["better", NEITHER, "worse"]
        .into_iter()
        .map(|worth| context! { worth, count => of(worth) })
        .collect()
}

/// What stands for the worse, 0 where nothing does.
fn standing(book: &Book) -> Value {
    let mut none: BTreeMap<Place, usize> = BTreeMap::new();
    for metric in book.metrics() {
        for (configuration, mode) in book.contestants() {
            none.insert((metric, configuration, mode, "worse"), 0);
        }
    }
    counts(none, book.standing().into_iter())
}

/// Units have names of their own there: shares are ratios, dollars are named by their code.
fn unit_name(metric: &str) -> String {
    match unit(metric) {
        "share" => "ratio".to_owned(),
        "dollars" => "usd".to_owned(),
        other => plain(other),
    }
}

/// The metric's name less its unit: `tokens.mean_prompt` is `mean_prompt` in tokens.
fn without_unit(metric: &str, unit: &str) -> String {
    let plain = plain(metric);
    let kept: Vec<&str> = plain.split('_').filter(|word| *word != unit).collect();
    if unit.is_empty() || kept.is_empty() { plain } else { kept.join("_") }
}

/// Letters, digits and underscores.
fn plain(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}
