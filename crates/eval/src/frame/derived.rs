//! Figures that needed several cells, and their row in `derived.csv`.

use super::basis::Basis;
use super::subject::Subject;
use crate::measure::{MetricId, Value, Word};
use crate::record;
use crate::record::{BadValue, Column, Field, Line, Values};
use crate::stats::resample::Interval;
use crate::unit::nine;

/// A figure that needed several cells. Its numbers have the nine digits of files.
#[derive(Clone, Debug, PartialEq)]
pub struct Derived {
    /// What it is about.
    pub subject: Subject,
    /// Which figure it is.
    pub metric: MetricId,
    /// Its value; `None` where it is undefined.
    pub value: Option<Value>,
    /// 95 % interval.
    pub interval: Option<Interval>,
    /// Sessions behind it.
    pub n: u32,
    /// What it rests on, or why it is undefined.
    pub basis: Basis,
}

impl Derived {
    /// A figure without a value.
    pub fn undefined(subject: Subject, metric: MetricId, basis: Basis) -> Derived {
        Derived { subject, metric, value: None, interval: None, n: 0, basis }
    }

    /// A number, rounded as files carry it. One that is not finite is undefined.
    pub fn number(
        subject: Subject,
        metric: MetricId,
        value: Option<f64>,
        n: usize,
        basis: Basis,
    ) -> Derived {
        let value = value.map(nine).filter(|value| value.is_finite()).map(Value::Number);
        Derived { value, n: n as u32, ..Derived::undefined(subject, metric, basis) }
    }

    /// A word.
    pub fn word(subject: Subject, metric: MetricId, word: Word, n: usize, basis: Basis) -> Derived {
        let value = Some(Value::Word(word));
        Derived { value, n: n as u32, ..Derived::undefined(subject, metric, basis) }
    }

    /// The same with an interval.
    pub fn within(self, interval: Option<Interval>) -> Derived {
        let rounded = |ends: Interval| Interval { low: nine(ends.low), high: nine(ends.high) };
        Derived { interval: interval.map(rounded), ..self }
    }

    /// A figure of one session: its value, or why there is none.
    pub fn single(
        subject: Subject,
        metric: MetricId,
        value: Result<f64, Basis>,
        basis: Basis,
    ) -> Derived {
        match value {
            Ok(value) => {
                let row = Derived::number(subject, metric, Some(value), 1, basis);
                Derived { n: u32::from(row.value.is_some()), ..row }
            }
            Err(why) => Derived::undefined(subject, metric, why),
        }
    }

    /// Its value where that is a number.
    pub fn as_number(&self) -> Option<f64> {
        self.value?.number()
    }

    /// Its value where that is a word.
    pub fn as_word(&self) -> Option<Word> {
        self.value?.word()
    }
}

record! {
    /// A row of `derived.csv`: every part of the subject in a column of its own, numbers
    /// and words apart.
    #[derive(Clone, Debug, PartialEq)]
    pub struct DerivedRow {
        /// What it is about.
        pub subject: Subject,
        /// Metric.
        pub metric: String,
        /// The value where it is a number; empty where it is undefined.
        pub value: Option<f64>,
        /// The value where it is a word; empty where it is undefined.
        pub word: String,
        /// 95 % interval, low end.
        pub low: Option<f64>,
        /// High end.
        pub high: Option<f64>,
        /// Sessions behind it.
        pub n: u32,
        /// What it rests on or why it is undefined, as a code.
        pub basis: String,
        /// Parameters of the code, as a JSON object; empty where it has none.
        pub parameters: String,
        /// The same in English, for people: nothing reads it.
        pub reason: String,
    }
}

/// As its row.
impl Field for Derived {
    fn columns(name: &'static str, meaning: &str) -> Vec<Column> {
        DerivedRow::columns(name, meaning)
    }

    fn write(&self, line: &mut Line) {
        DerivedRow::from(self.clone()).write(line);
    }

    fn read(values: &mut Values) -> Result<Derived, BadValue> {
        let row = DerivedRow::read(values)?;
        Derived::try_from(row).map_err(|rule| values.bad(rule))
    }
}

impl DerivedRow {
    fn value(&self, metric: MetricId) -> Result<Option<Value>, String> {
        match (self.value, self.word.as_str()) {
            (None, "") => Ok(None),
            (Some(value), "") => Ok(Some(Value::Number(number("value", value)?))),
            (None, word) => {
                let word = Word::parse(metric, word).ok_or_else(|| unknown("word", word))?;
                Ok(Some(Value::Word(word)))
            }
            _ => Err("a figure is a number or a word, not both".to_owned()),
        }
    }

    fn interval(&self) -> Result<Option<Interval>, String> {
        match (self.low, self.high) {
            (None, None) => Ok(None),
            (Some(low), Some(high)) => {
                Ok(Some(Interval { low: number("low", low)?, high: number("high", high)? }))
            }
            (Some(_), None) | (None, Some(_)) => {
                Err("an interval has `low` and `high` or neither".to_owned())
            }
        }
    }
}

fn unknown(column: &str, text: &str) -> String {
    format!("`{column}` is never `{text}`")
}

fn number(column: &str, number: f64) -> Result<f64, String> {
    match number.is_finite() {
        true => Ok(number),
        false => Err(format!("`{column}` is no number: `{number}`")),
    }
}

impl From<Derived> for DerivedRow {
    fn from(derived: Derived) -> DerivedRow {
        let Derived { subject, metric, value, interval, n, basis } = derived;
        let (code, parameters) = basis.code();
        let word = value.and_then(Value::word).map_or("", Word::name);
        DerivedRow {
            subject,
            metric: metric.to_string(),
            value: value.and_then(Value::number),
            word: word.to_owned(),
            low: interval.map(|interval| interval.low),
            high: interval.map(|interval| interval.high),
            n,
            basis: code,
            parameters,
            reason: basis.to_string(),
        }
    }
}

impl TryFrom<DerivedRow> for Derived {
    type Error = String;
    fn try_from(row: DerivedRow) -> Result<Derived, String> {
        let metric: MetricId = row.metric.parse().map_err(|_| unknown("metric", &row.metric))?;
        let basis = Basis::parse(&row.basis, &row.parameters)
            .map_err(|error| format!("`basis` `{}`: {error}", row.basis))?;
        let (value, interval) = (row.value(metric)?, row.interval()?);
        Ok(Derived { subject: row.subject, metric, value, interval, n: row.n, basis })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::{Scope, Setting, Stage};
    use crate::measure::Sign;

    /// A subject with all the parts that any scope has.
    fn subject(scope: Scope) -> Subject {
        let text = str::to_owned;
        let setting = Setting {
            configuration: text("forge-adr@limit=0.40"),
            mode: text("deployed"),
            summarizer: text("extractive"),
        };
        Subject {
            cell: text("valve@50k/forge-adr/1"),
            seed: Some(7),
            beside: text("b"),
            stage: Some(Stage { number: 2, strategy: text("truncate") }),
            occasion: text("before-call"),
            ..Subject::on("valve", scope, setting)
        }
    }

    /// What comes back of a line.
    fn read_back(derived: &Derived) -> Result<Derived, BadValue> {
        let mut line = Line::default();
        derived.write(&mut line);
        Derived::read(&mut Values::new(&line))
    }

    #[test]
    fn a_figure_is_read_back_as_written() {
        let word = Word::Sign(Sign::SummarizerDependent);
        for scope in Scope::ALL {
            let basis = Basis::Beside { reference: "x".to_owned() };
            let third = Some(1.0 / 3.0);
            let metric = MetricId::BracketSign;
            for figure in [
                Derived::number(subject(scope), MetricId::RecallAtNeed, third, 3, basis)
                    .within(Some(Interval { low: 0.1, high: 2.0 / 3.0 })),
                Derived::word(subject(scope), metric, word, 2, Basis::Direct),
                Derived::undefined(subject(scope), MetricId::CostUsd, Basis::NoSession),
            ] {
                assert_eq!(read_back(&figure), Ok(figure));
            }
        }
    }

    #[test]
    fn a_row_that_says_something_else_is_refused() {
        let sound = || {
            let subject = subject(Scope::Configuration);
            DerivedRow::from(Derived::undefined(subject, MetricId::CostUsd, Basis::NoSession))
        };
        for broken in [
            DerivedRow { metric: "cost.euro".to_owned(), ..sound() },
            DerivedRow { value: Some(f64::INFINITY), ..sound() },
            DerivedRow { word: "eliminated".to_owned(), ..sound() },
            DerivedRow { low: Some(1.0), ..sound() },
            DerivedRow { basis: "because".to_owned(), ..sound() },
        ] {
            assert!(Derived::try_from(broken.clone()).is_err(), "{broken:?}");
        }
    }
}
