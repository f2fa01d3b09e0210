//! What judging a hypothesis comes to: figures with intervals, and a verdict.

use proctor_core::unit::nine;
use proctor_eval::stats;
use proctor_eval::stats::estimate::{Estimate, Unit};
use proctor_eval::stats::multiplicity::holm;
use proctor_eval::stats::resample::Interval;

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
    fn of_parts(parts: &[Part]) -> Verdict {
        match parts.iter().filter(|part| part.is_found()).count() {
            _ if parts.is_empty() => Verdict::NotDecided,
            found if found == parts.len() => Verdict::Holds,
            0 => Verdict::DoesNotHold,
            _ => Verdict::HoldsInPart,
        }
    }
}

/// Chance of a false finding among all tests of a page.
pub const LEVEL: f64 = 0.05;

/// What is found of a part of an expectation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Part {
    /// By counting, without a test.
    Counted(bool),
    /// The chance of what was seen where it is not so, two-sided.
    Tested(f64),
}

impl Part {
    /// Found where all of them are: the least sure decides (Berger, "Multiparameter Hypothesis
    /// Testing and Acceptance Sampling", 1982).
    pub fn all(parts: impl IntoIterator<Item = Part>) -> Part {
        let both = |one, other| match (one, other) {
            (Part::Counted(false), _) | (_, Part::Counted(false)) => Part::Counted(false),
            (Part::Counted(true), part) | (part, Part::Counted(true)) => part,
            (Part::Tested(one), Part::Tested(other)) => Part::Tested(one.max(other)),
        };
        parts.into_iter().fold(Part::Counted(true), both)
    }

    /// Found where one of them is, however many were tried (Bonferroni).
    pub fn any(parts: impl IntoIterator<Item = Part>) -> Part {
        let parts: Vec<Part> = parts.into_iter().collect();
        let chances = parts.iter().filter_map(|part| match part {
            Part::Counted(true) => Some(0.0),
            Part::Counted(false) => None,
            Part::Tested(chance) => Some((chance * parts.len() as f64).min(1.0)),
        });
        chances.reduce(f64::min).map_or(Part::Counted(false), Part::Tested)
    }

    pub fn is_found(self) -> bool {
        match self {
            Part::Counted(found) => found,
            Part::Tested(chance) => chance <= LEVEL,
        }
    }

    fn chance(&mut self) -> Option<&mut f64> {
        match self {
            Part::Counted(_) => None,
            Part::Tested(chance) => Some(chance),
        }
    }
}

/// Corrects the tests of a family by Holm's procedure, and says how many there are.
pub fn correct<'a>(parts: impl IntoIterator<Item = &'a mut Part>) -> usize {
    let mut tests: Vec<&mut f64> = parts.into_iter().filter_map(Part::chance).collect();
    let alone: Vec<f64> = tests.iter().map(|chance| **chance).collect();
    let corrected = holm(&alone).unwrap_or_default();
    tests.iter_mut().zip(corrected).for_each(|(chance, corrected)| **chance = corrected);
    tests.len()
}

/// A figure with its value to nine digits.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    pub what: String,
    pub value: f64,
    /// Its 95 % interval over sessions; `None` for an exact figure, of one session, and where all
    /// sessions are alike and no share.
    pub interval: Option<Interval>,
    /// What its tests rest on.
    estimate: Option<Estimate>,
    /// Sessions that it rests on; 0 for an exact statement about a constructed session.
    sessions: usize,
    /// As it follows the number: `tokens/turn`, `%`, empty for a plain count.
    unit: &'static str,
}

/// The mean of one figure per session, with the interval of Student's t; of no values not a
/// number, which the page shows as missing.
pub fn mean(what: impl Into<String>, unit: &'static str, values: &[f64]) -> Measured {
    within(what, unit, &[values.to_vec()])
}

/// The mean over sessions of several scenarios, and its error within these.
pub fn within(what: impl Into<String>, unit: &'static str, scenarios: &[Vec<f64>]) -> Measured {
    let values = scenarios.concat();
    let labels = scenarios.iter().enumerate().flat_map(|(label, of)| vec![label; of.len()]);
    let labels: Vec<usize> = labels.collect();
    let estimate = Estimate::of(&values, &labels, Unit::WithinScenarios);
    let spread =
        estimate.filter(|found| found.error > 0.0).and_then(|one| one.interval(1.0 - LEVEL));
    let interval = spread.map(|found| Interval { low: nine(found.low), high: nine(found.high) });
    let value = stats::mean(&values).map_or(f64::NAN, nine);
    Measured { what: what.into(), value, interval, estimate, sessions: values.len(), unit }
}

/// A figure of a session that was written for it: no draw, no interval.
pub fn exact(what: impl Into<String>, unit: &'static str, value: f64) -> Measured {
    let value = nine(value);
    Measured { what: what.into(), value, interval: None, estimate: None, sessions: 0, unit }
}

impl Measured {
    /// A share that may be at most so much. Where it is 0 in all sessions, or at its most, few
    /// sessions do not show that it is so in all: the interval is the exact one of the share of
    /// sessions in which it is not (Clopper and Pearson, "The Use of Confidence or Fiducial Limits
    /// Illustrated in the Case of the Binomial", 1934).
    pub fn share_of(mut self, most: f64) -> Measured {
        let others = most * (1.0 - (LEVEL / 2.0).powf(1.0 / self.sessions.max(1) as f64));
        let bounded = |end: f64| nine(end.clamp(0.0, most));
        self.interval = match self.interval {
            _ if self.sessions == 0 => None,
            None if self.value == 0.0 => Some(Interval { low: 0.0, high: nine(others) }),
            None if self.value == most => Some(Interval { low: nine(most - others), high: most }),
            found => found
                .map(|Interval { low, high }| Interval { low: bounded(low), high: bounded(high) }),
        };
        self
    }

    /// Whether it lies above a limit.
    pub fn above(&self, limit: f64) -> Part {
        self.side(limit, |one| one)
    }

    /// Whether it lies below a limit.
    pub fn below(&self, limit: f64) -> Part {
        self.side(-limit, Estimate::turned)
    }

    fn side(&self, limit: f64, turn: impl Fn(Estimate) -> Estimate) -> Part {
        let chance = |one: Estimate| (2.0 * turn(one).tail(limit)).min(1.0);
        self.estimate.map_or(Part::Counted(false), |one| Part::Tested(chance(one)))
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
        with_ends(self.value, self.interval, number)
    }
}

#[derive(Default)]
pub struct Finding {
    /// Whether each part of the expectation was found; none where nothing can be said.
    pub parts: Vec<Part>,
    /// The figures behind the verdict, the decisive one first.
    pub measured: Vec<Measured>,
    /// The rows of the table whose headings are among the words of the hypothesis.
    pub rows: Vec<Vec<String>>,
}

impl Finding {
    pub fn verdict(&self) -> Verdict {
        Verdict::of_parts(&self.parts)
    }

    pub fn found(&mut self, parts: impl IntoIterator<Item = bool>) {
        self.parts.extend(parts.into_iter().map(Part::Counted));
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
        use Part::{Counted, Tested};
        for (parts, expected) in [
            (&[Counted(true), Tested(0.05)][..], Verdict::Holds),
            (&[Counted(true), Tested(0.06)], Verdict::HoldsInPart),
            (&[Counted(false), Tested(0.9)], Verdict::DoesNotHold),
            (&[], Verdict::NotDecided),
        ] {
            assert_eq!(Verdict::of_parts(parts), expected, "{parts:?}");
        }
        for (parts, expected) in [
            ([Counted(true), Tested(0.01)], Tested(0.01)),
            ([Tested(0.2), Tested(0.01)], Tested(0.2)),
            ([Tested(0.01), Counted(false)], Counted(false)),
        ] {
            assert_eq!(Part::all(parts), expected);
        }
    }

    #[test]
    fn the_tests_of_a_page_are_one_family() {
        let mut parts = [Part::Tested(0.02), Part::Counted(true), Part::Tested(0.03)];
        assert_eq!(correct(&mut parts), 2);
        assert_eq!(parts, [Part::Tested(0.04), Part::Counted(true), Part::Tested(0.04)]);
    }

    #[test]
    fn a_share_that_is_the_same_in_all_sessions_has_an_exact_interval() {
        let ends = |share: Measured| share.interval.map(|ends| (ends.low, ends.high));
        let none = ends(mean("x", "", &[0.0; 10]).share_of(1.0)).expect("exact");
        assert!(none.0 == 0.0 && (none.1 - 0.308).abs() < 1e-3, "{none:?}");
        let all = ends(mean("x", "%", &[100.0; 8]).share_of(100.0)).expect("exact");
        assert!(all.1 == 100.0 && (all.0 - 63.06).abs() < 1e-2, "{all:?}");
        assert_eq!(ends(mean("x", "", &[3.0; 8])), None, "no share");
        let near = ends(mean("x", "", &[0.0, 0.0, 0.0, 0.1]).share_of(1.0)).expect("a spread");
        assert_eq!(near.0, 0.0);
    }

    #[test]
    fn what_scenarios_differ_in_is_no_error_of_these() {
        let apart = within("x", "", &[vec![1.0, 2.0, 3.0], vec![101.0, 102.0, 103.0]]);
        let ends = apart.interval.expect("a spread");
        assert!(apart.value == 52.0 && ends.high - ends.low < 4.0, "{ends:?}");
    }

    #[test]
    fn a_figure_is_written_with_what_it_rests_on() {
        let drawn = mean("slope", "tokens/turn", &[10.0, 12.0, 14.0, 13.0, 11.0]);
        let interval = drawn.interval.expect("five sessions have a spread");
        assert!(interval.low < 12.0 && interval.high > 12.0, "{interval:?}");
        let text = drawn.text();
        // 12 ± 2.776 · 0.7071.
        assert!(
            text.starts_with("12 tokens/turn [10, 14]") && text.ends_with("], n = 5"),
            "{text}"
        );
        assert_eq!(exact("firings", "", 6.0).text(), "6, exact");
        assert_eq!(mean("nothing", "%", &[]).text(), "–");
    }

    #[test]
    fn an_end_of_the_interval_is_where_a_test_alone_finds_it() {
        let drawn = mean("x", "", &[-1.0, 4.0, 5.0, 6.0]);
        let low = drawn.interval.expect("a spread").low;
        assert!(drawn.above(low - 0.01).is_found() && !drawn.above(low + 0.01).is_found());
        assert!(drawn.below(20.0).is_found() && !drawn.below(7.0).is_found());
        assert!(!exact("x", "", 5.0).above(0.0).is_found());
    }
}
