//! Tables as CSV. Columns are found by name; what the table has besides is passed over.

use std::io::Read;

use csv::StringRecord;

use crate::prelude::*;
use crate::record::{Column, ColumnType, Line, Value};
use crate::run_dir::write::{Fresh, open_text};

pub(super) struct Writer {
    path: PathBuf,
    writer: csv::Writer<Fresh>,
}

impl Writer {
    pub(super) fn new(fresh: Fresh, path: &Path, columns: &[Column]) -> Result<Writer> {
        let mut writer = Writer { path: path.to_owned(), writer: csv::Writer::from_writer(fresh) };
        writer.record(columns.iter().map(|column| column.name.to_owned()))?;
        Ok(writer)
    }

    pub(super) fn put(&mut self, line: &Line) -> Result<()> {
        self.record(line.values().map(|value| value.to_string()))
    }

    fn record(&mut self, fields: impl Iterator<Item = String>) -> Result<()> {
        let written = self.writer.write_record(fields);
        written.map_err(|error| Error::io("write", &self.path, error.into()))
    }

    pub(super) fn finish(self) -> Result<Fresh> {
        let inner = self.writer.into_inner();
        inner.map_err(|error| Error::io("write", &self.path, error.into_error()))
    }
}

/// A table that is being read; every error names its line.
pub(super) struct Reader {
    file: String,
    reader: csv::Reader<Box<dyn Read + Send>>,
    columns: Vec<Column>,
    /// Where each column stands; nowhere for one that may be empty and is not there.
    places: Vec<Option<usize>>,
    record: StringRecord,
}

impl Reader {
    pub(super) fn open(path: &Path, columns: &[Column]) -> Result<Reader> {
        let mut reader = csv::Reader::from_reader(open_text(path)?);
        let file = path.display().to_string();
        let headers = reader.headers().map_err(|error| broken(&file, &error))?;
        let place = |column: &Column| {
            let found = headers.iter().position(|header| header == column.name);
            if found.is_none() && !column.optional {
                let rule = format!("the header has no column `{}`", column.name);
                return Err(Error::Line { file: file.clone(), line: 1, rule });
            }
            Ok(found)
        };
        let places = columns.iter().map(place).collect::<Result<_>>()?;
        let record = StringRecord::new();
        Ok(Reader { file, reader, columns: columns.to_vec(), places, record })
    }

    pub(super) fn next(&mut self, line: &mut Line) -> Result<bool> {
        let there = self.reader.read_record(&mut self.record);
        if !there.map_err(|error| broken(&self.file, &error))? {
            return Ok(false);
        }
        line.clear();
        for (column, place) in self.columns.iter().zip(&self.places) {
            let text = place.and_then(|place| self.record.get(place)).unwrap_or_default();
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
                let line = self.record.position().map_or(0, csv::Position::line) as usize;
                let rule = format!("`{}`: `{text}` is not {kind}", column.name);
                Error::Line { file: self.file.clone(), line, rule }
            })?);
        }
        Ok(true)
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
