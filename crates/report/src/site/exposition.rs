//! The figures of the last night for a monitoring system: OpenMetrics text, version 1.0.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::book::Book;
use super::figure::{definition, unit};
use crate::history::{Finding, Kind, Series};
use crate::unit::float;

/// All of the last night: for every metric a family of figures over all scenarios, and one
/// of those of single scenarios, so that a sum over a family counts nothing twice.
pub(super) fn exposition(book: &Book) -> String {
    let mut text = String::new();
    about_the_night(book, &mut text);
    about_findings(book, &mut text);
    for metric in book.metrics() {
        figures(book, metric, false, &mut text);
        figures(book, metric, true, &mut text);
    }
    text.push_str("# EOF\n");
    text
}

/// The figures of a metric, of single scenarios or over all of them.
fn figures(book: &Book, metric: &str, is_single: bool, text: &mut String) {
    let last = book.nights.len() - 1;
    let own = book
        .series
        .iter()
        .filter(|one| one.key.metric == metric && one.key.scenario.is_some() == is_single);
    let now = own.filter_map(|one| Some((one, one.points.last()?)));
    let now: Vec<(&Series, f64)> = now
        .filter(|(_, point)| point.night == last)
        .map(|(one, point)| (one, point.mean))
        .collect();
    if now.is_empty() {
        return;
    }
    let unit = unit_name(metric);
    let (of, help) = match is_single {
        true => ("proctor_scenario", "Mean over the sessions of one scenario"),
        false => ("proctor", "Mean over the sessions of all scenarios"),
    };
    let name = format!("{of}_{}", without_unit(metric, &unit));
    let help = format!("{help} on the last night. {}", definition(metric));
    let name = family(text, &name, &unit, &help);
    for (series, mean) in now {
        let key = &series.key;
        let mut labels = vec![("configuration", key.configuration.as_str()), ("mode", &key.mode)];
        labels.extend(key.scenario.as_deref().map(|scenario| ("scenario", scenario)));
        sample(text, &name, &labels, &float(mean));
    }
}

fn about_the_night(book: &Book, text: &mut String) {
    let night = book.last();
    // OK to drop: writing to a string does not fail.
    let _ = writeln!(text, "# TYPE proctor_night info");
    let _ = writeln!(text, "# HELP proctor_night The night that the figures are of.");
    let labels = [
        ("date", night.date.as_str()),
        ("suite", night.suite.as_str()),
        ("tool", &night.tool),
        ("run", &night.run.0),
        ("summarizer", &night.summarizer),
    ];
    sample(text, "proctor_night_info", &labels, "1");
    let name = family(
        text,
        "proctor_night_date",
        "seconds",
        "Midnight UTC of the night's date in seconds since 1970.",
    );
    sample(text, &name, &[], &night.date.seconds().to_string());
    let name =
        family(text, "proctor_night_cells", "", "Cells of the night by what became of them.");
    for (state, count) in [
        ("done", night.cells.done),
        ("failed", night.cells.failed),
        ("excluded", night.cells.excluded),
    ] {
        sample(text, &name, &[("state", state)], &count.to_string());
    }
    if let Some(gate) = &night.gate {
        let help = "Exit code of the gate that held the night against a baseline; 0 passes.";
        let name = family(text, "proctor_gate_exit_code", "", help);
        sample(text, &name, &[("verdict", &gate.verdict)], &gate.exit_code.to_string());
    }
}

const KINDS: [Kind; 3] = [Kind::Step, Kind::Drift, Kind::Spread];
const WORTHS: [&str; 3] = ["better", "worse", "neither"];

fn worth_of(finding: &Finding) -> &'static str {
    finding.better.map_or("neither", |better| if better { "better" } else { "worse" })
}

/// What was found. New ones and those that stand are told as 0 where there are none, so
/// that an alert need not know what could have been there.
fn about_findings(book: &Book, text: &mut String) {
    let mut all: BTreeMap<Labels, usize> = BTreeMap::new();
    let mut new: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for kind in KINDS {
        new.extend(WORTHS.map(|worth| ((kind.name(), worth), 0)));
    }
    for finding in &book.findings {
        let (kind, worth) = (finding.kind.name(), worth_of(finding));
        let key = &finding.key;
        let named = (key.metric.as_str(), key.configuration.as_str(), key.mode.as_str());
        *all.entry((named, kind, worth)).or_default() += 1;
        *new.entry((kind, worth)).or_default() += usize::from(finding.is_new);
    }
    let help = "Steps, drifts and changes of noise found in the history up to the last night; \
                no sample where there is none.";
    counts(text, "proctor_findings", help, &all);
    let help = "Steps, drifts and changes of noise that the last night is the first to show.";
    let name = family(text, "proctor_findings_new", "", help);
    for ((kind, worth), count) in new {
        sample(text, &name, &[("kind", kind), ("worth", worth)], &count.to_string());
    }
    let mut standing: BTreeMap<Labels, usize> = BTreeMap::new();
    for metric in book.metrics() {
        for (configuration, mode) in book.contestants() {
            let named = (metric, configuration, mode);
            standing.extend(KINDS.map(|kind| ((named, kind.name(), "worse"), 0)));
        }
    }
    for finding in book.standing() {
        let key = &finding.key;
        let named = (key.metric.as_str(), key.configuration.as_str(), key.mode.as_str());
        *standing.entry((named, finding.kind.name(), "worse")).or_default() += 1;
    }
    let help = "Steps for the worse that no later night made good, and drifts and noise for the \
                worse that go on.";
    counts(text, "proctor_findings_standing", help, &standing);
}

/// Metric, configuration and mode; kind; worth.
type Labels<'a> = ((&'a str, &'a str, &'a str), &'a str, &'a str);

fn counts(text: &mut String, name: &str, help: &str, counts: &BTreeMap<Labels, usize>) {
    let name = family(text, name, "", help);
    for (((metric, configuration, mode), kind, worth), count) in counts {
        let labels = [
            ("metric", *metric),
            ("configuration", *configuration),
            ("mode", *mode),
            ("kind", *kind),
            ("worth", *worth),
        ];
        sample(text, &name, &labels, &count.to_string());
    }
}

/// Begins a family of gauges; its name ends in its unit, where it has one.
fn family(text: &mut String, name: &str, unit: &str, help: &str) -> String {
    let name = if unit.is_empty() { name.to_owned() } else { format!("{name}_{unit}") };
    let _ = writeln!(text, "# TYPE {name} gauge");
    if !unit.is_empty() {
        let _ = writeln!(text, "# UNIT {name} {unit}");
    }
    let _ = writeln!(text, "# HELP {name} {}", escaped(help));
    name
}

fn sample(text: &mut String, name: &str, labels: &[(&str, &str)], value: &str) {
    let labels: Vec<String> =
        labels.iter().map(|(label, value)| format!("{label}=\"{}\"", escaped(value))).collect();
    let labels =
        if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) };
    let _ = writeln!(text, "{name}{labels} {value}");
}

/// Units have names of their own there: shares are ratios, dollars are named by their code.
fn unit_name(metric: &str) -> String {
    match unit(metric) {
        "share" => "ratio".to_owned(),
        "dollars" => "usd".to_owned(),
        other => plain(other),
    }
}

/// The metric's name less its unit, which comes last: `tokens.mean_prompt` is
/// `mean_prompt` in tokens. A name that is nothing but its unit stays.
fn without_unit(metric: &str, unit: &str) -> String {
    let plain = plain(metric);
    let kept: Vec<&str> = plain.split('_').filter(|word| *word != unit).collect();
    if unit.is_empty() || kept.is_empty() { plain } else { kept.join("_") }
}

/// Letters, digits and underscores.
fn plain(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}

fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in crate::sanitize::line(text).chars() {
        match letter {
            '\\' => escaped.push_str("\\\\"),
            '"' => escaped.push_str("\\\""),
            other => escaped.push(other),
        }
    }
    escaped
}
