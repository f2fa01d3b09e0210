//! Verdicts on the floor, worded so that they say what the floor does.

use minijinja::{Value, context};

use super::super::figures::{Config, Figures};
use super::super::table::{Cell, Tone};
use crate::measure::MetricId;
use crate::measure::floor::FloorSeries;
use crate::measure::floor::verdict::Verdict;
use crate::number::{self, UNDEFINED};
use crate::stats::fit::Model;

pub fn series_name(series: FloorSeries) -> &'static str {
    match series {
        FloorSeries::OnePass => "one pass",
        FloorSeries::LowWater => "low water",
    }
}

/// The verdict on a configuration's floor in one family of sessions.
pub struct FloorVerdict {
    /// As reports word it.
    pub text: String,
    /// The slopes of its two series in tokens a turn, in the order of [`FloorSeries::ALL`].
    slopes: [Option<f64>; 2],
    /// What it rests on and what limits it.
    pub reason: String,
    /// Whether it rests on too few sessions to be a firm one.
    pub small: bool,
    tone: Tone,
}

impl FloorVerdict {
    /// `None` where there is no verdict.
    pub fn of(figures: &Figures, family: &str, config: &Config) -> Option<FloorVerdict> {
        let found = figures.in_family(family, config, MetricId::FloorVerdict);
        let verdict = found.verdict()?;
        let small = found.basis.is_too_few();
        let rising: Vec<String> = FloorSeries::ALL
            .iter()
            .filter_map(|series| rising(figures, family, config, *series))
            .collect();
        let mut reason = found.basis.to_string();
        if !rising.is_empty() {
            let before = if reason.is_empty() { "" } else { "; " };
            let parts = rising.join(", ");
            reason.push_str(&format!("{before}over the lengths driven it rises: {parts}"));
        }
        let is_firm = !small && figures.lengths(family).len() > 1;
        let rises = !rising.is_empty();
        let difference = figures.in_family(family, config, FloorSeries::OnePass.slope_difference());
        let reference = difference.value.and_then(|_| difference.basis.reference());
        Some(FloorVerdict {
            text: worded(verdict, reference, rises),
            slopes: FloorSeries::ALL
                .map(|series| figures.in_family(family, config, series.slope()).value),
            reason,
            small,
            tone: tone(verdict, rises, is_firm),
        })
    }

    pub fn cell(&self) -> Cell {
        Cell::text(&self.text).toned(self.tone)
    }
}

fn tone(verdict: Verdict, rises: bool, is_firm: bool) -> Tone {
    match verdict {
        // Whatever it is compared with, a floor that rises fills a window.
        _ if rises => Tone::Bad,
        Verdict::Eliminated if is_firm => Tone::Good,
        Verdict::Grown | Verdict::EliminatedByForgetting | Verdict::NotReached => Tone::Bad,
        Verdict::Eliminated | Verdict::Lowered | Verdict::Unchanged | Verdict::Inconclusive => {
            Tone::Plain
        }
    }
}

/// The verdict so that it cannot be misread: "not reached" could pass for good news,
/// "eliminated" of a floor that rises for better than a smaller slope, and "lowered" for an
/// end of rising.
fn worded(verdict: Verdict, reference: Option<&str>, rises: bool) -> String {
    let word = verdict.name();
    match (verdict, reference) {
        (Verdict::NotReached, _) => "session ended early".to_owned(),
        (Verdict::Eliminated, _) if rises => "rises ever more slowly".to_owned(),
        (Verdict::Lowered, Some(name)) if rises => format!("lowered against {name}, but rising"),
        (Verdict::Lowered | Verdict::Grown, Some(name)) => format!("{word} against {name}"),
        (Verdict::Unchanged, Some(name)) if rises => format!("rising as {name} does"),
        (Verdict::Unchanged, Some(name)) => format!("as {name}"),
        (Verdict::Lowered | Verdict::Unchanged | Verdict::Inconclusive, _) if rises => {
            format!("{word}, but rising")
        }
        (
            Verdict::Eliminated
            | Verdict::EliminatedByForgetting
            | Verdict::Lowered
            | Verdict::Unchanged
            | Verdict::Grown
            | Verdict::Inconclusive,
            _,
        ) => word.to_owned(),
    }
}

/// A series that follows another law than a constant and whose slope lies above zero.
fn rising(figures: &Figures, family: &str, config: &Config, series: FloorSeries) -> Option<String> {
    let growth = figures.in_family(family, config, series.growth());
    growth.model().filter(|model| *model != Model::Constant)?;
    let slope = figures.in_family(family, config, series.slope()).rise(number::change)?;
    Some(format!("{} {slope} tokens a turn", series_name(series)))
}

/// Verdicts of a configuration over the families of a run, the most frequent first.
#[derive(Default)]
pub struct Tally {
    /// Each verdict with the families that have it and their steepest slopes.
    pub counts: Vec<Count>,
    pub families: usize,
    /// Whether some verdict rests on too few sessions.
    pub small: bool,
    tones: Vec<Tone>,
}

pub struct Count {
    text: String,
    families: usize,
    /// The steepest slope of either series among them.
    slopes: [Option<f64>; 2],
}

impl Tally {
    pub fn of(figures: &Figures, config: &Config) -> Tally {
        let mut tally = Tally::default();
        let families = figures.families().into_iter();
        for verdict in families.filter_map(|family| FloorVerdict::of(figures, family, config)) {
            tally.families += 1;
            tally.small |= verdict.small;
            tally.tones.push(verdict.tone);
            let place = tally.counts.iter().position(|count| count.text == verdict.text);
            let place = place.unwrap_or_else(|| {
                tally.counts.push(Count { text: verdict.text, families: 0, slopes: [None; 2] });
                tally.counts.len() - 1
            });
            let count = &mut tally.counts[place];
            count.families += 1;
            for (steepest, own) in count.slopes.iter_mut().zip(verdict.slopes) {
                *steepest = [*steepest, own].into_iter().flatten().reduce(f64::max);
            }
        }
        tally.counts.sort_by(|one, other| {
            other.families.cmp(&one.families).then_with(|| one.text.cmp(&other.text))
        });
        tally
    }

    /// The verdict of a count, with its families where there are several verdicts.
    fn named(&self, count: &Count) -> String {
        match self.counts.len() {
            1 => count.text.clone(),
            _ => format!("{} in {}", count.text, count.families),
        }
    }

    /// The one verdict, or each with its families: `grown in 2, inconclusive in 1`.
    pub fn text(&self) -> String {
        let named: Vec<String> = self.counts.iter().map(|count| self.named(count)).collect();
        named.join(", ")
    }

    /// The steepest slope of either series in any family.
    pub fn steepest(&self) -> Option<f64> {
        self.counts.iter().flat_map(|count| count.slopes).flatten().reduce(f64::max)
    }

    /// As a field of a table: bad where any family's is, good where all are.
    pub fn cell(&self) -> Cell {
        let all_good = self.tones.iter().all(|tone| *tone == Tone::Good);
        let tone = match self.tones.contains(&Tone::Bad) {
            true => Tone::Bad,
            false if all_good => Tone::Good,
            false => Tone::Plain,
        };
        let written = |slope: Option<f64>| slope.map_or(UNDEFINED.to_owned(), number::change);
        let parts = self.counts.iter().map(|count| {
            let [one_pass, low_water] = count.slopes.map(written);
            format!("{} ({one_pass} / {low_water})", self.named(count))
        });
        Cell::text(parts.collect::<Vec<_>>().join("; ")).toned(tone)
    }
}

/// The steepest slope of a configuration's floor whose interval lies above zero: its family,
/// the series, and the slope as written.
pub fn steepest(figures: &Figures, config: &Config) -> Option<Value> {
    let families = figures.families().into_iter();
    let slopes = families.flat_map(|family| FloorSeries::ALL.map(|series| (family, series)));
    let rising = slopes.filter_map(|(family, series)| {
        let slope = figures.in_family(family, config, series.slope());
        let written = slope.rise(number::change)?;
        let series = series_name(series);
        Some((slope.value?, context! { family, series, slope => written }))
    });
    rising.max_by(|(one, _), (other, _)| one.total_cmp(other)).map(|(_, steepest)| steepest)
}
