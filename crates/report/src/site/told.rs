//! What is said of a night: its verdict, what changed, what was found.

use serde::Serialize;

use super::book::{self, Book};
use super::figure::{chance, pair, share_of};
use super::words::{Span, code, count, text, worth};
use crate::error::ExitCode;
use crate::history::change::Change;
use crate::history::{Finding, Kind, Night};

/// Changes that are told one by one; others are counted.
const TOLD: usize = 4;

/// How things stand with the last night in a few words, and how they look.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Verdict {
    pub(super) tone: &'static str,
    pub(super) says: Vec<Span>,
    /// What stands for the worse.
    pub(super) standing: Vec<Told>,
    /// How much more stands.
    pub(super) more: usize,
    /// Further sentences, what the last night brought first.
    pub(super) rest: Vec<Vec<Span>>,
}

/// The verdict of the last night: the gate's where there is one, and what stands for the
/// worse in the history, whenever it came.
pub(super) fn verdict(book: &Book) -> Verdict {
    let night = book.last();
    let standing = book.standing();
    let (mut tone, mut says) = how_it_stands(book, &standing);
    let mut rest: Vec<Vec<Span>> = fresh(book).into_iter().collect();
    match &night.gate {
        Some(gate) => {
            let gate_tone = gate_tone(gate.exit_code);
            says = [toned(gate_tone, &capital(&gate.verdict)), text(". ")]
                .into_iter()
                .chain(says)
                .collect();
            tone = if tone == "good" {
                gate_tone
            } else if gate_tone == "bad" {
                "bad"
            } else {
                tone
            };
            rest.extend(
                gate.findings
                    .iter()
                    .take(TOLD)
                    .map(|one| vec![text(format!("{}: {}", one.verdict, one.says))]),
            );
            if gate.findings.len() > TOLD {
                let more = gate.findings.len() - TOLD;
                rest.push(vec![text(format!("{} of the gate.", count(more, "further finding")))]);
            }
        }
        None => rest.push(vec![text(
            "No baseline was given: the night is held against the history alone.",
        )]),
    }
    if night.cells.failed > 0 {
        let failed = count(night.cells.failed as usize, "cell");
        rest.push(vec![
            Span::Bad(format!("{failed} failed")),
            text(", and their figures are missing here."),
        ]);
        tone = if tone == "good" { "plain" } else { tone };
    }
    Verdict {
        tone,
        says,
        standing: standing.iter().take(TOLD).map(|finding| told(book, finding)).collect(),
        more: standing.len().saturating_sub(TOLD),
        rest,
    }
}

fn toned(tone: &str, words: &str) -> Span {
    match tone {
        "good" => Span::Good(words.to_owned()),
        "bad" => Span::Bad(words.to_owned()),
        _ => text(words),
    }
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// How a gate's exit code looks.
pub(super) fn gate_tone(code: u8) -> &'static str {
    match code {
        ExitCode::OK | ExitCode::PASS_IDENTICAL | ExitCode::IMPROVEMENT => "good",
        ExitCode::INCONCLUSIVE | ExitCode::NO_BASELINE => "plain",
        _ => "bad",
    }
}

/// What stands for the worse, by kind.
fn how_it_stands(book: &Book, standing: &[&Finding]) -> (&'static str, Vec<Span>) {
    if book.previous().is_none() {
        return ("plain", vec![text("First night: nothing to compare with yet")]);
    }
    let of = |kind: Kind| standing.iter().filter(|finding| finding.kind == kind).count();
    let mut says = Vec::new();
    match of(Kind::Step) {
        0 => {}
        1 => says.push("1 step for the worse stands".to_owned()),
        steps => says.push(format!("{steps} steps for the worse stand")),
    }
    match of(Kind::Drift) {
        0 => {}
        1 => says.push("1 drift for the worse goes on".to_owned()),
        drifts => says.push(format!("{drifts} drifts for the worse go on")),
    }
    match of(Kind::Spread) {
        0 => {}
        noisy => says.push(format!("the noise of {} grows", count(noisy, "figure"))),
    }
    match says.is_empty() {
        true => ("good", vec![text("Nothing stands for the worse")]),
        false => ("bad", vec![text(capital(&says.join(", ")))]),
    }
}

/// What the last night brought that the nights before did not show; nothing of a first
/// night.
fn fresh(book: &Book) -> Option<Vec<Span>> {
    let since = format!("since {}", book.previous()?.date);
    let of = |is_step: bool, what: &str| {
        let new = || {
            let own = move |one: &&Finding| one.is_new && (one.kind == Kind::Step) == is_step;
            book.findings.iter().filter(own)
        };
        let worse = new().filter(|finding| finding.better == Some(false)).count();
        let better = new().filter(|finding| finding.better == Some(true)).count();
        match (new().count(), worse, better) {
            (0, ..) => None,
            (all, worse, _) if all == worse => {
                Some(vec![Span::Bad(format!("{} for the worse", count(all, what)))])
            }
            (all, _, better) if all == better => {
                Some(vec![Span::Good(format!("{} for the better", count(all, what)))])
            }
            (all, 0, _) => Some(vec![text(count(all, what))]),
            (all, worse, _) => Some(vec![
                text(format!("{}, ", count(all, what))),
                Span::Bad(format!("{worse} for the worse")),
            ]),
        }
    };
    let mut says = of(true, "new step").unwrap_or_else(|| vec![text("No new step")]);
    if let Some(drifts) = of(false, "new drift") {
        says.push(text(" and "));
        says.extend(drifts);
    }
    says.push(text(format!(" {since}.")));
    Some(says)
}

/// What the last night has that the one before had not, in words with figures.
pub(super) fn since_yesterday(book: &Book) -> Vec<Span> {
    let (Some(before), Some(changes)) = (book.previous(), &book.changes) else {
        return vec![text(
            "This is the first night of the history: steps show from the second night \
                          on where figures repeat exactly, from the eighth where they are noisy.",
        )];
    };
    let mut says = vec![text(format!("Since {}: ", before.date))];
    let last = book.nights.len() - 1;
    let marks: Vec<&str> = book
        .marks
        .iter()
        .filter(|mark| mark.night == last)
        .map(|mark| mark.says.as_str())
        .collect();
    if marks.is_empty() {
        says.push(text("program and inputs are the same. "));
    } else {
        let more = marks.len().saturating_sub(TOLD);
        says.push(text(marks[..marks.len() - more].join("; ")));
        says.push(text(if more > 0 { format!("; and {more} more. ") } else { ". ".to_owned() }));
    }
    if changes.compared == 0 {
        says.push(text("No figure of the two nights can be compared."));
        return says;
    }
    let moved = changes.moved.len();
    let exact =
        changes.moved.iter().all(|change| change.p.is_none()) && both_offline(before, book.last());
    let beyond = if exact { "" } else { " by more than sessions differ by chance" };
    if moved == 0 {
        let same = match changes.same == changes.compared {
            true => "all are the same in every session".to_owned(),
            false => {
                format!("{} are the same in every session, and none moved{beyond}", changes.same)
            }
        };
        says.push(text(format!("Of {}, {same}.", count(changes.compared, "figure"))));
        return says;
    }
    says.push(text(format!("{moved} of {} moved{beyond}: ", count(changes.compared, "figure"))));
    for (place, change) in changes.moved.iter().take(TOLD).enumerate() {
        if place > 0 {
            says.push(text("; "));
        }
        says.extend(moved_words(change));
    }
    says.push(text(if moved > TOLD {
        format!("; and {} more.", moved - TOLD)
    } else {
        ".".to_owned()
    }));
    says
}

fn both_offline(one: &Night, other: &Night) -> bool {
    one.offline && other.offline
}

fn moved_words(change: &Change) -> Vec<Span> {
    let key = &change.key;
    let (from, to) = pair(&key.metric, change.from, change.to);
    let verb = if change.to > change.from { "rose" } else { "fell" };
    let share =
        share_of(change.from, change.to).map_or(String::new(), |share| format!(" ({share})"));
    let sure = change.p.map_or(String::new(), |p| format!(", {}", chance(p)));
    let mut says = vec![code(&key.metric), text(" of "), code(key.contestant())];
    says.push(text(format!(
        " {verb} from {from} to {to}{share} in {}{sure}",
        count(change.n, "session")
    )));
    if let Some(worth) = worth(change.better) {
        says.extend([text(", "), worth]);
    }
    says
}

/// A finding for the lists.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Told {
    pub(super) kind: &'static str,
    pub(super) date: String,
    pub(super) metric: String,
    pub(super) contestant: String,
    /// The scenario, where it is of one.
    pub(super) scenario: Option<String>,
    pub(super) verb: &'static str,
    pub(super) from: String,
    pub(super) to: String,
    pub(super) share: Option<String>,
    pub(super) worth: Option<Span>,
    pub(super) sure: String,
    pub(super) is_new: bool,
    /// What else changed with that night, and in which scenarios it shows.
    pub(super) beside: Vec<String>,
    pub(super) link: String,
    /// The last night of a drift.
    pub(super) until: Option<String>,
    /// What the two figures are, where they are not the levels beside a step.
    pub(super) fitted: Option<&'static str>,
    /// The night on which it was first found, where that is a later one.
    pub(super) made: Option<String>,
}

/// A finding in words.
pub(super) fn told(book: &Book, finding: &Finding) -> Told {
    let key = &finding.key;
    let (from, to) = pair(&key.metric, finding.from, finding.to);
    let marks = book.marks_of(key).filter(|mark| mark.night == finding.night);
    let is_step = finding.kind == Kind::Step;
    let mut beside: Vec<String> = marks.filter(|_| is_step).map(|mark| mark.says.clone()).collect();
    let scenarios: Vec<&str> = finding.scenarios().collect();
    if !scenarios.is_empty() {
        beside.push(format!("seen in {}", scenarios.join(", ")));
    }
    let rises = finding.to > finding.from;
    Told {
        kind: finding.kind.name(),
        date: book.date(finding.night).to_owned(),
        metric: key.metric.clone(),
        contestant: key.contestant(),
        scenario: key.scenario.clone(),
        verb: match (finding.kind, rises) {
            (Kind::Step, true) => "rose",
            (Kind::Step, false) => "fell",
            (Kind::Drift, true) => "drifts up",
            (Kind::Drift, false) => "drifts down",
            (Kind::Spread, true) => "grows noisier",
            (Kind::Spread, false) => "grows calmer",
        },
        from,
        to,
        share: share_of(finding.from, finding.to),
        worth: worth(finding.better),
        sure: finding.p.map_or_else(|| "exact".to_owned(), chance),
        is_new: finding.is_new,
        beside,
        link: book::place_of(key),
        until: (!is_step).then(|| book.date(finding.other).to_owned()),
        fitted: match finding.kind {
            Kind::Step => None,
            Kind::Drift => Some("level fitted at the first and at the last night"),
            Kind::Spread => {
                Some("distance from the level fitted at the first and at the last night")
            }
        },
        made: (finding.made != finding.night).then(|| book.date(finding.made).to_owned()),
    }
}
