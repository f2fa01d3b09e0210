//! Summarizers that fail: who keeps the agent alive, and who forgets without a word.

use super::completion::is_complete;
use super::document::{Block, Cell, Prose, Section, Table, Tone};
use super::figures::{Figures, Subject};
use super::number;
use crate::frame::MeasuredCell;
use crate::measure::MetricId;
use crate::scenario::twin_of;
use crate::stats;

/// What became of a configuration under one fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    /// Not driven so, or no cell of it is done.
    Unknown,
    /// It asked for no summary while the fault struck.
    NotStruck,
    /// So many sessions of so many ended early that do not without the fault.
    Died(usize, usize),
    /// As many end early without the fault.
    DiesAnyway,
    /// It lived, and lost facts that nothing says are lost.
    Silent,
    /// It lived, and was sent the view from before the failure.
    Stale,
    /// It lived, and what was lost is said.
    Told,
    /// It lived and lost nothing to the fault.
    Survived,
}

impl Fate {
    fn cell(self) -> Cell {
        let (text, tone) = match self {
            Fate::Unknown => ("not driven".to_owned(), Tone::Faint),
            Fate::NotStruck => ("not struck".to_owned(), Tone::Faint),
            Fate::Died(some, all) if some == all => ("died".to_owned(), Tone::Bad),
            Fate::Died(some, all) => (format!("died in {some} of {all}"), Tone::Bad),
            Fate::DiesAnyway => ("dies anyway".to_owned(), Tone::Faint),
            Fate::Silent => ("lost history silently".to_owned(), Tone::Bad),
            Fate::Stale => ("sent stale".to_owned(), Tone::Plain),
            Fate::Told => ("lost, and said so".to_owned(), Tone::Plain),
            Fate::Survived => ("survived".to_owned(), Tone::Good),
        };
        Cell::text(text).toned(tone)
    }
}

/// The section; none where no fault was driven.
pub fn section(figures: &Figures) -> Option<Section> {
    let faults = &figures.run.manifest.faults;
    if faults.is_empty() {
        return None;
    }
    let mut blocks = vec![Block::Prose(introduction(figures))];
    let asking: Vec<Faulty> =
        figures.unswept().filter_map(|subject| Faulty::of(figures, subject)).collect();
    let mut modes: Vec<&str> = asking.iter().map(|one| one.subject.mode.as_str()).collect();
    modes.dedup();
    modes.sort_unstable();
    modes.dedup();
    for mode in modes {
        let own: Vec<&Faulty> = asking.iter().filter(|one| one.subject.mode == mode).collect();
        blocks.push(Block::Heading(format!("Mode {mode}")));
        blocks.push(Block::List(in_words(&own, faults)));
        blocks.push(Block::Table(matrix(&own, faults, mode)));
        blocks.push(Block::Table(numbers(&own, figures, mode)));
    }
    Some(Section {
        id: "faults",
        title: "Faults: what becomes of an agent whose summarizer fails",
        blocks,
    })
}

fn introduction(figures: &Figures) -> Prose {
    Prose::new("The same sessions with a fault put around ").code(figures.main).then(
        ": at every call where the fault's name says nothing more, else at a share of the calls, \
             at the first few, at every second, or in bursts of steps. The draws are the same for \
             all configurations. The word is the worst that happened in any session: died (it \
             ended early where it does not without the fault), lost history silently (facts left \
             the view while no answer told anything, and neither a notice nor the end of the \
             session says so), sent stale (a call was sent the view from before the failure), \
             lost and said so, or survived.",
    )
}

/// A configuration with its cells under faults.
struct Faulty<'a> {
    subject: &'a Subject,
    /// Its cells under a fault that are done.
    struck: Vec<&'a MeasuredCell>,
    /// Its cells under the same summarizer without a fault.
    sound: Vec<&'a MeasuredCell>,
}

impl<'a> Faulty<'a> {
    fn of(figures: &Figures<'a>, subject: &'a Subject) -> Option<Faulty<'a>> {
        let own = |row: &&MeasuredCell| {
            subject.holds(&row.key) && row.is_done() && twin_of(&row.key.scenario).is_none()
        };
        let (struck, sound): (Vec<&MeasuredCell>, Vec<&MeasuredCell>) =
            figures.run.measurements.iter().filter(own).partition(|row| row.key.fault().is_some());
        let sound = sound.into_iter().filter(|row| row.key.summarizer == figures.main).collect();
        (!struck.is_empty()).then_some(Faulty { subject, struck, sound })
    }

    fn under<'b>(&'b self, fault: &'b str) -> impl Iterator<Item = &'a MeasuredCell> + 'b {
        self.struck.iter().copied().filter(move |row| row.key.fault() == Some(fault))
    }

    fn fate(&self, fault: &str) -> Fate {
        let any = |metric: MetricId| self.under(fault).any(|row| row.number(metric) > Some(0.0));
        let driven = self.under(fault).count();
        let dead = self.under(fault).filter(|row| !is_complete(row));
        let lives = |row: &&MeasuredCell| {
            let same = |other: &&&MeasuredCell| {
                (&other.key.scenario, other.key.seed) == (&row.key.scenario, row.key.seed)
            };
            self.sound.iter().find(same).is_none_or(|other| is_complete(other))
        };
        let (killed, doomed): (Vec<&MeasuredCell>, Vec<&MeasuredCell>) = dead.partition(lives);
        match (killed.len(), doomed.len()) {
            _ if driven == 0 => Fate::Unknown,
            (1.., _) => Fate::Died(killed.len(), driven),
            _ if any(MetricId::FaultsSilentFacts) => Fate::Silent,
            (_, 1..) => Fate::DiesAnyway,
            _ if !any(MetricId::FaultsStruck) => Fate::NotStruck,
            _ if any(MetricId::SendsStale) => Fate::Stale,
            _ if any(MetricId::FaultsToldFacts) => Fate::Told,
            _ => Fate::Survived,
        }
    }
}

fn matrix(all: &[&Faulty], faults: &[String], mode: &str) -> Table {
    let mut columns = vec!["Configuration"];
    columns.extend(faults.iter().map(String::as_str));
    let caption = format!("What became of each configuration under each fault, {mode}");
    let mut table = Table::new(caption, &columns);
    for one in all {
        let mut row = vec![Cell::code(one.subject.name())];
        row.extend(faults.iter().map(|fault| one.fate(fault).cell()));
        table.rows.push(row);
    }
    table
}

/// Who lives, who forgets in silence, who sends what is out of date.
fn in_words(all: &[&Faulty], faults: &[String]) -> Vec<Prose> {
    let with = |wanted: fn(Fate) -> bool| -> Vec<String> {
        let any = |one: &&&Faulty| faults.iter().any(|fault| wanted(one.fate(fault)));
        all.iter().filter(any).map(|one| one.subject.name()).collect()
    };
    let dies = with(|fate| matches!(fate, Fate::Died(..)));
    let lives: Vec<String> =
        all.iter().map(|one| one.subject.name()).filter(|name| !dies.contains(name)).collect();
    let says = |what: &str, names: &[String]| {
        let prose = Prose::new(format!("{what}: "));
        if names.is_empty() { prose.then("none.") } else { prose.names(names).then(".") }
    };
    vec![
        says("No fault ends a session that does not end early without it", &lives),
        says("Some fault ends a session", &dies),
        says("Facts are lost without a word under some fault", &silent(all)),
        says("A call is sent the view from before the failure", &stale(all)),
    ]
}

fn silent(all: &[&Faulty]) -> Vec<String> {
    with_figure(all, MetricId::FaultsSilentFacts)
}

fn stale(all: &[&Faulty]) -> Vec<String> {
    with_figure(all, MetricId::SendsStale)
}

/// Those of which some cell, dead ones among them, has more than none.
fn with_figure(all: &[&Faulty], metric: MetricId) -> Vec<String> {
    let any = |one: &&&Faulty| one.struck.iter().any(|row| row.number(metric) > Some(0.0));
    all.iter().filter(any).map(|one| one.subject.name()).collect()
}

/// How a figure is written.
type Write = fn(f64) -> String;

/// Means a session under faults, beside the same without.
fn numbers(all: &[&Faulty], figures: &Figures, mode: &str) -> Table {
    let caption = format!("Means a session over all faults (without a fault), {mode}");
    let mut table = Table::new(
        caption,
        &[
            "Configuration",
            "#Completed",
            "#Facts lost silently",
            "#Tokens lost silently",
            "#Facts lost and said so",
            "#Stale sends",
            "#Attempts",
            "#Failed attempts",
            "#Dollars over no fault",
            "#Longest wait (s)",
            "#Recall change",
            "#Violations",
            "#Misclassified",
            "#Hardly freed",
        ],
    );
    let few: Write = |value| format!("{value:.1}");
    for one in all {
        let mut row = vec![Cell::code(one.subject.name())];
        for (metric, write, beside) in [
            (MetricId::Completion, number::share as Write, true),
            (MetricId::FaultsSilentFacts, few, false),
            (MetricId::FaultsSilentTokens, number::tokens, false),
            (MetricId::FaultsToldFacts, few, false),
            (MetricId::SendsStale, few, false),
            (MetricId::Attempts, few, true),
            (MetricId::AttemptsFailed, few, true),
            (MetricId::FaultsCostRatio, |value| format!("{value:.2}"), false),
            (MetricId::LatencyMax, |milliseconds| format!("{:.0}", milliseconds / 1e3), true),
            (MetricId::FaultsRecallChange, number::change, false),
            (MetricId::Violations, few, true),
            (MetricId::Misclassified, few, true),
            (MetricId::ThrashHardlyFreed, few, true),
        ] {
            let own = mean(figures, &one.struck, metric);
            let sound = mean(figures, &one.sound, metric).filter(|_| beside);
            row.push(match (own, sound) {
                (Some(own), Some(sound)) => {
                    Cell::text(format!("{} ({})", write(own), write(sound)))
                }
                (Some(own), None) => Cell::text(write(own)),
                (None, _) => table.undefined("no such figure for it"),
            });
        }
        table.rows.push(row);
    }
    table
}

fn mean(figures: &Figures, rows: &[&MeasuredCell], metric: MetricId) -> Option<f64> {
    let of = |row: &&MeasuredCell| {
        let derived = || figures.of_cell(&row.key.cell, metric)?.value;
        row.number(metric).or_else(derived)
    };
    stats::mean(&rows.iter().filter_map(of).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::Value;
    use crate::row::CellKey;

    fn row(seed: u64, fault: &str, figures: &[(MetricId, f64)]) -> MeasuredCell {
        let key = CellKey {
            cell: format!("s@50k/a/{seed}/{fault}"),
            scenario: "s".to_owned(),
            family: "s".to_owned(),
            turns: 9,
            window: 50_000,
            pipeline: "a".to_owned(),
            variant: "windowed".to_owned(),
            mode: "deployed".to_owned(),
            seed,
            summarizer: format!("extractive{fault}"),
            replicate: 0,
        };
        let usual = [(MetricId::Completion, 1.0), (MetricId::FaultsStruck, 3.0)];
        let all = usual.iter().chain(figures);
        let all = all.map(|(metric, value)| (*metric, Value::Number(*value)));
        MeasuredCell::done(key, all.collect())
    }

    fn fate(struck: &[MeasuredCell], sound: &[MeasuredCell]) -> Fate {
        let subject = Subject {
            pipeline: "a".to_owned(),
            variant: "windowed".to_owned(),
            mode: "deployed".to_owned(),
            configuration: "a".to_owned(),
            inferred: false,
        };
        let all = |rows| Vec::from_iter(rows);
        let one = Faulty { subject: &subject, struck: all(struck), sound: all(sound) };
        one.fate("error")
    }

    #[test]
    fn the_word_is_the_worst_that_happened() {
        let dead = (MetricId::Completion, 0.0);
        let silent = (MetricId::FaultsSilentFacts, 4.0);
        let sound = [row(1, "", &[]), row(2, "", &[])];
        let of = |figures: &[(MetricId, f64)]| {
            fate(&[row(1, "+error", &[]), row(2, "+error", figures)], &sound)
        };
        assert_eq!(of(&[]), Fate::Survived);
        assert_eq!(of(&[dead, silent]), Fate::Died(1, 2));
        assert_eq!(of(&[silent, (MetricId::SendsStale, 1.0)]), Fate::Silent);
        assert_eq!(
            of(&[(MetricId::SendsStale, 1.0), (MetricId::FaultsToldFacts, 2.0)]),
            Fate::Stale
        );
        assert_eq!(of(&[(MetricId::FaultsToldFacts, 2.0)]), Fate::Told);
    }

    #[test]
    fn a_death_is_the_faults_only_where_the_session_lives_without_it() {
        let dead = || row(1, "+error", &[(MetricId::Completion, 0.0)]);
        assert_eq!(
            fate(&[dead()], &[row(1, "", &[(MetricId::Completion, 0.0)])]),
            Fate::DiesAnyway
        );
        assert_eq!(fate(&[dead()], &[row(1, "", &[])]), Fate::Died(1, 1));
        assert_eq!(fate(&[row(1, "+empty", &[])], &[]), Fate::Unknown);
        let idle = row(1, "+error", &[(MetricId::FaultsStruck, 0.0)]);
        assert_eq!(fate(&[idle], &[row(1, "", &[])]), Fate::NotStruck);
    }
}
