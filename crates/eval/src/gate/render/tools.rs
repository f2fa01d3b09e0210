//! A judgement for the tools of CI: workflow commands, which GitHub shows beside the lines that they
//! name, JUnit XML (a test case a rule, metric, configuration and scenario), and SARIF 2.1.0.

use minijinja::context;
use serde_json::{Value, json};

use super::super::detail::Place;
use super::super::finding::{Finding, Judgement};
use super::super::verdict::Verdict;
use super::super::words;
use super::told::{self, Told};
use super::{Level, fill, pressing, sentence};
use crate::measure::MetricId;
use crate::prelude::*;
use crate::sanitize::{self, Shown};

/// Most annotations of one kind that GitHub shows for a step.
const MOST: usize = 10;

/// The worst ten findings as workflow commands, one a line, and how many more there are.
pub fn annotations(judgement: &Judgement) -> Vec<Shown> {
    let all: Vec<(&Finding, Level)> = pressing(judgement);
    let shown = all.iter().take(MOST).enumerate();
    let mut lines: Vec<Shown> = shown.map(|(place, one)| command(place, one, judgement)).collect();
    if all.len() > MOST {
        let more = format!("{} more findings do not pass", all.len() - MOST);
        lines.push(Shown::command("notice", &[("title", "proctor gate")], &more));
    }
    lines
}

/// The first has what was changed and gained; the others stand on the same line of the file.
fn command(place: usize, (finding, level): &(&Finding, Level), judgement: &Judgement) -> Shown {
    let about = finding.metric.map(|metric| format!(" of {}", words::called(metric)));
    let title = format!("proctor gate: {}{}", finding.verdict, about.unwrap_or_default());
    let lines = match place {
        0 => Told::first(finding, judgement).lines().join("\n"),
        _ => Told::of(finding, judgement).without_cause().lines().join("\n"),
    };
    workflow(*level, finding.place.as_ref(), &title, &lines)
}

/// A workflow command with its place, where it has one.
pub(super) fn workflow(level: Level, place: Option<&Place>, title: &str, says: &str) -> Shown {
    let name = if level == Level::Error { "error" } else { "warning" };
    let line = place.map(|place| place.line.to_string());
    let placed = place.zip(line.as_deref());
    let mut properties: Vec<(&str, &str)> =
        placed.iter().flat_map(|(place, line)| [("file", &*place.file), ("line", line)]).collect();
    properties.push(("title", title));
    Shown::command(name, &properties, says)
}

/// The XML. What became worse is a failure, what could not be judged an error; what does
/// not count, and what is only warned of, is skipped with its reason.
pub fn junit(judgement: &Judgement) -> Result<String> {
    let cases = judgement.findings.iter().map(|one| case(one, judgement));
    fill("junit.xml", context! { cases => cases.collect::<Vec<_>>() }).map(|text| text + "\n")
}

fn case(finding: &Finding, judgement: &Judgement) -> minijinja::Value {
    let scenario = finding.scenario.as_deref().unwrap_or("all scenarios");
    let metric = finding.metric.map(|metric| format!("{metric}: ")).unwrap_or_default();
    let name = format!("{metric}{} on {scenario}", finding.subject());
    // The element that says so; none where it passes.
    let outcome = match Level::of(finding, judgement) {
        // One cause is one failure.
        _ if told::follows(finding, judgement) => Some("skipped"),
        Level::Note if finding.verdict.passes() => None,
        Level::Note | Level::Warning => Some("skipped"),
        Level::Error => Some(match finding.verdict {
            Verdict::Incompatible | Verdict::IncompleteRun | Verdict::NoBaseline => "error",
            _ => "failure",
        }),
    };
    let cells = finding.cells.iter().map(|cell| sanitize::line(cell));
    let behind = finding.detail.iter().flat_map(|_| Told::of(finding, judgement).lines());
    let cells: Vec<String> = behind.chain(cells).collect();
    context! {
        rule => sanitize::line(&finding.rule),
        name => sanitize::line(&name),
        outcome,
        message => sentence(finding),
        verdict => finding.verdict.key(),
        cells => cells.join("\n"),
    }
}

/// The log. What has no place is left out: SARIF is about lines of files.
pub fn sarif(judgement: &Judgement) -> Result<String> {
    let placed = pressing(judgement).into_iter().filter_map(|(finding, level)| {
        let place = finding.place.as_ref()?;
        // The same finding of two runs is the same alert: no figure is part of its name.
        let scenario = finding.scenario.as_deref().unwrap_or("");
        let metric = finding.metric.map_or("", MetricId::name);
        let name = [finding.rule.as_str(), metric, &finding.subject(), scenario].join("\n");
        let says =
            format!("{}: {}", finding.verdict, Told::of(finding, judgement).lines().join(". "));
        Some(Alert { rule: &finding.rule, level, says, place, name })
    });
    sarif_log(&placed.collect::<Vec<Alert>>())
}

/// A result of a SARIF log.
pub(super) struct Alert<'a> {
    pub(super) rule: &'a str,
    pub(super) level: Level,
    pub(super) says: String,
    pub(super) place: &'a Place,
    /// What names it in every run.
    pub(super) name: String,
}

pub(super) fn sarif_log(alerts: &[Alert]) -> Result<String> {
    let rules: BTreeSet<&str> = alerts.iter().map(|alert| alert.rule).collect();
    let indexes: BTreeMap<&str, usize> =
        rules.iter().enumerate().map(|(index, rule)| (*rule, index)).collect();
    let describe = |rule: &&str| {
        let words = format!("The gate policy's rule {}", sanitize::line(rule));
        json!({ "id": sanitize::line(rule), "shortDescription": { "text": words } })
    };
    let results: Vec<Value> =
        alerts.iter().map(|alert| result(alert, indexes[alert.rule])).collect();
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "proctor",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules.iter().map(describe).collect::<Vec<Value>>(),
            }},
            "results": results,
        }],
    });
    super::json(&log)
}

fn result(alert: &Alert, index: usize) -> Value {
    json!({
        "ruleId": sanitize::line(alert.rule),
        "ruleIndex": index,
        "level": if alert.level == Level::Error { "error" } else { "warning" },
        "message": { "text": alert.says },
        "locations": [{
            "physicalLocation": {
                "artifactLocation": { "uri": uri(&alert.place.file) },
                "region": { "startLine": alert.place.line },
            },
        }],
        "partialFingerprints": { "finding/v1": Digest::of(alert.name.as_bytes()).0 },
    })
}

/// A path as a URI reference: what is not allowed there is written in per cent.
fn uri(path: &str) -> String {
    let mut uri = String::new();
    for byte in path.trim_start_matches("./").bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' => uri.push(char::from(byte)),
            b'/' | b'-' | b'.' | b'_' | b'~' => uri.push(char::from(byte)),
            other => uri.push_str(&format!("%{other:02X}")),
        }
    }
    if path.starts_with('/') { format!("file://{uri}") } else { uri }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_uris() {
        for (path, expected) in [
            ("./a/b.toml", "a/b.toml"),
            ("a b%/ü.toml", "a%20b%25/%C3%BC.toml"),
            ("/x/y.toml", "file:///x/y.toml"),
        ] {
            assert_eq!(uri(path), expected);
        }
    }
}
