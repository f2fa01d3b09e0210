//! A judgement for people: as text for the terminal, and as the Markdown of a step summary.

use minijinja::context;
use minijinja::value::Serde;

use super::super::finding::{Finding, Judgement, Kind};
use super::super::verdict::{ALL, Verdict};
use super::{fill, pressing, sentence};
use crate::compare::render::{Column, Lines, table, written};
use crate::error::Result;
use crate::number::{probability, short};
use crate::sanitize;

/// Most bytes that a step summary may have (GitHub's limit: 1 MiB a step).
pub const MOST_BYTES: usize = 1024 * 1024;

/// What people are shown; the template says how, and how much of it.
fn shown(template: &str, judgement: &Judgement, draw: impl Fn(&Lines) -> String) -> Result<String> {
    let lines = table(&COLUMNS, judgement.findings.iter().filter(|one| is_shown(one)));
    let small = judgement.findings.iter().filter(|one| is_small_loss(one) && one.counts);
    let pressing = pressing(judgement);
    let reasons = pressing.iter().map(|(finding, _)| *finding).chain(small).map(sentence);
    let reasons: Vec<String> = reasons.collect();
    let values = context! {
        judgement => Serde(judgement),
        verdict => judgement.verdict.name(),
        table => (!lines.1.is_empty()).then(|| draw(&lines)),
        titles => Serde(&lines.0),
        rows => Serde(&lines.1),
        reasons => Serde(reasons),
        passed => Serde(passed(judgement)),
    };
    fill(template, values)
}

/// All of it, with the table as the given function draws it.
pub fn text(judgement: &Judgement, draw: impl Fn(&Lines) -> String) -> Result<String> {
    shown("text.txt", judgement, draw).map(|text| text.trim_end().to_owned())
}

/// The step summary in at most so many bytes, the worst first; empty where there is no room.
pub fn summary(judgement: &Judgement, most: usize) -> Result<String> {
    let text = shown("summary.md", judgement, |_| String::new())?;
    Ok(cut(&text, most))
}

fn cut(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let note =
        |left: usize| format!("\n*Cut: {left} lines more would not fit; the JSON has all.*\n");
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let room = most.saturating_sub(note(lines.len()).len());
    let fits = |end: &usize| lines[..*end].iter().map(|line| line.len()).sum::<usize>() <= room;
    let kept = (1..lines.len()).take_while(fits).last().unwrap_or(0);
    match kept {
        0 => String::new(),
        kept => format!("{}{}", lines[..kept].concat(), note(lines.len() - kept)),
    }
}

/// Compared figures, gains and whatever fails; of single scenarios what became worse.
fn is_shown(finding: &Finding) -> bool {
    match finding.counts || finding.scenario.is_none() {
        true => finding.kind == Kind::Soft || finding.verdict >= Verdict::Improvement,
        false => finding.verdict >= Verdict::Regression,
    }
}

pub(super) const COLUMNS: [Column<Finding>; 9] = [
    ("rule", |finding| finding.rule.clone()),
    ("metric", |finding| finding.metric.map(|metric| metric.to_string()).unwrap_or_default()),
    ("configuration", |finding| match &finding.scenario {
        Some(scenario) => sanitize::line(&format!("{} on {scenario}", finding.subject())),
        None => sanitize::line(&finding.subject()),
    }),
    ("n", |finding| finding.n.to_string()),
    ("baseline → candidate", |finding| match (finding.baseline, finding.candidate) {
        (None, value) => written(value, short),
        (before, value) => format!("{} → {}", written(before, short), written(value, short)),
    }),
    ("difference [interval]", |finding| {
        let interval = finding.low.zip(finding.high);
        let interval = interval.map(|(low, high)| format!(" [{}, {}]", short(low), short(high)));
        format!("{}{}", written(finding.difference, short), interval.unwrap_or_default())
    }),
    ("margin", |finding| match (finding.at_least, finding.at_most) {
        (None, None) => written(finding.margin, short),
        (Some(least), None) => format!("≥ {}", short(least)),
        (None, Some(most)) => format!("≤ {}", short(most)),
        (Some(least), Some(most)) => format!("{} to {}", short(least), short(most)),
    }),
    ("p (Holm)", |finding| written(finding.p_holm, probability)),
    ("verdict", |finding| match finding.counts || finding.scenario.is_some() {
        true if is_small_loss(finding) => format!("{}, worse within the margin", finding.verdict),
        true => finding.verdict.to_string(),
        false => format!("{}, not counted", finding.verdict),
    }),
];

fn is_small_loss(finding: &Finding) -> bool {
    finding.is_loss && finding.verdict == Verdict::Pass
}

fn passed(judgement: &Judgement) -> Vec<String> {
    let mut lines = Vec::new();
    let hard = || judgement.findings.iter().filter(|one| one.kind == Kind::Hard && one.counts);
    if hard().next().is_some() {
        let hold = hard().filter(|one| one.verdict.passes()).count();
        lines.push(format!("hard rules: {hold} of {} hold", hard().count()));
    }
    let quiet = || judgement.findings.iter().filter(|one| !one.counts && !is_shown(one));
    let counts = ALL.iter().rev().filter_map(|(verdict, name, _)| {
        let count = quiet().filter(|one| one.verdict == *verdict).count();
        (count > 0).then(|| format!("{count} {name}"))
    });
    let counts: Vec<String> = counts.collect();
    if !counts.is_empty() {
        lines.push(format!("on single scenarios, not counted: {}", counts.join(", ")));
    }
    lines
}
