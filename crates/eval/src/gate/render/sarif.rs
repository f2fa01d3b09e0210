//! Findings that have a place in a file, as SARIF 2.1.0.

use crate::measure::MetricId;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::super::finding::{Finding, Judgement, Place};
use super::{Level, pressing, sentence};
use crate::error::Result;
use crate::ident::Digest;
use crate::sanitize;

/// The log. What has no place is left out: SARIF is about lines of files.
pub fn sarif(judgement: &Judgement) -> Result<String> {
    let placed = pressing(judgement).into_iter().filter_map(|(finding, level)| {
        let place = finding.place.as_ref()?;
        Some((finding, level, place))
    });
    let placed: Vec<(&Finding, Level, &Place)> = placed.collect();
    let rules: BTreeSet<&str> = placed.iter().map(|(finding, ..)| &*finding.rule).collect();
    let indexes: BTreeMap<&str, usize> =
        rules.iter().enumerate().map(|(index, rule)| (*rule, index)).collect();
    let describe = |rule: &&str| {
        let words = format!("The gate policy's rule {}", sanitize::line(rule));
        json!({ "id": sanitize::line(rule), "shortDescription": { "text": words } })
    };
    let results: Vec<Value> = placed
        .iter()
        .map(|(finding, level, place)| result(finding, *level, place, indexes[&*finding.rule]))
        .collect();
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
    super::pretty(&log)
}

fn result(finding: &Finding, level: Level, place: &Place, index: usize) -> Value {
    let level = if level == Level::Error { "error" } else { "warning" };
    // The same finding of two runs is the same alert: no figure is part of its name.
    let scenario = finding.scenario.as_deref().unwrap_or("");
    let metric = finding.metric.map_or("", MetricId::name);
    let name = [finding.rule.as_str(), metric, &finding.subject(), scenario].join("\n");
    json!({
        "ruleId": sanitize::line(&finding.rule),
        "ruleIndex": index,
        "level": level,
        "message": { "text": sentence(finding) },
        "locations": [{
            "physicalLocation": {
                "artifactLocation": { "uri": uri(&place.file) },
                "region": { "startLine": place.line },
            },
        }],
        "partialFingerprints": { "finding/v1": Digest::of(name.as_bytes()).0 },
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
