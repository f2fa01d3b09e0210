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

/// The last night in a few words, and how they look.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Verdict {
    pub(super) tone: &'static str,
    pub(super) says: Vec<Span>,
    /// Further sentences.
    pub(super) rest: Vec<Vec<Span>>,
}

/// The verdict of the last night: the gate's where there is one, else that of the
/// history alone.
pub(super) fn verdict(book: &Book) -> Verdict {
    let night = book.last();
    let (tone, says) = by_history(book);
    let (tone, says, mut rest) = match &night.gate {
        Some(gate) => {
            let findings = gate.findings.iter().take(TOLD);
            let mut rest = vec![prefixed("Against its own history: ", says)];
            rest.extend(findings.map(|one| vec![text(format!("{}: {}", one.verdict, one.says))]));
            if gate.findings.len() > TOLD {
                let more = gate.findings.len() - TOLD;
                rest.push(vec![text(format!("{} of the gate.", count(more, "further finding")))]);
            }
            (gate_tone(gate.exit_code), vec![text(capital(&gate.verdict))], rest)
        }
        None => {
            let first =
                vec![text("No baseline was given: the night is held against the history alone.")];
            (tone, says, vec![first])
        }
    };
    let cells = night.cells;
    if cells.failed > 0 {
        let failed = count(cells.failed as usize, "cell");
        rest.push(vec![
            Span::Bad(format!("{failed} failed")),
            text(", and their figures are missing here."),
        ]);
    }
    let tone = if cells.failed > 0 && tone == "good" { "plain" } else { tone };
    Verdict { tone, says, rest }
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

fn prefixed(before: &str, says: Vec<Span>) -> Vec<Span> {
    std::iter::once(text(before)).chain(says).chain([text(".")]).collect()
}

fn by_history(book: &Book) -> (&'static str, Vec<Span>) {
    let Some(before) = book.previous() else {
        return ("plain", vec![text("First night: nothing to compare with yet")]);
    };
    let fresh = || book.findings.iter().filter(|finding| finding.is_new);
    let worse = fresh().filter(|finding| finding.better == Some(false)).count();
    let all = fresh().count();
    let since = format!("since {}", before.date);
    match (worse, all) {
        (0, 0) => ("good", vec![text(format!("No new step {since}"))]),
        (0, _) if fresh().all(|finding| finding.better == Some(true)) => {
            ("good", vec![text(format!("{} for the better {since}", count(all, "new step")))])
        }
        (0, _) => ("plain", vec![text(format!("{} {since}", count(all, "new step")))]),
        (worse, all) if worse == all => {
            ("bad", vec![text(format!("{} for the worse {since}", count(worse, "new step")))])
        }
        (worse, all) => (
            "bad",
            vec![text(format!("{} {since}, {worse} for the worse", count(all, "new step")))],
        ),
    }
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
    /// Nights that a drift goes over.
    pub(super) until: Option<String>,
}

/// A finding in words.
pub(super) fn told(book: &Book, finding: &Finding) -> Told {
    let key = &finding.key;
    let (from, to) = pair(&key.metric, finding.from, finding.to);
    let marks = book.marks_of(key).filter(|mark| mark.night == finding.night);
    let is_step = finding.kind == Kind::Step;
    let mut beside: Vec<String> = marks.filter(|_| is_step).map(|mark| mark.says.clone()).collect();
    if !finding.scenarios.is_empty() {
        beside.push(format!("seen in {}", finding.scenarios.join(", ")));
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
    }
}
