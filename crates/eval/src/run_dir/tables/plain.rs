//! Tables as CSV.

use std::io::Read;
use std::path::Path;

use csv::{Reader, StringRecord};

use super::text::open_text;
use crate::error::{Error, Result};
use crate::record::{Column, ColumnType, Line, Value};

/// A CSV file with a header line; every error names its line.
pub(crate) struct CsvTable {
    file: String,
    reader: Reader<Box<dyn Read + Send>>,
    pub(crate) headers: StringRecord,
}

impl CsvTable {
    pub(crate) fn open(path: &Path) -> Result<CsvTable> {
        let mut reader = Reader::from_reader(open_text(path)?);
        let file = path.display().to_string();
        let headers = reader.headers().cloned().map_err(|error| broken(&file, &error))?;
        Ok(CsvTable { file, reader, headers })
    }

    /// Reads the next line; whether there was one.
    pub(crate) fn next(&mut self, line: &mut StringRecord) -> Result<bool> {
        self.reader.read_record(line).map_err(|error| broken(&self.file, &error))
    }

    /// Where columns stand.
    pub(crate) fn places(&self, columns: &[Column]) -> Result<Vec<usize>> {
        let place = |column: &Column| {
            let found = self.headers.iter().position(|header| header == column.name);
            found.ok_or_else(|| Error::Line {
                file: self.file.clone(),
                line: 1,
                rule: format!("the header has no column `{}`", column.name),
            })
        };
        columns.iter().map(place).collect()
    }

    /// The values of columns that stand at these places.
    pub(crate) fn values(
        &self,
        record: &StringRecord,
        columns: &[Column],
        places: &[usize],
        line: &mut Line,
    ) -> Result<()> {
        line.clear();
        for (column, place) in columns.iter().zip(places) {
            let text = record.get(*place).unwrap_or_default();
            let value = match column.kind {
                _ if text.is_empty() && column.optional => Some(Value::Empty),
                ColumnType::String => Some(Value::Text(text)),
                ColumnType::Integer => text.parse().ok().map(Value::Integer),
                ColumnType::Number => text.parse().ok().map(Value::Number),
            };
            line.push(value.ok_or_else(|| {
                let kind = match column.kind {
                    ColumnType::Integer => "a whole number",
                    ColumnType::Number | ColumnType::String => "a number",
                };
                self.fault(record, format!("`{}`: `{text}` is not {kind}", column.name))
            })?);
        }
        Ok(())
    }

    pub(crate) fn fault(&self, record: &StringRecord, rule: String) -> Error {
        let line = record.position().map_or(0, csv::Position::line) as usize;
        Error::Line { file: self.file.clone(), line, rule }
    }
}

fn broken(file: &str, error: &csv::Error) -> Error {
    let line = error.position().map_or(1, csv::Position::line) as usize;
    let rule = match error.kind() {
        csv::ErrorKind::Io(source) => {
            let source = std::io::Error::new(source.kind(), source.to_string());
            return Error::io("read", Path::new(file), source);
        }
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("the line has {len} fields, the header {expected_len}")
        }
        csv::ErrorKind::Utf8 { .. } => "the line is not UTF-8".to_owned(),
        _ => error.to_string(),
    };
    Error::Line { file: file.to_owned(), line, rule }
}
