//! Values of figures, and the words that some of them are.

use std::fmt;

use crate::measure::floor::verdict::Verdict;
use crate::measure::table::{self, MetricId};
use crate::stats::fit::Model;
use crate::trace::Ending;
use crate::unit::{float, nine};
use crate::words;

/// A figure's value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// In the metric's unit; always finite.
    Number(f64),
    /// One of the metric's words.
    Word(Word),
}

impl Value {
    /// The value where it is a number.
    pub fn number(self) -> Option<f64> {
        match self {
            Value::Number(number) => Some(number),
            Value::Word(_) => None,
        }
    }

    /// The value where it is a word.
    pub fn word(self) -> Option<Word> {
        match self {
            Value::Word(word) => Some(word),
            Value::Number(_) => None,
        }
    }

    /// The value that [`Value`] writes as this; `None` where it is none of the metric's.
    pub fn parse(metric: MetricId, text: &str) -> Option<Value> {
        match metric.metric().unit {
            "word" => Word::parse(metric, text).map(Value::Word),
            _ => text.parse().ok().filter(|number: &f64| number.is_finite()).map(Value::Number),
        }
    }
}

/// As every file of a run writes it.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Number(number) => f.pad(&float(*number)),
            Value::Word(word) => f.pad(word.name()),
        }
    }
}

words! {
    /// The sign of a difference in recall, the first less the second, that holds under every
    /// decisive summarizer.
    pub enum Sign {
        Higher = "higher",
        Lower = "lower",
        Equal = "equal",
        /// It is not the same under all.
        SummarizerDependent = "summarizer-dependent",
    }
}

words! {
    /// Whether a check of the run itself holds.
    pub enum Check {
        Holds = "holds",
        Fails = "fails",
    }
}

/// A value that is a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Word {
    /// How a session ended.
    Ended(Ending),
    /// How a floor grows.
    Growth(Model),
    /// What becomes of a floor.
    Floor(Verdict),
    /// Whether a difference is the summarizer's.
    Sign(Sign),
    /// Whether a control holds.
    Check(Check),
}

impl Word {
    /// Name in files.
    pub fn name(self) -> &'static str {
        match self {
            Word::Ended(ending) => ending.name(),
            Word::Growth(model) => model.name(),
            Word::Floor(verdict) => verdict.name(),
            Word::Sign(sign) => sign.name(),
            Word::Check(check) => check.name(),
        }
    }

    /// The metric's word of this name.
    pub fn parse(metric: MetricId, text: &str) -> Option<Word> {
        match metric {
            MetricId::EndedBy => Ending::named(text).map(Word::Ended),
            MetricId::FloorGrowth | MetricId::FloorGrowthLowWater => {
                Model::named(text).map(Word::Growth)
            }
            MetricId::FloorVerdict => Verdict::named(text).map(Word::Floor),
            MetricId::BracketSign => Sign::named(text).map(Word::Sign),
            MetricId::ControlBrackets | MetricId::ControlAdversary => {
                Check::named(text).map(Word::Check)
            }
            _ => None,
        }
    }
}

/// The figures of one cell, by metric. A figure without a value is undefined there.
#[derive(Clone, Default, PartialEq)]
pub struct Measurement {
    /// By place in the table; shorter where nothing behind is defined.
    values: Vec<Option<Value>>,
}

impl Measurement {
    /// The value of this metric; `None` where it is undefined.
    pub fn value(&self, metric: MetricId) -> Option<Value> {
        self.values.get(metric as usize).copied().flatten()
    }

    /// The number of this metric; `None` where it is undefined or a word.
    pub fn number(&self, metric: MetricId) -> Option<f64> {
        self.value(metric)?.number()
    }

    /// The word of this metric; `None` where it is undefined or a number.
    pub fn word(&self, metric: MetricId) -> Option<Word> {
        self.value(metric)?.word()
    }

    /// How the session ended.
    pub fn ended_by(&self) -> Option<Ending> {
        match self.word(MetricId::EndedBy) {
            Some(Word::Ended(ending)) => Some(ending),
            _ => None,
        }
    }

    /// Sets or clears a value. A number that is not finite is undefined.
    pub fn set(&mut self, metric: MetricId, value: Option<Value>) {
        let place = metric as usize;
        let value = value.filter(|value| value.number().is_none_or(f64::is_finite));
        if place >= self.values.len() {
            self.values.resize(place + 1, None);
        }
        self.values[place] = value;
    }

    /// Sets a number; one that is not finite is undefined.
    pub fn put(&mut self, metric: MetricId, value: impl Into<Option<f64>>) {
        self.set(metric, value.into().map(Value::Number));
    }

    pub(super) fn count(&mut self, metric: MetricId, count: usize) {
        self.put(metric, count as f64);
    }

    /// Every metric of cells with its value, in the order of the table.
    pub fn values(&self) -> impl Iterator<Item = (MetricId, Option<Value>)> {
        table::of_cells().map(|metric| (metric, self.value(metric)))
    }

    /// The same figures in the nine digits that files carry.
    pub fn as_written(&self) -> Measurement {
        let rounded = |value: &Option<Value>| match value {
            Some(Value::Number(number)) => Some(Value::Number(nine(*number))),
            Some(Value::Word(_)) | None => *value,
        };
        Measurement { values: self.values.iter().map(rounded).collect() }
    }
}

impl fmt::Debug for Measurement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let defined = self.values().filter_map(|(metric, value)| Some((metric, value?)));
        f.debug_map().entries(defined).finish()
    }
}

impl FromIterator<(MetricId, Value)> for Measurement {
    fn from_iter<I: IntoIterator<Item = (MetricId, Value)>>(values: I) -> Measurement {
        let mut measurement = Measurement::default();
        values.into_iter().for_each(|(metric, value)| measurement.set(metric, Some(value)));
        measurement
    }
}
