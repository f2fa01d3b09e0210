//! A judgement as a table for the terminal.

use super::super::finding::{Finding, Judgement, Kind};
use super::super::verdict::Verdict;
use super::{Level, pressing, sentence};
use crate::compare::render::Lines;
use crate::number::{probability, short};
use crate::sanitize;

/// Most findings whose reasons are told; the table has them all.
const MOST_REASONS: usize = 20;

/// All of it, with the table as the given function draws it.
pub fn text(judgement: &Judgement, draw: impl Fn(&Lines) -> String) -> String {
    let mut parts = Vec::new();
    let shown: Vec<&Finding> = judgement.findings.iter().filter(|one| is_shown(one)).collect();
    if !shown.is_empty() {
        parts.push(draw(&lines(&shown)));
    }
    parts.extend(passed(judgement));
    let pressing: Vec<(&Finding, Level)> = pressing(judgement);
    let reasons = pressing.iter().take(MOST_REASONS).map(|(finding, _)| sentence(finding));
    let mut reasons: Vec<String> = reasons.collect();
    if pressing.len() > MOST_REASONS {
        reasons.push(format!("and {} more", pressing.len() - MOST_REASONS));
    }
    if !reasons.is_empty() {
        parts.push(reasons.join("\n"));
    }
    let notes = judgement.notes.iter().map(|note| format!("note: {}", sanitize::line(note)));
    let notes: Vec<String> = notes.collect();
    if !notes.is_empty() {
        parts.push(notes.join("\n"));
    }
    parts.push(whole(judgement));
    parts.join("\n\n")
}

/// Compared figures, what became better and whatever does not pass; of single scenarios
/// what became worse.
pub(super) fn is_shown(finding: &Finding) -> bool {
    match finding.counts || finding.scenario.is_none() {
        true => finding.kind == Kind::Soft || finding.verdict >= Verdict::Improvement,
        false => finding.verdict >= Verdict::Regression,
    }
}

/// Columns of the table.
pub(super) const HEAD: [&str; 9] = [
    "rule",
    "metric",
    "configuration",
    "n",
    "baseline → candidate",
    "difference [interval]",
    "margin",
    "p (Holm)",
    "verdict",
];

fn lines(findings: &[&Finding]) -> Lines {
    (HEAD.to_vec(), findings.iter().map(|finding| line(finding).to_vec()).collect())
}

/// A finding's cells under [`HEAD`].
pub(super) fn line(finding: &Finding) -> [String; 9] {
    let text = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), short);
    let subject = match &finding.scenario {
        Some(scenario) => format!("{} on {scenario}", finding.subject()),
        None => finding.subject(),
    };
    let values = match (finding.baseline, finding.candidate) {
        (None, None) => "–".to_owned(),
        (None, value) => text(value),
        (before, value) => format!("{} → {}", text(before), text(value)),
    };
    let interval = finding.low.zip(finding.high);
    let interval = interval.map(|(low, high)| format!(" [{}, {}]", short(low), short(high)));
    let margin = match (finding.at_least, finding.at_most) {
        (None, None) => text(finding.margin),
        (Some(least), None) => format!("≥ {}", short(least)),
        (None, Some(most)) => format!("≤ {}", short(most)),
        (Some(least), Some(most)) => format!("{} to {}", short(least), short(most)),
    };
    [
        finding.rule.clone(),
        finding.metric.map(|metric| metric.to_string()).unwrap_or_default(),
        sanitize::line(&subject),
        finding.n.to_string(),
        values,
        format!("{}{}", text(finding.difference), interval.unwrap_or_default()),
        margin,
        finding.p_holm.map_or_else(|| "–".to_owned(), probability),
        match finding.counts || finding.scenario.is_some() {
            true => finding.verdict.to_string(),
            false => format!("{}, not counted", finding.verdict),
        },
    ]
}

/// What is not in the table, in a line each.
pub(super) fn passed(judgement: &Judgement) -> Vec<String> {
    let mut lines = Vec::new();
    let hard: Vec<&Finding> =
        judgement.findings.iter().filter(|one| one.kind == Kind::Hard && one.counts).collect();
    if !hard.is_empty() {
        let hold = hard.iter().filter(|one| one.verdict.passes()).count();
        lines.push(format!("hard rules: {hold} of {} hold", hard.len()));
    }
    let quiet = |one: &&Finding| !one.counts && !is_shown(one);
    let quiet: Vec<&Finding> = judgement.findings.iter().filter(quiet).collect();
    if !quiet.is_empty() {
        let counts = Verdict::ALL.iter().rev().filter_map(|verdict| {
            let count = quiet.iter().filter(|one| one.verdict == *verdict).count();
            (count > 0).then(|| format!("{count} {verdict}"))
        });
        let counts: Vec<String> = counts.collect();
        lines.push(format!("on single scenarios, not counted: {}", counts.join(", ")));
    }
    lines
}

/// The whole, and what to do about it.
fn whole(judgement: &Judgement) -> String {
    let mut lines = vec![format!("verdict: {}", judgement.verdict)];
    if judgement.warned {
        lines.push("WARNING: this is no pass; the policy lets it through".to_owned());
    }
    lines.extend(judgement.next.iter().map(|step| format!("next: {step}")));
    lines.join("\n")
}
