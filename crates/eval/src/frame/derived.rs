//! Figures that needed several cells, and their row in `derived.csv`.

use serde::{Deserialize, Serialize};

use super::basis::Basis;
use super::subject::{Scope, Setting, Stage, Subject};
use crate::measure::{MetricId, Value, Word};
use crate::record;
use crate::record::{BadValue, Column, Field, Line, Values};
use crate::stats::resample::Interval;
use crate::unit::nine;

/// A figure that needed several cells. Its numbers have the nine digits of files.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(into = "DerivedRow", try_from = "DerivedRow")]
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
    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
    pub struct DerivedRow {
        /// What kind of subject it is about: `cell`, `session`, `scenario`, `group` (one
        /// setting over a family of scenarios), `configuration` (one setting over all),
        /// `bank`, `bracket`, `pair`, `stage` or `trigger`.
        pub scope: String,
        /// Cell id.
        pub cell: String,
        /// Scenario; the family of scenarios where the scope is `group`.
        pub scenario: String,
        /// Seed of the session.
        pub seed: Option<u64>,
        /// Pipeline, with its variant where that is not `windowed`.
        pub configuration: String,
        /// Mode, such as `deployed`.
        pub mode: String,
        /// Summarizer.
        pub summarizer: String,
        /// The configuration whose figure is taken off, where the scope is `pair`.
        pub beside: String,
        /// Place and strategy of a stage.
        pub stage: String,
        /// Occasion.
        pub occasion: String,
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
    fn about(subject: Subject) -> DerivedRow {
        let scope = subject.scope().name().to_owned();
        let row = DerivedRow { scope, ..DerivedRow::default() };
        let under = |setting: Setting, row: DerivedRow| {
            let Setting { configuration, mode, summarizer } = setting;
            DerivedRow { configuration, mode, summarizer, ..row }
        };
        match subject {
            Subject::Cell { cell, scenario, seed, setting } => {
                DerivedRow { cell, scenario, seed: Some(seed), ..under(setting, row) }
            }
            Subject::Session { scenario, seed } => DerivedRow { scenario, seed: Some(seed), ..row },
            Subject::Scenario { scenario } => DerivedRow { scenario, ..row },
            Subject::Group { family, setting } => {
                DerivedRow { scenario: family, ..under(setting, row) }
            }
            Subject::Configuration { setting } | Subject::Bank { setting } => under(setting, row),
            Subject::Bracket { scenario, configuration, mode } => {
                DerivedRow { scenario, configuration, mode, ..row }
            }
            Subject::Pair { scenario, configuration, beside, mode } => {
                DerivedRow { scenario, configuration, beside, mode, ..row }
            }
            Subject::Stage { setting, stage } => {
                DerivedRow { stage: stage.to_string(), ..under(setting, row) }
            }
            Subject::Trigger { setting, stage, occasion } => {
                DerivedRow { stage: stage.to_string(), occasion, ..under(setting, row) }
            }
        }
    }

    fn subject(&self) -> Result<Subject, String> {
        let scope = Scope::named(&self.scope).ok_or_else(|| unknown("scope", &self.scope))?;
        let setting = || Setting {
            configuration: self.configuration.clone(),
            mode: self.mode.clone(),
            summarizer: self.summarizer.clone(),
        };
        let scenario = self.scenario.clone();
        let (configuration, mode) = (self.configuration.clone(), self.mode.clone());
        let seed = || self.seed.ok_or_else(|| format!("`seed` of a {} is missing", self.scope));
        Ok(match scope {
            Scope::Cell => Subject::Cell {
                cell: self.cell.clone(),
                scenario,
                seed: seed()?,
                setting: setting(),
            },
            Scope::Session => Subject::Session { scenario, seed: seed()? },
            Scope::Scenario => Subject::Scenario { scenario },
            Scope::Group => Subject::Group { family: scenario, setting: setting() },
            Scope::Configuration => Subject::Configuration { setting: setting() },
            Scope::Bank => Subject::Bank { setting: setting() },
            Scope::Bracket => Subject::Bracket { scenario, configuration, mode },
            Scope::Pair => {
                Subject::Pair { scenario, configuration, beside: self.beside.clone(), mode }
            }
            Scope::Stage => Subject::Stage { setting: setting(), stage: self.stage()? },
            Scope::Trigger => Subject::Trigger {
                setting: setting(),
                stage: self.stage()?,
                occasion: self.occasion.clone(),
            },
        })
    }

    fn stage(&self) -> Result<Stage, String> {
        let parts = self.stage.split_once(' ');
        let stage = parts.and_then(|(number, strategy)| {
            Some(Stage { number: number.parse().ok()?, strategy: strategy.to_owned() })
        });
        stage.ok_or_else(|| unknown("stage", &self.stage))
    }

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
        DerivedRow {
            metric: metric.to_string(),
            value: value.and_then(Value::number),
            word: value
                .and_then(Value::word)
                .map(|word| word.name().to_owned())
                .unwrap_or_default(),
            low: interval.map(|interval| interval.low),
            high: interval.map(|interval| interval.high),
            n,
            basis: code,
            parameters,
            reason: basis.to_string(),
            ..DerivedRow::about(subject)
        }
    }
}

impl TryFrom<DerivedRow> for Derived {
    type Error = String;
    fn try_from(row: DerivedRow) -> Result<Derived, String> {
        let metric: MetricId = row.metric.parse().map_err(|_| unknown("metric", &row.metric))?;
        let basis = Basis::parse(&row.basis, &row.parameters)
            .map_err(|error| format!("`basis` `{}`: {error}", row.basis))?;
        Ok(Derived {
            subject: row.subject()?,
            metric,
            value: row.value(metric)?,
            interval: row.interval()?,
            n: row.n,
            basis,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::Sign;

    fn setting() -> Setting {
        Setting {
            configuration: "forge-adr@limit=0.40".to_owned(),
            mode: "deployed".to_owned(),
            summarizer: "extractive".to_owned(),
        }
    }

    fn subjects() -> Vec<Subject> {
        let text = str::to_owned;
        let stage = Stage { number: 2, strategy: text("truncate") };
        let (scenario, mode) = (text("valve"), text("forced"));
        vec![
            Subject::Cell {
                cell: text("valve@50k/forge-adr/1"),
                scenario: scenario.clone(),
                seed: 1,
                setting: setting(),
            },
            Subject::Session { scenario: scenario.clone(), seed: 7 },
            Subject::Scenario { scenario: scenario.clone() },
            Subject::Group { family: text("valves"), setting: setting() },
            Subject::Configuration { setting: setting() },
            Subject::Bank { setting: setting() },
            Subject::Bracket {
                scenario: scenario.clone(),
                configuration: text("a"),
                mode: mode.clone(),
            },
            Subject::Pair { scenario, configuration: text("a"), beside: text("b"), mode },
            Subject::Stage { setting: setting(), stage: stage.clone() },
            Subject::Trigger { setting: setting(), stage, occasion: text("before-call") },
        ]
    }

    #[test]
    fn every_subject_is_read_back_as_written() {
        for subject in subjects() {
            let basis = Basis::Beside { reference: "x".to_owned() };
            let written =
                Derived::number(subject, MetricId::RecallAtNeed, Some(1.0 / 3.0), 3, basis)
                    .within(Some(Interval { low: 0.1, high: 2.0 / 3.0 }));
            let row = DerivedRow::from(written.clone());
            assert_eq!(Derived::try_from(row), Ok(written));
        }
    }

    #[test]
    fn words_and_numbers_have_columns_of_their_own() {
        let subject = || Subject::Configuration { setting: setting() };
        let word = Word::Sign(Sign::SummarizerDependent);
        let word = Derived::word(subject(), MetricId::BracketSign, word, 2, Basis::Direct);
        let row = DerivedRow::from(word.clone());
        assert_eq!((row.value, row.word.as_str()), (None, "summarizer-dependent"));
        assert_eq!(Derived::try_from(row), Ok(word));
        let undefined = Derived::undefined(subject(), MetricId::CostUsd, Basis::NoSession);
        let row = DerivedRow::from(undefined.clone());
        assert_eq!((row.value, row.word.as_str(), row.n), (None, "", 0));
        assert_eq!(Derived::try_from(row), Ok(undefined));
    }

    #[test]
    fn a_row_that_says_something_else_is_refused() {
        let sound = || {
            let subject = Subject::Configuration { setting: setting() };
            DerivedRow::from(Derived::undefined(subject, MetricId::CostUsd, Basis::NoSession))
        };
        for broken in [
            DerivedRow { scope: "galaxy".to_owned(), ..sound() },
            DerivedRow { metric: "cost.euro".to_owned(), ..sound() },
            DerivedRow { value: Some(f64::INFINITY), ..sound() },
            DerivedRow { word: "eliminated".to_owned(), ..sound() },
            DerivedRow { low: Some(1.0), ..sound() },
            DerivedRow { basis: "because".to_owned(), ..sound() },
            DerivedRow { scope: "session".to_owned(), ..sound() },
        ] {
            assert!(Derived::try_from(broken.clone()).is_err(), "{broken:?}");
        }
    }
}
