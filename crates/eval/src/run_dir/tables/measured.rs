//! `measurements.csv`: a line for each cell, with its axes, its state and every metric.

use crate::frame::{CellState, MeasuredCell};
use crate::measure::{self, Measurement, table};
use crate::record::{BadValue, Column, ColumnType, Field, Line, Value, Values};
use crate::row::CellKey;

impl Field for MeasuredCell {
    fn columns(_: &'static str, _: &str) -> Vec<Column> {
        let text = |name, meaning| Column::new(name, ColumnType::String, "", meaning);
        let mut columns = CellKey::columns("key", "");
        columns.push(text("state", "What became of it: `done`, `failed` or `excluded`."));
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
                Some(measure::Value::Number(number)) => Value::Number(*number),
                Some(measure::Value::Word(word)) => Value::Text(word.name()),
            });
        }
    }

    fn read(values: &mut Values) -> Result<MeasuredCell, BadValue> {
        let key = CellKey::read(values)?;
        let state = values.text();
        let bad = values.bad(format!("a cell is never `{state}`"));
        let state = CellState::parse(state, values.text().to_owned()).ok_or(bad)?;
        let mut figures = Measurement::default();
        for metric in table::of_cells() {
            let text = match values.value() {
                Value::Empty => continue,
                value => value.to_string(),
            };
            let value = measure::Value::parse(metric, &text);
            let refused = || values.bad(format!("it is never `{text}`"));
            figures.set(metric, Some(value.ok_or_else(refused)?));
        }
        Ok(MeasuredCell { key, state, figures })
    }
}
