//! Summarizers that fail: which sessions end, and which facts are lost without a word.

use minijinja::Value;
use serde::Serialize;

use super::document::{Cell, Table, Tone, figure, text};
use super::figures::{Config, Figures, Write};
use super::section::Context;
use super::template::Parts;
use crate::error::Result;
use crate::frame::MeasuredCell;
use crate::measure::MetricId;
use crate::number;
use crate::scenario::twin_of;

/// What became of a configuration under one fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    /// Not driven under this fault, or no cell of it is done.
    Unknown,
    /// It asked for no summary while the fault struck.
    NotStruck,
    /// So many sessions of so many ended early that do not without the fault.
    Died(usize, usize),
    /// As many end early without the fault.
    DiesAnyway,
    /// It lived, and lost facts that nothing says are lost.
    LostSilently,
    /// It lived, and was sent the view from before the failure.
    SentStale,
    /// It lived, and what was lost is stated.
    LostAndSaid,
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
            Fate::LostSilently => ("lost history silently".to_owned(), Tone::Bad),
            Fate::SentStale => ("sent stale".to_owned(), Tone::Plain),
            Fate::LostAndSaid => ("lost, and said so".to_owned(), Tone::Plain),
            Fate::Survived => ("survived".to_owned(), Tone::Good),
        };
        Cell::text(text).toned(tone)
    }
}

/// A mode with what became of its configurations.
#[derive(Serialize)]
struct Mode<'a> {
    name: &'a str,
    /// No fault ends a session that does not end early without it.
    lives: Vec<String>,
    /// Some fault ends a session.
    dies: Vec<String>,
    /// Facts are lost silently under some fault.
    silent: Vec<String>,
    /// A call is sent the view from before the failure.
    stale: Vec<String>,
    fates: Value,
    means: Value,
}

/// None where no fault was driven.
pub fn parts(context: &Context) -> Result<Option<Parts>> {
    let figures = context.figures;
    let faults = &figures.run.manifest.faults;
    if faults.is_empty() {
        return Ok(None);
    }
    let struck: Vec<Faulty> =
        figures.shown().filter_map(|config| Faulty::of(figures, config)).collect();
    let mut names: Vec<&str> = struck.iter().map(|one| one.config.mode.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let mut parts = Parts::default().value("main", figures.main);
    let modes = names.into_iter().map(|name| {
        let own: Vec<&Faulty> = struck.iter().filter(|one| one.config.mode == name).collect();
        let named = |wanted: &dyn Fn(&Faulty) -> bool| -> Vec<String> {
            own.iter().filter(|one| wanted(one)).map(|one| one.config.name()).collect()
        };
        let dies =
            |one: &Faulty| faults.iter().any(|fault| matches!(one.fate(fault), Fate::Died(..)));
        Mode {
            name,
            lives: named(&|one| !dies(one)),
            dies: named(&dies),
            silent: named(&|one| one.any(MetricId::FaultsSilentFacts)),
            stale: named(&|one| one.any(MetricId::SendsStale)),
            fates: parts.place(fates(&own, faults, name)),
            means: parts.place(means(&own, figures, name)),
        }
    });
    let modes: Vec<Mode> = modes.collect();
    Ok(Some(parts.value("modes", modes)))
}

/// A configuration with its cells under faults.
struct Faulty<'a> {
    config: &'a Config,
    /// Its cells under a fault that are done.
    struck: Vec<&'a MeasuredCell>,
    /// Its cells under the same summarizer without a fault.
    sound: Vec<&'a MeasuredCell>,
}

impl<'a> Faulty<'a> {
    fn of(figures: &Figures<'a>, config: &'a Config) -> Option<Faulty<'a>> {
        let own = |row: &&MeasuredCell| {
            config.matches(&row.key) && row.is_done() && twin_of(&row.key.scenario).is_none()
        };
        let (struck, sound): (Vec<&MeasuredCell>, Vec<&MeasuredCell>) =
            figures.run.measurements.iter().filter(own).partition(|row| row.key.fault().is_some());
        let sound = sound.into_iter().filter(|row| row.key.summarizer == figures.main).collect();
        (!struck.is_empty()).then_some(Faulty { config, struck, sound })
    }

    fn under<'b>(&'b self, fault: &'b str) -> impl Iterator<Item = &'a MeasuredCell> + 'b {
        self.struck.iter().copied().filter(move |row| row.key.fault() == Some(fault))
    }

    /// Whether a metric is above zero in any cell under a fault.
    fn any(&self, metric: MetricId) -> bool {
        self.struck.iter().any(|row| row.number(metric) > Some(0.0))
    }

    fn fate(&self, fault: &str) -> Fate {
        let any = |metric: MetricId| self.under(fault).any(|row| row.number(metric) > Some(0.0));
        let driven = self.under(fault).count();
        let ended = self.under(fault).filter(|row| !row.completed());
        let lives = |row: &&MeasuredCell| {
            let session = (&row.key.scenario, row.key.seed);
            let sound = self.sound.iter();
            let mut same = sound.filter(|own| (&own.key.scenario, own.key.seed) == session);
            same.next().is_none_or(|own| own.completed())
        };
        let (killed, doomed): (Vec<&MeasuredCell>, Vec<&MeasuredCell>) = ended.partition(lives);
        match (killed.len(), doomed.len()) {
            _ if driven == 0 => Fate::Unknown,
            (1.., _) => Fate::Died(killed.len(), driven),
            _ if any(MetricId::FaultsSilentFacts) => Fate::LostSilently,
            (_, 1..) => Fate::DiesAnyway,
            _ if !any(MetricId::FaultsStruck) => Fate::NotStruck,
            _ if any(MetricId::SendsStale) => Fate::SentStale,
            _ if any(MetricId::FaultsToldFacts) => Fate::LostAndSaid,
            _ => Fate::Survived,
        }
    }
}

fn fates(all: &[&Faulty], faults: &[String], mode: &str) -> Table {
    let columns = std::iter::once(text("Configuration")).chain(faults.iter().map(text));
    let caption = format!("What became of each configuration under each fault, {mode}");
    let mut table = Table::new(caption, columns);
    for one in all {
        let mut row = vec![Cell::code(one.config.name())];
        row.extend(faults.iter().map(|fault| one.fate(fault).cell()));
        table.rows.push(row);
    }
    table
}

/// Means a session under faults, beside the same without.
fn means(all: &[&Faulty], figures: &Figures, mode: &str) -> Table {
    let few: Write = |value| format!("{value:.1}");
    let ratio: Write = |value| format!("{value:.2}");
    let whole_seconds: Write = |milliseconds| format!("{:.0}", milliseconds / 1e3);
    // Heading, metric, how it is written, and whether it is shown beside that without a fault.
    let columns: [(&str, MetricId, Write, bool); 13] = [
        ("Completed", MetricId::Completion, number::share, true),
        ("Facts lost silently", MetricId::FaultsSilentFacts, few, false),
        ("Tokens lost silently", MetricId::FaultsSilentTokens, number::tokens, false),
        ("Facts lost and said so", MetricId::FaultsToldFacts, few, false),
        ("Stale sends", MetricId::SendsStale, few, false),
        ("Attempts", MetricId::Attempts, few, true),
        ("Failed attempts", MetricId::AttemptsFailed, few, true),
        ("Dollars over no fault", MetricId::FaultsCostRatio, ratio, false),
        ("Longest wait (s)", MetricId::LatencyMax, whole_seconds, true),
        ("Recall change", MetricId::FaultsRecallChange, number::change, false),
        ("Violations", MetricId::Violations, few, true),
        ("Misclassified", MetricId::Misclassified, few, true),
        ("Hardly freed", MetricId::ThrashHardlyFreed, few, true),
    ];
    let titles = columns.iter().map(|(title, ..)| figure(*title));
    let caption = format!("Means a session over all faults (without a fault), {mode}");
    let mut table = Table::new(caption, std::iter::once(text("Configuration")).chain(titles));
    for one in all {
        let mut row = vec![Cell::code(one.config.name())];
        for (_, metric, write, beside) in columns {
            let own = figures.mean(&one.struck, metric).value;
            let sound = figures.mean(&one.sound, metric).value.filter(|_| beside);
            let cell = table.number(own, write, "no such figure for it");
            row.push(match own.and(sound) {
                Some(sound) => Cell { text: format!("{} ({})", cell.text, write(sound)), ..cell },
                None => cell,
            });
        }
        table.rows.push(row);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::Measurement;
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
        let mut measured = Measurement::default();
        let usual = [(MetricId::Completion, 1.0), (MetricId::FaultsStruck, 3.0)];
        for (metric, value) in usual.iter().chain(figures) {
            measured.put(*metric, *value);
        }
        MeasuredCell::done(key, measured)
    }

    fn fate(struck: &[MeasuredCell], sound: &[MeasuredCell]) -> Fate {
        let config = Config {
            pipeline: "a".to_owned(),
            variant: "windowed".to_owned(),
            mode: "deployed".to_owned(),
            configuration: "a".to_owned(),
            inferred: false,
            generated: false,
        };
        let all = |rows| Vec::from_iter(rows);
        Faulty { config: &config, struck: all(struck), sound: all(sound) }.fate("error")
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
        assert_eq!(of(&[silent, (MetricId::SendsStale, 1.0)]), Fate::LostSilently);
        assert_eq!(
            of(&[(MetricId::SendsStale, 1.0), (MetricId::FaultsToldFacts, 2.0)]),
            Fate::SentStale
        );
        assert_eq!(of(&[(MetricId::FaultsToldFacts, 2.0)]), Fate::LostAndSaid);
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
