//! A judgement for people: as text for the terminal, and as the Markdown of a step summary.

use minijinja::context;
use minijinja::value::Serde;

use super::super::detail::{Acceptance, Outcome};
use super::super::finding::{Finding, Judgement, Kind};
use super::super::moved::MovedFacts;
use super::super::verdict::{ALL, Verdict};
use super::super::words;
use super::told::{self, Told};
use super::{Level, fill, pressing, sentence};
use crate::compare::render::{Column, Lines, table, written};
use crate::error::Result;
use crate::number::{probability, short};
use crate::sanitize;

/// Most bytes that a step summary may have (GitHub's limit: 1 MiB a step).
pub const MOST_BYTES: usize = 1024 * 1024;

/// Most bytes of a comment (GitHub's limit: 65,536 characters).
const MOST_OF_COMMENT: usize = 65_000;

/// What people are shown; the template says how, and how much of it.
fn shown(template: &str, judgement: &Judgement, draw: impl Fn(&Lines) -> String) -> Result<String> {
    let findings = || judgement.findings.iter().filter(|one| is_shown(one, judgement));
    let fails = judgement.exit_code != 0;
    // Where something is wrong, what is not in the way of it is left to the whole table.
    let matters = |one: &&Finding| !fails || one.fails() || one.accepted || one.is_gain();
    let all = table(&COLUMNS, findings());
    let lines = table(&COLUMNS, findings().filter(matters));
    let small = judgement.findings.iter().filter(|one| is_small_loss(one) && one.counts && !fails);
    // Told whole are the worst and the one with a fact; of the others there is a line each.
    let is_whole = |(place, (one, _)): &(usize, &(&Finding, Level))| {
        *place == 0 || one.detail.as_ref().is_some_and(|detail| detail.fact.is_some())
    };
    let pressing = pressing(judgement);
    let (whole, others): (Vec<_>, Vec<_>) = pressing.iter().enumerate().partition(is_whole);
    let is_told = |one: &Finding| whole.iter().any(|(_, (own, _))| std::ptr::eq(*own, one));
    let told = whole.iter().map(|(place, (one, _))| match place {
        0 => Told::first(one, judgement),
        _ => Told::of(one, judgement),
    });
    let others = others.into_iter().map(|(_, (one, _))| *one).chain(small).map(sentence);
    let stretches = findings().filter(|one| !is_told(one));
    let stretches = stretches.filter_map(|one| {
        Some(sanitize::line(&format!("{}, {}", told::subject(one), told::stretch(one)?)))
    });
    let figures = findings().filter(|one| one.scenario.is_none()).filter(matters);
    let values = context! {
        judgement => Serde(judgement),
        verdict => judgement.verdict.name(),
        told => Serde(told.collect::<Vec<_>>()),
        stretches => Serde(stretches.collect::<Vec<_>>()),
        others => Serde(others.collect::<Vec<_>>()),
        accepts => Serde(judgement.accepts.iter().map(acceptance).collect::<Vec<_>>()),
        figures => Serde(figures.filter_map(figure_row).collect::<Vec<_>>()),
        table => (!lines.1.is_empty()).then(|| draw(&lines)),
        titles => Serde(&all.0),
        rows => Serde(&all.1),
        changed => Serde(changed(judgement)),
        passed => Serde(passed(judgement)),
    };
    fill(template, values)
}

/// What the candidate's file changes, where no finding says it, and the facts that moved with it.
fn changed(judgement: &Judgement) -> Vec<String> {
    let keys = judgement.changed.iter().map(|change| format!("changed: {}", change.told()));
    let keys = keys.filter(|_| pressing(judgement).is_empty());
    let facts = judgement.facts.iter().flat_map(MovedFacts::told);
    keys.chain(facts).map(|line| sanitize::line(&line)).collect()
}

/// A compared figure over all scenarios, in plain words.
fn figure_row(finding: &Finding) -> Option<[String; 5]> {
    let (metric, from, to) = (finding.metric?, finding.baseline?, finding.candidate?);
    Some([
        told::subject(finding),
        words::figure(metric, from),
        words::figure(metric, to),
        if from == to { "–".to_owned() } else { words::change(metric, from, to) },
        if finding.accepted { "accepted".to_owned() } else { finding.verdict.to_string() },
    ])
}

/// What came of an accepted loss, in a line.
fn acceptance(entry: &Acceptance) -> String {
    let absolute = entry.up_to.map(|limit| words::amount(entry.metric, limit));
    let relative = entry.up_to_relative.map(|share| format!("{}%", short(100.0 * share)));
    let limits: Vec<String> = [absolute, relative].into_iter().flatten().collect();
    let scenario = entry.scenario.as_ref().map(|name| format!(" on {name}")).unwrap_or_default();
    let came = match entry.outcome {
        Outcome::Accepted => "accepted",
        Outcome::Exceeded => "exceeded, so not accepted",
        Outcome::Expired => "expired, so not accepted",
        Outcome::Unneeded => "accepts nothing here",
    };
    sanitize::line(&format!(
        "{came}: a loss of {}{scenario} up to {}, until {} ({}:{}): {}",
        words::called(entry.metric),
        limits.join(" or "),
        entry.until,
        entry.place.file,
        entry.place.line,
        entry.because
    ))
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

/// A comment for a pull request: the summary, marked as of what is gated.
pub fn comment(judgement: &Judgement, of: &str) -> Result<String> {
    Ok(marked(&summary(judgement, MOST_OF_COMMENT)?, of))
}

/// A comment with a marker that no reader sees, by which a bot finds its own to change it.
pub fn marked(text: &str, of: &str) -> String {
    let of = sanitize::line(of).replace("--", "- -").replace(['<', '>'], "");
    format!("<!-- proctor-gate: {of} -->\n{text}")
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
fn is_shown(finding: &Finding, judgement: &Judgement) -> bool {
    if told::follows(finding, judgement) {
        return false;
    }
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
        true if finding.accepted => format!("{}, accepted", finding.verdict),
        true if is_small_loss(finding) => format!("{}, worse within the margin", finding.verdict),
        true => finding.verdict.to_string(),
        false => format!("{}, not counted", finding.verdict),
    }),
];

fn is_small_loss(finding: &Finding) -> bool {
    finding.is_loss && finding.verdict == Verdict::Pass && !finding.accepted
}

fn passed(judgement: &Judgement) -> Vec<String> {
    let mut lines = Vec::new();
    let hard = || judgement.findings.iter().filter(|one| one.kind == Kind::Hard && one.counts);
    if hard().next().is_some() {
        let hold = hard().filter(|one| one.verdict.passes()).count();
        lines.push(format!("hard rules: {hold} of {} hold", hard().count()));
    }
    let quiet = || {
        let silent = judgement.findings.iter().filter(|one| !one.counts);
        silent.filter(|one| !is_shown(one, judgement) && !told::follows(one, judgement))
    };
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
