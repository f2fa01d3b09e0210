//! Verdicts on the floor, in words that cannot be taken for others.

use crate::measure::MetricId;
use crate::measure::floor::FloorSeries;
use std::collections::BTreeMap;

use super::super::document::{Cell, Tone};
use super::super::figures::{Figure, Figures, Subject};
use super::super::number;

/// How files write that a floor is eliminated.
pub const ELIMINATED: &str = "eliminated";
/// How files write that some session of a family ended before its last checkpoint.
const NOT_REACHED: &str = "not reached";

/// The series that a verdict rests on: what ends their metrics, and what they are called.
fn series_name(series: FloorSeries) -> &'static str {
    match series {
        FloorSeries::OnePass => "one pass",
        FloorSeries::LowWater => "low water",
    }
}

/// The verdict on a configuration's floor in one family of sessions.
pub struct Verdict {
    /// As reports word it.
    pub says: String,
    /// The slopes of its two series in tokens a turn, in the order of [`FloorSeries::ALL`].
    pub slopes: [Option<f64>; 2],
    /// Why it is no firmer, and what it rests on.
    pub reason: String,
    /// Whether it rests on too few sessions to be a firm one.
    pub small: bool,
    tone: Tone,
}

impl Verdict {
    /// `None` where there is no verdict.
    pub fn of(figures: &Figures, family: &str, subject: &Subject) -> Option<Verdict> {
        let found = figures.in_family(family, subject, MetricId::FloorVerdict);
        if found.word.is_empty() {
            return None;
        }
        let small = is_small(&found);
        let firm = !small && figures.lengths(family) > 1;
        let rising = rising(figures, family, subject);
        let mut reason = found.reason;
        if !rising.is_empty() {
            let before = if reason.is_empty() { "" } else { "; " };
            let parts = rising.join(", ");
            reason.push_str(&format!("{before}over the lengths driven it rises: {parts}"));
        }
        let tone = match found.word.as_str() {
            // Whatever it is compared with, a floor that rises fills a window.
            _ if !rising.is_empty() => Tone::Bad,
            ELIMINATED if firm => Tone::Good,
            "grown" | "eliminated by forgetting" | NOT_REACHED => Tone::Bad,
            _ => Tone::Plain,
        };
        let says = said(&found.word, reference(figures, family, subject), !rising.is_empty());
        let slopes = FloorSeries::ALL.map(|series| slope(figures, family, subject, series).value);
        Some(Verdict { says, slopes, reason, small, tone })
    }

    /// As a field of a table.
    pub fn cell(&self) -> Cell {
        Cell::text(&self.says).toned(self.tone)
    }
}

/// Whether a verdict rests on too few sessions to be a firm one.
pub fn is_small(verdict: &Figure) -> bool {
    verdict.reason.contains("n too small")
}

/// The word of the files as reports write it, so that it says what the floor does: by
/// itself "not reached" could be read as good news, "eliminated" of a floor that rises
/// as better than a smaller slope, and "lowered" as an end of rising.
fn said(word: &str, reference: Option<String>, rises: bool) -> String {
    match (word, reference) {
        (NOT_REACHED, _) => "session ended early".to_owned(),
        (ELIMINATED, _) if rises => "rises ever more slowly".to_owned(),
        ("lowered", Some(name)) if rises => format!("lowered against {name}, but rising"),
        ("lowered" | "grown", Some(name)) => format!("{word} against {name}"),
        ("unchanged", Some(name)) if rises => format!("rising as {name} does"),
        ("unchanged", Some(name)) => format!("as {name}"),
        ("lowered" | "unchanged" | "inconclusive", _) if rises => format!("{word}, but rising"),
        _ => word.to_owned(),
    }
}

/// The pipeline whose slope its own was compared with, where it was driven.
fn reference(figures: &Figures, family: &str, subject: &Subject) -> Option<String> {
    let difference = figures.in_family(family, subject, MetricId::FloorSlopeDifference);
    difference.value?;
    difference.reason.split('`').nth(1).map(str::to_owned)
}

fn slope(figures: &Figures, family: &str, subject: &Subject, series: FloorSeries) -> Figure {
    figures.in_family(family, subject, series.slope())
}

/// The series that follow another law than a constant and whose slope lies above zero.
fn rising(figures: &Figures, family: &str, subject: &Subject) -> Vec<String> {
    let series = FloorSeries::ALL.into_iter().filter_map(|series| {
        let growth = figures.in_family(family, subject, series.growth());
        let slope = slope(figures, family, subject, series);
        let grows = !growth.word.is_empty() && growth.word != "constant";
        let rises = grows && slope.interval.is_some_and(|(low, _)| low > 0.0);
        let written = slope.write_with_interval(number::change).ok().filter(|_| rises)?;
        Some(format!("{} {written} tokens a turn", series_name(series)))
    });
    series.collect()
}

/// Verdicts of a configuration over the families of a run, the most frequent first.
#[derive(Default)]
pub struct Tally {
    /// Each verdict as reports word it, with the families that have it.
    pub counts: Vec<(String, usize)>,
    /// The steepest slope of either series among the families of each verdict.
    slopes: BTreeMap<String, [Option<f64>; 2]>,
    /// Families with a verdict.
    pub families: usize,
    /// Whether some verdict rests on too few sessions.
    pub small: bool,
    tones: Vec<Tone>,
}

impl Tally {
    /// Counts them.
    pub fn of(figures: &Figures, subject: &Subject) -> Tally {
        let mut tally = Tally::default();
        let families = figures.families().into_iter();
        for verdict in families.filter_map(|family| Verdict::of(figures, family, subject)) {
            tally.families += 1;
            tally.small |= verdict.small;
            tally.tones.push(verdict.tone);
            let slopes = tally.slopes.entry(verdict.says.clone()).or_default();
            for (steepest, own) in slopes.iter_mut().zip(verdict.slopes) {
                *steepest = [*steepest, own].into_iter().flatten().reduce(f64::max);
            }
            match tally.counts.iter_mut().find(|(known, _)| *known == verdict.says) {
                Some((_, count)) => *count += 1,
                None => tally.counts.push((verdict.says, 1)),
            }
        }
        tally.counts.sort_by(|one, other| other.1.cmp(&one.1).then(one.0.cmp(&other.0)));
        tally
    }

    /// The one verdict, or each with its families: `grown in 2, inconclusive in 1`.
    pub fn says(&self) -> String {
        match &self.counts[..] {
            [(only, _)] => only.clone(),
            several => {
                let parts = several.iter().map(|(says, count)| format!("{says} in {count}"));
                parts.collect::<Vec<_>>().join(", ")
            }
        }
    }

    /// The same with the steepest slope of one pass and of low water beside each verdict.
    fn says_with_slopes(&self) -> String {
        let parts = self.counts.iter().map(|(says, count)| {
            let families =
                if self.counts.len() > 1 { format!(" in {count}") } else { String::new() };
            let slopes = self.slopes.get(says).copied().unwrap_or_default();
            let [one_pass, low_water] = slopes.map(written);
            format!("{says}{families} ({one_pass} / {low_water})")
        });
        parts.collect::<Vec<_>>().join("; ")
    }

    /// The steepest slope of either series in any family.
    pub fn steepest(&self) -> Option<f64> {
        self.slopes.values().flatten().flatten().copied().reduce(f64::max)
    }

    /// As a field of a table: bad where any family's is, good where all are.
    pub fn cell(&self) -> Cell {
        let all_good = self.tones.iter().all(|tone| *tone == Tone::Good);
        let tone = match self.tones.contains(&Tone::Bad) {
            true => Tone::Bad,
            false if all_good => Tone::Good,
            false => Tone::Plain,
        };
        Cell::text(self.says_with_slopes()).toned(tone)
    }
}

fn written(slope: Option<f64>) -> String {
    slope.map_or_else(|| number::UNDEFINED.to_owned(), number::change)
}

/// The steepest slope of a configuration's floor whose interval lies above zero: its
/// family, the series, and the slope as written.
pub fn steepest<'a>(
    figures: &Figures<'a>,
    subject: &Subject,
) -> Option<(&'a str, &'static str, String)> {
    let families = figures.families().into_iter();
    let slopes = families.flat_map(|family| FloorSeries::ALL.map(|series| (family, series)));
    let rising = slopes.filter_map(|(family, series)| {
        let slope = figures.in_family(family, subject, series.slope());
        let rises = slope.interval.is_some_and(|(low, _)| low > 0.0);
        Some((family, series_name(series), slope.value.filter(|_| rises)?, slope))
    });
    let (family, name, _, slope) = rising.max_by(|one, other| one.2.total_cmp(&other.2))?;
    Some((family, name, slope.write_with_interval(number::change).ok()?))
}
