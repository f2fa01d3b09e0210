//! Lists of nights: what else changed with which, and what was found of which.

use serde::Serialize;

use super::book::{self, Book};
use super::told;
use crate::history::{Finding, Kind, Night};

/// Nights that the table shows.
const LISTED: usize = 30;
/// Nights with marks that the list shows before it has to be opened.
const MARKED: usize = 5;
/// Marks of one night that are told one by one.
const TOLD: usize = 4;

/// What else changed with a night.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Marked {
    number: usize,
    date: String,
    says: Vec<String>,
    /// Further marks of that night.
    more: usize,
}

/// The nights with marks, the newest first: some to show at once, and those before.
pub(super) fn marked(book: &Book) -> (Vec<Marked>, Vec<Marked>) {
    let nights = book.marks.chunk_by(|one, other| one.night == other.night);
    let mut all: Vec<Marked> = nights
        .map(|marks| Marked {
            number: book.number_of(marks[0].night),
            date: book.date(marks[0].night).to_owned(),
            says: marks.iter().take(TOLD).map(|mark| mark.says.clone()).collect(),
            more: marks.len().saturating_sub(TOLD),
        })
        .collect();
    all.reverse();
    let older = all.split_off(MARKED.min(all.len()));
    (all, older)
}

/// Findings of one kind and night.
#[derive(Clone, Debug, Serialize)]
struct Counted {
    count: usize,
    /// `bad` where any is for the worse, `good` where all are for the better.
    tone: &'static str,
    /// To the finding where it is one, else to their list.
    href: String,
    /// What they are.
    says: String,
}

fn counted(findings: &[&Finding], list: &str) -> Option<Counted> {
    let first = findings.first()?;
    let name = |finding: &&Finding| {
        let key = &finding.key;
        let on = key.scenario.as_ref().map_or(String::new(), |scenario| format!(" on {scenario}"));
        format!("{} of {}{on}", key.metric, key.contestant())
    };
    let tone = if findings.iter().any(|finding| finding.better == Some(false)) {
        "bad"
    } else if findings.iter().all(|finding| finding.better == Some(true)) {
        "good"
    } else {
        ""
    };
    Some(Counted {
        count: findings.len(),
        tone,
        href: if findings.len() == 1 { book::place_of(&first.key) } else { list.to_owned() },
        says: findings.iter().map(name).collect::<Vec<_>>().join(", "),
    })
}

/// A row of the table.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Listed {
    date: String,
    /// Steps whose new level begins here.
    steps: Option<Counted>,
    /// Drifts that were first found here.
    drifts: Option<Counted>,
    tone: &'static str,
    changed: Vec<String>,
    verdict: String,
    verdict_tone: &'static str,
    cells: String,
    run: String,
}

/// The last nights, the newest first.
pub(super) fn listed(book: &Book) -> Vec<Listed> {
    let start = book.nights.len().saturating_sub(LISTED);
    let nights = book.nights.iter().enumerate().skip(start).rev();
    nights.map(|(index, night)| row(book, index, night)).collect()
}

fn row(book: &Book, index: usize, night: &Night) -> Listed {
    let of = |is: &dyn Fn(&Finding) -> bool, list: &str| {
        let findings: Vec<&Finding> = book.findings.iter().filter(|one| is(one)).collect();
        counted(&findings, list)
    };
    let steps = of(&|one| one.kind == Kind::Step && one.night == index, "#steps");
    let drifts = of(&|one| one.kind != Kind::Step && one.made == index, "#drifts");
    let tones = [&steps, &drifts].map(|one| one.as_ref().map_or("", |one| one.tone));
    let (verdict, verdict_tone) = match &night.gate {
        Some(gate) => (gate.verdict.clone(), told::gate_tone(gate.exit_code)),
        None => ("–".to_owned(), "plain"),
    };
    let cells = match night.cells.failed {
        0 => night.cells.done.to_string(),
        failed => format!("{} and {failed} failed", night.cells.done),
    };
    let marks: Vec<&str> = book
        .marks
        .iter()
        .filter(|mark| mark.night == index)
        .map(|mark| mark.says.as_str())
        .collect();
    let mut changed: Vec<String> = marks.iter().take(TOLD).map(|says| (*says).to_owned()).collect();
    if marks.len() > TOLD {
        changed.push(format!("and {} more", marks.len() - TOLD));
    }
    Listed {
        date: night.date.to_string(),
        tone: ["bad", "good"].into_iter().find(|tone| tones.contains(tone)).unwrap_or(""),
        steps,
        drifts,
        changed,
        verdict,
        verdict_tone,
        cells,
        run: night.run.0.chars().take(12).collect(),
    }
}
