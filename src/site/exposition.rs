//! The figures of the last night for a monitoring system: OpenMetrics text, version 1.0.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::book::Book;
use super::figure::{definition, unit};
use crate::history::{Kind, Series};
use crate::unit::float;

/// All of the last night: a gauge for every metric, by configuration and mode; those of
/// single scenarios have a label more.
pub(super) fn exposition(book: &Book) -> String {
    let mut text = String::new();
    about_the_night(book, &mut text);
    let last = book.nights.len() - 1;
    for metric in book.metrics() {
        let own = book.series.iter().filter(|one| one.key.metric == metric);
        let now = own.filter_map(|one| Some((one, one.points.last()?)));
        let now: Vec<(&Series, f64)> = now
            .filter(|(_, point)| point.night == last)
            .map(|(one, point)| (one, point.mean))
            .collect();
        if now.is_empty() {
            continue;
        }
        let name = family(
            &mut text,
            &format!("proctor_{}", plain(metric)),
            &unit_name(metric),
            definition(metric),
        );
        for (series, mean) in now {
            let key = &series.key;
            let mut labels =
                vec![("configuration", key.configuration.as_str()), ("mode", &key.mode)];
            labels.extend(key.scenario.as_deref().map(|scenario| ("scenario", scenario)));
            sample(&mut text, &name, &labels, &float(mean));
        }
    }
    text.push_str("# EOF\n");
    text
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
        "Midnight UTC of the night's date since 1970.",
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
        let name = family(text, "proctor_gate_exit_code", "", "Exit code of the gate; 0 passes.");
        sample(text, &name, &[("verdict", &gate.verdict)], &gate.exit_code.to_string());
    }
    let mut counts: BTreeMap<(&str, &str, bool), usize> = BTreeMap::new();
    for kind in [Kind::Step, Kind::Drift, Kind::Spread] {
        for worth in ["better", "worse", "neither"] {
            counts.insert((kind.name(), worth, false), 0);
        }
    }
    for finding in &book.findings {
        let worth =
            finding.better.map_or("neither", |better| if better { "better" } else { "worse" });
        *counts.entry((finding.kind.name(), worth, finding.is_new)).or_default() += 1;
    }
    let name = family(
        text,
        "proctor_findings",
        "",
        "Steps and drifts of the whole history; new ones are of this night.",
    );
    for ((kind, worth, new), count) in counts {
        let new = if new { "true" } else { "false" };
        sample(text, &name, &[("kind", kind), ("worth", worth), ("new", new)], &count.to_string());
    }
}

/// Begins a family of gauges; its name ends in its unit, where it has one.
fn family(text: &mut String, name: &str, unit: &str, help: &str) -> String {
    let is_named = unit.is_empty() || name.ends_with(&format!("_{unit}"));
    let name = if is_named { name.to_owned() } else { format!("{name}_{unit}") };
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

/// Base units have names of their own there; shares are ratios.
fn unit_name(metric: &str) -> String {
    match unit(metric) {
        "share" => "ratio".to_owned(),
        other => plain(other),
    }
}

/// Letters, digits and underscores.
fn plain(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}

fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in super::words::shown(text).chars() {
        match letter {
            '\\' => escaped.push_str("\\\\"),
            '"' => escaped.push_str("\\\""),
            other => escaped.push(other),
        }
    }
    escaped
}
