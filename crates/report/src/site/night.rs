//! Lists of nights: what else changed with which, and what was found of which.

use super::prelude::*;
use super::verdict::{tone_of, tone_of_gate};

const LISTED: usize = 30;
/// Nights with marks that the list shows before it has to be opened.
const MARKED: usize = 5;
/// Marks of one night that are told one by one.
const TOLD: usize = 4;

/// The nights with marks, the newest first: some to show at once, and those before.
pub fn marked(book: &Book) -> (Vec<Value>, Vec<Value>) {
    let mut nights: Vec<usize> = book.marks.iter().map(|mark| mark.night).collect();
    nights.dedup();
    let marked = nights.into_iter().rev().map(|night| {
        let marks = few(book.marks_on(night), TOLD);
        context! { number => book.number_of(night), date => book.date(night), marks }
    });
    let mut all: Vec<Value> = marked.collect();
    let older = all.split_off(MARKED.min(all.len()));
    (all, older)
}

pub fn listed(book: &Book) -> Vec<Value> {
    let start = book.nights.len().saturating_sub(LISTED);
    let nights = book.nights.iter().enumerate().skip(start).rev();
    nights.map(|(index, night)| row(book, index, night)).collect()
}

fn row(book: &Book, index: usize, night: &Night) -> Value {
    // Changes whose new level begins here.
    let changes: Vec<&Finding> = book.announced().filter(|one| one.night == index).collect();
    let found = changes.iter().map(|one| tone_of(one));
    let links = book.runs.get(&(night.date.clone(), night.run.clone()));
    context! {
        date => night.date.as_str(),
        tone => Value::from(Serde(found.max().unwrap_or_default())),
        changes => counted(&changes, "#changes"),
        marks => few(book.marks_on(index), TOLD),
        gate => night.gate.as_ref().map(|gate| {
            context! { verdict => &gate.verdict, tone => Value::from(Serde(tone_of_gate(gate))) }
        }),
        done => night.cells.done,
        failed => night.cells.failed,
        run => night.run.0.chars().take(12).collect::<String>(),
        directory => links.map(|links| links.directory.as_str()),
        report => links.and_then(|links| links.report.as_deref()),
    }
}

/// Findings of one night, with a link to the only one or to their list.
fn counted(findings: &[&Finding], list: &str) -> Option<Value> {
    let name = |finding: &&Finding| {
        let key = &finding.key;
        let on = key.scenario.as_ref().map_or(String::new(), |name| format!(" on {name}"));
        format!("{} of {}{on}", key.metric, key.contestant())
    };
    let tone = findings.iter().map(|one| tone_of(one)).max()?;
    Some(context! {
        count => findings.len(),
        tone => Value::from(Serde(tone)),
        href => match findings {
            [only] => book::place_of(&only.key),
            _ => list.to_owned(),
        },
        says => findings.iter().map(name).collect::<Vec<_>>().join(", "),
    })
}
