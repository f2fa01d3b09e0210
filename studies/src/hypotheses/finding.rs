//! What judging a hypothesis comes to: figures with intervals, and a verdict.

use proctor_core::ident::Seed;
use proctor_core::unit::nine;
use proctor_eval::stats::mean;
use proctor_eval::stats::resample::{Interval, Resampling, bootstrap_mean};
use serde::Deserialize;

use crate::table::{Shown, number};

/// What the measurements say of an expectation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Every part of it was found.
    Confirmed,
    /// Some parts were found, others not, or only for some shapes of session.
    Mixed,
    /// The opposite was found.
    Contradicted,
    /// It cannot be tested with what there is.
    NotDecidable,
}

impl Verdict {
    pub const ALL: [Verdict; 4] =
        [Verdict::Confirmed, Verdict::Mixed, Verdict::Contradicted, Verdict::NotDecidable];

    /// As tables and the page write it.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Confirmed => "confirmed",
            Verdict::Mixed => "mixed",
            Verdict::Contradicted => "contradicted",
            Verdict::NotDecidable => "not decidable",
        }
    }

    /// Of the parts of an expectation: all hold, some, none. Of no parts nothing can be
    /// said.
    pub fn of_parts(parts: &[bool]) -> Verdict {
        let held = parts.iter().filter(|part| **part).count();
        match (held, parts.len()) {
            (_, 0) => Verdict::NotDecidable,
            (held, parts) if held == parts => Verdict::Confirmed,
            (0, _) => Verdict::Contradicted,
            _ => Verdict::Mixed,
        }
    }
}

/// A figure.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// What it is, in words.
    pub what: String,
    /// Its value, to nine digits.
    pub value: f64,
    /// Its 95 % interval over sessions; `None` for an exact figure, and where one
    /// session gives no spread.
    pub interval: Option<Interval>,
    /// Sessions that it rests on; 0 for an exact statement about a constructed session.
    pub sessions: usize,
    /// Its unit as it follows the number: `tokens/turn`, `%`, empty for a plain count.
    pub unit: &'static str,
}

impl Measured {
    /// The mean of one figure per session, with its interval by resampling sessions. No
    /// values make a figure that is not a number, which the page shows as missing.
    pub fn mean(what: impl Into<String>, unit: &'static str, values: &[f64]) -> Measured {
        let what = what.into();
        let resampling = Resampling::standard(Seed(0).derive(&["hypothesis", &what]));
        let interval = bootstrap_mean(values, resampling)
            .map(|found| Interval { low: nine(found.low), high: nine(found.high) });
        let value = mean(values).map_or(f64::NAN, nine);
        Measured { what, value, interval, sessions: values.len(), unit }
    }

    /// A figure of a session that was written for it: no draw, no interval.
    pub fn exact(what: impl Into<String>, unit: &'static str, value: f64) -> Measured {
        let what = what.into();
        Measured { what, value: nine(value), interval: None, sessions: 0, unit }
    }

    /// Whether the value, with all of its interval, lies above a limit.
    pub fn is_above(&self, limit: f64) -> bool {
        let low = self.interval.map_or(self.value, |interval| interval.low);
        self.value > limit && low > limit
    }

    /// Whether the value, with all of its interval, lies below a limit.
    pub fn is_below(&self, limit: f64) -> bool {
        let high = self.interval.map_or(self.value, |interval| interval.high);
        self.value < limit && high < limit
    }

    /// With so many sessions behind it: a figure counted over all of them at once.
    pub fn over(self, sessions: usize) -> Measured {
        Measured { sessions, ..self }
    }

    /// `12.5 % [11, 14], n = 5`.
    pub fn text(&self) -> String {
        let unit = if self.unit.is_empty() { String::new() } else { format!(" {}", self.unit) };
        let value = number(self.value);
        let interval = self.interval.map_or_else(String::new, |interval| {
            format!(" [{}, {}]", number(interval.low), number(interval.high))
        });
        match self.sessions {
            0 if self.value.is_nan() => value,
            0 => format!("{value}{unit}, exact"),
            sessions => format!("{value}{unit}{interval}, n = {sessions}"),
        }
    }
}

/// Value and interval; the caption of the table says n and unit.
impl Shown for Measured {
    fn shown(&self) -> String {
        let value = number(self.value);
        match self.interval {
            Some(Interval { low, high }) if low < high => {
                format!("{value} [{}, {}]", number(low), number(high))
            }
            _ => value,
        }
    }
}

/// The figure with the least value, and with the greatest; the first of equals.
pub fn least(figures: Vec<Measured>) -> Option<Measured> {
    figures.into_iter().reduce(|least, next| if next.value < least.value { next } else { least })
}

pub fn greatest(figures: Vec<Measured>) -> Option<Measured> {
    figures.into_iter().reduce(|most, next| if next.value > most.value { next } else { most })
}

/// What was found about a hypothesis.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// What follows.
    pub verdict: Verdict,
    /// The figures that it follows from, the decisive one first.
    pub measured: Vec<Measured>,
    /// The rows of the hypothesis's table.
    pub rows: Rows,
}

/// Rows of a table whose caption and headings are among the words of the hypothesis.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rows(pub Vec<Vec<String>>);

impl Rows {
    pub fn push(&mut self, cells: impl IntoIterator<Item = String>) {
        self.0.push(cells.into_iter().collect());
    }
}

impl Finding {
    /// The verdict that follows from the parts of an expectation, and its figures.
    pub fn of(parts: &[bool], measured: Vec<Measured>) -> Finding {
        Finding { verdict: Verdict::of_parts(parts), measured, rows: Rows::default() }
    }

    /// With its table.
    pub fn with(self, rows: Rows) -> Finding {
        Finding { rows, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verdict_follows_from_the_parts() {
        for (parts, expected) in [
            (&[true, true][..], Verdict::Confirmed),
            (&[true, false], Verdict::Mixed),
            (&[false, false], Verdict::Contradicted),
            (&[], Verdict::NotDecidable),
        ] {
            assert_eq!(Verdict::of_parts(parts), expected, "{parts:?}");
        }
    }

    #[test]
    fn a_figure_is_written_with_what_it_rests_on() {
        let drawn = Measured::mean("slope", "tokens/turn", &[10.0, 12.0, 14.0, 13.0, 11.0]);
        let interval = drawn.interval.expect("five sessions have a spread");
        assert!(interval.low < 12.0 && interval.high > 12.0, "{interval:?}");
        assert!(drawn.text().starts_with("12 tokens/turn [1"), "{}", drawn.text());
        assert!(drawn.text().ends_with("], n = 5"), "{}", drawn.text());
        assert_eq!(Measured::exact("firings", "", 6.0).text(), "6, exact");
        assert_eq!(Measured::mean("nothing", "%", &[]).text(), "–");
    }

    #[test]
    fn an_interval_that_reaches_the_limit_is_not_beyond_it() {
        let drawn = Measured::mean("x", "", &[-1.0, 4.0, 5.0, 6.0]);
        assert!(!drawn.is_above(drawn.interval.expect("a spread").low));
        assert!(drawn.is_above(-2.0) && drawn.is_below(7.0));
        assert!(!Measured::exact("x", "", 0.0).is_above(0.0));
    }
}
