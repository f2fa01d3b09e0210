//! Findings as JUnit XML: a test case a rule, metric, configuration and scenario.

use std::collections::BTreeMap;

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::super::finding::{Finding, Judgement};
use super::super::verdict::Verdict;
use super::{Level, sentence};
use crate::error::{Error, Result};
use crate::sanitize;

/// The XML. What became worse is a failure, what could not be judged an error; what does
/// not count, and what is only warned of, is skipped with its reason.
///
/// # Errors
///
/// [`Error::Invalid`] where it cannot be written.
pub fn junit(judgement: &Judgement) -> Result<String> {
    let mut report = Report::new("proctor gate");
    let mut rules: BTreeMap<&str, Vec<&Finding>> = BTreeMap::new();
    for finding in &judgement.findings {
        rules.entry(&finding.rule).or_default().push(finding);
    }
    for (rule, findings) in rules {
        let mut suite = TestSuite::new(sanitize::line(rule));
        let cases = findings.iter().map(|finding| case(finding, judgement));
        suite.add_test_cases(cases);
        report.add_test_suite(suite);
    }
    let text = report.to_string().map_err(|error| Error::invalid("gate", error.to_string()))?;
    Ok(without_skipped(&text))
}

/// The schemas in use know no attribute `skipped` of the outermost element; each suite
/// keeps its own.
fn without_skipped(text: &str) -> String {
    let Some(start) = text.find("<testsuites") else { return text.to_owned() };
    let end = text[start..].find('>').map_or(text.len(), |end| start + end);
    let kept: Vec<&str> =
        text[start..end].split(' ').filter(|part| !part.starts_with("skipped=\"")).collect();
    format!("{}{}{}", &text[..start], kept.join(" "), &text[end..])
}

fn case(finding: &Finding, judgement: &Judgement) -> TestCase {
    let scenario = finding.scenario.as_deref().unwrap_or("all scenarios");
    let metric = finding.metric.map(|metric| format!("{metric}: "));
    let name = format!("{}{} on {scenario}", metric.unwrap_or_default(), finding.subject());
    let mut case = TestCase::new(sanitize::line(&name), status(finding, judgement));
    case.set_classname(sanitize::line(&format!("proctor.gate.{}", finding.rule)));
    case
}

fn status(finding: &Finding, judgement: &Judgement) -> TestCaseStatus {
    let mut status = match Level::of(finding, judgement) {
        Level::Note if finding.verdict.passes() => return TestCaseStatus::success(),
        Level::Note | Level::Warning => TestCaseStatus::skipped(),
        Level::Error => TestCaseStatus::non_success(match finding.verdict {
            Verdict::Incompatible | Verdict::IncompleteRun | Verdict::NoBaseline => {
                NonSuccessKind::Error
            }
            _ => NonSuccessKind::Failure,
        }),
    };
    status.set_type(finding.verdict.key());
    status.set_message(sentence(finding));
    let cells: Vec<String> = finding.cells.iter().map(|cell| sanitize::line(cell)).collect();
    if !cells.is_empty() {
        status.set_description(cells.join("\n"));
    }
    status
}
