//! Findings as JUnit XML: a test case a rule, metric, configuration and scenario.

use std::collections::BTreeMap;

use serde::Serialize;

use super::super::finding::{Finding, Judgement};
use super::super::verdict::Verdict;
use super::{Level, fill, sentence};
use crate::error::Result;
use crate::sanitize;

#[derive(Serialize)]
struct Case {
    rule: String,
    name: String,
    /// The element that says so; absent where it passes.
    outcome: Option<&'static str>,
    message: String,
    verdict: String,
    cells: String,
}

/// The XML. What became worse is a failure, what could not be judged an error; what does
/// not count, and what is only warned of, is skipped with its reason.
pub fn junit(judgement: &Judgement) -> Result<String> {
    let cases: Vec<Case> = judgement.findings.iter().map(|one| case(one, judgement)).collect();
    fill("junit.xml", BTreeMap::from([("cases", cases)])).map(|text| text + "\n")
}

fn case(finding: &Finding, judgement: &Judgement) -> Case {
    let scenario = finding.scenario.as_deref().unwrap_or("all scenarios");
    let metric = finding.metric.map(|metric| format!("{metric}: ")).unwrap_or_default();
    let name = format!("{metric}{} on {scenario}", finding.subject());
    let outcome = match Level::of(finding, judgement) {
        Level::Note if finding.verdict.passes() => None,
        Level::Note | Level::Warning => Some("skipped"),
        Level::Error => Some(match finding.verdict {
            Verdict::Incompatible | Verdict::IncompleteRun | Verdict::NoBaseline => "error",
            Verdict::PassIdentical
            | Verdict::Pass
            | Verdict::Improvement
            | Verdict::Inconclusive
            | Verdict::Regression
            | Verdict::CompletionFell
            | Verdict::InvariantViolated => "failure",
        }),
    };
    let cells: Vec<String> = finding.cells.iter().map(|cell| sanitize::line(cell)).collect();
    Case {
        rule: sanitize::line(&finding.rule),
        name: sanitize::line(&name),
        outcome,
        message: sentence(finding),
        verdict: finding.verdict.key(),
        cells: cells.join("\n"),
    }
}
