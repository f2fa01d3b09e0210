//! Writing a run directory: shards while cells land, sorted files at the end.
//!
//! A shard line is one finished cell, whole; it is flushed before the next begins,
//! so a killed run loses the cells in flight and no other. Finalisation sorts the
//! cells into matrix order, whatever the order in which they landed, and writes
//! every file under a temporary name first; the manifest comes last.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{BufRead, BufReader, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::error::{Error, Result};
use crate::frame::DerivedRow;
use crate::row::{
    CellKey, CompactionRow, CompositionRow, CurveRow, FactRow, FloorRow, StepRow, SurvivalRow,
    TriggerRow,
};

/// The files that hold one block of lines per cell, with their header rows.
pub const TABLES: [&str; 8] = [
    "measurements",
    "floor",
    "composition",
    "steps",
    "compactions",
    "triggers",
    "facts",
    "survival",
];

/// A finished cell as a shard line.
#[derive(Debug, Serialize, Deserialize)]
pub struct Landed {
    /// Its key.
    pub key: CellKey,
    /// `done`, or the error that it failed with.
    pub failed: Option<String>,
    /// By table: its lines, ready.
    pub tables: BTreeMap<String, String>,
    /// Its trace, as JSON.
    pub trace: Box<RawValue>,
    /// Its story, as JSON, where one is wanted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub story: Option<Box<RawValue>>,
    /// Milliseconds that it took here; not part of the identity set.
    pub wall_ms: u64,
}

/// The open shard of a run.
#[derive(Debug)]
pub struct Shard {
    path: PathBuf,
    file: Mutex<File>,
}

/// Where a landed cell stands in the shard.
#[derive(Clone, Debug)]
pub struct Place {
    /// The cell.
    pub cell: String,
    offset: u64,
}

impl Shard {
    /// Opens the shard of a run directory, making both where needed, so that an
    /// unwritable place is known before the first cell is driven.
    pub fn open(dir: &Path) -> Result<Shard> {
        let shards = dir.join("shards");
        fs::create_dir_all(&shards).map_err(|source| Error::io("create", &shards, source))?;
        let path = shards.join("cells.jsonl");
        let file = OpenOptions::new()
            .create(true)
            .append(true)
            .read(true)
            .open(&path)
            .map_err(|source| Error::io("open", &path, source))?;
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            return Err(Error::WrongRun {
                path: dir.to_owned(),
                difference: "another process is driving it".to_owned(),
            });
        }
        let shard = Shard { path, file: Mutex::new(file) };
        shard.mend()?;
        Ok(shard)
    }

    /// Cuts off a line that a kill or a full disk left half written.
    fn mend(&self) -> Result<()> {
        let io = |source| Error::io("mend", &self.path, source);
        let mut whole = 0;
        let mut reader = BufReader::new(File::open(&self.path).map_err(io)?);
        let mut line = Vec::new();
        loop {
            line.clear();
            let read = reader.read_until(b'\n', &mut line).map_err(io)?;
            if read == 0 || line.last() != Some(&b'\n') {
                break;
            }
            whole += read as u64;
        }
        let file = self.file.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        file.set_len(whole).map_err(io)
    }

    /// Appends a finished cell.
    pub fn land(&self, landed: &Landed) -> Result<()> {
        let io = |source| Error::io("write", &self.path, source);
        let mut line = serde_json::to_vec(landed)
            .map_err(|error| Error::io("write", &self.path, error.into()))?;
        line.push(b'\n');
        let mut file = self.file.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let start = file.seek(SeekFrom::End(0)).map_err(io)?;
        if let Err(source) = file.write_all(&line).and_then(|()| file.flush()) {
            // A half line would hide the cells that landed before it.
            let _ = file.set_len(start);
            return Err(io(source));
        }
        Ok(())
    }

    /// The cells that have landed, in the order in which they did.
    pub fn landed(&self) -> Result<Vec<Place>> {
        #[derive(Deserialize)]
        struct Head {
            key: CellKey,
        }
        let io = |source| Error::io("read", &self.path, source);
        let mut reader = BufReader::new(File::open(&self.path).map_err(io)?);
        let (mut places, mut offset, mut line) = (Vec::new(), 0, Vec::new());
        loop {
            line.clear();
            let read = reader.read_until(b'\n', &mut line).map_err(io)?;
            if read == 0 {
                return Ok(places);
            }
            if let Ok(head) = serde_json::from_slice::<Head>(&line) {
                places.push(Place { cell: head.key.cell, offset });
            }
            offset += read as u64;
        }
    }

    /// Removes the shard: what it held is in the sorted files now.
    pub fn remove(&self) -> Result<()> {
        fs::remove_file(&self.path).map_err(|source| Error::io("remove", &self.path, source))
    }

    /// A landed cell, whole.
    pub fn read(&self, place: &Place) -> Result<Landed> {
        let io = |source| Error::io("read", &self.path, source);
        let mut file = File::open(&self.path).map_err(io)?;
        file.seek(SeekFrom::Start(place.offset)).map_err(io)?;
        let mut line = Vec::new();
        BufReader::new(file).read_until(b'\n', &mut line).map_err(io)?;
        serde_json::from_slice(&line).map_err(|error| io(error.into()))
    }
}

/// A file that replaces another only when it is whole.
pub struct Fresh {
    path: PathBuf,
    temporary: PathBuf,
    writer: BufWriter<File>,
}

impl Fresh {
    /// Begins the file.
    pub fn create(dir: &Path, name: &str) -> Result<Fresh> {
        let temporary = dir.join(format!(".{name}.partial"));
        let file =
            File::create(&temporary).map_err(|source| Error::io("create", &temporary, source))?;
        Ok(Fresh { path: dir.join(name), temporary, writer: BufWriter::new(file) })
    }

    /// Writes on.
    pub fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.writer.write_all(bytes).map_err(|source| Error::io("write", &self.temporary, source))
    }

    /// Puts it in its place.
    pub fn finish(mut self) -> Result<()> {
        let flushed = self.writer.flush();
        flushed.map_err(|source| Error::io("write", &self.temporary, source))?;
        fs::rename(&self.temporary, &self.path)
            .map_err(|source| Error::io("write", &self.path, source))
    }
}

/// Writes a file whole.
pub fn write_whole(dir: &Path, name: &str, bytes: &[u8]) -> Result<()> {
    let mut file = Fresh::create(dir, name)?;
    file.write(bytes)?;
    file.finish()
}

/// Rows as CSV lines without a header.
pub fn lines<R: Serialize>(rows: &[R]) -> String {
    let mut writer = csv::WriterBuilder::new().has_headers(false).from_writer(Vec::new());
    for row in rows {
        // OK to ignore: a Vec takes every write, and rows are flat.
        let _ = writer.serialize(row);
    }
    String::from_utf8(writer.into_inner().unwrap_or_default()).unwrap_or_default()
}

/// A line of plain fields as CSV.
pub fn line(fields: &[String]) -> String {
    let mut writer = csv::WriterBuilder::new().has_headers(false).from_writer(Vec::new());
    // OK to ignore: a Vec takes every write.
    let _ = writer.write_record(fields);
    String::from_utf8(writer.into_inner().unwrap_or_default()).unwrap_or_default()
}

/// The header line of a table other than `measurements`.
pub fn header(table: &str) -> String {
    let names: &[&str] = match table {
        "floor" => field_names::<FloorRow>(),
        "composition" => field_names::<CompositionRow>(),
        "steps" => field_names::<StepRow>(),
        "compactions" => field_names::<CompactionRow>(),
        "triggers" => field_names::<TriggerRow>(),
        "facts" => field_names::<FactRow>(),
        "survival" => field_names::<SurvivalRow>(),
        "curve" => field_names::<CurveRow>(),
        "derived" => field_names::<DerivedRow>(),
        _ => &[],
    };
    line(&names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>())
}

/// The columns of the cell key.
pub fn key_columns() -> &'static [&'static str] {
    field_names::<CellKey>()
}

/// Field names of a struct, as its derived `Deserialize` knows them.
fn field_names<'de, T: Deserialize<'de>>() -> &'static [&'static str] {
    struct Names<'a>(&'a mut &'static [&'static str]);
    impl<'de> serde::Deserializer<'de> for Names<'_> {
        type Error = serde::de::value::Error;
        fn deserialize_any<V: serde::de::Visitor<'de>>(
            self,
            _: V,
        ) -> std::result::Result<V::Value, Self::Error> {
            Err(serde::de::Error::custom("only field names are asked for"))
        }
        fn deserialize_struct<V: serde::de::Visitor<'de>>(
            self,
            _: &'static str,
            fields: &'static [&'static str],
            visitor: V,
        ) -> std::result::Result<V::Value, Self::Error> {
            *self.0 = fields;
            self.deserialize_any(visitor)
        }
        serde::forward_to_deserialize_any! {
            bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf option
            unit unit_struct newtype_struct seq tuple tuple_struct map enum identifier ignored_any
        }
    }
    let mut names: &'static [&'static str] = &[];
    let _ = T::deserialize(Names(&mut names));
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn landed(cell: &str) -> Landed {
        let key = CellKey { cell: cell.to_owned(), ..serde_json::from_str(
            r#"{"cell":"","scenario":"s","family":"s","turns":1,"window":1,"pipeline":"p",
                "variant":"windowed","mode":"deployed","seed":1,"summarizer":"null","replicate":0}"#,
        ).expect("a key") };
        let trace = RawValue::from_string("{}".to_owned()).expect("JSON");
        Landed { key, failed: None, tables: BTreeMap::new(), trace, story: None, wall_ms: 0 }
    }

    #[test]
    fn a_half_written_line_is_cut_off_and_the_rest_is_kept() {
        let dir = tempfile::tempdir().expect("a directory");
        let shard = Shard::open(dir.path()).expect("it opens");
        shard.land(&landed("a")).expect("it lands");
        let path = dir.path().join("shards/cells.jsonl");
        let mut file = OpenOptions::new().append(true).open(&path).expect("it opens");
        file.write_all(b"{\"key\":{\"cell\":\"b").expect("it writes");
        assert!(matches!(Shard::open(dir.path()), Err(Error::WrongRun { .. })));
        drop(shard);
        let shard = Shard::open(dir.path()).expect("it opens");
        shard.land(&landed("c")).expect("it lands");
        let cells: Vec<String> =
            shard.landed().expect("it reads").into_iter().map(|place| place.cell).collect();
        assert_eq!(cells, ["a", "c"]);
    }

    #[test]
    fn headers_are_the_field_names() {
        assert_eq!(header("floor"), "cell,checkpoint,step,turn,round,tokens,live,present\n");
        assert_eq!(key_columns()[0], "cell");
    }
}
