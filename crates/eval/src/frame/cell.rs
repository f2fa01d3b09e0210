//! A cell of a run: its axes, what became of it, and its figures.

use serde::{Deserialize, Serialize};

use crate::drive::Mode;
use crate::matrix::{ADVERSARY, CellKey};
use crate::measure::Value as Figure;
use crate::measure::{Measurement, MetricId, table};
use crate::record::{BadValue, Column, ColumnType, Field, Line, Value, Values};
use crate::scenario::twin_of;

/// What became of a cell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CellState {
    /// Driven and measured.
    Done,
    /// An internal error; the cell is a row all the same.
    Failed(String),
    /// The model gave no answer that it was asked for, which says nothing of the strategy.
    Unanswered(String),
    /// Not driven, and why.
    Excluded(String),
}

impl CellState {
    /// Name in files.
    pub fn name(&self) -> &'static str {
        match self {
            CellState::Done => "done",
            CellState::Failed(_) => "failed",
            CellState::Unanswered(_) => "unanswered",
            CellState::Excluded(_) => "excluded",
        }
    }

    /// Why it is not done; empty where it is.
    pub fn error(&self) -> &str {
        match self {
            CellState::Done => "",
            CellState::Failed(why) | CellState::Unanswered(why) | CellState::Excluded(why) => why,
        }
    }

    /// Whether it was to be driven and has no figures.
    pub fn is_failed(&self) -> bool {
        matches!(self, CellState::Failed(_) | CellState::Unanswered(_))
    }

    /// The state of this name, with its reason.
    pub fn parse(name: &str, why: &str) -> Option<CellState> {
        let with: [fn(String) -> CellState; 3] =
            [CellState::Failed, CellState::Unanswered, CellState::Excluded];
        let known = with.into_iter().map(|state| state(why.to_owned())).chain([CellState::Done]);
        known.into_iter().find(|state| state.name() == name)
    }
}

/// A session: scenario and seed. Cells of one session are partners.
pub type Session<'a> = (&'a str, u64);

/// A cell with its figures: a row of `measurements.csv`.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasuredCell {
    /// Its axes.
    pub key: CellKey,
    /// What became of it.
    pub state: CellState,
    /// Its figures; none where it is not done.
    pub figures: Measurement,
}

impl MeasuredCell {
    /// A cell that was driven and measured.
    pub fn done(key: CellKey, figures: Measurement) -> MeasuredCell {
        MeasuredCell { key, state: CellState::Done, figures }
    }

    /// The number of this metric; `None` where it is undefined or a word.
    pub fn number(&self, metric: MetricId) -> Option<f64> {
        self.figures.number(metric)
    }

    /// Whether it was driven and measured.
    pub fn is_done(&self) -> bool {
        self.state == CellState::Done
    }

    /// Whether the session reached its last step.
    pub fn completed(&self) -> bool {
        self.number(MetricId::Completion) == Some(1.0)
    }

    /// Steps that the session reached.
    pub fn steps_reached(&self) -> f64 {
        self.number(MetricId::StepsReached).unwrap_or(0.0)
    }

    /// Names the session.
    pub fn session(&self) -> Session<'_> {
        (&self.key.scenario, self.key.seed)
    }

    /// Whether it is told in the second phrase bank: pooled, a session would count twice.
    pub fn is_twin(&self) -> bool {
        twin_of(&self.key.scenario).is_some()
    }
}

impl CellKey {
    /// Whether no window bounds it.
    pub fn is_windowless(&self) -> bool {
        self.variant == "windowless"
    }

    /// Whether it stands under its scenario's own window.
    pub fn is_windowed(&self) -> bool {
        self.variant == "windowed"
    }

    /// Whether it is one point of a sweep over limits, no configuration to choose.
    pub fn is_swept(&self) -> bool {
        !(self.is_contestant() || self.is_adversary())
    }

    /// Whether it was driven as a control that must lose, or as the chance beside one.
    pub fn is_adversary(&self) -> bool {
        self.variant == ADVERSARY
    }

    /// Whether it is a configuration to choose: no point of a sweep, no adversary.
    pub fn is_contestant(&self) -> bool {
        self.is_windowed() || self.is_windowless()
    }

    /// Whether it is the control of its session: nothing done, no window.
    pub fn is_control(&self) -> bool {
        self.pipeline == "none" && self.is_windowless()
    }

    /// Whether its agent acts on what it has lost.
    pub fn is_closed(&self) -> bool {
        Mode::is_closed(&self.mode)
    }

    /// Whether it was driven as its pipeline's own stages say, or at its session's own compactions.
    pub fn is_deployed(&self) -> bool {
        Mode::is_usual(&self.mode)
    }
}

/// A line of `measurements.csv`.
impl Field for MeasuredCell {
    fn columns(_: &'static str, _: &str) -> Vec<Column> {
        let text = |name, meaning| Column::new(name, ColumnType::String, "", meaning);
        let mut columns = CellKey::columns("key", "");
        columns.push(text(
            "state",
            "What became of it: `done`, `failed`, `unanswered` (by the model) or `excluded`.",
        ));
        columns.push(text("error", "Why it is not done; else empty."));
        columns.extend(table::of_cells().map(|id| {
            let metric = id.metric();
            let is_word = metric.unit == "word";
            let kind = if is_word { ColumnType::String } else { ColumnType::Number };
            let column = Column::new(id.name(), kind, metric.unit, metric.definition);
            Column { optional: true, ..column }
        }));
        columns
    }

    fn write(&self, line: &mut Line) {
        self.key.write(line);
        line.push(Value::Text(self.state.name()));
        line.push(Value::Text(self.state.error()));
        for (_, figure) in self.figures.values() {
            line.push(match &figure {
                None => Value::Empty,
                Some(Figure::Number(number)) => Value::Number(*number),
                Some(Figure::Word(word)) => Value::Text(word.name()),
            });
        }
    }

    fn read(values: &mut Values) -> Result<MeasuredCell, BadValue> {
        let key = CellKey::read(values)?;
        let state = values.text();
        let bad = values.bad(format!("a cell is never `{state}`"));
        let state = CellState::parse(state, values.text()).ok_or(bad)?;
        let mut figures = Measurement::default();
        for metric in table::of_cells() {
            let text = match values.value() {
                Value::Empty => continue,
                value => value.to_string(),
            };
            let value = Figure::parse(metric, &text);
            let refused = || values.bad(format!("it is never `{text}`"));
            figures.set(metric, Some(value.ok_or_else(refused)?));
        }
        Ok(MeasuredCell { key, state, figures })
    }
}
