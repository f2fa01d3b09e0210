//! The tables of a run directory: what they are called, how they are written and read.
//!
//! Tables with several rows for each cell are Parquet, the others plain CSV. Rows are
//! written and read one at a time: a table may be larger than memory.

mod packed;

use std::fs::File;
use std::io::{BufReader, Read, Write};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use csv::{Reader, StringRecord};
use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::frame::Derived;
use crate::record::{Column, ColumnType, Field, Line, Value, Values, columns};
use crate::row::{
    CompactionRow, CompositionRow, CurveRow, FactRow, FloorRow, StepRow, SurvivalRow, TriggerRow,
};
use crate::run_dir::write::Fresh;

/// The table with a row for each cell.
pub const MEASUREMENTS: &str = "measurements.csv";
/// Figures that need several cells.
pub const DERIVED: &str = "derived.csv";
/// Recall against tokens.
pub const CURVE: &str = "curve.csv";

/// A table as its description needs it.
#[derive(Clone, Debug)]
pub struct TableInfo {
    /// Its file in a run directory.
    pub file: &'static str,
    /// What its rows are.
    pub meaning: &'static str,
    /// Its columns; those of [`MEASUREMENTS`] and metrics are described elsewhere.
    pub columns: Vec<Column>,
}

/// Declares the tables that hold rows of single cells.
macro_rules! cell_tables {
    ($($(#[doc = $doc:literal])+ $table:ident: $row:ty = $file:literal,)+) => {
        /// The rows of one cell, table by table.
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
        pub struct CellRows {
            $( $(#[doc = $doc])+ pub $table: Vec<$row>, )+
        }

        /// The tables of [`CellRows`], open for writing.
        pub struct CellWriters {
            $( $table: TableWriter<$row>, )+
        }

        impl CellWriters {
            /// Begins every table in a directory.
            ///
            /// # Errors
            ///
            /// [`Error::Io`]; so below.
            pub fn create(dir: &Path) -> Result<CellWriters> {
                Ok(CellWriters { $( $table: TableWriter::create(dir, $file)?, )+ })
            }

            /// Appends the rows of a cell.
            pub fn put(&mut self, rows: &CellRows) -> Result<()> {
                $( self.$table.put(&rows.$table)?; )+
                Ok(())
            }

            /// Puts the tables in their places.
            pub fn finish(self) -> Result<()> {
                $( self.$table.finish()?; )+
                Ok(())
            }
        }

        /// The tables of [`CellRows`], open for reading cell by cell.
        pub(crate) struct CellReaders {
            $( $table: ByCell<$row>, )+
        }

        impl CellReaders {
            /// Opens every table of a run.
            pub(crate) fn open(dir: &Path) -> Result<CellReaders> {
                Ok(CellReaders { $( $table: ByCell::open(dir, $file)?, )+ })
            }

            /// The rows of the next cell in the order of the run.
            pub(crate) fn take(&mut self, cell: &str) -> Result<CellRows> {
                Ok(CellRows { $( $table: self.$table.take(cell, |row| &row.cell)?, )+ })
            }

            /// No table may go on behind the last cell.
            pub(crate) fn finish(self) -> Result<()> {
                $( self.$table.finish(|row| &row.cell)?; )+
                Ok(())
            }
        }

        /// The files of [`CellRows`].
        pub const CELL_TABLES: &[&str] = &[$( $file ),+];

        /// The tables of single cells, described.
        fn cell_table_infos() -> Vec<TableInfo> {
            vec![$( TableInfo {
                file: $file,
                meaning: concat!($($doc),+),
                columns: columns::<$row>(),
            }, )+]
        }
    };
}

cell_tables! {
    /// One row for each round of each floor probe.
    floor: FloorRow = "floor.parquet",
    /// What views were made of at the checkpoints and at the end: one row for each share.
    composition: CompositionRow = "composition.parquet",
    /// One row for each model call.
    steps: StepRow = "steps.parquet",
    /// One row for each plan of a strategy and what became of it.
    compactions: CompactionRow = "compactions.parquet",
    /// How often each stage was due on each occasion, by what came of it.
    triggers: TriggerRow = "triggers.parquet",
    /// One row for each demand for a fact and what the prompt held of it.
    facts: FactRow = "facts.parquet",
    /// Facts still known, by age, by summaries gone through and over the session.
    survival: SurvivalRow = "survival.parquet",
}

/// The tables of a run directory that are made of records.
pub fn infos() -> Vec<TableInfo> {
    let mut infos = vec![
        TableInfo {
            file: DERIVED,
            meaning: "Figures that need several cells: savings against the control, growth of the \
                      floor, figures pooled over sessions.",
            columns: columns::<Derived>(),
        },
        TableInfo {
            file: CURVE,
            meaning: "Recall against tokens: each configuration's point, with bounds.",
            columns: columns::<CurveRow>(),
        },
    ];
    infos.extend(cell_table_infos());
    infos
}

/// A table that is being written: Parquet or CSV, as its name says.
pub struct LineWriter {
    path: PathBuf,
    to: Target,
}

enum Target {
    Csv(Box<csv::Writer<Fresh>>),
    Parquet(Box<packed::Writer>),
}

impl LineWriter {
    /// Begins a table.
    ///
    /// # Errors
    ///
    /// [`Error::Io`]; so below.
    pub fn create(dir: &Path, file: &str, columns: &[Column]) -> Result<LineWriter> {
        let (fresh, path) = (Fresh::create(dir, file)?, dir.join(file));
        if is_packed(&path) {
            let to = Target::Parquet(Box::new(packed::Writer::new(fresh, &path, columns)?));
            return Ok(LineWriter { path, to });
        }
        let mut writer = csv::Writer::from_writer(fresh);
        writer
            .write_record(columns.iter().map(|column| column.name))
            .map_err(|error| Error::io("write", &path, error.into()))?;
        Ok(LineWriter { path, to: Target::Csv(Box::new(writer)) })
    }

    /// Appends a line.
    pub fn put(&mut self, line: &Line) -> Result<()> {
        match &mut self.to {
            Target::Parquet(writer) => writer.put(line),
            Target::Csv(writer) => writer
                .write_record(line.values().map(|value| value.to_string()))
                .map_err(|error| Error::io("write", &self.path, error.into())),
        }
    }

    /// Puts the table in its place.
    pub fn finish(self) -> Result<()> {
        let fresh = match self.to {
            Target::Parquet(writer) => writer.finish()?,
            Target::Csv(writer) => writer
                .into_inner()
                .map_err(|error| Error::io("write", &self.path, error.into_error()))?,
        };
        fresh.finish()
    }
}

/// A table of records that is being written.
pub struct TableWriter<R> {
    writer: LineWriter,
    line: Line,
    rows: PhantomData<fn(&R)>,
}

impl<R: Field> TableWriter<R> {
    /// Begins the table.
    ///
    /// # Errors
    ///
    /// [`Error::Io`]; so below.
    pub fn create(dir: &Path, file: &str) -> Result<TableWriter<R>> {
        let writer = LineWriter::create(dir, file, &columns::<R>())?;
        Ok(TableWriter { writer, line: Line::default(), rows: PhantomData })
    }

    /// Appends rows.
    pub fn put(&mut self, rows: &[R]) -> Result<()> {
        for row in rows {
            self.line.clear();
            row.write(&mut self.line);
            self.writer.put(&self.line)?;
        }
        Ok(())
    }

    /// Puts the table in its place.
    pub fn finish(self) -> Result<()> {
        self.writer.finish()
    }
}

/// Writes a whole table.
///
/// # Errors
///
/// [`Error::Io`].
pub fn write_table<R: Field>(dir: &Path, file: &str, rows: &[R]) -> Result<()> {
    let mut table = TableWriter::create(dir, file)?;
    table.put(rows)?;
    table.finish()
}

/// Opens a file for reading; one whose name ends in `.gz` is unpacked on the way.
///
/// # Errors
///
/// [`Error::Io`].
pub fn open_text(path: &Path) -> Result<Box<dyn Read + Send>> {
    let file = File::open(path).map_err(|source| Error::io("read", path, source))?;
    let file = BufReader::new(file);
    match path.extension().is_some_and(|extension| extension == "gz") {
        true => Ok(Box::new(MultiGzDecoder::new(file))),
        false => Ok(Box::new(file)),
    }
}

/// The whole text of a file, unpacked as by [`open_text`].
///
/// # Errors
///
/// [`Error::Io`].
pub fn whole_text(path: &Path) -> Result<String> {
    let mut text = String::new();
    let read = open_text(path)?.read_to_string(&mut text);
    read.map_err(|source| Error::io("read", path, source))?;
    Ok(text)
}

/// Gzips bytes for a file.
///
/// # Errors
///
/// [`Error::Io`].
pub fn packed_text(path: &Path, text: &[u8]) -> Result<Vec<u8>> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    packed
        .write_all(text)
        .and_then(|()| packed.finish())
        .map_err(|source| Error::io("write", path, source))
}

fn is_packed(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "parquet")
}

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

/// A table that is being read line by line: Parquet or CSV, as its name says.
pub struct LineReader {
    file: String,
    columns: Vec<Column>,
    from: Source,
    /// Lines read.
    number: usize,
}

enum Source {
    Csv { table: Box<CsvTable>, places: Vec<usize>, record: StringRecord },
    Parquet(Box<packed::Reader>),
}

impl LineReader {
    /// Opens a table to read these columns of it.
    ///
    /// # Errors
    ///
    /// [`Error::Io`], or [`Error::Line`] where it is no such table or lacks a column.
    pub fn open(path: &Path, columns: &[Column]) -> Result<LineReader> {
        let from = if is_packed(path) {
            Source::Parquet(Box::new(packed::Reader::open(path, columns)?))
        } else {
            let table = CsvTable::open(path)?;
            let (places, record) = (table.places(columns)?, StringRecord::new());
            Source::Csv { table: Box::new(table), places, record }
        };
        let (file, columns) = (path.display().to_string(), columns.to_vec());
        Ok(LineReader { file, columns, from, number: 0 })
    }

    /// Reads the next line; whether there was one.
    ///
    /// # Errors
    ///
    /// [`Error::Io`], or [`Error::Line`] where it cannot be used.
    pub fn next(&mut self, line: &mut Line) -> Result<bool> {
        self.number += 1;
        match &mut self.from {
            Source::Parquet(reader) => reader.next(line),
            Source::Csv { table, places, record } => {
                let there = table.next(record)?;
                if there {
                    table.values(record, &self.columns, places, line)?;
                }
                Ok(there)
            }
        }
    }

    /// The line that was read last as a record.
    fn record<R: Field>(&self, line: &Line) -> Result<R> {
        R::read(&mut Values::new(line)).map_err(|bad| {
            let column = self.columns.get(bad.column).map_or("", |column| column.name);
            let header = usize::from(matches!(self.from, Source::Csv { .. }));
            let (file, line) = (self.file.clone(), self.number + header);
            Error::Line { file, line, rule: format!("`{column}`: {}", bad.rule) }
        })
    }
}

/// The rows of a table, one at a time and in their order.
pub struct Rows<R> {
    reader: LineReader,
    line: Line,
    rows: PhantomData<fn() -> R>,
}

impl<R: Field> Rows<R> {
    /// Opens a table.
    ///
    /// # Errors
    ///
    /// Those of [`LineReader::open`].
    pub fn open(path: &Path) -> Result<Rows<R>> {
        let reader = LineReader::open(path, &columns::<R>())?;
        Ok(Rows { reader, line: Line::default(), rows: PhantomData })
    }
}

impl<R: Field> Iterator for Rows<R> {
    type Item = Result<R>;

    fn next(&mut self) -> Option<Result<R>> {
        match self.reader.next(&mut self.line) {
            Ok(true) => Some(self.reader.record(&self.line)),
            Ok(false) => None,
            Err(error) => Some(Err(error)),
        }
    }
}

/// A table whose rows stand in the order of cells.
struct ByCell<R> {
    file: &'static str,
    rows: Rows<R>,
    waiting: Option<R>,
}

impl<R: Field> ByCell<R> {
    fn open(dir: &Path, file: &'static str) -> Result<ByCell<R>> {
        Ok(ByCell { file, rows: Rows::open(&dir.join(file))?, waiting: None })
    }

    fn take(&mut self, cell: &str, of: fn(&R) -> &String) -> Result<Vec<R>> {
        let mut rows = Vec::new();
        while let Some(row) = self.waiting.take().map(Ok).or_else(|| self.rows.next()) {
            let row = row?;
            if of(&row) != cell {
                self.waiting = Some(row);
                break;
            }
            rows.push(row);
        }
        Ok(rows)
    }

    fn finish(mut self, of: fn(&R) -> &String) -> Result<()> {
        let Some(row) = self.waiting.take().map(Ok).or_else(|| self.rows.next()) else {
            return Ok(());
        };
        let rule = format!("has rows of `{}` out of the order of the run's cells", of(&row?));
        Err(Error::invalid(self.file, rule))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record;
    use crate::trace::LossClass;
    use crate::unit::Tokens;

    const FILE: &str = "floor.parquet";

    record! {
        /// A row with values that may be missing.
        #[derive(Clone, Debug, PartialEq)]
        pub struct Sparse {
            /// A number.
            pub share: Option<f64>,
            /// A word.
            pub word: Option<LossClass>,
            /// A text.
            pub text: String,
        }
    }

    fn row(cell: &str, round: u32) -> FloorRow {
        let (cell, tokens) = (cell.to_owned(), Tokens(7));
        FloorRow { cell, checkpoint: 1, step: 2, turn: 3, round, tokens, live: 5, present: 4 }
    }

    fn written(rows: &[FloorRow]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().expect("a directory");
        write_table(dir.path(), FILE, rows).expect("it is written");
        dir
    }

    fn read<R: Field>(path: &Path) -> Result<Vec<R>> {
        Rows::open(path)?.collect()
    }

    #[test]
    fn a_packed_table_is_read_as_it_was_written() {
        for all in [vec![], vec![row("a", 0), row("a", 1), row("b, c", 0)]] {
            let dir = written(&all);
            assert_eq!(read::<FloorRow>(&dir.path().join(FILE)).expect("it reads"), all);
        }
    }

    #[test]
    fn nothing_and_several_row_groups_survive_packing() {
        let rows: Vec<FloorRow> = (0..packed::GROUP as u32 * 2 + 5).map(|n| row("a", n)).collect();
        let dir = written(&rows);
        assert_eq!(read::<FloorRow>(&dir.path().join(FILE)).expect("it reads"), rows);
        let sparse = |share, word| Sparse { share, word, text: String::new() };
        let rows = [
            sparse(Some(0.25), None),
            sparse(None, Some(LossClass::Unseen)),
            sparse(Some(1.0), None),
        ];
        write_table(dir.path(), "sparse.parquet", &rows).expect("it is written");
        let found = read::<Sparse>(&dir.path().join("sparse.parquet"));
        assert_eq!(found.expect("it reads"), rows);
    }

    #[test]
    fn the_same_rows_are_the_same_bytes() {
        let bytes =
            |dir: &tempfile::TempDir| std::fs::read(dir.path().join(FILE)).expect("it is there");
        assert_eq!(bytes(&written(&[row("a", 0)])), bytes(&written(&[row("a", 0)])));
    }

    #[test]
    fn rows_are_handed_out_cell_by_cell() {
        let dir = written(&[row("a", 0), row("a", 1), row("c", 0)]);
        let mut table = ByCell::<FloorRow>::open(dir.path(), FILE).expect("it opens");
        let mut taken = |cell: &str| table.take(cell, |row| &row.cell).expect("it reads").len();
        assert_eq!(["a", "b", "c", "d"].map(&mut taken), [2, 0, 1, 0]);
        let mut table = ByCell::<FloorRow>::open(dir.path(), FILE).expect("it opens");
        assert_eq!(table.take("c", |row| &row.cell).expect("it reads").len(), 0);
        let error = table.finish(|row| &row.cell).expect_err("rows of `a` are left");
        assert!(error.to_string().contains("`a`"), "{error}");
    }

    #[test]
    fn a_line_that_cannot_be_used_is_named_with_its_column() {
        let header = "cell,checkpoint,step,turn,round,tokens,live,present";
        for (text, expected) in [
            (format!("{header}\na,1,2,3,0,7,5,4\na,1,2,3,0,many,5,4\n"), ":3: `tokens`: `many`"),
            (format!("{header}\na,4294967296,2,3,0,7,5,4\n"), ":2: `checkpoint`: `4294967296`"),
            (format!("{header}\na,1,2\n"), ":2: the line has 3 fields, the header 8"),
            ("cell,checkpoint\n".to_owned(), ":1: the header has no column `step`"),
        ] {
            let dir = tempfile::tempdir().expect("a directory");
            let path = dir.path().join("floor.csv");
            std::fs::write(&path, text).expect("it writes");
            let error = read::<FloorRow>(&path).expect_err("bad");
            assert!(error.to_string().contains(expected), "{error}");
        }
    }

    #[test]
    fn a_file_that_is_no_table_is_named() {
        let dir = written(&[row("a", 0)]);
        let path = dir.path().join(FILE);
        assert!(
            read::<TriggerRow>(&path).expect_err("other columns").to_string().contains("`stage`")
        );
        std::fs::write(&path, "PAR1").expect("it writes");
        assert!(read::<FloorRow>(&path).expect_err("no table").to_string().contains(FILE));
    }
}
