//! Tables as Parquet, in gzipped pages, written and read in the memory of a row group.

use std::fs::File;
use std::sync::Arc;

use parquet::basic::{
    Compression, ConvertedType, Encoding, GzipLevel, Repetition, Type as Physical,
};
use parquet::column::reader::ColumnReader;
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{ColumnPath, Type};

use crate::prelude::*;
use crate::record::{Column, ColumnType, Line, Value};
use crate::run_dir::write::Fresh;

pub(super) const GROUP: usize = 1 << 17;

/// The values of a column in one row group; `levels` has 1 for each that is there, else 0.
#[derive(Default)]
struct Buffer {
    levels: Vec<i16>,
    integers: Vec<i64>,
    numbers: Vec<f64>,
    texts: Vec<ByteArray>,
}

pub(super) struct Writer {
    path: PathBuf,
    columns: Vec<Column>,
    writer: SerializedFileWriter<Fresh>,
    buffers: Vec<Buffer>,
    lines: usize,
}

impl Writer {
    pub(super) fn new(fresh: Fresh, path: &Path, columns: &[Column]) -> Result<Writer> {
        let fail = |error| failed("write", path, error);
        let mut properties = WriterProperties::builder()
            .set_compression(Compression::GZIP(GzipLevel::try_new(6).map_err(fail)?))
            .set_statistics_enabled(EnabledStatistics::None)
            // The library's version is no part of what was measured.
            .set_created_by("proctor".to_owned());
        for column in columns {
            let encoding = match column.kind {
                // Counts and sizes change little from one row to the next.
                ColumnType::Integer => Encoding::DELTA_BINARY_PACKED,
                // Of numbers it is the first bytes that change little.
                ColumnType::Number => Encoding::BYTE_STREAM_SPLIT,
                ColumnType::String => continue,
            };
            let name = ColumnPath::from(column.name);
            properties = properties
                .set_column_dictionary_enabled(name.clone(), false)
                .set_column_encoding(name, encoding);
        }
        let schema = Arc::new(schema(columns).map_err(fail)?);
        let writer =
            SerializedFileWriter::new(fresh, schema, Arc::new(properties.build())).map_err(fail)?;
        let buffers = columns.iter().map(|_| Buffer::default()).collect();
        Ok(Writer { path: path.to_owned(), columns: columns.to_vec(), writer, buffers, lines: 0 })
    }

    pub(super) fn put(&mut self, line: &Line) -> Result<()> {
        for (value, buffer) in line.values().zip(&mut self.buffers) {
            buffer.levels.push(i16::from(value != Value::Empty));
            match value {
                Value::Empty => {}
                Value::Integer(value) => buffer.integers.push(value as i64),
                Value::Number(value) => buffer.numbers.push(value),
                Value::Text(text) => buffer.texts.push(text.into()),
            }
        }
        self.lines += 1;
        if self.lines == GROUP {
            self.flush()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        let written = write_group(&mut self.writer, &self.columns, &self.buffers);
        written.map_err(|error| failed("write", &self.path, error))?;
        self.buffers.fill_with(Buffer::default);
        self.lines = 0;
        Ok(())
    }

    pub(super) fn finish(mut self) -> Result<Fresh> {
        if self.lines > 0 {
            self.flush()?;
        }
        self.writer.into_inner().map_err(|error| failed("write", &self.path, error))
    }
}

fn schema(columns: &[Column]) -> Result<Type, ParquetError> {
    let field = |column: &Column| {
        let (physical, converted) = match column.kind {
            ColumnType::Integer => (Physical::INT64, ConvertedType::NONE),
            ColumnType::Number => (Physical::DOUBLE, ConvertedType::NONE),
            ColumnType::String => (Physical::BYTE_ARRAY, ConvertedType::UTF8),
        };
        let repetition = if column.optional { Repetition::OPTIONAL } else { Repetition::REQUIRED };
        let field = Type::primitive_type_builder(column.name, physical);
        let field = field.with_converted_type(converted).with_repetition(repetition).build()?;
        Ok(Arc::new(field))
    };
    let fields = columns.iter().map(field).collect::<Result<_, ParquetError>>()?;
    Type::group_type_builder("row").with_fields(fields).build()
}

fn write_group(
    writer: &mut SerializedFileWriter<Fresh>,
    columns: &[Column],
    buffers: &[Buffer],
) -> Result<(), ParquetError> {
    let mut group = writer.next_row_group()?;
    for (column, buffer) in columns.iter().zip(buffers) {
        let Some(mut open) = group.next_column()? else { break };
        let levels = column.optional.then_some(buffer.levels.as_slice());
        match column.kind {
            ColumnType::Integer => {
                open.typed::<Int64Type>().write_batch(&buffer.integers, levels, None)?
            }
            ColumnType::Number => {
                open.typed::<DoubleType>().write_batch(&buffer.numbers, levels, None)?
            }
            ColumnType::String => {
                open.typed::<ByteArrayType>().write_batch(&buffer.texts, levels, None)?
            }
        };
        open.close()?;
    }
    group.close()?;
    Ok(())
}

pub(super) struct Reader {
    path: PathBuf,
    columns: Vec<Column>,
    reader: SerializedFileReader<File>,
    /// Where each column stands in the file.
    places: Vec<usize>,
    buffers: Vec<Buffer>,
    /// By column: values of the row group that were handed out.
    taken: Vec<usize>,
    group: usize,
    line: usize,
    lines: usize,
}

impl Reader {
    pub(super) fn open(path: &Path, columns: &[Column]) -> Result<Reader> {
        let file = File::open(path).map_err(|source| Error::io("read", path, source))?;
        let reader =
            SerializedFileReader::new(file).map_err(|error| failed("read", path, error))?;
        let schema = reader.metadata().file_metadata().schema_descr();
        let place = |column: &Column| {
            let found = schema.columns().iter().position(|one| one.name() == column.name);
            found.ok_or_else(|| {
                let rule = format!("the table has no column `{}`", column.name);
                Error::invalid(path.display().to_string(), rule)
            })
        };
        let places = columns.iter().map(place).collect::<Result<_>>()?;
        Ok(Reader {
            path: path.to_owned(),
            columns: columns.to_vec(),
            reader,
            places,
            buffers: columns.iter().map(|_| Buffer::default()).collect(),
            taken: vec![0; columns.len()],
            group: 0,
            line: 0,
            lines: 0,
        })
    }

    pub(super) fn next(&mut self, line: &mut Line) -> Result<bool> {
        while self.line == self.lines {
            if self.group == self.reader.num_row_groups() {
                return Ok(false);
            }
            self.load().map_err(|error| failed("read", &self.path, error))?;
        }
        line.clear();
        for ((column, buffer), taken) in self.columns.iter().zip(&self.buffers).zip(&mut self.taken)
        {
            if column.optional && buffer.levels.get(self.line) != Some(&1) {
                line.push(Value::Empty);
                continue;
            }
            let value = match column.kind {
                ColumnType::Integer => {
                    buffer.integers.get(*taken).map(|value| Value::Integer(*value as u64))
                }
                ColumnType::Number => buffer.numbers.get(*taken).map(|value| Value::Number(*value)),
                ColumnType::String => {
                    let text = buffer.texts.get(*taken).and_then(|text| text.as_utf8().ok());
                    text.map(Value::Text)
                }
            };
            line.push(value.ok_or_else(|| {
                let rule = format!("`{}` is not of the type of its column", column.name);
                Error::Line { file: self.path.display().to_string(), line: self.line + 1, rule }
            })?);
            *taken += 1;
        }
        self.line += 1;
        Ok(true)
    }

    fn load(&mut self) -> Result<(), ParquetError> {
        let group = self.reader.get_row_group(self.group)?;
        self.lines = group.metadata().num_rows() as usize;
        for (place, buffer) in self.places.iter().zip(&mut self.buffers) {
            *buffer = Buffer::default();
            let Buffer { levels, integers, numbers, texts } = buffer;
            // Where a column is never empty, no levels are stored and none are read.
            let (wanted, levels) = (self.lines, Some(levels));
            let (found, ..) = match group.get_column_reader(*place)? {
                ColumnReader::Int64ColumnReader(mut from) => {
                    from.read_records(wanted, levels, None, integers)?
                }
                ColumnReader::DoubleColumnReader(mut from) => {
                    from.read_records(wanted, levels, None, numbers)?
                }
                ColumnReader::ByteArrayColumnReader(mut from) => {
                    from.read_records(wanted, levels, None, texts)?
                }
                _ => return Err(ParquetError::General("a type that no column has".to_owned())),
            };
            if found != wanted {
                return Err(ParquetError::General(format!("{found} of {wanted} rows")));
            }
        }
        self.taken.fill(0);
        (self.group, self.line) = (self.group + 1, 0);
        Ok(())
    }
}

fn failed(action: &'static str, path: &Path, error: ParquetError) -> Error {
    match error {
        ParquetError::External(inner) => match inner.downcast::<std::io::Error>() {
            Ok(source) => Error::io(action, path, *source),
            Err(other) => Error::invalid(path.display().to_string(), other.to_string()),
        },
        other => Error::invalid(path.display().to_string(), other.to_string()),
    }
}
