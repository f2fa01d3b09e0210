//! Tables line by line, whichever format they are in.

use super::{TableInfo, packed, plain};
use crate::prelude::*;
use crate::record::{Column, Field, Line, Value, Values, columns};
use crate::run_dir::write::Fresh;

fn is_packed(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "parquet")
}

/// A table that is being written: Parquet or CSV, as its name says.
pub struct LineWriter(Target);

enum Target {
    Csv(Box<plain::Writer>),
    Parquet(Box<packed::Writer>),
}

impl LineWriter {
    /// Begins a table.
    pub fn create(dir: &Path, file: &str, columns: &[Column]) -> Result<LineWriter> {
        let (fresh, path) = (Fresh::create(dir, file)?, dir.join(file));
        Ok(LineWriter(match is_packed(&path) {
            true => Target::Parquet(Box::new(packed::Writer::new(fresh, &path, columns)?)),
            false => Target::Csv(Box::new(plain::Writer::new(fresh, &path, columns)?)),
        }))
    }

    /// Appends a line.
    pub fn put(&mut self, line: &Line) -> Result<()> {
        match &mut self.0 {
            Target::Csv(writer) => writer.put(line),
            Target::Parquet(writer) => writer.put(line),
        }
    }

    /// Puts the table in its place.
    pub fn finish(self) -> Result<()> {
        let fresh = match self.0 {
            Target::Csv(writer) => writer.finish(),
            Target::Parquet(writer) => writer.finish(),
        };
        fresh?.finish()
    }
}

/// Writes a whole table.
pub fn write_table<R: Field>(dir: &Path, file: &str, rows: &[R]) -> Result<()> {
    let mut table = LineWriter::create(dir, file, &columns::<R>())?;
    let mut line = Line::default();
    for row in rows {
        line.clear();
        row.write(&mut line);
        table.put(&line)?;
    }
    table.finish()
}

/// A table that is being read line by line: Parquet or CSV, as its name says.
pub struct LineReader {
    file: String,
    columns: Vec<Column>,
    from: Source,
    number: usize,
}

enum Source {
    Csv(Box<plain::Reader>),
    Parquet(Box<packed::Reader>),
}

impl LineReader {
    /// Opens a table to read these columns; [`Error::Line`] where it lacks one.
    pub fn open(path: &Path, columns: &[Column]) -> Result<LineReader> {
        let from = match is_packed(path) {
            true => Source::Parquet(Box::new(packed::Reader::open(path, columns)?)),
            false => Source::Csv(Box::new(plain::Reader::open(path, columns)?)),
        };
        let (file, columns) = (path.display().to_string(), columns.to_vec());
        Ok(LineReader { file, columns, from, number: 0 })
    }

    /// Reads the next line; whether there was one.
    pub fn next(&mut self, line: &mut Line) -> Result<bool> {
        self.number += 1;
        match &mut self.from {
            Source::Csv(reader) => reader.next(line),
            Source::Parquet(reader) => reader.next(line),
        }
    }

    /// The line that was read last as a record.
    fn record<R: Field>(&self, line: &Line) -> Result<R> {
        R::read(&mut Values::new(line)).map_err(|bad| {
            let column = self.columns.get(bad.column).map_or("", |column| column.name);
            let header = usize::from(matches!(self.from, Source::Csv(_)));
            let (file, line) = (self.file.clone(), self.number + header);
            Error::Line { file, line, rule: format!("`{column}`: {}", bad.rule) }
        })
    }
}

/// The rows of a table, one at a time and in their order.
pub fn rows<R: Field>(path: &Path) -> Result<impl Iterator<Item = Result<R>> + use<R>> {
    rows_of(path, |_| true)
}

/// The rows of a table whose first column is wanted, one at a time and in their order.
pub fn rows_of<R: Field, W: Fn(&str) -> bool>(
    path: &Path,
    is_wanted: W,
) -> Result<impl Iterator<Item = Result<R>> + use<R, W>> {
    let (mut reader, mut line) = (LineReader::open(path, &columns::<R>())?, Line::default());
    Ok(std::iter::from_fn(move || {
        loop {
            match reader.next(&mut line) {
                Ok(true) if !is_wanted(Values::new(&line).text()) => {}
                Ok(there) => return there.then(|| reader.record(&line)),
                Err(error) => return Some(Err(error)),
            }
        }
    }))
}

/// A table whose lines stand in the order of cells, each with its cell in front.
pub(crate) struct ByCell {
    file: &'static str,
    reader: LineReader,
    line: Line,
    is_waiting: bool,
}

impl ByCell {
    pub(crate) fn open(dir: &Path, info: &TableInfo) -> Result<ByCell> {
        let reader = LineReader::open(&dir.join(info.file), &info.columns)?;
        Ok(ByCell { file: info.file, reader, line: Line::default(), is_waiting: false })
    }

    /// Whether a line is left, which then waits.
    fn next(&mut self) -> Result<bool> {
        self.is_waiting = self.is_waiting || self.reader.next(&mut self.line)?;
        Ok(self.is_waiting)
    }

    /// The lines of the next cell.
    pub(crate) fn take(&mut self, cell: &str) -> Result<Vec<Line>> {
        let mut lines = Vec::new();
        while self.next()? && self.line.get(0) == Value::Text(cell) {
            lines.push(self.line.clone());
            self.is_waiting = false;
        }
        Ok(lines)
    }

    /// Nothing may be left.
    pub(crate) fn finish(mut self) -> Result<()> {
        if !self.next()? {
            return Ok(());
        }
        let cell = self.line.get(0);
        let rule = format!("has rows of `{cell}` out of the order of the run's cells");
        Err(Error::invalid(self.file, rule))
    }
}
