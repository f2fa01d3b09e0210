//! Figures that needed several cells, and their row in `derived.csv`.

use super::basis::Basis;
use super::subject::Subject;
use crate::measure::{MetricId, Value, Word};
use crate::record::Value::Text;
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

/// A row of `derived.csv`: each part of the subject in a column, numbers and words apart.
impl Field for Derived {
    fn columns(_: &'static str, _: &str) -> Vec<Column> {
        let text = String::columns;
        let number = Option::<f64>::columns;
        [
            Subject::columns("", ""),
            text("metric", "Metric."),
            number("value", "The value where it is a number; empty where it is undefined."),
            text("word", "The value where it is a word; empty where it is undefined."),
            number("low", "95 % interval, low end."),
            number("high", "High end."),
            u32::columns("n", "Sessions behind it."),
            text("basis", "What it rests on or why it is undefined, as a code."),
            text(
                "parameters",
                "Parameters of the code, as a JSON object; empty where it has none.",
            ),
            text("reason", "The same in English, for people: nothing reads it."),
        ]
        .concat()
    }

    fn write(&self, line: &mut Line) {
        let Derived { subject, metric, value, interval, n, basis } = self;
        let (code, parameters) = basis.code();
        subject.write(line);
        line.push(Text(metric.name()));
        value.and_then(Value::number).write(line);
        line.push(Text(value.and_then(Value::word).map_or("", Word::name)));
        interval.map(|ends| ends.low).write(line);
        interval.map(|ends| ends.high).write(line);
        n.write(line);
        [code, parameters, basis.to_string()].iter().for_each(|text| text.write(line));
    }

    fn read(values: &mut Values) -> Result<Derived, BadValue> {
        let subject = Subject::read(values)?;
        let name = values.text();
        let metric = MetricId::named(name);
        let metric = metric.ok_or_else(|| values.bad(format!("there is no metric `{name}`")))?;
        let number = finite(values)?;
        let value = match (number, values.text()) {
            (number, "") => number.map(Value::Number),
            (None, word) => {
                let known = Word::parse(metric, word).map(Value::Word);
                Some(known.ok_or_else(|| values.bad(format!("it is never `{word}`")))?)
            }
            _ => return Err(values.bad("a figure is a number or a word, not both".to_owned())),
        };
        let interval = match (finite(values)?, finite(values)?) {
            (None, None) => None,
            (Some(low), Some(high)) => Some(Interval { low, high }),
            _ => {
                let rule = "an interval has `low` and `high` or neither";
                return Err(values.bad(rule.to_owned()));
            }
        };
        let n = u32::read(values)?;
        let (code, parameters) = (values.text(), values.text());
        let basis = Basis::parse(code, parameters)
            .map_err(|error| values.bad(format!("`{code}`: {error}")))?;
        values.text();
        Ok(Derived { subject, metric, value, interval, n, basis })
    }
}

fn finite(values: &mut Values) -> Result<Option<f64>, BadValue> {
    match Option::<f64>::read(values)? {
        Some(number) if !number.is_finite() => Err(values.bad(format!("no number: `{number}`"))),
        number => Ok(number),
    }
}
