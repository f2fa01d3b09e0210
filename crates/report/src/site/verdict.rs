//! The verdict of the last night, and what it has that the night before had not.

use super::finding;
use super::prelude::*;
use crate::error::ExitCode;
use crate::history::change::Change;

/// Changes that are told one by one; others are counted.
const TOLD: usize = 4;

pub fn tone_of_gate(note: &GateNote) -> Tone {
    match note.exit_code {
        ExitCode::OK | ExitCode::PASS_IDENTICAL | ExitCode::IMPROVEMENT => Tone::Good,
        ExitCode::UNDECIDED | ExitCode::NO_BASELINE => Tone::Plain,
        _ => Tone::Bad,
    }
}

pub fn tone_of(finding: &Finding) -> Tone {
    match finding.better {
        Some(true) => Tone::Good,
        None => Tone::Plain,
        Some(false) => Tone::Bad,
    }
}

/// The gate's verdict on the last night, and what stands for the worse, whenever it came.
pub fn verdict(book: &Book) -> Value {
    let night = book.last();
    let standing = book.standing();
    // One figure may have become worse twice.
    let worse: BTreeSet<&Key> = standing.iter().map(|one| &one.key).collect();
    let history = match (book.previous(), standing.is_empty()) {
        (None, _) => Tone::Plain,
        (Some(_), true) => Tone::Good,
        (Some(_), false) => Tone::Bad,
    };
    let cells = if night.cells.failed > 0 { Tone::Plain } else { Tone::Good };
    let gate = night.gate.as_ref();
    let tone = history.max(cells).max(gate.map_or(Tone::Good, tone_of_gate));
    context! {
        tone => Value::from(Serde(tone)),
        gate => gate.map(|note| context! {
            tone => Value::from(Serde(tone_of_gate(note))),
            verdict => &note.verdict,
            findings => few(note.findings.iter().map(Serde), TOLD),
        }),
        is_first => book.previous().is_none(),
        stands => worse.len(),
        standing => few(standing.iter().map(|one| finding::view(book, one)), TOLD),
        news => book.previous().map(|before| context! {
            since => before.date.as_str(),
            changes => news(book),
        }),
        failed => night.cells.failed,
    }
}

fn news(book: &Book) -> Value {
    let tones: Vec<Tone> = book.announced().filter(|one| one.is_new).map(tone_of).collect();
    let count = |tone| tones.iter().filter(|one| **one == tone).count();
    context! { all => tones.len(), worse => count(Tone::Bad), better => count(Tone::Good) }
}

/// What the last night has that the one before had not; `None` of a first night.
pub fn since_yesterday(book: &Book) -> Option<Value> {
    let (before, changes) = (book.previous()?, book.changes.as_ref()?);
    let without_chance = changes.moved.iter().all(|change| change.p.is_none());
    Some(context! {
        date => before.date.as_str(),
        marks => few(book.marks_on(book.nights.len() - 1), TOLD),
        compared => changes.compared,
        same => changes.same,
        // Whether figures repeat, so that any difference is one.
        is_exact => without_chance && before.offline && book.last().offline,
        moved => few(changes.moved.iter().map(moved), TOLD),
    })
}

fn moved(change: &Change) -> Value {
    let (from, to) = pair(&change.key.metric, change.from, change.to);
    context! {
        metric => &change.key.metric,
        contestant => change.key.contestant(),
        verb => if change.to > change.from { "rose" } else { "fell" },
        from,
        to,
        share => share_of(change.from, change.to),
        sessions => change.n,
        sure => change.p.map(chance),
        worth => worth(change.better),
    }
}
