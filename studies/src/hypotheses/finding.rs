//! What judging a hypothesis comes to: figures with intervals, and a verdict.

use proctor_core::ident::Seed;
use proctor_core::unit::nine;
use proctor_eval::stats;
use proctor_eval::stats::resample::{Interval, Resampling, bootstrap_mean};

use crate::table::{Shown, number, with_ends};

proctor_core::words! {
    /// In the words of the page of claims: one claim has one verdict on every page.
    pub enum Verdict {
        /// Every part of it was found.
        Holds = "holds",
        /// Some parts were found, others not, or only for some shapes of session.
        HoldsInPart = "holds in part",
        /// The opposite was found.
        DoesNotHold = "does not hold",
        /// It cannot be tested with what there is.
        NotDecided = "not decided",
    }
}

impl Verdict {
    fn of_parts(parts: &[bool]) -> Verdict {
        match parts.iter().filter(|part| **part).count() {
            _ if parts.is_empty() => Verdict::NotDecided,
            held if held == parts.len() => Verdict::Holds,
            0 => Verdict::DoesNotHold,
            _ => Verdict::HoldsInPart,
        }
    }
}

/// A figure with its value to nine digits.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    pub what: String,
    pub value: f64,
    /// Its 95 % interval over sessions; `None` for an exact figure and of one session.
    pub interval: Option<Interval>,
    /// Sessions that it rests on; 0 for an exact statement about a constructed session.
    sessions: usize,
    /// As it follows the number: `tokens/turn`, `%`, empty for a plain count.
    unit: &'static str,
}

/// The mean of one figure per session, with its interval by resampling sessions; of no
/// values not a number, which the page shows as missing.
pub fn mean(what: impl Into<String>, unit: &'static str, values: &[f64]) -> Measured {
    let what = what.into();
    let resampling = Resampling::standard(Seed(0).derive(&["hypothesis", &what]));
    let interval = bootstrap_mean(values, resampling)
        .map(|found| Interval { low: nine(found.low), high: nine(found.high) });
    let value = stats::mean(values).map_or(f64::NAN, nine);
    Measured { what, value, interval, sessions: values.len(), unit }
}

/// A figure of a session that was written for it: no draw, no interval.
pub fn exact(what: impl Into<String>, unit: &'static str, value: f64) -> Measured {
    Measured { what: what.into(), value: nine(value), interval: None, sessions: 0, unit }
}

impl Measured {
    fn ends(&self) -> Interval {
        self.interval.unwrap_or(Interval { low: self.value, high: self.value })
    }

    pub fn is_above(&self, limit: f64) -> bool {
        self.value > limit && self.ends().is_above(limit)
    }

    pub fn is_below(&self, limit: f64) -> bool {
        self.value < limit && self.ends().is_below(limit)
    }

    /// With so many sessions behind it: a figure counted over all of them at once.
    pub fn over(self, sessions: usize) -> Measured {
        Measured { sessions, ..self }
    }

    /// `12.5 % [11, 14], n = 5`.
    pub fn text(&self) -> String {
        let unit = if self.unit.is_empty() { String::new() } else { format!(" {}", self.unit) };
        let value = number(self.value);
        let ends = self.interval.map(|Interval { low, high }| (number(low), number(high)));
        let ends = ends.map(|(low, high)| format!(" [{low}, {high}]")).unwrap_or_default();
        match self.sessions {
            0 if self.value.is_nan() => value,
            0 => format!("{value}{unit}, exact"),
            sessions => format!("{value}{unit}{ends}, n = {sessions}"),
        }
    }
}

/// Value and interval; the caption of the table says n and unit.
impl Shown for Measured {
    fn shown(&self) -> String {
        with_ends(self.value, self.interval.filter(|ends| ends.low < ends.high), number)
    }
}

#[derive(Default)]
pub struct Finding {
    /// Whether each part of the expectation was found; none where nothing can be said.
    pub parts: Vec<bool>,
    /// The figures behind the verdict, the decisive one first.
    pub measured: Vec<Measured>,
    /// The rows of the table whose headings are among the words of the hypothesis.
    pub rows: Vec<Vec<String>>,
}

impl Finding {
    pub fn verdict(&self) -> Verdict {
        Verdict::of_parts(&self.parts)
    }

    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// Shows a figure of one number of pairs first if the expectation names that number, and
    /// further down if it is among the others.
    pub fn show_of(&mut self, figure: Measured, pairs: u32, named: u32, others: &[u32]) {
        if pairs == named {
            self.measured.insert(0, figure);
        } else if others.contains(&pairs) {
            self.measured.push(figure);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verdict_follows_from_the_parts() {
        for (parts, expected) in [
            (&[true, true][..], Verdict::Holds),
            (&[true, false], Verdict::HoldsInPart),
            (&[false, false], Verdict::DoesNotHold),
            (&[], Verdict::NotDecided),
        ] {
            assert_eq!(Verdict::of_parts(parts), expected, "{parts:?}");
        }
    }

    #[test]
    fn a_figure_is_written_with_what_it_rests_on() {
        let drawn = mean("slope", "tokens/turn", &[10.0, 12.0, 14.0, 13.0, 11.0]);
        let interval = drawn.interval.expect("five sessions have a spread");
        assert!(interval.low < 12.0 && interval.high > 12.0, "{interval:?}");
        let text = drawn.text();
        assert!(text.starts_with("12 tokens/turn [1") && text.ends_with("], n = 5"), "{text}");
        assert_eq!(exact("firings", "", 6.0).text(), "6, exact");
        assert_eq!(mean("nothing", "%", &[]).text(), "–");
    }

    #[test]
    fn an_interval_that_reaches_the_limit_is_not_beyond_it() {
        let drawn = mean("x", "", &[-1.0, 4.0, 5.0, 6.0]);
        assert!(!drawn.is_above(drawn.interval.expect("a spread").low));
        assert!(drawn.is_above(-2.0) && drawn.is_below(7.0));
        assert!(!exact("x", "", 0.0).is_above(0.0));
    }
}
