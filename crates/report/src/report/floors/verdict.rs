//! Verdicts on the floor, worded so that they say what the floor does.

use super::super::prelude::*;
use crate::measure::floor::{FloorSeries, LinearGrowth};

pub fn series_name(series: FloorSeries) -> &'static str {
    match series {
        FloorSeries::OnePass => "one pass",
        FloorSeries::LowWater => "low water",
    }
}

/// The verdict on a configuration's floor in one family of sessions.
pub struct FloorVerdict {
    pub text: String,
    /// Tokens a turn under which a line would have been missed, where it is not settled.
    missed: Option<f64>,
    /// The slopes of its two series in tokens a turn, in the order of [`FloorSeries::ALL`].
    slopes: [Option<f64>; 2],
    /// What it rests on and what limits it.
    pub reason: String,
    /// Whether it rests on too few sessions to be a firm one.
    pub small: bool,
    tone: Tone,
}

impl FloorVerdict {
    pub fn of(figures: &Figures, family: &str, config: &Config) -> Option<FloorVerdict> {
        let found = figures.in_family(family, config, MetricId::FloorVerdict);
        let verdict = found.verdict()?;
        let small = found.basis.is_too_few();
        let rising = FloorSeries::ALL.map(|series| rising(figures, family, config, series));
        let rising: Vec<String> = rising.into_iter().flatten().collect();
        let mut reason = found.basis.to_string();
        if !rising.is_empty() {
            let before = if reason.is_empty() { "" } else { "; " };
            let parts = rising.join(", ");
            reason.push_str(&format!("{before}over the lengths driven it rises: {parts}"));
        }
        let missed = missed(figures, family, config);
        if let Some(missed) = missed {
            let under = number::count(missed.ceil());
            let what = "a line beside its law that rises by under";
            reason.push_str(&format!("; {what} {under} tokens a turn would have been missed"));
        }
        let is_firm = !small && figures.lengths(family).len() > 1;
        let rises = !rising.is_empty();
        let fills_up = FloorSeries::ALL.iter().any(|series| {
            figures.in_family(family, config, series.growth()).model() == Some(Model::Saturating)
        });
        let difference = figures.in_family(family, config, FloorSeries::OnePass.slope_difference());
        let reference = difference.value.and_then(|_| difference.basis.reference());
        Some(FloorVerdict {
            text: worded(verdict, reference, rises, fills_up),
            missed: missed.filter(|_| verdict == Verdict::NotShown),
            slopes: FloorSeries::ALL
                .map(|series| figures.in_family(family, config, series.slope()).value),
            reason,
            small,
            tone: tone(verdict, rises, is_firm),
        })
    }

    pub fn cell(&self) -> Cell {
        let missed = self.missed.map_or(String::new(), |under| {
            let under = number::count(under.ceil());
            format!("; a rise under {under} tokens a turn would have been missed")
        });
        Cell::text(format!("{}{missed}", self.text)).toned(self.tone)
    }
}

fn tone(verdict: Verdict, rises: bool, is_firm: bool) -> Tone {
    match verdict {
        // Whatever it is compared with, a floor that rises fills a window.
        _ if rises => Tone::Bad,
        Verdict::Eliminated if is_firm => Tone::Good,
        Verdict::Grown | Verdict::EliminatedByForgetting | Verdict::NotReached => Tone::Bad,
        _ => Tone::Plain,
    }
}

/// The verdict so that it cannot be misread: as good news, a small slope or an end of rising.
fn worded(verdict: Verdict, reference: Option<&str>, rises: bool, fills_up: bool) -> String {
    let word = verdict.name();
    match (verdict, reference) {
        (Verdict::NotReached, _) => "session ended early".to_owned(),
        (Verdict::Eliminated, _) if rises => "rises ever more slowly".to_owned(),
        (Verdict::Eliminated, _) if fills_up => "bounded".to_owned(),
        (Verdict::Lowered, Some(name)) if rises => format!("lowered against {name}, but rising"),
        (Verdict::Lowered | Verdict::Grown, Some(name)) => format!("{word} against {name}"),
        (Verdict::Unchanged, Some(name)) if rises => format!("rising as {name} does"),
        (Verdict::Unchanged, Some(name)) => format!("as {name}"),
        (Verdict::Lowered | Verdict::Unchanged | Verdict::Inconclusive, _) if rises => {
            format!("{word}, but rising")
        }
        _ => word.to_owned(),
    }
}

/// The least line that is found beside the law of every series that is not settled.
fn missed(figures: &Figures, family: &str, config: &Config) -> Option<f64> {
    let figure = |metric| figures.in_family(family, config, metric);
    let open = FloorSeries::ALL
        .into_iter()
        .filter(|series| figure(series.growth()).basis.linear_growth() == Some(LinearGrowth::Open));
    open.filter_map(|series| figure(series.growth_missed()).value).reduce(f64::max)
}

/// A series whose slope lies above zero and whose law is not that it stays: neither a constant nor
/// one that fills up, with linear growth excluded.
fn rising(figures: &Figures, family: &str, config: &Config, series: FloorSeries) -> Option<String> {
    let growth = figures.in_family(family, config, series.growth());
    let excluded = growth.basis.linear_growth() == Some(LinearGrowth::Excluded);
    let stays = match growth.model()? {
        Model::Constant => true,
        Model::Saturating => excluded,
        Model::Logarithmic | Model::Linear => false,
    };
    if stays {
        return None;
    }
    let slope = figures.in_family(family, config, series.slope()).rise(number::change)?;
    Some(format!("{} {slope} tokens a turn", series_name(series)))
}

/// Verdicts of a configuration, one for each family of sessions that has one.
pub struct Tally {
    pub verdicts: Vec<FloorVerdict>,
}

impl Tally {
    pub fn of(figures: &Figures, config: &Config) -> Tally {
        let families = figures.families().into_iter();
        let verdicts = families.filter_map(|family| FloorVerdict::of(figures, family, config));
        Tally { verdicts: verdicts.collect() }
    }

    pub fn is_small(&self) -> bool {
        self.verdicts.iter().any(|verdict| verdict.small)
    }

    /// Each verdict with the families that have it, the most frequent first.
    pub fn counts(&self) -> Vec<(&str, Vec<&FloorVerdict>)> {
        let mut by_text: BTreeMap<&str, Vec<&FloorVerdict>> = BTreeMap::new();
        for verdict in &self.verdicts {
            by_text.entry(&verdict.text).or_default().push(verdict);
        }
        let mut counts: Vec<_> = by_text.into_iter().collect();
        counts.sort_by_key(|(_, families)| Reverse(families.len()));
        counts
    }

    /// The one verdict, or each with its families: `grown in 2, inconclusive in 1`.
    pub fn text(&self) -> String {
        self.written(", ", |_| String::new())
    }

    fn written(&self, between: &str, more: impl Fn(&[&FloorVerdict]) -> String) -> String {
        let counts = self.counts();
        let parts = counts.iter().map(|(text, families)| match counts.len() {
            1 => format!("{text}{}", more(families)),
            _ => format!("{text} in {}{}", families.len(), more(families)),
        });
        parts.collect::<Vec<_>>().join(between)
    }

    pub fn steepest(&self) -> Option<f64> {
        self.verdicts.iter().flat_map(|verdict| verdict.slopes).flatten().reduce(f64::max)
    }

    /// With the steepest slopes of both series; bad where any family is, good where all are.
    pub fn cell(&self) -> Cell {
        let has = |tone: Tone| self.verdicts.iter().any(|verdict| verdict.tone == tone);
        let tone = match (has(Tone::Bad), has(Tone::Plain)) {
            (true, _) => Tone::Bad,
            (false, true) => Tone::Plain,
            (false, false) => Tone::Good,
        };
        let slopes = |families: &[&FloorVerdict]| {
            let [one_pass, low_water] = [0, 1].map(|series| {
                let steepest = families.iter().filter_map(|verdict| verdict.slopes[series]);
                steepest.reduce(f64::max).map_or(UNDEFINED.to_owned(), number::change)
            });
            format!(" ({one_pass} / {low_water})")
        };
        Cell::text(self.written("; ", slopes)).toned(tone)
    }
}

/// The steepest slope whose interval lies above zero: its family, series and the slope.
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
