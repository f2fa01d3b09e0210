//! Summarizers that fail: who keeps the agent alive, and who forgets without a word.

use super::completion::is_complete;
use super::document::{Block, Cell, Prose, Section, Table, Tone};
use super::figures::{Figures, Subject};
use super::number;
use crate::run_dir::read::MeasurementRow;
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
    struck: Vec<&'a MeasurementRow>,
    /// Its cells under the same summarizer without a fault.
    sound: Vec<&'a MeasurementRow>,
}

impl<'a> Faulty<'a> {
    fn of(figures: &Figures<'a>, subject: &'a Subject) -> Option<Faulty<'a>> {
        let own = |row: &&MeasurementRow| {
            subject.holds(&row.key) && row.state == "done" && twin_of(&row.key.scenario).is_none()
        };
        let (struck, sound): (Vec<&MeasurementRow>, Vec<&MeasurementRow>) =
            figures.run.measurements.iter().filter(own).partition(|row| row.key.fault().is_some());
        let sound = sound.into_iter().filter(|row| row.key.summarizer == figures.main).collect();
        (!struck.is_empty()).then_some(Faulty { subject, struck, sound })
    }

    fn under<'b>(&'b self, fault: &'b str) -> impl Iterator<Item = &'a MeasurementRow> + 'b {
        self.struck.iter().copied().filter(move |row| row.key.fault() == Some(fault))
    }

    fn fate(&self, fault: &str) -> Fate {
        let any = |metric: &str| self.under(fault).any(|row| row.number(metric) > Some(0.0));
        let driven = self.under(fault).count();
        let dead = self.under(fault).filter(|row| !is_complete(row));
        let lives = |row: &&MeasurementRow| {
            let same = |other: &&&MeasurementRow| {
                (&other.key.scenario, other.key.seed) == (&row.key.scenario, row.key.seed)
            };
            self.sound.iter().find(same).is_none_or(|other| is_complete(other))
        };
        let (killed, doomed): (Vec<&MeasurementRow>, Vec<&MeasurementRow>) = dead.partition(lives);
        match (killed.len(), doomed.len()) {
            _ if driven == 0 => Fate::Unknown,
            (1.., _) => Fate::Died(killed.len(), driven),
            _ if any("faults.silent_facts") => Fate::Silent,
            (_, 1..) => Fate::DiesAnyway,
            _ if !any("faults.struck") => Fate::NotStruck,
            _ if any("sends.stale") => Fate::Stale,
            _ if any("faults.told_facts") => Fate::Told,
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
    with_figure(all, "faults.silent_facts")
}

fn stale(all: &[&Faulty]) -> Vec<String> {
    with_figure(all, "sends.stale")
}

/// Those of which some cell, dead ones among them, has more than none.
fn with_figure(all: &[&Faulty], metric: &str) -> Vec<String> {
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
            ("completion", number::share as Write, true),
            ("faults.silent_facts", few, false),
            ("faults.silent_tokens", number::tokens, false),
            ("faults.told_facts", few, false),
            ("sends.stale", few, false),
            ("attempts", few, true),
            ("attempts.failed", few, true),
            ("faults.cost_ratio", |value| format!("{value:.2}"), false),
            ("latency.max", |milliseconds| format!("{:.0}", milliseconds / 1e3), true),
            ("faults.recall_change", number::change, false),
            ("violations", few, true),
            ("misclassified", few, true),
            ("thrash.hardly_freed", few, true),
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

fn mean(figures: &Figures, rows: &[&MeasurementRow], metric: &str) -> Option<f64> {
    let of = |row: &&MeasurementRow| {
        let derived = || figures.of_cell(&row.key.cell, metric)?.value;
        row.number(metric).or_else(derived)
    };
    stats::mean(&rows.iter().filter_map(of).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::CellKey;

    fn row(seed: u64, fault: &str, figures: &[(&str, &str)]) -> MeasurementRow {
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
        let given =
            figures.iter().map(|(metric, value)| ((*metric).to_owned(), (*value).to_owned()));
        let mut values: std::collections::BTreeMap<String, String> =
            [("completion", "1"), ("faults.struck", "3")]
                .map(|(metric, value)| (metric.to_owned(), value.to_owned()))
                .into();
        values.extend(given);
        MeasurementRow { key, state: "done".to_owned(), error: String::new(), values }
    }

    fn fate(struck: &[MeasurementRow], sound: &[MeasurementRow]) -> Fate {
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
        let dead = ("completion", "0");
        let silent = ("faults.silent_facts", "4");
        let sound = [row(1, "", &[]), row(2, "", &[])];
        let of = |figures: &[(&str, &str)]| {
            fate(&[row(1, "+error", &[]), row(2, "+error", figures)], &sound)
        };
        assert_eq!(of(&[]), Fate::Survived);
        assert_eq!(of(&[dead, silent]), Fate::Died(1, 2));
        assert_eq!(of(&[silent, ("sends.stale", "1")]), Fate::Silent);
        assert_eq!(of(&[("sends.stale", "1"), ("faults.told_facts", "2")]), Fate::Stale);
        assert_eq!(of(&[("faults.told_facts", "2")]), Fate::Told);
    }

    #[test]
    fn a_death_is_the_faults_only_where_the_session_lives_without_it() {
        let dead = || row(1, "+error", &[("completion", "0")]);
        assert_eq!(fate(&[dead()], &[row(1, "", &[("completion", "0")])]), Fate::DiesAnyway);
        assert_eq!(fate(&[dead()], &[row(1, "", &[])]), Fate::Died(1, 1));
        assert_eq!(fate(&[row(1, "+empty", &[])], &[]), Fate::Unknown);
        let idle = row(1, "+error", &[("faults.struck", "0")]);
        assert_eq!(fate(&[idle], &[row(1, "", &[])]), Fate::NotStruck);
    }
}
